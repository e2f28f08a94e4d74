//! What differs between the dialects whose replies are made of content blocks.

use crate::json::{Kind, Node};
use crate::reply::edit::Edit;
use crate::reply::ending::ReplyEnding;
use crate::reply::usage::{SamplingIterations, TokenCounts, TurnUsage};
use std::borrow::Cow;

/// How a dialect writes content blocks and what stands around them.
pub(crate) trait BlockGrammar: Send + Sync + 'static {
    /// The member of an event that says which block it is about.
    const INDEX: &'static str;

    /// A reply that the provider keeps can be gone on from by its id.
    const IS_CONTINUED: bool = false;

    /// What an event is.
    fn event<'a>(name: &str, json: &Node<'a>) -> BlockEvent<'a>;

    /// The block that `start` began and `deltas` went on with, as a conversation has it. Nothing if it is blank, which
    /// providers write but do not take back. `arguments` is what [`fragment`](Self::fragment) found in the deltas.
    fn block(start: &str, deltas: &[Node<'_>], arguments: &str) -> Option<String>;

    /// What a delta adds to the arguments of a call.
    fn fragment<'a>(delta: &Node<'a>) -> Option<Node<'a>>;

    /// Whether a delta or a block has text of the answer.
    fn is_text(node: &Node<'_>) -> bool;

    /// The call that a block is, or begins to be.
    fn call(block: &Node<'_>) -> Option<BlockCall>;

    /// What a block is known by if it is a thought that the provider sealed.
    fn seal(block: &Node<'_>) -> Option<String>;

    /// The arguments of a call that is complete.
    fn arguments<'a>(block: &Node<'a>) -> Option<Node<'a>>;

    /// Why a whole reply ended, or the one that an event ends; nothing if it does not say.
    fn ending(json: &Node<'_>) -> Option<ReplyEnding>;

    /// The list of blocks in a whole reply.
    fn content<'a>(reply: &Node<'a>) -> Option<Node<'a>>;

    /// The figures in a whole reply, or in an event that has any.
    fn tokens(reply: &Node<'_>) -> TokenCounts;

    /// The iterations that such figures list, if they list any.
    fn iterations(_reply: &Node<'_>) -> Option<SamplingIterations> {
        None
    }

    /// Writes figures where a whole reply or an event has some: the output of all replies, the input of the last.
    fn set_tokens(json: &Node<'_>, usage: &TurnUsage, edit: &mut Edit<'_>);

    /// Says in a whole reply or an event that the answer is over, if it says why it ended.
    fn set_finished(json: &Node<'_>, edit: &mut Edit<'_>);

    /// A block of text.
    fn text_block(text: &str) -> String;

    /// The events of a block of text: their names and payloads.
    fn text_events(index: u64, text: &str) -> Vec<(&'static str, String)>;

    /// The event that ends a block.
    fn stop_event(index: u64) -> (&'static str, String);

    /// The turn of the model as a conversation has it, of these blocks.
    fn turn(blocks: String) -> String {
        format!(r#"{{"role":"assistant","content":[{blocks}]}}"#)
    }

    /// The id of the reply, in a whole one or an event that tells it.
    fn id<'a>(json: &Node<'a>) -> Option<Node<'a>> {
        json.get("id")
    }

    /// Is a block a call of our tool, or an answer to one?
    fn is_of_ours(block: &Node<'_>) -> bool {
        Self::call(block).is_some_and(|call| call.is_internal)
    }

    /// Takes out of a whole reply or an event what tells of our tool beside the blocks.
    fn hide(_json: &Node<'_>, _edit: &mut Edit<'_>) {}

    /// Makes a later whole reply say of the request what the first one did.
    fn restore(_first: &Node<'_>, _json: &Node<'_>, _edit: &mut Edit<'_>) {}

    /// An error as an event of a stream has it.
    fn error_event(document: &str) -> Cow<'_, str> {
        Cow::Borrowed(document)
    }
}

/// What an event of a stream is.
pub(crate) enum BlockEvent<'a> {
    /// The reply begins.
    Opening,
    /// A block begins.
    Start {
        /// Which.
        index: u64,
        /// What is known of it.
        block: Node<'a>,
    },
    /// A block goes on.
    Delta {
        /// Which.
        index: u64,
        /// What is added to it.
        delta: Node<'a>,
    },
    /// A block ends.
    Stop {
        /// Which.
        index: u64,
    },
    /// The reply comes to its end, and may say why.
    Closing(Option<ReplyEnding>),
    /// An error of the provider.
    Error,
    /// Something else.
    Other,
}

/// A call of a tool that the client is to answer.
#[derive(Debug, Clone)]
pub(crate) struct BlockCall {
    pub(crate) id: String,
    /// Whether it is our own tool.
    pub(crate) is_internal: bool,
}

/// The arguments of a call as a conversation must have them, even if the model wrote none.
pub(crate) fn as_object(arguments: &str) -> &str {
    let is_object = Node::read(arguments).is_ok_and(|node| node.kind() == Kind::Object);
    if is_object { arguments } else { "{}" }
}
