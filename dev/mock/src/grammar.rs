//! Whether a reply is one that the provider could have sent, and what a client makes of it.
//!
//! Strict on purpose: what a client receives through a gateway must be as well formed as what the provider sends. It
//! takes streams and whole replies.
//!
//! ```
//! use tokenforge_mock::grammar::check;
//!
//! let stream = "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\
//!     \"delta\":{\"role\":\"assistant\",\"content\":\"hi\"},\"finish_reason\":null}]}\n\n\
//!     data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\
//!     \"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
//!     data: [DONE]\n\n";
//! assert_eq!(check("chat", stream.as_bytes())?.text, "hi");
//! assert!(check("chat", &stream.as_bytes()[..stream.len() - 14]).unwrap_err().contains("[DONE]"));
//! # Ok::<(), String>(())
//! ```

mod anthropic;
mod chat;
mod converse;
mod gemini;
mod interactions;
mod ollama;
mod responses;
mod sse;

use crate::eventstream;
use serde_json::Value;

/// What a client assembles from a reply.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// The id of the reply, where the dialect has one.
    pub id: String,
    /// The text, all blocks of it joined.
    pub text: String,
    /// What the model thought, all blocks of it joined.
    pub thinking: String,
    /// The signatures over what it thought, in order.
    pub signatures: Vec<String>,
    /// Its calls.
    pub calls: Vec<Call>,
    /// Why it stopped, as the dialect spells it.
    pub stop: String,
    /// What it cost, as the client is told at the end.
    pub usage: Usage,
    /// The number of events, lines or messages; 1 for a whole reply.
    pub events: usize,
}

/// A call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    /// Its id; empty where the dialect has none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
}

/// Tokens, each as the dialect counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input; with or without what was cached, as the dialect has it.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Written to the cache.
    pub cache_write: u64,
}

/// Checks a reply in a dialect: `anthropic`, `chat`, `responses`, `gemini`, `interactions`, `converse`, `invoke` or
/// `ollama`.
///
/// # Errors
/// What is wrong, and with which event.
pub fn check(dialect: &str, bytes: &[u8]) -> Result<Summary, String> {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace()).copied();
    let is_whole = first == Some(b'{') && dialect != "ollama";
    let summary = match dialect {
        "anthropic" if is_whole => anthropic::whole(&json(bytes)?),
        "anthropic" => anthropic::stream(&sse::named(bytes)?),
        "chat" if is_whole => chat::whole(&json(bytes)?),
        "chat" => chat::stream(&sse::data(bytes)?),
        "responses" if is_whole => responses::whole(&json(bytes)?),
        "responses" => responses::stream(&sse::named(bytes)?),
        "gemini" if is_whole => gemini::stream(&[json(bytes)?]),
        "gemini" if first == Some(b'[') => gemini::array(bytes),
        "gemini" => {
            let data = sse::data(bytes)?;
            gemini::stream(
                &data.iter().map(|data| json(data.as_bytes())).collect::<Result<Vec<_>, _>>()?,
            )
        }
        "interactions" if is_whole => interactions::whole(&json(bytes)?),
        "interactions" => interactions::stream(&sse::events(bytes)?),
        "converse" if is_whole => converse::whole(&json(bytes)?),
        "converse" => converse::stream(&eventstream::messages(bytes)?),
        "invoke" if is_whole => anthropic::whole(&json(bytes)?),
        "invoke" => anthropic::stream(&unwrapped(bytes)?),
        "ollama" => ollama::lines(bytes),
        other => Err(format!("{other} is no dialect")),
    }?;
    unique_ids(&summary)?;
    Ok(summary)
}

/// Anthropic's events out of Amazon's frames.
fn unwrapped(bytes: &[u8]) -> Result<Vec<Value>, String> {
    let messages = eventstream::messages(bytes)?;
    messages.iter().map(|message| crate::invoke::unwrapped(&converse::payload(message)?)).collect()
}

fn unique_ids(summary: &Summary) -> Result<(), String> {
    let ids = summary.calls.iter().map(|call| call.id.as_str()).filter(|id| !id.is_empty());
    match crate::refusal::twice(ids) {
        Some(id) => Err(format!("two calls have the id {id}")),
        None => Ok(()),
    }
}

fn json(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|error| format!("not JSON: {error}"))
}

/// A string member that must be there.
fn string<'a>(value: &'a Value, name: &str) -> Result<&'a str, String> {
    value[name].as_str().ok_or_else(|| format!("{name} is missing in {value}"))
}

/// Says which event was wrong.
fn at<T>(index: usize, event: &Value, result: Result<T, String>) -> Result<T, String> {
    result.map_err(|error| {
        let shown: String = event.to_string().chars().take(200).collect();
        format!("event {index}: {error}: {shown}")
    })
}

/// A number, 0 if it is missing.
fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}
