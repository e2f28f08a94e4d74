//! Google's Interactions: a list of steps, which the provider keeps unless it is told not to.

mod action;
mod error;
mod reply;
mod request;

use crate::api::{ApiError, ConversationList, Profile, ProviderApi, SystemPrompt};
use crate::detect::{Endpoint, RequestPath, RequestPurpose};
use crate::dialect::Dialect;
use crate::json::text::quoted;
use crate::json::{Key, Kind, Node, Reader};
use crate::refusal::Refusal;
use crate::reply::WireFormat;
use crate::reply::action::ActionBuilder;
use crate::reply::blocks::BlockReply;
use crate::reply::rewriter::ReplyRewriter;
use crate::request::TOOL;
use crate::request::builder::RequestBuilder;
use crate::request::put_back::{HiddenCalls, joint};
use crate::request::rejoin::insertion;
use crate::request::tools::{name_and_description, schema};
use crate::splice::Splice;

/// The API.
pub(crate) struct Interactions;

const PROFILE: Profile = Profile {
    name: "gemini_interactions",
    upstream: "gemini",
    own_address: None,
    own_headers: &[],
    own_paths: &[],
    expand_tool: concat!(
        r#"{"type":"function","#,
        name_and_description!(),
        r#","parameters":"#,
        schema!(),
        "}"
    ),
    system_prompt: SystemPrompt { members: &["system_instruction"], messages: &[], wrappers: &[] },
    conversation: ConversationList {
        member: "input",
        kept_by: None,
        sign_of_whole: None,
        continued_by: Some("previous_interaction_id"),
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
    cache: None,
    usage_marker: "usage",
};

/// Types of contents: what stands in a step, and may stand alone in place of one.
const CONTENTS: [&str; 5] = ["text", "image", "audio", "document", "video"];

impl ProviderApi for Interactions {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn detect<'p>(&self, path: &RequestPath<'p>) -> Option<Endpoint<'p>> {
        // Vertex AI has a location before it. The word alone is in many other APIs' paths.
        match path.end {
            [_, version, "interactions"] if is_version(version) => {
                Some(Endpoint::plain(RequestPurpose::Generate))
            }
            ["locations", _, "interactions"] => Some(Endpoint::plain(RequestPurpose::Generate)),
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
        element.get("type").is_some_and(|kind| kind.is("thought"))
    }

    fn put_back(&self, body: &Node<'_>, hidden: &HiddenCalls<'_>) -> Option<Splice<'static>> {
        let HiddenCalls { thought, behind, calls, results } = hidden;
        let steps = body.get("input")?.elements();
        let is_thought = |step: &Node<'_>| self.is_thought(step);
        let (last, _) = joint(&steps, &thought.element, *behind, is_thought)?;
        Some(insertion(last.end, format!(",{},{results}", calls.join(","))))
    }

    fn tool_result(&self, id: &str, text: &str, is_error: bool) -> String {
        let (id, text) = (quoted(id), quoted(text));
        let is_error = if is_error { r#","is_error":true"# } else { "" };
        format!(
            r#"{{"type":"function_result","call_id":{id},"name":"{TOOL}","result":{text}{is_error}}}"#
        )
    }

    /// A text alone, a content alone and a list of contents are what the user says.
    fn conversation_list(&self, sent: &Node<'_>) -> Option<String> {
        let is_content = |node: &Node<'_>| {
            let kind = node.get("type").and_then(|kind| kind.text());
            kind.is_some_and(|kind| CONTENTS.contains(&&*kind))
        };
        let contents = match sent.kind() {
            Kind::String => format!(r#"[{{"type":"text","text":{}}}]"#, sent.raw()),
            Kind::Object if is_content(sent) => format!("[{}]", sent.raw()),
            Kind::Object => return Some(format!("[{}]", sent.raw())),
            Kind::Array if sent.elements().first().is_some_and(is_content) => sent.raw().to_owned(),
            _ => return None,
        };
        Some(format!(r#"[{{"type":"user_input","content":{contents}}}]"#))
    }

    fn read_action(&self, part: &Node<'_>, action: &mut ActionBuilder) {
        action::read(part, action);
    }

    fn is_repeatable(&self, request: &Node<'_>) -> bool {
        action::is_repeatable(request)
    }

    fn rewriter(&self) -> Box<dyn ReplyRewriter> {
        Box::new(BlockReply::<reply::InteractionSteps>::new(Dialect::GeminiInteractions))
    }

    fn error_event(&self, _: u16) -> &'static str {
        "error"
    }

    fn error_body(&self, error: &ApiError<'_>) -> String {
        error::body(error)
    }
}

/// `v1`, `v1beta`, `v1beta1`.
fn is_version(segment: &str) -> bool {
    let mut bytes = segment.bytes();
    bytes.next() == Some(b'v')
        && bytes.next().is_some_and(|byte| byte.is_ascii_digit())
        && bytes.all(|byte| byte.is_ascii_alphanumeric())
}
