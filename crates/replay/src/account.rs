//! The account of a replay: what was found out about one session.

mod old_results;

pub use old_results::OldResultSums;

use crate::declarations::DeclarationSums;
use crate::probes::Probes;
use crate::read::LogOrigin;
use crate::usage::UsageCharge;
use serde::Serialize;
use std::collections::BTreeMap;
use tokenforge_engine::old_results::STAGE;

/// What was found out about sessions: one, or many together.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReplayAccount {
    /// Requests to the model.
    pub requests: usize,
    /// Those of them whose usage the log has; that of the others is a model of what a provider with a cache charges.
    pub logged: usize,
    /// Those of them to models of unknown price; that of a common one is taken.
    pub unpriced: usize,
    /// Sessions whose log has no list of tools: taken for it are those that were called.
    pub without_tools: usize,
    /// Tool results, each counted once.
    pub results: ResultSums,
    /// What was charged.
    pub before: TokenBill,
    /// What would have been.
    pub after: TokenBill,
    /// How much of a request the next one left as it was, at worst.
    pub prefix_stability: f64,
    /// What fetching back would cost.
    pub expansions: ExpansionCost,
    /// What became of old results where the provider's cache was cold; none where they were to be left alone.
    pub old_results: Option<OldResultSums>,
    /// The tools that were declared, in the sessions whose log has a list of them.
    pub declarations: DeclarationSums,
    /// What a token cost that is in front of every request, over all requests, in dollars.
    #[serde(skip)]
    pub(crate) front_rate: f64,
    /// Tool results that Tokenforge wrote already, and that stay as they are.
    pub already: usize,
    /// Conversations that were longer than any model reads, and were taken apart.
    pub cut: usize,
    /// Lines of the log that could not be read.
    pub skipped: usize,
    /// What later turns used, and whether they could still have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probes: Option<Probes>,
    /// Results by tool.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ResultSums>,
    /// Savings by stage.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub stages: BTreeMap<String, StageSavings>,
    /// The longest results that go on as they came.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<UnchangedResult>,
}

/// A result that goes on as it came.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct UnchangedResult {
    /// Its tokens.
    pub tokens: usize,
    /// The tool.
    pub tool: String,
    /// Why it was left as it is.
    pub reason: &'static str,
}

/// How many of the longest results are named.
const NAMED: usize = 10;

/// A session, and what was found out about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplayedSession {
    /// What its log calls it.
    pub name: String,
    /// The log.
    pub file: String,
    /// Who wrote it.
    pub client: LogOrigin,
    /// The model that answered first.
    pub model: Option<String>,
    /// What was found out.
    #[serde(flatten)]
    pub account: ReplayAccount,
}

/// What became of tool results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ResultSums {
    /// How many there are.
    pub count: usize,
    /// How many go on in other words.
    pub changed: usize,
    /// How many have more tokens than before: a secret in them was replaced by a longer word.
    pub larger: usize,
    /// Their tokens.
    pub tokens_in: usize,
    /// The tokens of what was made of them.
    pub tokens_out: usize,
    /// What that saves on the bill, in dollars, with all requests that carry them.
    pub cost_saved: f64,
}

/// What a stage saved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct StageSavings {
    /// How many results it was applied to.
    pub results: usize,
    /// How many tokens fewer they have; negative where it costs some.
    pub tokens_saved: i64,
    /// What that saves on the bill, in dollars.
    pub cost_saved: f64,
}

/// A bill: tokens and dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct TokenBill {
    /// In tokens.
    pub tokens: UsageCharge,
    /// In dollars.
    pub cost: UsageCharge,
}

/// What fetching back would cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ExpansionCost {
    /// Results of which something was left out.
    pub references: usize,
    /// The tokens of their originals.
    pub tokens: usize,
    /// What it would cost, in dollars, if the model fetched every one of them once.
    pub cost_of_all: f64,
    /// How many had to be fetched, since a later answer used what only they have.
    pub fetched: usize,
    /// What that costs, in dollars. It is in the bill.
    pub cost_of_fetched: f64,
}

impl ReplayedSession {
    /// Does it cost more than it did? A rounding error does not count.
    #[must_use]
    pub fn is_dearer(&self) -> bool {
        self.account.cost_saved() < -1e-9
    }
}

impl ReplayAccount {
    /// An account of nothing.
    #[must_use]
    pub fn new() -> Self {
        ReplayAccount { prefix_stability: 1.0, ..ReplayAccount::default() }
    }

    /// Adds another.
    pub fn add(&mut self, other: &ReplayAccount) {
        self.requests += other.requests;
        self.logged += other.logged;
        self.unpriced += other.unpriced;
        self.without_tools += other.without_tools;
        self.results.add(&other.results);
        self.before.add(&other.before);
        self.after.add(&other.after);
        self.prefix_stability = self.prefix_stability.min(other.prefix_stability);
        self.expansions.references += other.expansions.references;
        self.expansions.tokens += other.expansions.tokens;
        self.expansions.cost_of_all += other.expansions.cost_of_all;
        self.expansions.fetched += other.expansions.fetched;
        self.expansions.cost_of_fetched += other.expansions.cost_of_fetched;
        if let Some(old) = &other.old_results {
            self.old_results.get_or_insert_default().add(old);
        }
        self.declarations.add(&other.declarations);
        self.already += other.already;
        self.cut += other.cut;
        self.skipped += other.skipped;
        if let Some(probes) = &other.probes {
            self.probes.get_or_insert_default().add(probes);
        }
        other.kept.iter().for_each(|kept| self.keep(kept.clone()));
        for (tool, results) in &other.tools {
            self.tools.entry(tool.clone()).or_default().add(results);
        }
        for (name, stage) in &other.stages {
            let sum = self.stages.entry(name.clone()).or_default();
            sum.results += stage.results;
            sum.tokens_saved += stage.tokens_saved;
            sum.cost_saved += stage.cost_saved;
        }
    }

    /// An old result has so many tokens fewer from now on.
    pub(crate) fn leave_out(&mut self, tokens: usize) {
        let stage = self.stages.entry(STAGE.to_owned()).or_default();
        stage.results += 1;
        stage.tokens_saved += tokens as i64;
        let sums = self.old_results.get_or_insert_default();
        sums.left_out += 1;
        sums.tokens += tokens;
    }

    /// Names a result among the longest that go on as they came, if it is one.
    pub(crate) fn keep(&mut self, kept: UnchangedResult) {
        let at = self.kept.partition_point(|other| other.tokens >= kept.tokens);
        if at < NAMED {
            self.kept.insert(at, kept);
            self.kept.truncate(NAMED);
        }
    }

    /// What is saved, in dollars; negative if it costs more.
    #[must_use]
    pub fn cost_saved(&self) -> f64 {
        self.before.cost.total() - self.after.cost.total()
    }

    /// The bill that would have been over the one that was.
    #[must_use]
    pub fn cost_ratio(&self) -> f64 {
        ratio(self.after.cost.total(), self.before.cost.total())
    }

    /// The same of the input alone, which is all that is changed.
    #[must_use]
    pub fn input_cost_ratio(&self) -> f64 {
        ratio(self.after.cost.total_input(), self.before.cost.total_input())
    }
}

impl ResultSums {
    fn add(&mut self, other: &ResultSums) {
        self.count += other.count;
        self.changed += other.changed;
        self.larger += other.larger;
        self.tokens_in += other.tokens_in;
        self.tokens_out += other.tokens_out;
        self.cost_saved += other.cost_saved;
    }

    /// The part of the tokens that is saved.
    #[must_use]
    pub fn share_saved(&self) -> f64 {
        1.0 - ratio(self.tokens_out as f64, self.tokens_in as f64)
    }
}

impl TokenBill {
    pub(crate) fn add(&mut self, other: &TokenBill) {
        self.tokens += other.tokens;
        self.cost += other.cost;
    }

    /// What is left of it without another.
    pub(crate) fn less(&self, other: &TokenBill) -> TokenBill {
        TokenBill { tokens: self.tokens - other.tokens, cost: self.cost - other.cost }
    }
}

/// One over the other; 1 where there was nothing.
pub(crate) fn ratio(after: f64, before: f64) -> f64 {
    if before > 0.0 { after / before } else { 1.0 }
}
