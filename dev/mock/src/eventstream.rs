//! Amazon's event stream: messages with headers and two checksums.

use bytes::{BufMut as _, Bytes, BytesMut};

/// A message, read or to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    /// Only headers whose values are strings.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) payload: Bytes,
}

/// The type of a header's value that is a string.
const STRING: u8 = 7;
/// Two lengths and the checksum over them.
const PRELUDE: usize = 12;

impl Message {
    /// An event of this type, its payload JSON.
    pub(crate) fn event(kind: &str, payload: impl Into<Bytes>) -> Self {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let headers = vec![
            header(":event-type", kind),
            header(":content-type", "application/json"),
            header(":message-type", "event"),
        ];
        Self { headers, payload: payload.into() }
    }

    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(of, _)| of == name).map(|(_, value)| value.as_str())
    }

    /// The bytes on the wire.
    pub(crate) fn encoded(&self) -> Bytes {
        let mut headers = BytesMut::new();
        for (name, value) in &self.headers {
            headers.put_u8(u8::try_from(name.len()).unwrap_or(u8::MAX));
            headers.put_slice(name.as_bytes());
            headers.put_u8(STRING);
            headers.put_u16(u16::try_from(value.len()).unwrap_or(u16::MAX));
            headers.put_slice(value.as_bytes());
        }
        let length = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
        let mut message = BytesMut::new();
        message.put_u32(length(PRELUDE + headers.len() + self.payload.len() + 4));
        message.put_u32(length(headers.len()));
        message.put_u32(crc32fast::hash(&message));
        message.put_slice(&headers);
        message.put_slice(&self.payload);
        message.put_u32(crc32fast::hash(&message));
        message.freeze()
    }
}

/// Every message of a stream, checked to the last byte.
pub(crate) fn messages(mut bytes: &[u8]) -> Result<Vec<Message>, String> {
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        let (message, rest) =
            next(bytes).map_err(|error| format!("message {}: {error}", messages.len()))?;
        messages.push(message);
        bytes = rest;
    }
    Ok(messages)
}

fn next(bytes: &[u8]) -> Result<(Message, &[u8]), String> {
    let number = |at: usize| {
        let four = bytes.get(at..at + 4).and_then(|four| <[u8; 4]>::try_from(four).ok());
        four.map(u32::from_be_bytes).ok_or("it is cut off".to_owned())
    };
    let size = number(0)? as usize;
    let headers = number(4)? as usize;
    if number(8)? != crc32fast::hash(&bytes[..8]) {
        return Err("the checksum of its lengths is wrong".to_owned());
    }
    let whole = bytes.get(..size).ok_or("it is cut off")?;
    let end = size
        .checked_sub(4)
        .filter(|end| PRELUDE + headers <= *end)
        .ok_or("its lengths do not add up")?;
    if number(end)? != crc32fast::hash(&whole[..end]) {
        return Err("its checksum is wrong".to_owned());
    }
    let payload = Bytes::copy_from_slice(&whole[PRELUDE + headers..end]);
    let headers = read_headers(&whole[PRELUDE..PRELUDE + headers])?;
    Ok((Message { headers, payload }, &bytes[size..]))
}

fn read_headers(mut bytes: &[u8]) -> Result<Vec<(String, String)>, String> {
    let mut headers = Vec::new();
    while !bytes.is_empty() {
        let name = taken(&mut bytes, 1).and_then(|size| taken(&mut bytes, usize::from(size[0])));
        let kind = taken(&mut bytes, 1);
        let size =
            taken(&mut bytes, 2).map(|two| usize::from(u16::from_be_bytes([two[0], two[1]])));
        let value = size.and_then(|size| taken(&mut bytes, size));
        match (name, kind, value) {
            (Some(name), Some([STRING]), Some(value)) => {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                headers.push((text(name), text(value)));
            }
            _ => return Err("its headers are not readable".to_owned()),
        }
    }
    Ok(headers)
}

fn taken<'a>(bytes: &mut &'a [u8], size: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(size)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_back_and_every_changed_byte_is_seen() {
        let message = Message::event("messageStart", "{\"role\":\"assistant\"}");
        let bytes = message.encoded();
        let two = [bytes.clone(), bytes.clone()].concat();
        assert_eq!(messages(&two).unwrap(), [message.clone(), message.clone()]);
        assert_eq!(message.header(":event-type"), Some("messageStart"));
        for at in 0..bytes.len() {
            let mut changed = bytes.to_vec();
            changed[at] ^= 1;
            assert!(messages(&changed).is_err(), "byte {at}");
            assert!(at == 0 || messages(&bytes[..at]).is_err(), "cut at {at}");
        }
    }
}
