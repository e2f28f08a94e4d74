//! OpenAI Responses.

mod action;
mod put_back;
mod reply;
mod request;

use crate::api::{ApiError, CacheLifetime, ConversationList, Profile, ProviderApi, SystemPrompt};
use crate::detect::{Endpoint, RequestPath, RequestPurpose};
use crate::json::text::quoted;
use crate::json::{Key, Kind, Node, Reader};
use crate::openai_chat;
use crate::refusal::Refusal;
use crate::reply::WireFormat;
use crate::reply::action::ActionBuilder;
use crate::reply::rewriter::ReplyRewriter;
use crate::request::builder::RequestBuilder;
use crate::request::put_back::HiddenCalls;
use crate::request::tools::{name_and_description, schema};
use crate::splice::Splice;

/// The API.
pub(crate) struct Responses;

const PROFILE: Profile = Profile {
    name: "openai_responses",
    upstream: "openai",
    own_address: None,
    own_headers: &[],
    own_paths: &[],
    // Strict is the default here, and the schema has members that are not required.
    expand_tool: concat!(
        r#"{"type":"function","#,
        name_and_description!(),
        r#","parameters":"#,
        schema!(),
        r#","strict":false}"#
    ),
    system_prompt: SystemPrompt { members: &["instructions"], messages: &["input"], wrappers: &[] },
    // Not so with `previous_response_id`, which goes on from a response that stays as it is.
    conversation: ConversationList {
        member: "input",
        kept_by: Some("conversation"),
        sign_of_whole: None,
        continued_by: None,
    },
    needs_version: false,
    keeps_call_ids: true,
    streams_by_default: false,
    keeps_replies: true,
    is_local: false,
    counts_cache_apart: false,
    stream_type: ("text/event-stream", WireFormat::Events),
    json_stream: WireFormat::Whole,
    encodes_events: false,
    cache: Some(CacheLifetime::OPENAI),
    usage_marker: "usage",
};

impl ProviderApi for Responses {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn detect<'p>(&self, path: &RequestPath<'p>) -> Option<Endpoint<'p>> {
        match path.end {
            [.., "responses"] => Some(Endpoint::plain(RequestPurpose::Generate)),
            [_, "responses", "input_tokens"] => Some(Endpoint::plain(RequestPurpose::Count)),
            [_, "responses", "compact"] => Some(Endpoint::plain(RequestPurpose::Compact)),
            _ => None,
        }
    }

    fn read_member<'a>(
        &self,
        reader: &mut Reader<'a>,
        key: &Key<'a>,
        builder: &mut RequestBuilder<'a>,
    ) -> Result<(), Refusal> {
        request::read_member(reader, key, builder)
    }

    fn is_thought(&self, element: &Node<'_>) -> bool {
        element.get("type").is_some_and(|kind| kind.is("reasoning"))
    }

    fn put_back(&self, body: &Node<'_>, hidden: &HiddenCalls<'_>) -> Option<Splice<'static>> {
        put_back::between_items(body, hidden, |element| self.is_thought(element))
    }

    fn tool_result(&self, id: &str, text: &str, _: bool) -> String {
        let (id, text) = (quoted(id), quoted(text));
        format!(r#"{{"type":"function_call_output","call_id":{id},"output":{text}}}"#)
    }

    /// A text in place of the list stands for one message of the user.
    fn conversation_list(&self, sent: &Node<'_>) -> Option<String> {
        let is_text = sent.kind() == Kind::String;
        is_text.then(|| format!(r#"[{{"role":"user","content":{}}}]"#, sent.raw()))
    }

    fn read_action(&self, part: &Node<'_>, action: &mut ActionBuilder) {
        action::read(part, action);
    }

    fn is_repeatable(&self, request: &Node<'_>) -> bool {
        action::is_repeatable(request)
    }

    fn rewriter(&self) -> Box<dyn ReplyRewriter> {
        Box::new(reply::ResponsesReply::default())
    }

    fn error_event(&self, _: u16) -> &'static str {
        "error"
    }

    fn error_body(&self, error: &ApiError<'_>) -> String {
        openai_chat::error_body(error)
    }
}
