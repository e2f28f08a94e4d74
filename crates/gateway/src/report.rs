//! The report on one request: what was done to it and to each of its tool results, in figures.

use crate::rewrite::RequestTools;
use crate::strategy::StrategyRefusal;
use std::sync::Arc;
use tokenforge_engine::{KeptReason, Mode, Verdict};
use tokenforge_ledger::{BoundedName, FetchedPart};
use tokenforge_providers::Dialect;

/// What was done to a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestReport {
    pub(crate) dialect: Option<Dialect>,
    pub(crate) model: Option<String>,
    /// The project of a path `/p/PROJECT`.
    pub(crate) project: Option<String>,
    /// The agent, as it calls itself.
    pub(crate) client: Option<BoundedName>,
    /// What the client calls its session, else what tells its conversation from others.
    pub(crate) session: Option<String>,
    /// What the caller says about itself.
    pub(crate) debug: Option<Arc<serde_json::Value>>,
    pub(crate) mode: &'static str,
    pub(crate) results: Vec<ResultReport>,
    /// The tools that it declares, where somebody wants to know.
    pub(crate) tools: Option<RequestTools>,
    /// What else was changed in the body: the exceptions to "nothing but tool results".
    pub(crate) changes: Vec<&'static str>,
}

/// Tokens that the model fetched back, and of which result of the request, if it is one of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FetchedBack {
    pub(crate) result: Option<usize>,
    pub(crate) part: FetchedPart,
    pub(crate) tokens: usize,
}

/// What became of one tool result.
#[derive(Debug, Clone)]
pub(crate) struct ResultReport {
    pub(crate) figures: Arc<ResultFigures>,
    /// It was sent before: found by its bytes, or remembered by its session.
    pub(crate) is_repeated: bool,
    /// The session that the request names remembers its call, and the text made before was used again (F12).
    pub(crate) memo_reused: bool,
    /// It was sent before, with other bytes or under other settings.
    pub(crate) memo_changed: bool,
    /// It is a pointer to an equal result.
    pub(crate) deduped: bool,
}

/// A result in figures.
#[derive(Debug, Clone)]
pub(crate) struct ResultFigures {
    pub(crate) tool: Box<str>,
    pub(crate) call: Option<Box<str>>,
    pub(crate) verdict: Verdict,
    /// The stages whose text was taken.
    pub(crate) stages: Vec<&'static str>,
    /// The family of the tool, if its filter was used.
    pub(crate) family: Option<String>,
    pub(crate) before: TextSize,
    pub(crate) after: TextSize,
    pub(crate) original_fingerprint: u64,
    pub(crate) compressed_fingerprint: u64,
    pub(crate) arguments_fingerprint: u64,
    /// The kinds of secrets that were removed.
    pub(crate) redacted: Vec<&'static str>,
    pub(crate) is_capped: bool,
    pub(crate) is_pointer: bool,
    pub(crate) dictionary: Option<&'static str>,
    /// The strategy that shortened it further.
    pub(crate) strategy: Option<&'static str>,
    /// Why the strategy's text was not used, if it was asked.
    pub(crate) strategy_refusal: Option<StrategyRefusal>,
    /// What the strategy reported when it failed.
    pub(crate) strategy_error: Option<Box<str>>,
}

/// How large a text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TextSize {
    pub(crate) tokens: usize,
    pub(crate) bytes: usize,
    pub(crate) characters: usize,
    pub(crate) lines: usize,
}

impl ResultFigures {
    /// Those of a result that nobody looked at.
    pub(crate) fn untouched(tool: &str, call: Option<&str>) -> Self {
        ResultFigures {
            tool: tool.into(),
            call: call.map(Into::into),
            verdict: Verdict::Kept(KeptReason::ClientMessage),
            stages: Vec::new(),
            family: None,
            before: TextSize::default(),
            after: TextSize::default(),
            original_fingerprint: 0,
            compressed_fingerprint: 0,
            arguments_fingerprint: 0,
            redacted: Vec::new(),
            is_capped: false,
            is_pointer: false,
            dictionary: None,
            strategy: None,
            strategy_refusal: None,
            strategy_error: None,
        }
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        let names = [Some(&self.tool), self.call.as_ref(), self.strategy_error.as_ref()];
        size_of::<Self>()
            + names.into_iter().flatten().map(|name| name.len()).sum::<usize>()
            + size_of_val(&*self.stages)
            + size_of_val(&*self.redacted)
            + self.family.as_ref().map_or(0, String::len)
    }

    /// The verdict in events. Where a strategy was asked and its text refused, that is why the original was forwarded.
    pub(crate) fn verdict_name(&self) -> &'static str {
        match (self.verdict, self.strategy_refusal) {
            (Verdict::Kept(_), Some(refusal)) => refusal.name(),
            (verdict, _) => verdict.name(),
        }
    }
}

impl ResultFigures {
    /// Did it go on in other words, or would it have?
    pub(crate) fn is_touched(&self) -> bool {
        match self.verdict {
            Verdict::Replaced => true,
            Verdict::Kept(KeptReason::Observed) => self.before != self.after,
            Verdict::Kept(_) => false,
        }
    }

    /// Its size as it went on: what was only measured went on as it came.
    pub(crate) fn sent_size(&self) -> TextSize {
        match self.verdict {
            Verdict::Kept(KeptReason::Observed) => self.before,
            _ => self.after,
        }
    }
}

/// The results of a request, added up as they went on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ReportSums {
    pub(crate) results: u64,
    pub(crate) compressed: u64,
    pub(crate) redacted: u64,
    pub(crate) reused: u64,
    pub(crate) bytes_before: u64,
    pub(crate) bytes_after: u64,
    /// Tokens of results that are new.
    pub(crate) fresh: BeforeAfter,
    /// Tokens of results that were sent before.
    pub(crate) repeated: BeforeAfter,
}

/// Something as it came and as it went on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BeforeAfter {
    pub(crate) before: u64,
    pub(crate) after: u64,
}

impl RequestReport {
    /// What it says about the request alone.
    pub(crate) fn without_results(&self) -> Self {
        RequestReport {
            dialect: self.dialect,
            model: self.model.clone(),
            project: self.project.clone(),
            client: self.client.clone(),
            session: self.session.clone(),
            debug: self.debug.clone(),
            mode: self.mode,
            results: Vec::new(),
            tools: None,
            changes: self.changes.clone(),
        }
    }

    /// Where the client names no session: how the conversation begins, which every later request of it repeats. A
    /// request without a result has nothing yet to tell it by.
    pub(crate) fn know_conversation(&mut self, tenant: &str) {
        let Some(first) = self.results.first().filter(|_| self.session.is_none()) else { return };
        let ResultFigures { call, original_fingerprint, arguments_fingerprint, .. } =
            &*first.figures;
        let call = call.as_deref().unwrap_or_default();
        self.session =
            Some(format!("{tenant} {call} {original_fingerprint:x} {arguments_fingerprint:x}"));
    }

    /// The session, as it is told and written down.
    pub(crate) fn session_name(&self) -> Option<BoundedName> {
        self.session.as_deref().map(BoundedName::of_session)
    }

    /// Was it only measured what would be done?
    pub(crate) fn is_observed(&self) -> bool {
        self.mode == Mode::Observe.name()
    }

    /// All results together.
    pub(crate) fn sums(&self) -> ReportSums {
        let mut sums = ReportSums::default();
        for result in &self.results {
            let figures = &result.figures;
            let (before, sent) = (figures.before, figures.sent_size());
            sums.results += 1;
            sums.compressed += u64::from(figures.verdict == Verdict::Replaced);
            sums.redacted += figures.redacted.len() as u64;
            sums.reused += u64::from(result.is_repeated);
            sums.bytes_before += before.bytes as u64;
            sums.bytes_after += sent.bytes as u64;
            let tokens = if result.is_repeated { &mut sums.repeated } else { &mut sums.fresh };
            tokens.before += before.tokens as u64;
            tokens.after += sent.tokens as u64;
        }
        sums
    }

    /// The tokens of all tool results, as they came and as they went on.
    pub(crate) fn tokens(&self) -> (usize, usize) {
        let sum = |size: fn(&ResultFigures) -> usize| {
            self.results.iter().map(|result| size(&result.figures)).sum()
        };
        (sum(|figures| figures.before.tokens), sum(|figures| figures.sent_size().tokens))
    }
}
