//! A reply on its way to the client: all of it passes, live and byte for byte, but the calls of our own tool.

pub(crate) mod action;
pub(crate) mod blocks;
pub(crate) mod continuation;
pub(crate) mod deferred_calls;
pub(crate) mod edit;
pub(crate) mod ending;
mod error_document;
pub(crate) mod frames;
pub(crate) mod hidden_indices;
pub(crate) mod identity;
pub(crate) mod message;
pub(crate) mod rewriter;
pub(crate) mod turn;
pub(crate) mod usage;
pub(crate) mod usage_figures;
mod usage_meter;
pub(crate) mod whole_calls;
mod wire_format;

pub use action::{NextAction, ToolCall};
pub use continuation::ReplyContinuation;
pub use deferred_calls::{DeferredCall, DeferredCalls};
pub use error_document::error_document;
pub use turn::{ExpandAnswer, HiddenTurn, InternalCall, NextStep, ThoughtAnchor};
pub use usage::{ModelTokens, TokenCounts, TurnUsage};
pub use usage_meter::UsageMeter;
pub use wire_format::WireFormat;

use crate::dialect::Dialect;
use crate::json::Node;
use frames::{BrokenStream, ClientStream, FrameReader, FrameWriter, StreamPiece};
use memchr::memmem;
use rewriter::{PassThrough, ReplyRewriter, TOOL};

/// A reply on its way to the client, over as many replies of the upstream as it takes.
///
/// The model may call the tool that expands references. Such a call never reaches the client: it is answered, the
/// upstream is asked again, and its next reply goes on where the client's left off.
///
/// ```
/// use tokenforge_providers::{ExpandAnswer, Dialect, NextStep, Reply, WireFormat};
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
/// let mut reply = Reply::new(Dialect::Anthropic, WireFormat::Events);
/// let mut client = Vec::new();
/// reply.push(calls.as_bytes(), &mut client);
/// let NextStep::Ask(turn) = reply.finish(&mut client) else { panic!() };
/// assert_eq!(turn.calls[0].arguments, r#"{"id":"s1"}"#);
/// assert!(!str::from_utf8(&client).unwrap().contains("expand_context"));
///
/// let answer = ExpandAnswer { text: "the original".to_owned(), is_error: false };
/// let body = turn.follow_up(br#"{"messages":[{"role":"user","content":"hi"}]}"#, &[answer]).unwrap();
/// assert!(str::from_utf8(&body).unwrap().contains("the original"));
/// // Ask the upstream with `body`, push its reply, and so on until `NextStep::Done`.
/// ```
pub struct Reply {
    rewriter: Box<dyn ReplyRewriter>,
    client: ClientStream,
    state: ReplyState,
    /// The upstream was not asked again yet.
    is_first: bool,
    /// The upstream is not asked again: see [`PassThrough::Final`].
    is_final: bool,
}

/// What happens to the bytes that come.
enum ReplyState {
    /// They are collected.
    Whole(Vec<u8>),
    /// They are taken apart into events.
    Stream(FrameReader),
    /// They pass as they are.
    Verbatim,
}

impl Reply {
    /// A reply of which nothing came yet.
    #[must_use]
    pub fn new(dialect: Dialect, wire: WireFormat) -> Self {
        let state = match wire {
            WireFormat::Whole => ReplyState::Whole(Vec::new()),
            _ => ReplyState::Stream(FrameReader::new(wire)),
        };
        Reply {
            rewriter: dialect.api().rewriter(),
            client: ClientStream::new(dialect, wire),
            state,
            is_first: true,
            is_final: false,
        }
    }

    /// Takes bytes as the upstream sent them, split anywhere, and appends what the client may have now.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match &mut self.state {
            ReplyState::Whole(body) => body.extend_from_slice(bytes),
            ReplyState::Verbatim => out.extend_from_slice(bytes),
            ReplyState::Stream(frames) => {
                frames.push(bytes);
                let mut out = self.client.writer(out);
                match forward(frames, &mut *self.rewriter, self.is_first, &mut out) {
                    Ok(is_final) => self.is_final |= is_final,
                    Err(BrokenStream) => {
                        out.raw(&frames.take_rest());
                        self.state = ReplyState::Verbatim;
                    }
                }
            }
        }
    }

    /// The upstream's reply is over. After [`NextStep::Ask`] the client's is still open: push the upstream's next reply, or
    /// [`give_up`](Self::give_up).
    pub fn finish(&mut self, out: &mut Vec<u8>) -> NextStep {
        match &mut self.state {
            ReplyState::Verbatim => NextStep::Done,
            ReplyState::Whole(body) => {
                let body = std::mem::take(body);
                let next = str::from_utf8(without_mark(&body)).ok().and_then(|text| {
                    if self.is_first && !may_name_our_tool(text) {
                        self.rewriter.count(&Node::read(text).ok()?);
                        return None;
                    }
                    self.rewriter.whole(text, out).ok()
                });
                self.is_first &= !matches!(next, Some(NextStep::Ask(_)));
                next.unwrap_or_else(|| {
                    out.extend_from_slice(&body);
                    NextStep::Done
                })
            }
            ReplyState::Stream(frames) => {
                let mut out = self.client.writer(out);
                self.is_final |= forward_rest(frames, &mut *self.rewriter, &mut out);
                match self.rewriter.finish(&mut out) {
                    NextStep::Done => {
                        out.end();
                        NextStep::Done
                    }
                    NextStep::Ask(_) if self.is_final => {
                        self.rewriter.give_up(&mut out);
                        out.close();
                        NextStep::Done
                    }
                    NextStep::Ask(turn) => {
                        self.is_first = false;
                        self.client.go_on();
                        NextStep::Ask(turn)
                    }
                }
            }
        }
    }

    /// The provider keeps replies (or not), so that the client may go on from one by its id. What the reply says itself
    /// counts more.
    pub fn set_stored(&mut self, is_stored: bool) {
        self.rewriter.set_stored(is_stored);
    }

    /// The ids of replies that the client may go on from, and of the one in which the conversation really goes on: told
    /// once for each.
    pub fn continuation(&mut self) -> Option<ReplyContinuation> {
        self.rewriter.continuation()
    }

    /// What the turn cost so far.
    #[must_use]
    pub fn usage(&self) -> &TurnUsage {
        self.rewriter.usage()
    }

    /// After [`NextStep::Done`]: calls of our tool that came together with the client's own. They are to be kept under the
    /// ids of their siblings until the client answers those.
    pub fn take_deferred_calls(&mut self) -> Option<DeferredCalls> {
        self.rewriter.take_deferred_calls()
    }

    /// Breaks off the client's stream with an error, as the provider would in the middle of a stream: asking again
    /// failed. `document` is an error as the dialect has it, see [`error_document`].
    ///
    /// A whole reply is not begun yet: the caller answers with the provider's status and document instead.
    pub fn fail(&mut self, status: u16, document: &str, out: &mut Vec<u8>) {
        if let ReplyState::Stream(_) = &self.state {
            let mut out = self.client.writer(out);
            self.rewriter.fail(status, document, &mut out);
            out.close();
        }
    }

    /// Ends the client's reply as a turn that is over, when the upstream was asked again often enough.
    pub fn give_up(&mut self, out: &mut Vec<u8>) {
        match &mut self.state {
            ReplyState::Verbatim => {}
            ReplyState::Whole(_) => self.rewriter.give_up_whole(out),
            ReplyState::Stream(_) => {
                let mut out = self.client.writer(out);
                self.rewriter.give_up(&mut out);
                out.close();
            }
        }
    }
}

/// Can a reply hold a call of our tool, or tell the client of it? With escapes, any name can be spelled.
fn may_name_our_tool(reply: &str) -> bool {
    reply.contains(TOOL) || reply.contains("\\u")
}

/// The bytes behind a byte order mark, if they begin with one. JSON has none, and some writers put one there all the same.
fn without_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix(frames::BYTE_ORDER_MARK).unwrap_or(body)
}

/// Takes every complete event to the client. Those without a payload, such as comments, concern no dialect. `Ok(true)`: the
/// upstream is not to be asked again.
fn forward(
    frames: &mut FrameReader,
    rewriter: &mut dyn ReplyRewriter,
    is_first: bool,
    out: &mut FrameWriter<'_>,
) -> Result<bool, BrokenStream> {
    let mut is_final = false;
    while let Some(piece) = frames.next()? {
        match piece {
            // A later reply goes on in the middle of the client's stream.
            StreamPiece::Mark(mark) if is_first => out.raw(mark),
            StreamPiece::Mark(_) => {}
            StreamPiece::Unreadable(raw) if is_ours(rewriter, raw) => {}
            StreamPiece::Unreadable(raw) => out.unreadable(raw),
            StreamPiece::Frame(frame) if frame.json.is_empty() => out.pass(&frame),
            StreamPiece::Frame(frame) => match rewriter.event(&frame, out) {
                Ok(()) => {}
                Err(PassThrough::Unreadable) if is_ours(rewriter, frame.json.as_bytes()) => {}
                Err(PassThrough::Unreadable) => out.pass(&frame),
                Err(PassThrough::Final) => {
                    is_final = true;
                    out.pass(&frame);
                }
            },
        }
    }
    frames.release();
    Ok(is_final)
}

/// Whether what cannot be read belongs to a call of our tool, as far as its place and its bytes tell.
fn is_ours(rewriter: &dyn ReplyRewriter, bytes: &[u8]) -> bool {
    rewriter.is_in_internal() || memmem::find(bytes, TOOL.as_bytes()).is_some()
}

/// Takes what the upstream did not complete to the client: it may be an event all the same. `true`: the upstream is not to be
/// asked again.
fn forward_rest(
    frames: &mut FrameReader,
    rewriter: &mut dyn ReplyRewriter,
    out: &mut FrameWriter<'_>,
) -> bool {
    let rest = frames.take_rest();
    let frame = frames.last(&rest).ok();
    let is_json = frame.as_ref().is_some_and(|frame| Node::read(&frame.json).is_ok());
    match frame {
        // What was cut off in the middle of a call of our tool is not the client's.
        _ if !is_json && rewriter.is_internal() => {}
        Some(frame) if frame.json.is_empty() => out.pass(&frame),
        Some(frame) => match rewriter.event(&frame, out) {
            Ok(()) => {}
            Err(failure) => {
                out.raw(&rest);
                return failure == PassThrough::Final;
            }
        },
        None => out.raw(&rest),
    }
    false
}
