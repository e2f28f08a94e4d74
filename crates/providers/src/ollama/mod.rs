//! Ollama's own chat. Its requests are those of OpenAI's Chat Completions, but for a few members.

mod action;
mod reply;

use crate::api::{ApiError, Profile, ProviderApi};
use crate::detect::{Endpoint, RequestPath, RequestPurpose};
use crate::json::text::quoted;
use crate::json::{Key, Kind, Node, Reader};
use crate::openai_chat;
use crate::refusal::Refusal;
use crate::reply::WireFormat;
use crate::reply::action::ActionBuilder;
use crate::reply::rewriter::ReplyRewriter;
use crate::request::TOOL;
use crate::request::builder::RequestBuilder;

/// The API.
pub(crate) struct Chat;

const PROFILE: Profile = Profile {
    name: "ollama",
    upstream: "ollama",
    own_headers: &[],
    own_paths: &["/api/"],
    keeps_call_ids: false,
    streams_by_default: true,
    keeps_replies: false,
    is_local: true,
    stream_type: ("application/x-ndjson", WireFormat::Lines),
    json_stream: WireFormat::Lines,
    cache: None,
    usage_marker: "eval_count",
    ..openai_chat::PROFILE
};

impl ProviderApi for Chat {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn detect<'p>(&self, path: &RequestPath<'p>) -> Option<Endpoint<'p>> {
        matches!(path.end, [_, "api", "chat"]).then(|| Endpoint::plain(RequestPurpose::Generate))
    }

    fn read_member<'a>(
        &self,
        reader: &mut Reader<'a>,
        key: &Key<'a>,
        builder: &mut RequestBuilder<'a>,
    ) -> Result<(), Refusal> {
        openai_chat::read_member(reader, key, builder)
    }

    fn tool_result(&self, id: &str, text: &str, _: bool) -> String {
        let id = match id {
            "" => String::new(),
            id => format!(r#""tool_call_id":{},"#, quoted(id)),
        };
        let text = quoted(text);
        format!(r#"{{"role":"tool",{id}"tool_name":"{TOOL}","content":{text}}}"#)
    }

    fn read_action(&self, part: &Node<'_>, action: &mut ActionBuilder) {
        action::read(part, action);
    }

    fn is_repeatable(&self, request: &Node<'_>) -> bool {
        openai_chat::is_repeatable(request)
    }

    fn rewriter(&self) -> Box<dyn ReplyRewriter> {
        Box::new(reply::OllamaReply::default())
    }

    fn error_document<'a>(&self, root: Node<'a>) -> Option<Node<'a>> {
        let is_error = root.get("error").is_some_and(|error| error.kind() == Kind::String);
        is_error.then_some(root)
    }

    fn error_body(&self, error: &ApiError<'_>) -> String {
        format!(r#"{{"error":{}}}"#, quoted(error.message))
    }
}
