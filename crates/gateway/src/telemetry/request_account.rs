//! The account of a request that is over, and the ledger entry that is made of it.

use crate::telemetry::PromptCount;
use std::time::{SystemTime, UNIX_EPOCH};
use tokenforge_conversation::RequestTools;
use tokenforge_conversation::report::{FetchedBack, ReportSums, RequestReport, ResultReport};
use tokenforge_engine::expand_tool;
use tokenforge_ledger::{
    BoundedName, EntrySource, LedgerEntry, ModelUsage, OriginalFetch, ResultOutcome,
};
use tokenforge_providers::{Dialect, ModelTokens, TokenCounts, TurnUsage};
use tokenforge_tokens::{Counter, for_model};

/// Bytes of a token in what is no tool result, for an estimate.
const BYTES_PER_TOKEN: usize = 4;

/// Stage of an original that was fetched back, when it is not known how it was left out.
pub(super) const UNKNOWN: &str = "(unknown)";

/// A request, and what it came to.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestAccount {
    pub(crate) report: RequestReport,
    /// All its results together.
    pub(crate) sums: ReportSums,
    /// How long the body is that went on; none where it did not go to a model.
    pub(crate) body_bytes: Option<usize>,
    /// What the provider counted.
    pub(crate) usage: Option<TurnUsage>,
    /// What the model fetched back.
    pub(crate) fetched: Vec<FetchedBack>,
    /// It is paid for with a subscription.
    pub(crate) is_subscription: bool,
    /// It was part of a batch.
    pub(crate) is_batch: bool,
    /// Our count of all its text, where it is counted.
    pub(crate) counted: Option<PromptCount>,
}

impl RequestAccount {
    /// All of it, as it is written down.
    pub(super) fn entry(&self) -> LedgerEntry {
        let report = &self.report;
        let mut entry = self.blank_entry();
        entry.client.clone_from(&report.client);
        entry.project = report.project.as_deref().map(BoundedName::from);
        entry.session = report.session_name();
        entry.dialect = report.dialect.map(|dialect| BoundedName::from(&*format!("{dialect:?}")));
        entry.context_estimate = self.context_estimate();
        entry.counted = self.counted.as_ref().and_then(|count| count.get().copied());
        entry.tools = report.tools.as_ref().map(RequestTools::entry);
        for result in &report.results {
            let figures = &result.figures;
            let tokens = (figures.before.tokens as u64, figures.after.tokens as u64);
            if result.is_repeated {
                entry.add_repeated(&figures.tool, stages(result), tokens);
            } else {
                let kept = (!figures.is_touched()).then(|| figures.verdict_name().into());
                let fresh = ResultOutcome::fresh(&figures.tool, stages(result), tokens.0, tokens.1);
                entry.add(ResultOutcome { program: program(result), kept, ..fresh });
            }
        }
        for fetched in &self.fetched {
            let outcome = self.outcome_fetched(fetched);
            let ResultOutcome { tool, program, .. } = outcome.clone();
            let tokens = outcome.expanded;
            entry.add_fetch(OriginalFetch { tool, program, part: fetched.part, tokens });
            entry.add(outcome);
        }
        // The replies in which the model asked cost money, and must be charged to some result.
        if entry.extra.is_some() && entry.results.is_empty() {
            entry.add(ResultOutcome::of_expansion("", [UNKNOWN], 0));
        }
        entry
    }

    /// Only what money is counted by: sums in place of results.
    pub(super) fn summed_entry(&self) -> LedgerEntry {
        let ReportSums { fresh, repeated, .. } = self.sums;
        let mut entry = self.blank_entry();
        entry.results = vec![
            ResultOutcome {
                expanded: self.fetched.iter().map(|fetched| fetched.tokens as u64).sum(),
                ..ResultOutcome::fresh("", [], fresh.before, fresh.after)
            },
            ResultOutcome {
                repeated: true,
                ..ResultOutcome::fresh("", [], repeated.before, repeated.after)
            },
        ];
        entry.observed = false;
        entry
    }

    fn blank_entry(&self) -> LedgerEntry {
        let mut entry = LedgerEntry::new(EntrySource::Gateway, seconds(SystemTime::now()));
        entry.model = self.report.model.as_deref().map(BoundedName::from);
        entry.observed = self.report.is_observed();
        entry.subscription = self.is_subscription;
        entry.batch = self.is_batch;
        entry.added = self.expand_tool_tokens();
        if let (Some(dialect), Some(usage)) = (self.report.dialect, &self.usage) {
            entry.usage = ledger_usage(dialect, usage.billed);
            let extra =
                ledger_usage(dialect, usage.billed_earlier).filter(|_| entry.usage.is_some());
            entry.extra = extra.filter(|extra| *extra != tokenforge_ledger::TokenUsage::default());
            let advisor = |ModelTokens { model, tokens }: &ModelTokens| {
                let usage = ledger_usage(dialect, *tokens)?;
                Some(ModelUsage { model: BoundedName::from(model.as_str()), usage })
            };
            entry.advisors = usage.advisors.iter().filter_map(advisor).collect();
        }
        entry
    }

    /// The tokens of our own tool's definition, if it was added.
    fn expand_tool_tokens(&self) -> u64 {
        if !self.report.changes.contains(&"expand_tool_added") {
            return 0;
        }
        let model = self.report.model.as_deref().unwrap_or_default();
        Counter::from(for_model(model).vocabulary).count(expand_tool::DEFINITION) as u64
    }

    /// Results by their own tokens, all else by its bytes.
    fn context_estimate(&self) -> Option<u64> {
        let others = self.body_bytes?.saturating_sub(self.sums.bytes_after as usize);
        let results = self.sums.fresh.after + self.sums.repeated.after;
        Some(results + (others / BYTES_PER_TOKEN) as u64)
    }

    fn outcome_fetched(&self, fetched: &FetchedBack) -> ResultOutcome {
        let tokens = fetched.tokens as u64;
        let result = fetched.result.and_then(|index| self.report.results.get(index));
        match result {
            Some(result) => ResultOutcome {
                program: program(result),
                ..ResultOutcome::of_expansion(&result.figures.tool, stages(result), tokens)
            },
            None => ResultOutcome::of_expansion("", [UNKNOWN], tokens),
        }
    }
}

/// What was done to a result; nothing where it went on as it came.
fn stages(result: &ResultReport) -> impl Iterator<Item = &'static str> + Clone {
    let figures = &result.figures;
    let is_touched = figures.is_touched();
    let named = figures.stages.iter().copied().chain(figures.strategy);
    let unnamed = figures.stages.is_empty() && figures.strategy.is_none();
    let named = named.chain(unnamed.then_some(UNKNOWN));
    named.filter(move |_| is_touched)
}

/// The program that a shell ran.
fn program(result: &ResultReport) -> Option<BoundedName> {
    result.figures.family.as_deref().and_then(BoundedName::of_program)
}

/// A provider's figures with each token in one place: some count what is cached as input, too.
pub(crate) fn ledger_usage(
    dialect: Dialect,
    tokens: TokenCounts,
) -> Option<tokenforge_ledger::TokenUsage> {
    let TokenCounts { input, output, cache_read, cache_write, cache_write_1h, .. } = tokens;
    let cached = cache_read.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
    let cached = if dialect.counts_cache_apart() { 0 } else { cached };
    Some(tokenforge_ledger::TokenUsage {
        input: input?.saturating_sub(cached),
        cache_read,
        cache_write,
        cache_write_1h,
        output: output.unwrap_or(0),
    })
}

/// Seconds since 1970.
pub(super) fn seconds(now: SystemTime) -> u64 {
    now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_tokens_are_counted_once_in_every_dialect() {
        let mut tokens = TokenCounts::default();
        (tokens.input, tokens.output) = (Some(1000), Some(5));
        (tokens.cache_read, tokens.cache_write) = (Some(600), None);
        let input =
            |dialect| ledger_usage(dialect, tokens).map(|usage| (usage.input, usage.all_input()));
        assert_eq!(input(Dialect::Anthropic), Some((1000, 1600)));
        assert_eq!(input(Dialect::OpenAiChat), Some((400, 1000)));
        assert_eq!(input(Dialect::Gemini), Some((400, 1000)));
        assert_eq!(ledger_usage(Dialect::Anthropic, TokenCounts::default()), None);
    }
}
