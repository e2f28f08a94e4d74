//! Google's generateContent, also on Vertex AI.

mod action;
mod error;
mod reply;
mod request;
mod tool_config;

pub(crate) use request::read_response;

use crate::api::{ApiError, ConversationList, Profile, ProviderApi, SystemPrompt};
use crate::detect::{Endpoint, RequestPath, RequestPurpose};
use crate::json::text::quoted;
use crate::json::{Key, Kind, Node, Reader};
use crate::refusal::Refusal;
use crate::reply::WireFormat;
use crate::reply::action::ActionBuilder;
use crate::reply::rewriter::ReplyRewriter;
use crate::request::TOOL;
use crate::request::builder::RequestBuilder;
use crate::request::tools::{name_and_description, schema};

/// The API.
pub(crate) struct GenerateContent;

const PROFILE: Profile = Profile {
    name: "gemini",
    upstream: "gemini",
    own_address: None,
    own_headers: &[],
    own_paths: &["/v1beta/"],
    expand_tool: concat!("{", name_and_description!(), r#","parameters":"#, schema!(), "}"),
    system_prompt: SystemPrompt {
        members: &["systemInstruction", "system_instruction"],
        messages: &[],
        // Code Assist's.
        wrappers: &["request"],
    },
    conversation: ConversationList::whole("contents"),
    needs_version: false,
    keeps_call_ids: true,
    streams_by_default: false,
    keeps_replies: false,
    is_local: false,
    counts_cache_apart: false,
    stream_type: ("text/event-stream", WireFormat::Events),
    json_stream: WireFormat::Array,
    encodes_events: false,
    cache: None,
    usage_marker: "usage",
};

impl ProviderApi for GenerateContent {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn detect<'p>(&self, path: &RequestPath<'p>) -> Option<Endpoint<'p>> {
        let (model, action) = path.google_action()?;
        let (purpose, is_stream) = match action {
            "generateContent" => (RequestPurpose::Generate, false),
            "streamGenerateContent" => (RequestPurpose::Generate, true),
            "countTokens" => (RequestPurpose::Count, false),
            _ => return None,
        };
        Some(Endpoint { purpose, model: Some(model), is_stream: Some(is_stream) })
    }

    fn read_member<'a>(
        &self,
        reader: &mut Reader<'a>,
        key: &Key<'a>,
        builder: &mut RequestBuilder<'a>,
    ) -> Result<(), Refusal> {
        request::read_member(reader, key, builder)
    }

    fn tool_result(&self, id: &str, text: &str, is_error: bool) -> String {
        let id = match id {
            "" => String::new(),
            id => format!(r#""id":{},"#, quoted(id)),
        };
        let member = if is_error { "error" } else { "output" };
        let response = format!(r#"{{"{member}":{}}}"#, quoted(text));
        format!(r#"{{"functionResponse":{{{id}"name":"{TOOL}","response":{response}}}}}"#)
    }

    fn follow_up_turn(&self, results: String) -> String {
        format!(r#"{{"role":"user","parts":[{results}]}}"#)
    }

    fn read_action(&self, part: &Node<'_>, action: &mut ActionBuilder) {
        action::read(part, action);
    }

    fn is_repeatable(&self, request: &Node<'_>) -> bool {
        action::is_repeatable(request)
    }

    fn rewriter(&self) -> Box<dyn ReplyRewriter> {
        Box::new(reply::GeminiReply::default())
    }

    /// A request for an array is answered with one that holds the error.
    fn error_document<'a>(&self, root: Node<'a>) -> Option<Node<'a>> {
        let document = match root.kind() {
            Kind::Array => root.elements().into_iter().next()?,
            _ => root,
        };
        let is_error = document.get("error").is_some_and(|error| error.kind() == Kind::Object);
        is_error.then_some(document)
    }

    fn error_body(&self, error: &ApiError<'_>) -> String {
        error::body(error)
    }
}
