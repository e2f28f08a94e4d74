//! OpenAI Chat Completions, and what many others took over from it.

mod action;
mod error;
mod reply;
mod request;

pub(crate) use action::is_repeatable;
pub(crate) use error::body as error_body;
pub(crate) use request::read_member;

use crate::api::{ApiError, CacheLifetime, ConversationList, Profile, ProviderApi, SystemPrompt};
use crate::detect::{Endpoint, RequestPath, RequestPurpose};
use crate::json::text::quoted;
use crate::json::{Key, Node, Reader};
use crate::refusal::Refusal;
use crate::reply::WireFormat;
use crate::reply::action::ActionBuilder;
use crate::reply::rewriter::ReplyRewriter;
use crate::request::builder::RequestBuilder;
use crate::request::tools::{name_and_description, schema};

/// The API.
pub(crate) struct ChatCompletions;

pub(crate) const PROFILE: Profile = Profile {
    name: "openai_chat",
    upstream: "openai",
    own_address: None,
    own_headers: &[],
    own_paths: &[],
    expand_tool: concat!(
        r#"{"type":"function","function":{"#,
        name_and_description!(),
        r#","parameters":"#,
        schema!(),
        "}}"
    ),
    system_prompt: SystemPrompt { members: &[], messages: &["messages"], wrappers: &[] },
    conversation: ConversationList::whole("messages"),
    needs_version: false,
    keeps_call_ids: true,
    streams_by_default: false,
    keeps_replies: false,
    is_local: false,
    counts_cache_apart: false,
    stream_type: ("text/event-stream", WireFormat::Events),
    json_stream: WireFormat::Whole,
    encodes_events: false,
    cache: Some(CacheLifetime::OPENAI),
    usage_marker: "usage",
};

impl ProviderApi for ChatCompletions {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn detect<'p>(&self, path: &RequestPath<'p>) -> Option<Endpoint<'p>> {
        let [deployment, "chat", "completions"] = path.end else { return None };
        // Azure's.
        let model = path.whole.contains("/deployments/").then_some(deployment);
        Some(Endpoint { model, ..Endpoint::plain(RequestPurpose::Generate) })
    }

    fn read_member<'a>(
        &self,
        reader: &mut Reader<'a>,
        key: &Key<'a>,
        builder: &mut RequestBuilder<'a>,
    ) -> Result<(), Refusal> {
        request::read_member(reader, key, builder)
    }

    fn tool_result(&self, id: &str, text: &str, _: bool) -> String {
        let (id, text) = (quoted(id), quoted(text));
        format!(r#"{{"role":"tool","tool_call_id":{id},"content":{text}}}"#)
    }

    fn read_action(&self, part: &Node<'_>, action: &mut ActionBuilder) {
        action::read(part, action);
    }

    fn is_repeatable(&self, request: &Node<'_>) -> bool {
        action::is_repeatable(request)
    }

    fn rewriter(&self) -> Box<dyn ReplyRewriter> {
        Box::new(reply::ChatReply::default())
    }

    fn error_body(&self, error: &ApiError<'_>) -> String {
        error::body(error)
    }
}
