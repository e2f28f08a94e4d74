//! The reply rewriter: what every provider API does with the replies of its upstream.

use super::continuation::ReplyContinuation;
use super::deferred_calls::DeferredCalls;
use super::frames::{FrameWriter, StreamFrame};
use super::turn::NextStep;
use super::usage::TurnUsage;
use crate::json::Node;
use crate::refusal::Refusal;
pub(crate) use crate::request::TOOL;

/// The text that ends the client's reply when the model kept asking and is not answered any more. It is true in every
/// case: each of the calls before was answered.
const ENDED: &str = "[This turn was ended here: the model kept asking for left-out tool output instead of answering.]";

/// The same behind a text, if there is one.
pub(crate) fn ended_notice(has_text: bool) -> String {
    format!("{}{ENDED}", if has_text { "\n\n" } else { "" })
}

/// Rewrites replies: decides what of the upstream's replies the client gets.
///
/// It lives as long as the client's reply, over as many replies of the upstream as that takes: after a
/// `NextStep::Ask` the events of the next reply follow.
pub(crate) trait ReplyRewriter: Send + Sync {
    /// One complete event that has a payload. Writes what the client gets: `out.pass(frame)` as it came,
    /// `out.with(frame, json)` with another payload, `out.compose(name, json)` one of our own, or nothing.
    ///
    /// `Err` before anything was written: this event goes to the client as it came.
    fn event(
        &mut self,
        frame: &StreamFrame<'_>,
        out: &mut FrameWriter<'_>,
    ) -> Result<(), PassThrough>;

    /// The upstream's reply is over: events came, and their closing ones were among them or not.
    fn finish(&mut self, out: &mut FrameWriter<'_>) -> NextStep;

    /// A whole reply. `Err` before anything was written: it goes to the client as it is.
    fn whole(&mut self, body: &str, out: &mut Vec<u8>) -> Result<NextStep, PassThrough>;

    /// Takes the figures from a whole reply in which there is nothing of ours.
    fn count(&mut self, reply: &Node<'_>);

    /// Takes the figures from an event that has some, of a reply that passes by unchanged.
    fn count_event(&mut self, event: &Node<'_>) {
        self.count(event);
    }

    /// Whether this reply called our tool and did not come to its end: then an event that is cut off is not the client's.
    fn is_internal(&self) -> bool;

    /// Whether more of a call of our tool may come next: then an event that cannot be read is not the client's, because it
    /// may be part of that call.
    fn is_in_internal(&self) -> bool;

    fn usage(&self) -> &TurnUsage;

    /// What [`Reply::take_deferred_calls`](super::Reply::take_deferred_calls) gives: taken out, so that it is given once.
    fn take_deferred_calls(&mut self) -> Option<DeferredCalls>;

    fn set_stored(&mut self, _: bool) {}

    fn continuation(&mut self) -> Option<ReplyContinuation> {
        None
    }

    /// Ends a client's stream that was left open by `NextStep::Ask`, or in the middle of the reply after it.
    fn give_up(&mut self, out: &mut FrameWriter<'_>);

    /// Breaks off a client's stream that was left open by `NextStep::Ask`, with the provider's error.
    fn fail(&mut self, status: u16, document: &str, out: &mut FrameWriter<'_>) {
        out.error(status, document);
    }

    /// Ends a client's whole reply that was left unwritten by `NextStep::Ask`.
    fn give_up_whole(&mut self, out: &mut Vec<u8>);
}

/// Why an event, or a whole reply, goes to the client as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PassThrough {
    /// It is no JSON, or none that can be read.
    Unreadable,
    /// It is an error, one of several answers, or too much to be held: after it the upstream is not asked again.
    Final,
}

impl From<Refusal> for PassThrough {
    fn from(_: Refusal) -> Self {
        PassThrough::Unreadable
    }
}
