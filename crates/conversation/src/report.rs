//! The report on one request: what was done to it and to each of its tool results, in figures.

use crate::request_tools::RequestTools;
use crate::strategy_decision::StrategyRefusal;
use std::sync::Arc;
use tokenforge_engine::{KeptReason, Mode, Verdict};
use tokenforge_ledger::{BoundedName, FetchedPart};
use tokenforge_providers::Dialect;

/// What was done to a request.
#[derive(Debug, Clone, Default)]
pub struct RequestReport {
    /// Its dialect; nothing where nothing was done to it.
    pub dialect: Option<Dialect>,
    /// The model, as the request names it.
    pub model: Option<String>,
    /// The project of a path `/p/PROJECT`.
    pub project: Option<String>,
    /// The agent, as it calls itself.
    pub client: Option<BoundedName>,
    /// What the client calls its session, else what tells its conversation from others.
    pub session: Option<String>,
    /// What the caller says about itself.
    pub debug: Option<Arc<serde_json::Value>>,
    /// The mode by name.
    pub mode: &'static str,
    /// What became of each tool result, in the order of the body.
    pub results: Vec<ResultReport>,
    /// The tools that the request declares, where they are counted.
    pub tools: Option<RequestTools>,
    /// What else was changed in the body: the exceptions to "nothing but tool results".
    pub changes: Vec<&'static str>,
}

/// Tokens that the model fetched back, and of which result of the request, if it is one of them.
#[derive(Debug, Clone, Copy)]
pub struct FetchedBack {
    /// The result by its place in the request.
    pub result: Option<usize>,
    /// Which part of it was asked for.
    pub part: FetchedPart,
    /// What the answer has.
    pub tokens: usize,
}

/// What became of one tool result.
#[derive(Debug, Clone)]
pub struct ResultReport {
    /// The result in figures.
    pub figures: Arc<ResultFigures>,
    /// It was sent before: found by its bytes, or remembered by its session.
    pub is_repeated: bool,
    /// The session that the request names remembers its call, and the text made before was used again (F12).
    pub memo_reused: bool,
    /// It was sent before, with other bytes or under other settings.
    pub memo_changed: bool,
    /// It is a pointer to an equal result.
    pub deduped: bool,
}

/// A result in figures.
#[derive(Debug, Clone)]
pub struct ResultFigures {
    /// The tool, as the request names it.
    pub tool: Box<str>,
    /// The id of the call, if it has one.
    pub call: Option<Box<str>>,
    /// What became of it.
    pub verdict: Verdict,
    /// The stages whose text was taken.
    pub stages: Vec<&'static str>,
    /// The family of the tool, if its filter was used.
    pub family: Option<String>,
    /// Its size as it came.
    pub before: TextSize,
    /// Its size as it went on, or would have gone on.
    pub after: TextSize,
    /// Tells its text from others.
    pub original_fingerprint: u64,
    /// Tells the text that went on from others.
    pub compressed_fingerprint: u64,
    /// Tells the arguments of its call from others, without their secrets.
    pub arguments_fingerprint: u64,
    /// The kinds of secrets that were removed.
    pub redacted: Vec<&'static str>,
    /// It was cut to the largest size.
    pub is_capped: bool,
    /// It points to an earlier result.
    pub is_pointer: bool,
    /// The method of its dictionary, if it has one.
    pub dictionary: Option<&'static str>,
    /// The strategy that shortened it further.
    pub strategy: Option<&'static str>,
    /// Why the strategy's text was not used, if it was asked.
    pub strategy_refusal: Option<StrategyRefusal>,
    /// What the strategy reported when it failed.
    pub strategy_error: Option<Box<str>>,
}

/// How large a text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextSize {
    /// In tokens of the model.
    pub tokens: usize,
    /// In bytes.
    pub bytes: usize,
    /// In characters.
    pub characters: usize,
    /// In lines.
    pub lines: usize,
}

impl ResultFigures {
    /// The figures of a result that no stage examined.
    #[must_use]
    pub fn untouched(tool: &str, call: Option<&str>) -> Self {
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
    #[must_use]
    pub fn bytes(&self) -> usize {
        let names = [Some(&self.tool), self.call.as_ref(), self.strategy_error.as_ref()];
        size_of::<Self>()
            + names.into_iter().flatten().map(|name| name.len()).sum::<usize>()
            + size_of_val(&*self.stages)
            + size_of_val(&*self.redacted)
            + self.family.as_ref().map_or(0, String::len)
    }

    /// The verdict in events. Where a strategy was asked and its text refused, that is why the original was forwarded.
    #[must_use]
    pub fn verdict_name(&self) -> &'static str {
        match (self.verdict, self.strategy_refusal) {
            (Verdict::Kept(_), Some(refusal)) => refusal.name(),
            (verdict, _) => verdict.name(),
        }
    }
}

impl ResultFigures {
    /// Did it go on in other words, or would it have?
    #[must_use]
    pub fn is_touched(&self) -> bool {
        match self.verdict {
            Verdict::Replaced => true,
            Verdict::Kept(KeptReason::Observed) => self.before != self.after,
            Verdict::Kept(_) => false,
        }
    }

    /// Its size as it went on: what was only measured went on as it came.
    #[must_use]
    pub fn sent_size(&self) -> TextSize {
        match self.verdict {
            Verdict::Kept(KeptReason::Observed) => self.before,
            _ => self.after,
        }
    }
}

/// The results of a request, added up as they went on.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReportSums {
    /// How many results there are.
    pub results: u64,
    /// Those that went on in other words.
    pub compressed: u64,
    /// Secrets that were removed.
    pub redacted: u64,
    /// Those that were sent before.
    pub reused: u64,
    /// Their bytes as they came.
    pub bytes_before: u64,
    /// Their bytes as they went on.
    pub bytes_after: u64,
    /// Tokens of results that are new.
    pub fresh: BeforeAfter,
    /// Tokens of results that were sent before.
    pub repeated: BeforeAfter,
}

/// Something as it came and as it went on.
#[derive(Debug, Clone, Copy, Default)]
pub struct BeforeAfter {
    /// As it came.
    pub before: u64,
    /// As it went on.
    pub after: u64,
}

impl RequestReport {
    /// What it says about the request alone.
    #[must_use]
    pub fn without_results(&self) -> Self {
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
    pub fn know_conversation(&mut self, tenant: &str) {
        let Some(first) = self.results.first().filter(|_| self.session.is_none()) else { return };
        let ResultFigures { call, original_fingerprint, arguments_fingerprint, .. } =
            &*first.figures;
        let call = call.as_deref().unwrap_or_default();
        self.session =
            Some(format!("{tenant} {call} {original_fingerprint:x} {arguments_fingerprint:x}"));
    }

    /// The session, as it is told and written down.
    #[must_use]
    pub fn session_name(&self) -> Option<BoundedName> {
        self.session.as_deref().map(BoundedName::of_session)
    }

    /// Was it only measured what would be done?
    #[must_use]
    pub fn is_observed(&self) -> bool {
        self.mode == Mode::Observe.name()
    }

    /// All results together.
    #[must_use]
    pub fn sums(&self) -> ReportSums {
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
    #[must_use]
    pub fn tokens(&self) -> (usize, usize) {
        let sum = |size: fn(&ResultFigures) -> usize| {
            self.results.iter().map(|result| size(&result.figures)).sum()
        };
        (sum(|figures| figures.before.tokens), sum(|figures| figures.sent_size().tokens))
    }
}
