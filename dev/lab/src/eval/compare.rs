//! What became of a scenario with compression, beside what became of it without.

use super::agent::Played;
use super::api::{Api, ApiCall};
use super::gateway::Figures;
use super::scenario::{ExpectedCall, Scenario};
use serde::Serialize;

/// A scenario that was played twice.
#[derive(Debug, Serialize)]
pub(super) struct Compared {
    pub(super) name: String,
    pub(super) tokens: Option<Tokens>,
    /// Originals that the model asked for.
    pub(super) expansions: u64,
    /// What the model did without compression and not with it.
    pub(super) regressions: Vec<String>,
    /// What differs, and is allowed to.
    pub(super) notes: Vec<String>,
    /// It came to nothing without compression: it says nothing about compression.
    pub(super) is_void: bool,
}

/// Input tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Tokens {
    pub(super) off: u64,
    pub(super) on: u64,
    pub(super) counted_by: CountedBy,
}

/// Who counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CountedBy {
    /// The provider: all input.
    Provider,
    /// We: tool results alone.
    OurCountOfToolResults,
}

impl Compared {
    pub(super) fn new(
        scenario: &Scenario,
        off: anyhow::Result<Played>,
        on: anyhow::Result<Played>,
        figures: Figures,
        api: Api,
        allow_other_calls: bool,
    ) -> Self {
        let mut compared = Compared {
            name: scenario.name.clone(),
            tokens: None,
            expansions: figures.expansions,
            regressions: Vec::new(),
            notes: Vec::new(),
            is_void: false,
        };
        let off = match off {
            Ok(off) => off,
            Err(error) => {
                compared.notes.push(format!("without compression it fails: {error:#}"));
                compared.is_void = true;
                return compared;
            }
        };
        let on = match on {
            Ok(on) => on,
            Err(error) => {
                compared.regressions.push(format!("with compression it fails: {error:#}"));
                return compared;
            }
        };
        compared.tokens = tokens(&off, &on, &figures, api);
        compared.behaviour(scenario, &off, &on, allow_other_calls);
        compared
    }

    fn behaviour(&mut self, scenario: &Scenario, off: &Played, on: &Played, allow_other: bool) {
        let mut met = 0;
        for fact in &scenario.expect.facts {
            match (off.answer.contains(fact), on.answer.contains(fact)) {
                (true, false) => self.regressions.push(format!("the answer lacks {fact:?}")),
                (false, _) => self.notes.push(format!("not even without compression: {fact:?}")),
                (true, true) => met += 1,
            }
        }
        for expected in &scenario.expect.calls {
            let (name, contains) = (&expected.tool, &expected.contains);
            match (makes(off, expected), makes(on, expected)) {
                (true, false) => {
                    self.regressions.push(format!("{name} is not called with {contains:?}"));
                }
                (false, _) => {
                    let note = format!("not even without compression: {name} with {contains:?}");
                    self.notes.push(note);
                }
                (true, true) => met += 1,
            }
        }
        let is_expecting = scenario.expect.facts.len() + scenario.expect.calls.len() > 0;
        self.is_void = is_expecting && met == 0 && self.regressions.is_empty();
        if !are_same(&off.calls, &on.calls) {
            let differs = format!("other calls: {}, was {}", named(&on.calls), named(&off.calls));
            if allow_other { self.notes.push(differs) } else { self.regressions.push(differs) }
        }
    }
}

fn makes(played: &Played, expected: &ExpectedCall) -> bool {
    played.calls.iter().any(|call| {
        call.tool == expected.tool && call.arguments.to_string().contains(&expected.contains)
    })
}

/// The same tools with the same arguments, in the same order.
fn are_same(off: &[ApiCall], on: &[ApiCall]) -> bool {
    let is_same = |(a, b): (&ApiCall, &ApiCall)| a.tool == b.tool && a.arguments == b.arguments;
    off.len() == on.len() && off.iter().zip(on).all(is_same)
}

fn named(calls: &[ApiCall]) -> String {
    let names: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
    format!("{} ({})", calls.len(), names.join(", "))
}

/// The provider's figures, if it gave any; else our own of tool results, with what was asked for again.
fn tokens(off: &Played, on: &Played, figures: &Figures, api: Api) -> Option<Tokens> {
    if let (Some(off), Some(seen)) = (off.input.filter(|input| *input > 0), on.input) {
        // The agent does not see the requests that expansions took; the gateway counts them.
        let on = seen.max(figures.provider_input(api));
        return Some(Tokens { off, on, counted_by: CountedBy::Provider });
    }
    let Figures { results_before, results_after, expansion_tokens, .. } = *figures;
    (results_before > 0).then_some(Tokens {
        off: results_before,
        on: results_after + expansion_tokens,
        counted_by: CountedBy::OurCountOfToolResults,
    })
}
