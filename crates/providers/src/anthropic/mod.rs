//! Anthropic Messages, also on Vertex AI and Azure, and inside Bedrock's InvokeModel.

mod action;
mod batch;
mod error;
mod reply;
mod request;

use crate::api::{ApiError, CacheLifetime, ConversationList, Profile, ProviderApi, SystemPrompt};
use crate::detect::{BatchedRequest, Endpoint, RequestPath, RequestPurpose};
use crate::dialect::Dialect;
use crate::json::text::quoted;
use crate::json::{Key, Node, Reader};
use crate::refusal::Refusal;
use crate::reply::WireFormat;
use crate::reply::action::ActionBuilder;
use crate::reply::blocks::BlockReply;
use crate::reply::rewriter::ReplyRewriter;
use crate::request::builder::RequestBuilder;
use crate::request::tools::{name_and_description, schema};

/// The API.
pub(crate) struct Messages;

pub(crate) const PROFILE: Profile = Profile {
    name: "anthropic",
    upstream: "anthropic",
    own_address: None,
    own_headers: &["anthropic-version"],
    own_paths: &["/api/hello", "/v1/messages"],
    expand_tool: concat!("{", name_and_description!(), r#","input_schema":"#, schema!(), "}"),
    system_prompt: SystemPrompt { members: &["system"], messages: &[], wrappers: &[] },
    conversation: ConversationList {
        member: "messages",
        kept_by: Some("thread"),
        sign_of_whole: Some(r#""assistant""#),
        continued_by: None,
    },
    needs_version: false,
    keeps_call_ids: true,
    streams_by_default: false,
    keeps_replies: false,
    is_local: false,
    counts_cache_apart: true,
    stream_type: ("text/event-stream", WireFormat::Events),
    json_stream: WireFormat::Whole,
    encodes_events: false,
    cache: Some(CacheLifetime::ANTHROPIC),
    usage_marker: "usage",
};

impl ProviderApi for Messages {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn detect<'p>(&self, path: &RequestPath<'p>) -> Option<Endpoint<'p>> {
        match path.end {
            [_, "v1", "messages"] => Some(Endpoint::plain(RequestPurpose::Generate)),
            ["v1", "messages", "count_tokens"] => Some(Endpoint::plain(RequestPurpose::Count)),
            ["v1", "messages", "batches"] => Some(Endpoint::plain(RequestPurpose::Batch)),
            _ if path.whole.contains("/publishers/anthropic/") => on_vertex(path),
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

    fn batched(&self, body: &[u8]) -> Result<Vec<BatchedRequest>, Refusal> {
        batch::requests(body)
    }

    fn is_thought(&self, element: &Node<'_>) -> bool {
        let kind = element.get("type").and_then(|kind| kind.text());
        matches!(kind.as_deref(), Some("thinking" | "redacted_thinking"))
    }

    fn tool_result(&self, id: &str, text: &str, is_error: bool) -> String {
        let (id, text) = (quoted(id), quoted(text));
        let is_error = if is_error { r#","is_error":true"# } else { "" };
        format!(r#"{{"type":"tool_result","tool_use_id":{id},"content":{text}{is_error}}}"#)
    }

    fn follow_up_turn(&self, results: String) -> String {
        format!(r#"{{"role":"user","content":[{results}]}}"#)
    }

    fn read_action(&self, part: &Node<'_>, action: &mut ActionBuilder) {
        action::read(part, action);
    }

    fn is_repeatable(&self, request: &Node<'_>) -> bool {
        action::is_repeatable(request)
    }

    fn rewriter(&self) -> Box<dyn ReplyRewriter> {
        rewriter_in(Dialect::Anthropic)
    }

    fn error_event(&self, _: u16) -> &'static str {
        "error"
    }

    fn error_body(&self, error: &ApiError<'_>) -> String {
        error::body(error)
    }
}

/// What takes a reply to the client that is in this format, in a dialect that has it.
pub(crate) fn rewriter_in(dialect: Dialect) -> Box<dyn ReplyRewriter> {
    Box::new(BlockReply::<reply::AnthropicBlocks>::new(dialect))
}

/// `…/MODEL:ACTION`, where to count tokens is a model of its own.
fn on_vertex<'p>(path: &RequestPath<'p>) -> Option<Endpoint<'p>> {
    let (model, action) = path.google_action()?;
    let is_stream = match action {
        "rawPredict" => false,
        "streamRawPredict" => true,
        _ => return None,
    };
    let is_count = model == "count-tokens";
    let purpose =
        if is_count && !is_stream { RequestPurpose::Count } else { RequestPurpose::Generate };
    let model = (!is_count).then_some(model);
    Some(Endpoint { purpose, model, is_stream: Some(is_stream) })
}
