//! A tap on an answer that passes unchanged: what the provider says about tokens is read on the side.

use crate::http::coding::{Coding, Decoder};
use crate::note::Note;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use http::response::Parts;
use tokenforge_providers::{Dialect, UsageMeter, WireFormat};

/// A large piece is decoded bit by bit, so that what it may swell to is bounded.
const CODED_PIECE: usize = 1 << 10;

/// A request whose answer passes as it comes.
pub(crate) struct Metered {
    pub(crate) note: Note,
    pub(crate) dialect: Dialect,
    /// A stream was asked for.
    pub(crate) streams: bool,
}

impl Metered {
    /// A tap for this answer; nothing if it is none that says what was counted.
    pub(crate) fn tap(self: Box<Self>, answer: Option<&Parts>) -> Option<Box<UsageTap>> {
        let head = answer.filter(|head| head.status == StatusCode::OK)?;
        let content_type = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let wire = WireFormat::of(self.dialect, content_type.unwrap_or_default(), self.streams)?;
        let coding = Coding::of(&head.headers).ok()?;
        let decoder = match coding {
            Some(coding) => Some(coding.decoder().ok()?),
            None => None,
        };
        let meter = Some(UsageMeter::new(self.dialect, wire));
        Some(Box::new(UsageTap { meter, decoder, note: self.note }))
    }
}

/// Sees the bytes of an answer. When it is dropped, what was counted goes to the note: at the end of the answer, or when
/// it broke off or nobody wants it any more.
pub(crate) struct UsageTap {
    /// Nothing once the answer cannot be read.
    meter: Option<UsageMeter>,
    /// The client chose the coding, and gets it: a copy is decoded.
    decoder: Option<Decoder>,
    note: Note,
}

impl UsageTap {
    /// The next bytes of the answer.
    pub(crate) fn see(&mut self, bytes: &[u8]) {
        let Some(meter) = &mut self.meter else { return };
        let Some(decoder) = &mut self.decoder else { return meter.push(bytes) };
        for piece in bytes.chunks(CODED_PIECE) {
            match decoder.push(piece) {
                Ok(plain) => meter.push(&plain),
                Err(_) => {
                    // What came before it may have said enough.
                    return self.settle();
                }
            }
        }
    }
}

impl UsageTap {
    /// Tells what was counted, once.
    fn settle(&mut self) {
        if let Some(meter) = self.meter.take() {
            self.note.counted(meter.finish());
        }
    }
}

impl Drop for UsageTap {
    fn drop(&mut self) {
        self.settle();
    }
}
