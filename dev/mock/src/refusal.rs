//! What a provider does not accept, rule by rule.
//!
//! A dialect is checked by a list of [`Rule`]s. Each is one thing that the provider refuses, with the message that the
//! provider documents or was seen to answer with; where the wording or the rule itself is a guess, it says so.

use crate::memory::Memory;
use serde_json::Value;

/// One thing that a provider refuses.
pub(crate) struct Rule {
    /// What must hold, in a few words.
    pub(crate) name: &'static str,
    /// Whether the provider says so.
    pub(crate) says: Says,
    /// Finds what breaks the rule.
    pub(crate) check: fn(&Asked<'_>) -> Result<(), Broken>,
}

/// Where a rule is from.
#[derive(Clone, Copy)]
pub(crate) enum Says {
    /// The provider's message, as documented or seen; a test compares its fixed words with what the rule answers.
    Provider(&'static str),
    /// The provider does not document it. The words are ours.
    Assumed,
}

/// What a request asks for, to be checked.
pub(crate) struct Asked<'a> {
    /// The body.
    pub(crate) body: &'a Value,
    /// The model, from the path where it names one.
    pub(crate) model: &'a str,
    /// What the mock remembers of earlier replies.
    pub(crate) memory: &'a Memory,
}

/// How a rule was broken.
#[derive(Debug, Default)]
pub(crate) struct Broken {
    /// The provider's words.
    pub(crate) message: String,
    /// OpenAI: the parameter that is wrong.
    pub(crate) param: Option<String>,
    /// OpenAI: the kind of the error.
    pub(crate) code: Option<&'static str>,
}

/// A request that was refused.
#[derive(Debug)]
pub(crate) struct ProviderRefusal {
    /// The rule that was broken.
    pub(crate) rule: &'static str,
    /// How.
    pub(crate) broken: Broken,
}

/// The first rule that is broken.
pub(crate) fn check(rules: &[&[Rule]], asked: &Asked<'_>) -> Result<(), ProviderRefusal> {
    for rule in rules.iter().copied().flatten() {
        (rule.check)(asked).map_err(|broken| ProviderRefusal { rule: rule.name, broken })?;
    }
    Ok(())
}

/// A rule broken, in the provider's words.
pub(crate) fn broken<T>(message: impl Into<String>) -> Result<T, Broken> {
    Err(Broken { message: message.into(), ..Broken::default() })
}

/// The same as OpenAI has it.
pub(crate) fn invalid<T>(
    message: impl Into<String>,
    param: impl Into<String>,
    code: Option<&'static str>,
) -> Result<T, Broken> {
    Err(Broken { message: message.into(), param: Some(param.into()), code })
}

/// The items of an array; none of anything else.
pub(crate) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A string; empty for anything else.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The first member whose name is not in `known`.
pub(crate) fn unknown_member<'a>(value: &'a Value, known: &[&str]) -> Option<&'a str> {
    value.as_object()?.keys().map(String::as_str).find(|key| !known.contains(key))
}

/// The first text that occurs a second time.
pub(crate) fn twice<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = std::collections::HashSet::new();
    texts.into_iter().find(|text| !seen.insert(*text))
}

/// Checks a dialect's rules against examples: each rule has a body that passes all of them, and one that it refuses.
///
/// An example that begins with `open.0` is put between `open.1` and a closing brace.
#[cfg(test)]
pub(crate) fn prove(
    rules: &[&[Rule]],
    model: &str,
    open: (char, &str),
    examples: &[(&str, &str, &str)],
) {
    let judge = |example: &str| {
        let body = match example.strip_prefix(open.0) {
            Some(rest) => format!("{}{rest}}}", open.1),
            None => example.to_owned(),
        };
        let body: Value =
            serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"));
        check(rules, &Asked { body: &body, model, memory: &Memory::default() })
    };
    for (name, good, bad) in examples {
        if let Err(refusal) = judge(good) {
            panic!("{name}: {good} is refused by {refusal:?}");
        }
        let refusal = judge(bad).expect_err(&format!("{name}: {bad} is accepted"));
        assert_eq!(&refusal.rule, name, "{bad} is refused with {:?}", refusal.broken);
    }
    for rule in rules.iter().copied().flatten() {
        let bad = examples.iter().find(|example| example.0 == rule.name);
        let bad = bad.unwrap_or_else(|| panic!("{} has no example", rule.name)).2;
        if let Says::Provider(words) = rule.says {
            is_worded(&judge(bad).unwrap_err().broken.message, words);
        }
    }
}

/// Whether a message has the provider's words, in order.
#[cfg(test)]
fn is_worded(message: &str, words: &str) {
    let mut rest = message;
    for piece in words.split('…') {
        let at = rest.find(piece).unwrap_or_else(|| panic!("{message:?} is not worded {words:?}"));
        rest = &rest[at + piece.len()..];
    }
}
