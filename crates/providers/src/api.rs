//! The provider API trait: what each provider's API has of its own.
//!
//! Facts are data, a [`Profile`]; the rest are a few methods, called once for a request, for a member at its top or for
//! a frame of a reply, never for a token of JSON. What APIs have in common is in `request` and `reply`; the list of them
//! is in `dialect.rs`.

mod error;
mod profile;

pub use error::ApiError;
pub use profile::ProviderAddress;
pub(crate) use profile::{CacheLifetime, ConversationList, Profile, SystemPrompt};

use crate::detect::{BatchedRequest, Endpoint, RequestPath};
use crate::json::{Key, Kind, Node, Reader};
use crate::refusal::Refusal;
use crate::reply::action::ActionBuilder;
use crate::reply::rewriter::ReplyRewriter;
use crate::request::builder::RequestBuilder;
use crate::request::put_back::{HiddenCalls, between_blocks};
use crate::splice::Splice;

/// A provider's API.
pub(crate) trait ProviderApi: Sync {
    /// What is fixed about it.
    fn profile(&self) -> &'static Profile;

    /// What a `POST` to this path asks for. Nothing if the path is none of this API's.
    fn detect<'p>(&self, path: &RequestPath<'p>) -> Option<Endpoint<'p>>;

    /// Reads a member at the top of a request.
    fn read_member<'a>(
        &self,
        reader: &mut Reader<'a>,
        key: &Key<'a>,
        builder: &mut RequestBuilder<'a>,
    ) -> Result<(), Refusal>;

    /// Where the requests stand that a body is a batch of.
    ///
    /// # Errors
    /// If the body is to be left as it is.
    fn batched(&self, _body: &[u8]) -> Result<Vec<BatchedRequest>, Refusal> {
        Ok(Vec::new())
    }

    /// Does the model think in this element of a conversation?
    fn is_thought(&self, _element: &Node<'_>) -> bool {
        false
    }

    /// Puts calls that the client never saw, and their results, back into a body.
    fn put_back(&self, body: &Node<'_>, hidden: &HiddenCalls<'_>) -> Option<Splice<'static>> {
        between_blocks(body, hidden, |element| self.is_thought(element))
    }

    /// The result of a call of ours, as an element of the list that the client's results stand in. The id is empty
    /// where the call has none.
    fn tool_result(&self, id: &str, text: &str, is_error: bool) -> String;

    /// The same where the upstream is asked again at once.
    fn follow_up_result(&self, id: &str, text: &str, is_error: bool) -> String {
        self.tool_result(id, text, is_error)
    }

    /// Such results, with commas between, as elements of the conversation.
    fn follow_up_turn(&self, results: String) -> String {
        results
    }

    /// The conversation as a list of turns, where it was sent as something else.
    fn conversation_list(&self, _sent: &Node<'_>) -> Option<String> {
        None
    }

    /// Reads what a reply does, of a whole one or an event of a stream.
    fn read_action(&self, part: &Node<'_>, action: &mut ActionBuilder);

    /// Can a request be asked once more without anything happening but an answer?
    fn is_repeatable(&self, request: &Node<'_>) -> bool;

    /// What takes its replies to the client.
    fn rewriter(&self) -> Box<dyn ReplyRewriter>;

    /// The error that a body holds, if it is one.
    fn error_document<'a>(&self, root: Node<'a>) -> Option<Node<'a>> {
        let is_error = root.get("error").is_some_and(|error| error.kind() == Kind::Object);
        is_error.then_some(root)
    }

    /// What the event of an error with this status is called in a stream.
    fn error_event(&self, _status: u16) -> &'static str {
        ""
    }

    /// An error of our own, as the provider would write it.
    fn error_body(&self, error: &ApiError<'_>) -> String;

    /// A header that goes with it: its name and its value.
    fn error_header(&self, _status: u16) -> Option<(&'static str, &'static str)> {
        None
    }
}
