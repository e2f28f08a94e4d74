//! A reply on its way to the client: all of it passes, live and byte for byte, but the calls of our own tool.

pub(crate) mod blocks;
pub(crate) mod calls;
pub(crate) mod deferred;
pub(crate) mod edit;
pub(crate) mod ending;
mod failure;
pub(crate) mod figures;
pub(crate) mod frames;
pub(crate) mod gaps;
pub(crate) mod identity;
pub(crate) mod message;
mod meter;
pub(crate) mod speech;
pub(crate) mod turn;
pub(crate) mod usage;
mod wire;

pub use deferred::{Deferred, DeferredCall};
pub use failure::error_document;
pub use meter::UsageMeter;
pub use turn::{Anchor, Answer, InternalCall, Next, Turn};
pub use usage::{ModelTokens, Tokens, Usage};
pub use wire::Wire;

use crate::dialect::Dialect;
use crate::json::Node;
use crate::openai_responses::Continuation;
use frames::{Frames, Out, Pen};
use speech::{PassOn, Speech, TOOL};

/// A reply on its way to the client, over as many replies of the upstream as it takes.
///
/// The model may call the tool that expands references. Such a call never reaches the client: it is answered, the
/// upstream is asked again, and its next reply goes on where the client's left off.
///
/// ```
/// use tokenforge_providers::{Answer, Dialect, Next, Reply, Wire};
///
/// # fn events(list: &[&str]) -> String { list.iter().map(|json| format!("data: {json}\n\n")).collect() }
/// let calls = events(&[
///     r#"{"type":"message_start","message":{"id":"m1","content":[],"usage":{"input_tokens":9}}}"#,
///     r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"expand_context","input":{}}}"#,
///     r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"id\":\"s1\"}"}}"#,
///     r#"{"type":"content_block_stop","index":0}"#,
///     r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}}"#,
///     r#"{"type":"message_stop"}"#,
/// ]);
/// let mut reply = Reply::new(Dialect::Anthropic, Wire::Events);
/// let mut client = Vec::new();
/// reply.push(calls.as_bytes(), &mut client);
/// let Next::Ask(turn) = reply.finish(&mut client) else { panic!() };
/// assert_eq!(turn.calls[0].arguments, r#"{"id":"s1"}"#);
/// assert!(!str::from_utf8(&client).unwrap().contains("expand_context"));
///
/// let answer = Answer { text: "the original".to_owned(), is_error: false };
/// let body = turn.follow_up(br#"{"messages":[{"role":"user","content":"hi"}]}"#, &[answer]).unwrap();
/// assert!(str::from_utf8(&body).unwrap().contains("the original"));
/// // Ask the upstream with `body`, push its reply, and so on until `Next::Done`.
/// ```
pub struct Reply {
    speech: Box<dyn Speech>,
    pen: Pen,
    state: State,
    /// The upstream was not asked again yet.
    is_first: bool,
}

/// What happens to the bytes that come.
enum State {
    /// They are collected.
    Whole(Vec<u8>),
    /// They are taken apart into events.
    Stream(Frames),
    /// They pass as they are.
    Verbatim,
}

impl Reply {
    /// A reply of which nothing came yet.
    #[must_use]
    pub fn new(dialect: Dialect, wire: Wire) -> Self {
        let state = match wire {
            Wire::Whole => State::Whole(Vec::new()),
            _ => State::Stream(Frames::new(wire)),
        };
        Reply { speech: dialect.api().reply(), pen: Pen::new(dialect, wire), state, is_first: true }
    }

    /// Takes bytes as the upstream sent them, split anywhere, and appends what the client may have now.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match &mut self.state {
            State::Whole(body) => body.extend_from_slice(bytes),
            State::Verbatim => out.extend_from_slice(bytes),
            State::Stream(frames) => {
                frames.push(bytes);
                let mut out = self.pen.out(out);
                if forward(frames, &mut *self.speech, &mut out).is_err() {
                    out.raw(&frames.take_rest());
                    self.state = State::Verbatim;
                }
            }
        }
    }

    /// The upstream's reply is over. After [`Next::Ask`] the client's is still open: push the upstream's next reply, or
    /// [`give_up`](Self::give_up).
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Next {
        match &mut self.state {
            State::Verbatim => Next::Done,
            State::Whole(body) => {
                let body = std::mem::take(body);
                let next = str::from_utf8(&body).ok().and_then(|text| {
                    if self.is_first && !may_name_our_tool(text) {
                        self.speech.count(&Node::read(text).ok()?);
                        return None;
                    }
                    self.speech.whole(text, out).ok()
                });
                self.is_first &= !matches!(next, Some(Next::Ask(_)));
                next.unwrap_or_else(|| {
                    out.extend_from_slice(&body);
                    Next::Done
                })
            }
            State::Stream(frames) => {
                let mut out = self.pen.out(out);
                forward_rest(frames, &mut *self.speech, &mut out);
                let next = self.speech.finish(&mut out);
                match next {
                    Next::Done => out.end(),
                    Next::Ask(_) => self.pen.go_on(),
                }
                next
            }
        }
    }

    /// The provider keeps replies (or not), so that the client may go on from one by its id. What the reply says itself
    /// counts more.
    pub fn is_stored(&mut self, is_stored: bool) {
        self.speech.is_stored(is_stored);
    }

    /// The ids of replies that the client may go on from, and of the one in which the conversation really goes on: told
    /// once for each.
    pub fn continuation(&mut self) -> Option<Continuation> {
        self.speech.continuation()
    }

    /// What the turn cost so far.
    #[must_use]
    pub fn usage(&self) -> &Usage {
        self.speech.usage()
    }

    /// After [`Next::Done`]: calls of our tool that came together with the client's own. They are to be kept under the
    /// ids of their siblings until the client answers those.
    pub fn deferred(&mut self) -> Option<Deferred> {
        self.speech.deferred()
    }

    /// Breaks off the client's stream with an error, as the provider would in the middle of a stream: asking again
    /// failed. `document` is an error as the dialect has it, see [`error_document`].
    ///
    /// A whole reply is not begun yet: whoever sends it answers with the provider's status and document instead.
    pub fn fail(&mut self, status: u16, document: &str, out: &mut Vec<u8>) {
        if let State::Stream(_) = &self.state {
            let mut out = self.pen.out(out);
            self.speech.fail(status, document, &mut out);
            out.close();
        }
    }

    /// Ends the client's reply as a turn that is over, when the upstream was asked again often enough.
    pub fn give_up(&mut self, out: &mut Vec<u8>) {
        match &mut self.state {
            State::Verbatim => {}
            State::Whole(_) => self.speech.give_up_whole(out),
            State::Stream(_) => {
                let mut out = self.pen.out(out);
                self.speech.give_up(&mut out);
                out.close();
            }
        }
    }
}

/// Can a reply hold a call of our tool, or tell the client of it? With escapes, any name can be spelled.
fn may_name_our_tool(reply: &str) -> bool {
    reply.contains(TOOL) || reply.contains("\\u")
}

/// Takes every complete event to the client. Those without a payload, such as comments, concern no dialect.
fn forward(frames: &mut Frames, speech: &mut dyn Speech, out: &mut Out<'_>) -> Result<(), PassOn> {
    while let Some(frame) = frames.next()? {
        if frame.json.is_empty() {
            out.pass(&frame);
        } else if let Err(pass_on) = speech.event(&frame, out) {
            out.pass(&frame);
            return Err(pass_on);
        }
    }
    frames.release();
    Ok(())
}

/// Takes what the upstream did not complete to the client: it may be an event all the same.
fn forward_rest(frames: &mut Frames, speech: &mut dyn Speech, out: &mut Out<'_>) {
    let rest = frames.take_rest();
    let frame = frames.last(&rest).ok();
    let is_json = frame.as_ref().is_some_and(|frame| Node::read(&frame.json).is_ok());
    match frame {
        // What was cut off in the middle of a call of our tool is not the client's.
        _ if !is_json && speech.is_internal() => {}
        Some(frame) if frame.json.is_empty() => out.pass(&frame),
        Some(frame) if speech.event(&frame, out).is_ok() => {}
        _ => out.raw(&rest),
    }
}
