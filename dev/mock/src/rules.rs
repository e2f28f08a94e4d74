//! All that the mock refuses, to be read.

use crate::refusal::{Rule, Says};
use crate::{anthropic, chat, converse, gemini, interactions, ollama, responses};

/// Something that a provider refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// The provider's dialect, as [`grammar::check`](crate::grammar::check) names it.
    pub dialect: &'static str,
    /// What must hold.
    pub name: &'static str,
    /// The provider's words for it, `…` standing for what varies; nothing where the rule is an assumption.
    pub documented: Option<&'static str>,
}

/// Every rule of every dialect.
///
/// ```
/// let rules = tokenforge_mock::rules();
/// let documented = rules.iter().filter(|rule| rule.documented.is_some()).count();
/// assert!(documented * 3 > rules.len() * 2);
/// ```
#[must_use]
pub fn rules() -> Vec<Refused> {
    let dialects: [(&'static str, &[&[Rule]]); 11] = [
        ("anthropic", anthropic::QUESTION),
        ("anthropic", anthropic::COUNT_ONLY),
        ("anthropic", anthropic::BATCH_ONLY),
        ("invoke", anthropic::INVOKE_ONLY),
        ("chat", chat::RULES),
        ("responses", responses::RULES),
        ("responses", responses::COMPACT_ONLY),
        ("gemini", gemini::RULES),
        ("interactions", interactions::RULES),
        ("converse", converse::RULES),
        ("ollama", ollama::RULES),
    ];
    let listed = |(dialect, rules): (&'static str, &[&'static [Rule]])| {
        let rules = rules.iter().copied().flatten();
        let refused = |rule: &'static Rule| {
            let documented = match rule.says {
                Says::Provider(words) => Some(words),
                Says::Assumed => None,
            };
            Refused { dialect, name: rule.name, documented }
        };
        rules.map(refused).collect::<Vec<_>>()
    };
    dialects.into_iter().flat_map(listed).collect()
}
