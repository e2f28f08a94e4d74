//! A request body, read once.

mod age;
pub(crate) mod builder;
pub(crate) mod call_index;
pub(crate) mod choice;
mod forge;
pub(crate) mod head;
mod message_text;
pub(crate) mod name_ref;
mod preamble;
mod prompt_text;
pub(crate) mod put_back;
pub(crate) mod rejoin;
pub(crate) mod repeatable;
pub(crate) mod result;
mod session;
mod shift;
pub(crate) mod sites;
pub(crate) mod slot;
pub(crate) mod tools;
mod turns;

pub use forge::ForgeMember;
pub use head::RequestHead;
pub use message_text::{MessageRole, MessageText, MessageTexts};
pub use name_ref::NameRef;
pub use prompt_text::prompt_texts;
pub use put_back::put_back;
pub use rejoin::{ToolExchange, call_key, rejoin, rejoin_answer};
pub use repeatable::is_repeatable;
pub use result::{CallArguments, ResultShape, ToolResult};
pub use session::session_of_headers;
pub use sites::{AnswerSite, CallSite, ThoughtSite};
pub(crate) use tools::TOOL;
pub use tools::{ExpandScope, ToolDeclaration, ToolList, expand_tool};
pub use turns::ConversationTurns;

use crate::dialect::Dialect;
use crate::earlier_reading::{EarlierReading, NoEarlierReading};
use crate::json::{Kind, Reader};
use crate::refusal::Refusal;
use builder::RequestBuilder;
use std::borrow::Cow;
use turns::TurnList;

/// What is of interest in a request body.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Request<'a> {
    /// What stands beside the conversation.
    pub head: RequestHead<'a>,
    /// The texts of tool results, in the order of the body; without results of more than 1,000 texts, and those behind
    /// 8,000 texts: to look at them would take too much work.
    pub results: Vec<ToolResult>,
    /// What people and systems say, in the order of the body: only if it is [wanted](MessageTexts).
    pub texts: Vec<MessageText>,
    /// The calls, in the order of the body.
    pub calls: Vec<CallSite>,
    /// The tool results as a whole, also those without a text and those to be left alone.
    pub answers: Vec<AnswerSite>,
    /// What the model thought, where the provider sealed it, in the order of the body.
    pub thoughts: Vec<ThoughtSite>,
    /// The list of tools, where there are any: the one to which a tool is appended.
    pub tools: Option<ToolList<'a>>,
    /// The other lists of tools, where there are several.
    pub further_tools: Vec<ToolList<'a>>,
    /// The model may not call whichever tool it likes: none, or one that it must, or certain ones.
    pub restricts_tools: bool,
    /// The answer is not waited for: it is to be had later, and elsewhere.
    pub is_background: bool,
    /// The list of turns, if they can be kept.
    list: Option<TurnList>,
}

impl<'a> Request<'a> {
    /// Reads a body, without what people and systems say.
    ///
    /// # Errors
    /// If the body is to be left as it is.
    pub fn read(body: &'a [u8], dialect: Dialect) -> Result<Self, Refusal> {
        Self::read_with(body, dialect, MessageTexts::Unwanted)
    }

    /// Reads a body.
    ///
    /// # Errors
    /// If the body is to be left as it is.
    pub fn read_with(
        body: &'a [u8],
        dialect: Dialect,
        texts: MessageTexts,
    ) -> Result<Self, Refusal> {
        Self::read_again(body, dialect, texts, &NoEarlierReading)
    }

    /// Reads a body of which some texts and turns are known.
    ///
    /// # Errors
    /// If the body is to be left as it is.
    pub fn read_again(
        body: &'a [u8],
        dialect: Dialect,
        texts: MessageTexts,
        known: &'a dyn EarlierReading,
    ) -> Result<Self, Refusal> {
        let (api, mut builder) = (dialect.api(), RequestBuilder::new(body, texts, known));
        let head = RequestHead::read_with(body, |reader, key| {
            api.read_member(reader, &key, &mut builder)
        })?;
        if api.profile().needs_version && !builder.has_version {
            builder = RequestBuilder::new(body, texts, known);
        }
        Ok(builder.into_request(head))
    }

    /// The same without a borrow of the body, for a caller that moves it to another thread or keeps it.
    #[must_use]
    pub fn into_owned(self) -> Request<'static> {
        Request {
            head: self.head.into_owned(),
            results: self.results,
            texts: self.texts,
            calls: self.calls,
            answers: self.answers,
            thoughts: self.thoughts,
            tools: self.tools.map(ToolList::into_owned),
            further_tools: self.further_tools.into_iter().map(ToolList::into_owned).collect(),
            restricts_tools: self.restricts_tools,
            is_background: self.is_background,
            list: self.list,
        }
    }

    /// What the user said last, among the [texts](Self::texts).
    #[must_use]
    pub fn last_user_text(&self) -> Option<&MessageText> {
        self.texts.iter().rev().find(|text| text.role == MessageRole::User)
    }
}

fn owned_name(name: Option<Cow<'_, str>>) -> Option<Cow<'static, str>> {
    name.map(|name| Cow::Owned(name.into_owned()))
}

pub(crate) fn boolean(reader: &mut Reader<'_>) -> Result<Option<bool>, Refusal> {
    Ok(match reader.value()?.kind {
        Kind::True => Some(true),
        Kind::False => Some(false),
        _ => None,
    })
}

/// Reads a whole number that is not negative.
fn number(reader: &mut Reader<'_>) -> Result<Option<u64>, Refusal> {
    let value = reader.value()?;
    Ok(reader.spelling(value.span).parse().ok())
}
