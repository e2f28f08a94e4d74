//! Usage metering: reads what a reply cost while it passes by unchanged.

use super::frames::{FrameReader, StreamPiece};
use super::rewriter::ReplyRewriter;
use super::usage::TurnUsage;
use super::wire_format::WireFormat;
use crate::dialect::Dialect;
use crate::json::Node;

/// A whole reply that is longer is not read: no model writes as much text, and it would have to be held.
const MAX_WHOLE: usize = 4 << 20;

/// Reads what a reply cost while it passes by unchanged.
///
/// [`Reply`](super::Reply) does that too, and changes what it passes on. This only looks: where nothing in a reply can be
/// ours, the client gets the upstream's bytes, and what they say about tokens is read on the side.
///
/// ```
/// use tokenforge_providers::{Dialect, UsageMeter, WireFormat};
///
/// let mut meter = UsageMeter::new(Dialect::OpenAiChat, WireFormat::Whole);
/// meter.push(br#"{"choices":[],"usage":{"prompt_tokens":90,"#);
/// meter.push(br#""completion_tokens":7}}"#);
/// let usage = meter.finish();
/// assert_eq!((usage.billed.input, usage.billed.output), (Some(90), Some(7)));
/// ```
pub struct UsageMeter {
    /// What every part of the reply holds that says what it cost.
    marker: &'static str,
    rewriter: Box<dyn ReplyRewriter>,
    state: MeterState,
}

enum MeterState {
    Whole(Vec<u8>),
    Stream(FrameReader),
    /// What came cannot be read, or is too long.
    Lost,
}

impl UsageMeter {
    /// For a reply of which nothing came yet.
    #[must_use]
    pub fn new(dialect: Dialect, wire: WireFormat) -> Self {
        let state = match wire {
            WireFormat::Whole => MeterState::Whole(Vec::new()),
            _ => MeterState::Stream(FrameReader::new(wire)),
        };
        let api = dialect.api();
        UsageMeter { marker: api.profile().usage_marker, rewriter: api.rewriter(), state }
    }

    /// Looks at bytes as the upstream sent them, split anywhere.
    pub fn push(&mut self, bytes: &[u8]) {
        let is_lost = match &mut self.state {
            MeterState::Lost => return,
            MeterState::Whole(body) => {
                body.extend_from_slice(bytes);
                body.len() > MAX_WHOLE
            }
            MeterState::Stream(frames) => {
                frames.push(bytes);
                read(frames, self.marker, &mut *self.rewriter).is_none()
            }
        };
        if is_lost {
            self.state = MeterState::Lost;
        }
    }

    /// Ends the count, because the reply is over or its client has gone. Returns the usage, as far as the provider
    /// reported it.
    #[must_use]
    pub fn finish(mut self) -> TurnUsage {
        match std::mem::replace(&mut self.state, MeterState::Lost) {
            MeterState::Whole(body) => {
                let text = str::from_utf8(&body).ok();
                if let Some(node) = text.and_then(|text| Node::read(text).ok()) {
                    self.rewriter.count(&node);
                }
            }
            MeterState::Stream(mut frames) => {
                // Some upstreams do not end their last event.
                let rest = frames.take_rest();
                if let Ok(frame) = frames.last(&rest) {
                    count(&frame.json, self.marker, &mut *self.rewriter);
                }
            }
            MeterState::Lost => {}
        }
        self.rewriter.usage().clone()
    }
}

/// Takes the figures from every complete event. Nothing if the stream cannot be taken apart.
fn read(frames: &mut FrameReader, marker: &str, rewriter: &mut dyn ReplyRewriter) -> Option<()> {
    while let Some(piece) = frames.next().ok()? {
        if let StreamPiece::Frame(frame) = piece {
            count(&frame.json, marker, rewriter);
        }
    }
    frames.release();
    Some(())
}

fn count(json: &str, marker: &str, rewriter: &mut dyn ReplyRewriter) {
    // Most events have none, and are not parsed.
    if !json.contains(marker) {
        return;
    }
    if let Ok(event) = Node::read(json) {
        rewriter.count_event(&event);
    }
}
