//! Bedrock Converse: one format for the models of all vendors.

use super::{OWN_PATHS, STREAM_TYPE, action, endpoint, error, reply, request};
use crate::api::{ApiError, CacheLifetime, ConversationList, Profile, ProviderApi, SystemPrompt};
use crate::detect::{Endpoint, RequestPath};
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
pub(crate) struct Converse;

const PROFILE: Profile = Profile {
    name: "bedrock_converse",
    upstream: "bedrock",
    own_address: None,
    own_headers: &[],
    own_paths: OWN_PATHS,
    expand_tool: concat!(
        r#"{"toolSpec":{"#,
        name_and_description!(),
        r#","inputSchema":{"json":"#,
        schema!(),
        "}}}"
    ),
    system_prompt: SystemPrompt { members: &["system"], messages: &[], wrappers: &[] },
    conversation: ConversationList::whole("messages"),
    needs_version: false,
    keeps_call_ids: true,
    streams_by_default: false,
    keeps_replies: false,
    is_local: false,
    counts_cache_apart: true,
    stream_type: STREAM_TYPE,
    json_stream: WireFormat::Whole,
    encodes_events: false,
    cache: Some(CacheLifetime::ANTHROPIC),
    usage_marker: "usage",
};

impl ProviderApi for Converse {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn detect<'p>(&self, path: &RequestPath<'p>) -> Option<Endpoint<'p>> {
        endpoint(path, "converse", "converse-stream")
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
        element.get("reasoningContent").is_some()
    }

    fn tool_result(&self, id: &str, text: &str, is_error: bool) -> String {
        result(id, text, if is_error { r#","status":"error""# } else { "" })
    }

    /// Says it, too, when all went well.
    fn follow_up_result(&self, id: &str, text: &str, is_error: bool) -> String {
        let status = if is_error { r#","status":"error""# } else { r#","status":"success""# };
        result(id, text, status)
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
        Box::new(BlockReply::<reply::ConverseBlocks>::new(Dialect::BedrockConverse))
    }

    fn error_document<'a>(&self, root: Node<'a>) -> Option<Node<'a>> {
        error::document(root)
    }

    fn error_event(&self, status: u16) -> &'static str {
        error::exception(status)
    }

    fn error_body(&self, error: &ApiError<'_>) -> String {
        error::body(error)
    }

    fn error_header(&self, status: u16) -> Option<(&'static str, &'static str)> {
        Some(error::header(status))
    }
}

fn result(id: &str, text: &str, status: &str) -> String {
    let (id, text) = (quoted(id), quoted(text));
    format!(r#"{{"toolResult":{{"toolUseId":{id},"content":[{{"text":{text}}}]{status}}}}}"#)
}
