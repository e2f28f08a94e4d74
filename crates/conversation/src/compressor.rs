//! The library entry: a conversation compressed in the caller's own process, to the very bytes that the gateway would
//! forward. Nothing listens, nothing is sent.
//!
//! ```
//! use std::sync::Arc;
//! use tokenforge_config::Settings;
//! use tokenforge_conversation::{Compressor, OriginalsReader};
//! use tokenforge_providers::Dialect;
//! use tokenforge_store::MemoryStore;
//!
//! let compressor = Compressor::new(Settings::default(), Arc::new(MemoryStore::default()))?;
//! let rows: Vec<String> = (0..60).map(|n| format!(r#"{{\"id\":{n},\"state\":\"open\"}}"#)).collect();
//! let body = format!(
//!     r#"{{"model":"gpt-5","messages":[{{"role":"tool","tool_call_id":"c1","content":"[{}]"}}]}}"#,
//!     rows.join(",")
//! );
//! let compressed = compressor.compress(Dialect::OpenAiChat, body, OriginalsReader::Model, None)?;
//! assert!(compressed.tokens_after() < compressed.tokens_before());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::clock::{Clock, SystemClock};
use crate::events::NoEvents;
use crate::expand::ExpandQuery;
use crate::holds::TenantHolds;
use crate::options::RequestOptions;
use crate::problem::RewriteProblem;
use crate::redaction::redact;
use crate::report::{RequestReport, ResultReport};
use crate::rewrite::{
    FoundParts, OriginalsReader, RequestKind, RequestSender, RewriteInput, RewriteWork,
    RewrittenBody, compute,
};
use crate::rules::RewriteRules;
use crate::shared::RewriteShared;
use crate::strategy::StrategyAnswers;
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::Arc;
use tokenforge_config::{Choice, Settings, Strategy};
use tokenforge_engine::reference::Reference;
use tokenforge_engine::{
    self as engine, CompressedOutput, Deadline, Engine, History, Mode, ModelClass, Output, Vault,
};
use tokenforge_providers::{Dialect, Refusal, Request, RequestPurpose};
use tokenforge_redact::Unscannable;
use tokenforge_store::Store;
use tokenforge_tokens::{Vocabulary, VocabularyLeftOut, embedded_model};

/// Compresses requests to model providers. Cheap to share between threads; calls block.
pub struct Compressor {
    rules: Arc<RewriteRules>,
    shared: Arc<RewriteShared>,
}

/// A request as it is to be sent instead.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CompressedRequest {
    /// The body: the one that came, outside of what was made smaller.
    pub body: Bytes,
    /// What became of each tool result, in the order of the body.
    pub results: Vec<ResultVerdict>,
    /// The tool `expand_context` was added to the tools: its calls are to be answered with [`Compressor::expand`].
    pub offers_expansion: bool,
}

/// What became of a tool result.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResultVerdict {
    /// The tool, as the request names it.
    pub tool: String,
    /// The id of the call, if it has one.
    pub call: Option<String>,
    /// `compressed`, or why the result was kept as it is.
    pub verdict: &'static str,
    /// The stages whose text was taken.
    pub stages: Vec<&'static str>,
    /// Its tokens as it came.
    pub tokens_before: usize,
    /// Its tokens as it is now.
    pub tokens_after: usize,
    /// What its original is kept under, if something was left out of it.
    pub reference: Option<Reference>,
}

/// What became of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextVerdict {
    /// What to show.
    pub text: String,
    /// `compressed`, or why the text was kept as it is.
    pub verdict: &'static str,
    /// The stages whose text was taken.
    pub stages: Vec<&'static str>,
    /// Tokens of the text as it came.
    pub tokens_before: usize,
    /// Tokens of the text to show.
    pub tokens_after: usize,
    /// What the original is kept under, if something was left out.
    pub reference: Option<Reference>,
}

impl TextVerdict {
    fn of(output: &Output<'_>, made: CompressedOutput, settings: &engine::Settings) -> Self {
        let (tokens_before, tokens_after) = made.tokens(output.text, settings.counter);
        let applied = made.steps.iter().filter(|step| step.is_applied());
        TextVerdict {
            verdict: made.verdict.name(),
            stages: applied.map(|step| step.stage).collect(),
            tokens_before,
            tokens_after,
            reference: made.original.as_ref().map(|original| original.reference),
            text: made.text(output.text).to_owned(),
        }
    }
}

/// Why a request is not compressed. It is not to be sent either if secrets were to be taken out of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompressError {
    /// The body is not a request that can be read.
    #[error("not a request body: {0}")]
    Unreadable(#[from] Refusal),
    /// Its `_forge` member asks for something that does not exist.
    #[error("{0}")]
    BadOption(String),
    /// It could not be checked for secrets, and the settings want that.
    #[error("the request could not be checked for secrets: {0}")]
    Unchecked(#[from] Unscannable),
    /// Its model is counted with a vocabulary that this build leaves out. Another would decide otherwise than the gateway.
    #[error("the model {model:?} cannot be counted: {left_out}")]
    Uncounted {
        /// The model.
        model: String,
        /// Its vocabulary.
        left_out: VocabularyLeftOut,
    },
}

/// Why there is no compressor with these settings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompressorError {
    /// They need what only a gateway has: other services are asked while a request waits.
    #[error(
        "pipes.tool_output.strategy: expected passthrough, found {found}: strategies work in the gateway only"
    )]
    Strategy {
        /// What they ask for.
        found: &'static str,
    },
}

impl Compressor {
    /// A compressor with the gateway's settings, which keeps originals in this store.
    ///
    /// # Errors
    /// Settings that only a gateway can have.
    pub fn new(settings: Settings, store: Arc<dyn Store>) -> Result<Self, CompressorError> {
        let strategy = settings.tool_output.strategy;
        if strategy != Strategy::Passthrough {
            return Err(CompressorError::Strategy { found: strategy.name() });
        }
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let shared = RewriteShared::new(&settings, store, Arc::new(NoEvents), clock);
        let rules = RewriteRules::new(Arc::new(settings));
        Ok(Compressor { rules: Arc::new(rules), shared: Arc::new(shared) })
    }

    /// What is to be sent instead of a request, whole as it would be sent to the provider. Gemini and Bedrock have the
    /// model in the path: what is read there is to be given, since it decides how tokens are counted and which forms the
    /// model reads. A model in the body comes first.
    ///
    /// # Errors
    /// Nothing is changed, and the error says where the fault is.
    pub fn compress(
        &self,
        dialect: Dialect,
        body: impl Into<Bytes>,
        reader: OriginalsReader,
        path_model: Option<&str>,
    ) -> Result<CompressedRequest, CompressError> {
        let mut body = body.into();
        let head = Request::read(&body, dialect)?.head;
        if let Some(model) = head.model.as_deref().or(path_model) {
            check_vocabulary(model)?;
        }
        let is_redacted = self.rules.settings.redact_secrets;
        if is_redacted
            && let Some(redacted) = redact(&body, Some((dialect, RequestPurpose::Generate)))?
        {
            body = redacted.into();
        }
        let input = self.input(dialect, body, reader, path_model, is_redacted);
        let work = RewriteWork {
            deadline: self.shared.clock.instant() + self.rules.settings.tool_output.deadline,
            strategy_answers: &StrategyAnswers::default(),
        };
        let rewritten = compute(&input, FoundParts::default(), &work);
        Ok(CompressedRequest::of(rewritten.map_err(|problem| bad_option(&problem))?))
    }

    /// What is to be shown instead of one output, as the first result of a conversation with a model. What is left out
    /// can be had with [`expand`](Self::expand); where the store does not keep it, nothing is left out.
    ///
    /// # Errors
    /// The model is counted with a vocabulary that this build leaves out.
    pub fn compress_output(
        &self,
        output: &Output<'_>,
        model: Option<&str>,
    ) -> Result<TextVerdict, CompressError> {
        let tool_output = &self.rules.settings.tool_output;
        let mut settings = self.rules.engine.clone();
        if let Some(model) = model {
            settings.counter = check_vocabulary(model)?.into();
            let class = tool_output.model_class.class();
            settings.model_class = class.unwrap_or_else(|| ModelClass::of(model));
        }
        if settings.mode == Mode::Observe {
            settings.mode = Mode::Disabled;
        }
        let clock = self.shared.clock.clone();
        let deadline = clock.instant() + tool_output.deadline;
        let expired = Deadline::new(move || clock.instant() >= deadline);
        let originals = &self.shared.originals;
        let key = originals.reference_key().filter(|_| tool_output.enable_expand_context);
        let lossless = Engine::new(&settings).with_deadline(&expired);
        let engine = match &key {
            Some(key) => lossless.clone().with_vault(Vault::for_reader(key)),
            None => lossless.clone(),
        };
        let history = History::default();
        let made = engine.compress(output, &history);
        let is_kept = made
            .original
            .as_ref()
            .is_none_or(|it| originals.put("", it.reference, it.text(output.text)).is_ok());
        let made = if is_kept { made } else { lossless.compress(output, &history) };
        Ok(TextVerdict::of(output, made, &settings))
    }

    /// An original, or the part of it that is asked for, as a call of `expand_context` would be answered.
    ///
    /// # Errors
    /// Why there is nothing, in words for the model.
    pub fn expand(&self, query: &ExpandQuery) -> Result<String, String> {
        let text = self.shared.originals.find("", &query.id)?;
        query.select_part(&text)
    }

    fn input(
        &self,
        dialect: Dialect,
        body: Bytes,
        originals_reader: OriginalsReader,
        path_model: Option<&str>,
        is_redacted: bool,
    ) -> RewriteInput {
        RewriteInput {
            shared: self.shared.clone(),
            rules: self.rules.clone(),
            holds: Arc::new(TenantHolds::default()),
            kind: RequestKind {
                dialect,
                purpose: RequestPurpose::Generate,
                is_stream: None,
                model: path_model.map(str::to_owned),
            },
            sender: RequestSender::default(),
            options: Arc::new(RequestOptions::default()),
            originals_reader,
            is_redacted,
            body,
        }
    }
}

/// The vocabulary of a model.
fn check_vocabulary(model: &str) -> Result<Vocabulary, CompressError> {
    let found = embedded_model(model);
    let found =
        found.map_err(|left_out| CompressError::Uncounted { model: model.to_owned(), left_out })?;
    Ok(found.vocabulary)
}

fn bad_option(problem: &RewriteProblem) -> CompressError {
    CompressError::BadOption(problem.to_string())
}

impl CompressedRequest {
    fn of(rewritten: RewrittenBody) -> Self {
        let RewrittenBody { body, report, originals, .. } = rewritten;
        let references: HashMap<usize, Reference> =
            originals.into_iter().map(|(reference, index)| (index, reference)).collect();
        let RequestReport { results, changes, .. } = report;
        let verdict = |(index, result): (usize, ResultReport)| ResultVerdict {
            tool: result.figures.tool.to_string(),
            call: result.figures.call.as_deref().map(str::to_owned),
            verdict: result.figures.verdict_name(),
            stages: result.figures.stages.clone(),
            tokens_before: result.figures.before.tokens,
            tokens_after: result.figures.sent_size().tokens,
            reference: references.get(&index).copied(),
        };
        CompressedRequest {
            body: body.to_bytes(),
            results: results.into_iter().enumerate().map(verdict).collect(),
            offers_expansion: changes.contains(&"expand_tool_added"),
        }
    }

    /// The tokens of all tool results, as they came.
    #[must_use]
    pub fn tokens_before(&self) -> usize {
        self.results.iter().map(|result| result.tokens_before).sum()
    }

    /// The tokens of all tool results, as they are now.
    #[must_use]
    pub fn tokens_after(&self) -> usize {
        self.results.iter().map(|result| result.tokens_after).sum()
    }
}
