//! How a body's bytes get onto the wire: cut into writes, and compressed.

use bytes::{Bytes, BytesMut};
use std::io::Write as _;

/// How the bytes of a body are cut into writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Split {
    /// One write for each event.
    #[default]
    Events,
    /// One write for each byte.
    EveryByte,
    /// Two writes, cut after so many bytes.
    At(usize),
    /// Writes of so many bytes each, whatever the events are.
    Every(usize),
    /// All in one write.
    Whole,
}

/// How a body is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// gzip.
    Gzip,
    /// Brotli.
    Br,
    /// Zstandard.
    Zstd,
    /// zlib, which HTTP calls deflate.
    Deflate,
}

impl Encoding {
    /// As `Content-Encoding` spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Br => "br",
            Self::Zstd => "zstd",
            Self::Deflate => "deflate",
        }
    }

    /// Compresses events so that each can be read as soon as it arrives.
    pub(crate) fn encode(self, events: &[Bytes]) -> std::io::Result<Vec<Bytes>> {
        match self {
            Self::Gzip => {
                let writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                flushed(events, writer, flate2::write::GzEncoder::get_mut, |w| w.finish())
            }
            Self::Deflate => {
                let writer =
                    flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
                flushed(events, writer, flate2::write::ZlibEncoder::get_mut, |w| w.finish())
            }
            Self::Br => {
                let writer = brotli::CompressorWriter::new(Vec::new(), 4096, 4, 20);
                flushed(events, writer, brotli::CompressorWriter::get_mut, |w| Ok(w.into_inner()))
            }
            Self::Zstd => {
                let writer = zstd::stream::write::Encoder::new(Vec::new(), 1)?;
                flushed(events, writer, zstd::stream::write::Encoder::get_mut, |w| w.finish())
            }
        }
    }
}

/// A request's body without its `Content-Encoding`; nothing if it cannot be decoded.
pub(crate) fn decoded(body: &Bytes, encoding: &str) -> Option<Bytes> {
    use std::io::Read as _;
    let mut plain = Vec::new();
    let read = match encoding {
        "" | "identity" => return Some(body.clone()),
        "gzip" => flate2::read::MultiGzDecoder::new(&body[..]).read_to_end(&mut plain),
        "deflate" => flate2::read::ZlibDecoder::new(&body[..]).read_to_end(&mut plain),
        "br" => brotli::Decompressor::new(&body[..], 4096).read_to_end(&mut plain),
        "zstd" => zstd::stream::read::Decoder::new(&body[..]).ok()?.read_to_end(&mut plain),
        _ => return None,
    };
    read.ok().map(|_| plain.into())
}

/// Cuts events into writes. Each comes with the number of events that are complete after it.
pub(crate) fn writes(events: &[Bytes], split: Split) -> Vec<(Bytes, usize)> {
    if split == Split::Events {
        return events.iter().enumerate().map(|(at, event)| (event.clone(), at + 1)).collect();
    }
    let mut ends = Vec::with_capacity(events.len());
    let mut all = BytesMut::new();
    for event in events {
        all.extend_from_slice(event);
        ends.push(all.len());
    }
    let all = all.freeze();
    let mut writes = Vec::new();
    let mut from = 0;
    while from < all.len() {
        let to = match split {
            Split::EveryByte => from + 1,
            Split::Every(size) => from + size.max(1),
            Split::At(at) if from < at => at,
            _ => all.len(),
        }
        .min(all.len());
        writes.push((all.slice(from..to), ends.partition_point(|&end| end <= to)));
        from = to;
    }
    writes
}

/// Compresses each event and flushes; the end of the compressed form goes with the last.
fn flushed<W: std::io::Write>(
    events: &[Bytes],
    mut writer: W,
    written: fn(&mut W) -> &mut Vec<u8>,
    finish: impl FnOnce(W) -> std::io::Result<Vec<u8>>,
) -> std::io::Result<Vec<Bytes>> {
    let mut encoded = Vec::with_capacity(events.len());
    for event in events {
        writer.write_all(event)?;
        writer.flush()?;
        encoded.push(Bytes::from(std::mem::take(written(&mut writer))));
    }
    let rest = finish(writer)?;
    let mut last = encoded.pop().unwrap_or_default().to_vec();
    last.write_all(&rest)?;
    encoded.push(last.into());
    Ok(encoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events() -> Vec<Bytes> {
        vec![Bytes::from_static(b"one\n\n"), Bytes::from_static(b"two\n\n")]
    }

    #[test]
    fn writes_are_cut_as_asked_and_nothing_is_lost() {
        for split in [
            Split::Events,
            Split::EveryByte,
            Split::At(3),
            Split::Every(4),
            Split::Whole,
            Split::At(99),
        ] {
            let writes = writes(&events(), split);
            let joined: Vec<u8> = writes.iter().flat_map(|(bytes, _)| bytes.to_vec()).collect();
            assert_eq!(joined, b"one\n\ntwo\n\n", "{split:?}");
            assert_eq!(writes.last().unwrap().1, 2, "{split:?}");
        }
        let ends: Vec<_> = writes(&events(), Split::Every(4)).iter().map(|write| write.1).collect();
        assert_eq!(ends, [0, 1, 2]);
        assert_eq!(writes(&events(), Split::EveryByte).len(), 10);
    }

    #[test]
    fn each_encoding_can_be_read_back() {
        for encoding in [Encoding::Gzip, Encoding::Br, Encoding::Zstd, Encoding::Deflate] {
            let encoded = encoding.encode(&events()).unwrap();
            assert_eq!(encoded.len(), 2);
            let all: Bytes = encoded.concat().into();
            assert_eq!(
                decoded(&all, encoding.name()).unwrap(),
                &b"one\n\ntwo\n\n"[..],
                "{encoding:?}"
            );
        }
    }
}
