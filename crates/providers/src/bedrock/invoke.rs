//! Bedrock InvokeModel with an Anthropic model: Anthropic's Messages, in Amazon's frames.

use super::{OWN_PATHS, STREAM_TYPE, endpoint, error};
use crate::anthropic::{self, Messages};
use crate::api::{ApiError, ConversationList, Profile, ProviderApi};
use crate::detect::{Endpoint, RequestPath};
use crate::dialect::Dialect;
use crate::json::{Key, Node, Reader};
use crate::refusal::Refusal;
use crate::reply::action::ActionBuilder;
use crate::reply::rewriter::ReplyRewriter;
use crate::request::builder::RequestBuilder;

/// The API.
pub(crate) struct InvokeModel;

const PROFILE: Profile = Profile {
    name: "bedrock_invoke",
    upstream: "bedrock",
    own_headers: &[],
    own_paths: OWN_PATHS,
    conversation: ConversationList::whole("messages"),
    // Every vendor's models have a format of their own here: `anthropic_version` tells this one.
    needs_version: true,
    stream_type: STREAM_TYPE,
    encodes_events: true,
    ..anthropic::PROFILE
};

impl ProviderApi for InvokeModel {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn detect<'p>(&self, path: &RequestPath<'p>) -> Option<Endpoint<'p>> {
        endpoint(path, "invoke", "invoke-with-response-stream")
    }

    fn read_member<'a>(
        &self,
        reader: &mut Reader<'a>,
        key: &Key<'a>,
        builder: &mut RequestBuilder<'a>,
    ) -> Result<(), Refusal> {
        Messages.read_member(reader, key, builder)
    }

    fn is_thought(&self, element: &Node<'_>) -> bool {
        Messages.is_thought(element)
    }

    fn tool_result(&self, id: &str, text: &str, is_error: bool) -> String {
        Messages.tool_result(id, text, is_error)
    }

    fn follow_up_turn(&self, results: String) -> String {
        Messages.follow_up_turn(results)
    }

    fn read_action(&self, part: &Node<'_>, action: &mut ActionBuilder) {
        Messages.read_action(part, action);
    }

    fn is_repeatable(&self, request: &Node<'_>) -> bool {
        Messages.is_repeatable(request)
    }

    fn rewriter(&self) -> Box<dyn ReplyRewriter> {
        anthropic::rewriter_in(Dialect::BedrockInvoke)
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
