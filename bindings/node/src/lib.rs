//! The Node addon: a thin layer over `tokenforge-conversation`. Its types, defaults and documentation are in `index.cjs` and
//! `index.d.cts`; what goes between the two is bytes, and verdicts as JSON.

mod node_store;

use napi::bindgen_prelude::{Buffer, FnArgs, Function, spawn_blocking};
use napi::{Error, Result, Status};
use napi_derive::napi;
use node_store::{StoreAnswer, node_store};
use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;
use tokenforge_conversation::{
    EmbedError, EmbeddedCompressor, OriginalsReader, OutputCall, count, decode, dialect,
    parse_history, verdicts_json,
};
use tokio::sync::Semaphore;

/// As many calls at a time as there are cores. Node's own threads are not used: a store of the caller's that reads files
/// needs them while we wait for it.
static CALLS: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, usize::from)));

/// The definition of `expand_context`, as Anthropic spells one.
#[napi]
pub const EXPAND_TOOL: &str = tokenforge_conversation::EXPAND_TOOL;

/// The body to send, and a verdict on each result as JSON.
#[napi(object)]
pub struct RequestAnswer {
    pub body: Buffer,
    pub verdicts: String,
}

/// An original, or why there is none.
#[napi(object)]
pub struct ExpandAnswer {
    pub text: Option<String>,
    pub missing: Option<String>,
}

/// Which part of an original is wanted.
#[napi(object)]
pub struct ExpandPart {
    pub lines: Option<String>,
    pub grep: Option<String>,
    pub path: Option<String>,
}

/// The call that made an output.
#[napi(object)]
pub struct CallDescription {
    pub tool: String,
    pub arguments: String,
    pub is_error: bool,
    pub model: String,
}

/// Compresses requests and outputs, on threads of its own or at once.
#[napi]
pub struct Compressor(Arc<EmbeddedCompressor>);

#[napi]
impl Compressor {
    /// With a store at an address.
    #[napi(constructor)]
    pub fn new(settings: String, store: String) -> Result<Self> {
        EmbeddedCompressor::open(&settings, &store).map(Self::of).map_err(exception)
    }

    /// With a store of the caller's: the function is called with a name, what is to be kept under it (or nothing, when it
    /// is asked for) and the answer to fill in.
    #[napi(factory)]
    pub fn with_store(
        settings: String,
        ask: Function<'_, FnArgs<(String, Option<Buffer>, StoreAnswer)>, ()>,
    ) -> Result<Self> {
        let store = Arc::new(node_store(&ask)?);
        EmbeddedCompressor::with_store(&settings, store).map(Self::of).map_err(exception)
    }

    fn of(embedded: EmbeddedCompressor) -> Self {
        Compressor(Arc::new(embedded))
    }

    #[napi]
    pub async fn compress(
        &self,
        provider: String,
        body: Buffer,
        caller_fetches: bool,
        path_model: String,
    ) -> Result<RequestAnswer> {
        let (embedded, body) = (self.0.clone(), body.to_vec());
        off_thread(move || compress(&embedded, &provider, body, caller_fetches, &path_model))
            .await?
    }

    #[napi(catch_unwind)]
    pub fn compress_sync(
        &self,
        provider: String,
        body: Buffer,
        caller_fetches: bool,
        path_model: String,
    ) -> Result<RequestAnswer> {
        compress(&self.0, &provider, body.to_vec(), caller_fetches, &path_model)
    }

    #[napi]
    pub async fn compress_output(&self, text: String, call: CallDescription) -> Result<String> {
        let embedded = self.0.clone();
        off_thread(move || compress_output(&embedded, &text, &call)).await?
    }

    #[napi(catch_unwind)]
    pub fn compress_output_sync(&self, text: String, call: CallDescription) -> Result<String> {
        compress_output(&self.0, &text, &call)
    }

    #[napi]
    pub async fn expand(&self, reference: String, part: ExpandPart) -> Result<ExpandAnswer> {
        let embedded = self.0.clone();
        off_thread(move || expand(&embedded, &reference, &part)).await?
    }

    #[napi(catch_unwind)]
    pub fn expand_sync(&self, reference: String, part: ExpandPart) -> Result<ExpandAnswer> {
        expand(&self.0, &reference, &part)
    }
}

/// Any notation of ours back to what it stands for.
#[napi(catch_unwind)]
pub fn decode_text(text: String) -> Result<String> {
    decode(&text).map_err(exception)
}

/// The output that became this text. The results before it are JSON.
#[napi(catch_unwind)]
pub fn decode_output(text: String, history: Option<String>, arguments: String) -> Result<String> {
    let history = history.as_deref().map(parse_history).transpose().map_err(exception)?;
    tokenforge_conversation::decode_output(&text, history.as_ref(), &arguments).map_err(exception)
}

/// How many tokens a text has for a model.
#[napi(catch_unwind)]
pub fn count_tokens(text: String, model: String) -> Result<u32> {
    let tokens = count(&text, &model).map_err(exception)?;
    Ok(u32::try_from(tokens).unwrap_or(u32::MAX))
}

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let stopped =
        |error: &dyn std::fmt::Display| Error::new(Status::GenericFailure, error.to_string());
    let _permit = CALLS.acquire().await.map_err(|error| stopped(&error))?;
    spawn_blocking(work).await.map_err(|error| stopped(&error))
}

fn compress(
    embedded: &EmbeddedCompressor,
    provider: &str,
    body: Vec<u8>,
    caller_fetches: bool,
    path_model: &str,
) -> Result<RequestAnswer> {
    let reader = match caller_fetches {
        true => OriginalsReader::Caller,
        false => OriginalsReader::Model,
    };
    let made = dialect(provider)
        .and_then(|dialect| embedded.compress(dialect, body, reader, path_model))
        .map_err(exception)?;
    Ok(RequestAnswer { verdicts: verdicts_json(&made), body: made.body.to_vec().into() })
}

fn compress_output(
    embedded: &EmbeddedCompressor,
    text: &str,
    call: &CallDescription,
) -> Result<String> {
    let CallDescription { tool, arguments, is_error, model } = call;
    let call = OutputCall { tool, arguments, is_error: *is_error, model };
    let made = embedded.compress_output(text, &call).map_err(exception)?;
    Ok(serde_json::to_string(&made).unwrap_or_default())
}

fn expand(
    embedded: &EmbeddedCompressor,
    reference: &str,
    part: &ExpandPart,
) -> Result<ExpandAnswer> {
    let ExpandPart { lines, grep, path } = part;
    match embedded.expand(reference, lines.as_deref(), grep.as_deref(), path.as_deref()) {
        Ok(text) => Ok(ExpandAnswer { text: Some(text), missing: None }),
        Err(EmbedError::NotFound(reason)) => Ok(ExpandAnswer { text: None, missing: Some(reason) }),
        Err(error) => Err(exception(error)),
    }
}

fn exception(error: EmbedError) -> Error {
    Error::new(Status::InvalidArg, error.to_string())
}
