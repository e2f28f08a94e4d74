//! A request body, read once.

mod anthropic;
mod calls;
mod chat;
mod converse;
mod forge;
mod found;
mod gemini;
mod rejoin;
mod responses;
mod result;
mod sites;
mod slot;
mod tools;

pub use forge::Forge;
pub use rejoin::{Exchange, call_key, rejoin};
pub use result::{Arguments, Shape, ToolResult};
pub use sites::{AnswerSite, CallSite};
pub use tools::{Tools, expand_tool};

use crate::dialect::Dialect;
use crate::json::{Key, Kind, Reader};
use crate::refusal::Refusal;
use forge::ForgeMember;
use found::Found;
use slot::Slot;
use std::borrow::Cow;

/// What is of interest in a request body.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Request<'a> {
    /// What stands beside the conversation.
    pub head: Head<'a>,
    /// The texts of tool results, in the order of the body.
    pub results: Vec<ToolResult<'a>>,
    /// The calls, in the order of the body.
    pub calls: Vec<CallSite<'a>>,
    /// The tool results as a whole, also those without a text and those to be left alone.
    pub answers: Vec<AnswerSite<'a>>,
    /// The list of tools, where there are any.
    pub tools: Option<Tools<'a>>,
}

/// What stands at the top of a body, in every dialect alike.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Head<'a> {
    /// The model.
    pub model: Option<Cow<'a, str>>,
    /// Whether a stream is asked for, if it says.
    pub is_stream: Option<bool>,
    /// Our own member.
    pub forge: Option<Forge>,
}

impl<'a> Request<'a> {
    /// Reads a body.
    ///
    /// # Errors
    /// If the body is to be left as it is.
    pub fn read(body: &'a [u8], dialect: Dialect) -> Result<Self, Refusal> {
        let mut found = Found::default();
        let head = Head::read_with(body, |reader, key| match dialect {
            Dialect::Anthropic | Dialect::BedrockInvoke => {
                anthropic::member(reader, &key, &mut found)
            }
            Dialect::OpenAiChat | Dialect::Ollama => chat::member(reader, &key, &mut found),
            Dialect::OpenAiResponses => responses::member(reader, &key, &mut found),
            Dialect::Gemini => gemini::member(reader, &key, &mut found),
            Dialect::BedrockConverse => converse::member(reader, &key, &mut found),
        })?;
        if dialect == Dialect::BedrockInvoke && !found.is_anthropic {
            found = Found::default();
        }
        Ok(found.into_request(head))
    }
}

impl<'a> Head<'a> {
    /// Reads what stands at the top of a body and passes the rest, which is the fastest way over it.
    ///
    /// # Errors
    /// If the body is to be left as it is.
    pub fn read(body: &'a [u8]) -> Result<Self, Refusal> {
        Self::read_with(body, |reader, _| reader.skip())
    }

    fn read_with(
        body: &'a [u8],
        mut other: impl FnMut(&mut Reader<'a>, Key<'a>) -> Result<(), Refusal>,
    ) -> Result<Self, Refusal> {
        let mut reader = Reader::new(body)?;
        let (mut model, mut stream) = (Slot::default(), Slot::default());
        let mut forge = ForgeMember::default();
        reader.object(|reader, key| {
            forge.passed(&key);
            match &*key.name {
                "model" => model.set(&key, reader.text()?),
                "stream" => stream.set(&key, boolean(reader)?),
                forge::NAME => forge.read(reader, &key),
                _ => other(reader, key),
            }
        })?;
        reader.finish()?;
        Ok(Head { model: model.take(), is_stream: stream.take(), forge: forge.take() })
    }
}

fn boolean(reader: &mut Reader<'_>) -> Result<Option<bool>, Refusal> {
    Ok(match reader.value()?.kind {
        Kind::True => Some(true),
        Kind::False => Some(false),
        _ => None,
    })
}
