//! The head of a request: the members that stand beside the conversation, model, stream, session and so on.

use super::choice;
use super::forge::{self, ForgeMember, ForgeSlot};
use super::name_ref::{NameRef, read_name};
use super::session;
use super::slot::Slot;
use super::{boolean, number, owned_name};
use crate::json::{Key, Kind, Reader};
use crate::refusal::Refusal;
use std::borrow::Cow;

/// What stands at the top of a body, whatever its dialect.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RequestHead<'a> {
    /// The model.
    pub model: Option<Cow<'a, str>>,
    /// Whether a stream is asked for, if it says.
    pub is_stream: Option<bool>,
    /// How many answers are asked for, if it says.
    pub choices: Option<u64>,
    /// Whether the provider keeps the answer, if it says.
    pub store: Option<bool>,
    /// The conversation goes on from what the provider has kept, so that a part of it is not in the body.
    pub has_previous_response: bool,
    /// The response that it goes on from, where it names one.
    pub previous_response: Option<NameRef>,
    /// What the body says of the session it belongs to, or at least of the user.
    pub session: Option<Cow<'a, str>>,
    /// Our own member.
    pub forge: Option<ForgeMember>,
    /// The model may not call whichever tool it likes, as far as is said here.
    pub(crate) restricts_tools: bool,
}

impl<'a> RequestHead<'a> {
    /// Reads what stands at the top of a body and passes the rest, which is the fastest way over it.
    ///
    /// # Errors
    /// If the body is to be left as it is.
    pub fn read(body: &'a [u8]) -> Result<Self, Refusal> {
        Self::read_with(body, |reader, _| reader.skip())
    }

    /// Reads what stands at the top of a body, and leaves every other member to `other`.
    pub(crate) fn read_with(
        body: &'a [u8],
        mut other: impl FnMut(&mut Reader<'a>, Key<'a>) -> Result<(), Refusal>,
    ) -> Result<Self, Refusal> {
        let mut reader = Reader::new(body)?;
        let (mut model, mut stream, mut choices) =
            (Slot::default(), Slot::default(), Slot::default());
        let (mut candidate_count, mut store) = (Slot::default(), Slot::default());
        let (mut cache_key, mut user) = (Slot::default(), Slot::default());
        let (mut has_previous_response, mut previous_response) = (false, Slot::default());
        let (mut forge, mut restricts_tools) = (ForgeSlot::default(), false);
        reader.object(|reader, key| {
            forge.note_next(&key);
            match &*key.name {
                "model" => model.set(&key, reader.text()?),
                "stream" => stream.set(&key, boolean(reader)?),
                "n" => choices.set(&key, number(reader)?),
                "generationConfig" | "generation_config" => {
                    let config = generation_config(reader)?;
                    restricts_tools |= config.restricts_tools;
                    candidate_count.set(&key, config.candidates)
                }
                "store" => store.set(&key, boolean(reader)?),
                "previous_response_id" | "previous_interaction_id" => {
                    let id = read_name(reader)?;
                    has_previous_response |= id.is_some();
                    previous_response.set(&key, id)
                }
                // OpenAI's conversations, and the threads that Anthropic's tool runner goes on with.
                "conversation" | "thread" => {
                    has_previous_response |= reader.value()?.kind != Kind::Null;
                    Ok(())
                }
                "prompt_cache_key" => cache_key.set(&key, reader.text()?),
                "metadata" => user.set(&key, session::read_user(reader)?),
                forge::NAME => forge.read(reader, &key),
                _ => other(reader, key),
            }
        })?;
        reader.finish()?;
        let session = cache_key.take().or_else(|| user.take().map(session::session_of_user));
        Ok(RequestHead {
            model: model.take(),
            is_stream: stream.take(),
            choices: choices.take().or(candidate_count.take()),
            store: store.take(),
            has_previous_response,
            previous_response: previous_response.take(),
            session: session.filter(|session| !session.is_empty()),
            forge: forge.take(),
            restricts_tools,
        })
    }

    pub(crate) fn into_owned(self) -> RequestHead<'static> {
        RequestHead { model: owned_name(self.model), session: owned_name(self.session), ..self }
    }
}

/// What Google's `generationConfig` says.
#[derive(Default)]
pub(crate) struct GenerationConfig {
    /// How many answers are asked for.
    pub(crate) candidates: Option<u64>,
    /// Interactions say here which tools may be called.
    restricts_tools: bool,
}

/// Reads it.
pub(crate) fn generation_config(reader: &mut Reader<'_>) -> Result<GenerationConfig, Refusal> {
    let (mut count, mut restricts_tools) = (Slot::default(), false);
    reader.object(|reader, key| match &*key.name {
        "candidateCount" | "candidate_count" => count.set(&key, number(reader)?),
        "tool_choice" => {
            restricts_tools |= choice::is_restricted(reader)?;
            Ok(())
        }
        _ => reader.skip(),
    })?;
    Ok(GenerationConfig { candidates: count.take(), restricts_tools })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Request};

    fn head(body: &str) -> RequestHead<'_> {
        RequestHead::read(body.as_bytes()).unwrap()
    }

    #[test]
    fn g53_the_number_of_answers_is_read() {
        for (body, choices) in [
            (r#"{"n":2}"#, Some(2)),
            (r#"{"n":null}"#, None),
            (r#"{"n":-1}"#, None),
            (r#"{"n":"2"}"#, None),
            (r#"{"messages":[{"n":2}]}"#, None),
            (r#"{"generationConfig":{"temperature":0,"candidateCount":3}}"#, Some(3)),
            (r#"{"generation_config":{"candidate_count":3}}"#, Some(3)),
        ] {
            assert_eq!(head(body).choices, choices, "{body}");
        }
        let wrapped = br#"{"model":"m","request":{"generationConfig":{"candidateCount":4}}}"#;
        assert_eq!(Request::read(wrapped, Dialect::Gemini).unwrap().head.choices, Some(4));
    }

    #[test]
    fn what_the_provider_keeps_is_read() {
        let kept = head(r#"{"store":true,"previous_response_id":"resp_1"}"#);
        assert_eq!((kept.store, kept.has_previous_response), (Some(true), true));
        let not_kept = head(r#"{"store":false,"previous_response_id":null}"#);
        assert_eq!((not_kept.store, not_kept.has_previous_response), (Some(false), false));
        assert!(head(r#"{"conversation":{"id":"conv_1"}}"#).has_previous_response);
        assert_eq!((head("{}").store, head("{}").has_previous_response), (None, false));
    }

    #[test]
    fn a_body_may_tell_its_session() {
        for (body, session) in [
            (r#"{"prompt_cache_key":"p"}"#, Some("p")),
            (r#"{"metadata":{"user_id":"{\"device_id\":\"d\",\"session_id\":\"s\"}"}}"#, Some("s")),
            (r#"{"metadata":{"user_id":"user_1f_account__session_0a-1b"}}"#, Some("0a-1b")),
            (r#"{"metadata":{"user_id":"u"},"prompt_cache_key":null}"#, Some("u")),
            (r#"{"metadata":{"user_id":"{\"session_id\":1}"}}"#, Some(r#"{"session_id":1}"#)),
            (r#"{"metadata":{"user_id":"{"}}"#, Some("{")),
            (r#"{"metadata":{"user_id":""},"prompt_cache_key":""}"#, None),
            (r#"{"metadata":null}"#, None),
            (r#"{"metadata":{"session":"x"}}"#, None),
        ] {
            assert_eq!(head(body).session.as_deref(), session, "{body}");
        }
    }
}
