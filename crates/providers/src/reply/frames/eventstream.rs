//! Amazon's binary event stream: a message is two lengths, their checksum, headers, a payload and a checksum of it all.

use super::{BrokenStream, FrameScanner, PayloadCoding, StreamFrame, text};
use crate::json::Node;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;

/// Reads the lengths.
pub(super) struct EventStreamScanner;

/// Both lengths and their checksum.
const PRELUDE: usize = 12;
const CHECKSUM: usize = 4;

impl FrameScanner for EventStreamScanner {
    fn end(&mut self, bytes: &[u8]) -> Result<Option<usize>, BrokenStream> {
        let Some(prelude) = bytes.get(..PRELUDE) else { return Ok(None) };
        let length = number(prelude, 0).ok_or(BrokenStream)? as usize;
        let is_sound = number(prelude, 8) == Some(crc32fast::hash(&prelude[..8]));
        if !is_sound || !(PRELUDE + CHECKSUM..=super::MAX_FRAME).contains(&length) {
            return Err(BrokenStream);
        }
        Ok((bytes.len() >= length).then_some(length))
    }

    fn frame<'a>(&self, raw: &'a [u8]) -> Result<StreamFrame<'a>, BrokenStream> {
        let (message, checksum) = raw.split_last_chunk::<CHECKSUM>().ok_or(BrokenStream)?;
        if u32::from_be_bytes(*checksum) != crc32fast::hash(message) {
            return Err(BrokenStream);
        }
        let headers_end = PRELUDE + number(message, 4).ok_or(BrokenStream)? as usize;
        let headers = message.get(PRELUDE..headers_end).ok_or(BrokenStream)?;
        let place = headers_end..message.len();
        if header(headers, ":message-type").is_none_or(|kind| kind != "event") {
            // An exception, which is the client's.
            let (event, json) = ("exception", Cow::Borrowed(""));
            return Ok(StreamFrame { raw, event, json, place, coding: PayloadCoding::Message });
        }
        let event = header(headers, ":event-type").ok_or(BrokenStream)?;
        let payload = text(&message[headers_end..])?;
        if event != "chunk" {
            let json = Cow::Borrowed(payload);
            return Ok(StreamFrame { raw, event, json, place, coding: PayloadCoding::Message });
        }
        let bytes =
            Node::read(payload).ok().and_then(|node| node.get("bytes")).ok_or(BrokenStream)?;
        let json =
            STANDARD.decode(bytes.spelling().ok_or(BrokenStream)?).map_err(|_| BrokenStream)?;
        let json = Cow::Owned(String::from_utf8(json).map_err(|_| BrokenStream)?);
        let span = bytes.span();
        let place = headers_end + span.start + 1..headers_end + span.end - 1;
        Ok(StreamFrame { raw, event: "", json, place, coding: PayloadCoding::Base64Message })
    }
}

pub(super) fn base64(json: &str) -> String {
    STANDARD.encode(json)
}

/// Corrects the length and the checksums of a message whose payload was changed.
pub(super) fn seal(message: &mut [u8]) {
    let Some(body) = message.len().checked_sub(CHECKSUM).filter(|body| *body >= PRELUDE) else {
        return;
    };
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    message[..4].copy_from_slice(&length.to_be_bytes());
    let prelude = crc32fast::hash(&message[..8]);
    message[8..PRELUDE].copy_from_slice(&prelude.to_be_bytes());
    let checksum = crc32fast::hash(&message[..body]);
    message[body..].copy_from_slice(&checksum.to_be_bytes());
}

/// Writes an event with a JSON payload.
pub(super) fn compose(event: &str, json: &str, out: &mut Vec<u8>) {
    message(&[(":event-type", event), CONTENT_TYPE, (":message-type", "event")], json, out);
}

/// Writes an error, with which a stream breaks off.
pub(super) fn exception(kind: &str, json: &str, out: &mut Vec<u8>) {
    message(&[(":exception-type", kind), CONTENT_TYPE, (":message-type", "exception")], json, out);
}

const CONTENT_TYPE: (&str, &str) = (":content-type", "application/json");

fn message(names: &[(&str, &str)], json: &str, out: &mut Vec<u8>) {
    let mut headers = Vec::new();
    for (name, value) in names {
        headers.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
        headers.extend_from_slice(name.as_bytes());
        headers.push(STRING);
        headers.extend_from_slice(&u16::try_from(value.len()).unwrap_or(u16::MAX).to_be_bytes());
        headers.extend_from_slice(value.as_bytes());
    }
    let mut message = vec![0; PRELUDE];
    message[4..8].copy_from_slice(&u32::try_from(headers.len()).unwrap_or(0).to_be_bytes());
    message.extend_from_slice(&headers);
    message.extend_from_slice(json.as_bytes());
    message.extend_from_slice(&[0; CHECKSUM]);
    seal(&mut message);
    out.extend_from_slice(&message);
}

/// The type of a header that is text.
const STRING: u8 = 7;

/// The text of a header.
fn header<'a>(mut headers: &'a [u8], wanted: &str) -> Option<&'a str> {
    while let Some((length, rest)) = headers.split_first() {
        let (name, rest) = rest.split_at_checked(usize::from(*length))?;
        let (kind, rest) = rest.split_first()?;
        let (value, rest) = match kind {
            0 | 1 => rest.split_at_checked(0)?,
            2 => rest.split_at_checked(1)?,
            3 => rest.split_at_checked(2)?,
            4 => rest.split_at_checked(4)?,
            5 | 8 => rest.split_at_checked(8)?,
            9 => rest.split_at_checked(16)?,
            6 | 7 => {
                let (length, rest) = rest.split_first_chunk::<2>()?;
                rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?
            }
            _ => return None,
        };
        if name == wanted.as_bytes() && *kind == STRING {
            return text(value).ok();
        }
        headers = rest;
    }
    None
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}
