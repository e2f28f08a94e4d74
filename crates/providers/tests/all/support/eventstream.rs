//! Amazon's event stream, written and read plainly, with every checksum checked.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// The checksum of zip files, one bit after the other.
pub(crate) fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 * (crc & 1)))
    })
}

/// A message with text headers.
pub(crate) fn message(headers: &[(&str, &str)], payload: &str) -> Vec<u8> {
    let mut head = Vec::new();
    for (name, value) in headers {
        head.push(name.len() as u8);
        head.extend_from_slice(name.as_bytes());
        head.push(7);
        head.extend_from_slice(&(value.len() as u16).to_be_bytes());
        head.extend_from_slice(value.as_bytes());
    }
    let mut message = ((16 + head.len() + payload.len()) as u32).to_be_bytes().to_vec();
    message.extend_from_slice(&(head.len() as u32).to_be_bytes());
    message.extend_from_slice(&crc(&message).to_be_bytes());
    message.extend_from_slice(&head);
    message.extend_from_slice(payload.as_bytes());
    message.extend_from_slice(&crc(&message).to_be_bytes());
    message
}

/// An event of Converse.
pub(crate) fn event(name: &str, payload: &Value) -> Vec<u8> {
    let headers =
        [(":event-type", name), (":content-type", "application/json"), (":message-type", "event")];
    message(&headers, &payload.to_string())
}

/// An event of a model, as InvokeModel wraps it.
pub(crate) fn chunk(payload: &Value) -> Vec<u8> {
    event("chunk", &json!({"bytes": STANDARD.encode(payload.to_string()), "p": "abcdef"}))
}

/// The messages of a stream: the name of the event, and the payload.
#[track_caller]
pub(crate) fn messages(mut bytes: &[u8]) -> Vec<(String, Value)> {
    let number = |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().unwrap());
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        let (message, rest) = bytes.split_at(number(&bytes[..4]) as usize);
        let (content, checksum) = message.split_at(message.len() - 4);
        assert_eq!(crc(content), number(checksum), "the message's checksum");
        assert_eq!(crc(&content[..8]), number(&content[8..12]), "the prelude's checksum");
        let payload = 12 + number(&content[4..8]) as usize;
        messages.push((
            event_type(&content[12..payload]),
            serde_json::from_slice(&content[payload..]).unwrap(),
        ));
        bytes = rest;
    }
    messages
}

/// The events inside chunks.
#[track_caller]
pub(crate) fn chunks(bytes: &[u8]) -> Vec<Value> {
    let inner = |(name, payload): (String, Value)| {
        assert_eq!(name, "chunk");
        let json = STANDARD.decode(payload["bytes"].as_str().unwrap()).unwrap();
        serde_json::from_slice(&json).unwrap()
    };
    messages(bytes).into_iter().map(inner).collect()
}

fn event_type(mut headers: &[u8]) -> String {
    loop {
        let (name, rest) = headers[1..].split_at(headers[0] as usize);
        let length = u16::from_be_bytes([rest[1], rest[2]]) as usize;
        let value = &rest[3..3 + length];
        if name == b":event-type" {
            return String::from_utf8(value.to_vec()).unwrap();
        }
        headers = &rest[3 + length..];
    }
}

/// What base64 stands for.
#[track_caller]
pub(crate) fn decoded(base64: &str) -> String {
    String::from_utf8(STANDARD.decode(base64).unwrap()).unwrap()
}
