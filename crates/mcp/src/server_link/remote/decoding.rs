//! Content-Encoding of answers: undone piece by piece, so that a stream of events stays one.

use crate::failure::Failure;
use crate::message::LONGEST_MESSAGE;
use crate::transport::Received;
use bytes::Bytes;
use flate2::write::{MultiGzDecoder, ZlibDecoder};
use http::Response;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderValue};
use http_body_util::BodyExt;
use std::io::{self, Write};

/// So much is decoded before it is looked at how much came of it: deflate makes at most 1,032 bytes of one.
const STEP: usize = 4096;

/// The body of an answer, as its sender meant it.
pub(super) struct DecodedBody {
    body: Received,
    decoder: Decoder,
}

enum Decoder {
    None,
    Gzip(MultiGzDecoder<Vec<u8>>),
    Deflate(ZlibDecoder<Vec<u8>>),
}

/// Says which codings are understood.
pub(super) fn accept(headers: &mut HeaderMap) {
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip, deflate"));
}

/// An answer whose body is decoded while it is read.
///
/// # Errors
/// It is in a coding that the gateway did not accept.
pub(super) fn decode_body(answer: Response<Received>) -> Result<Response<DecodedBody>, Failure> {
    let coding = answer.headers().get(CONTENT_ENCODING);
    let coding = coding.and_then(|coding| coding.to_str().ok()).unwrap_or_default();
    let decoder = match &*coding.trim().to_ascii_lowercase() {
        "" | "identity" => Decoder::None,
        "gzip" | "x-gzip" => Decoder::Gzip(MultiGzDecoder::new(Vec::new())),
        "deflate" => Decoder::Deflate(ZlibDecoder::new(Vec::new())),
        _ => return Err(Failure::Coding),
    };
    Ok(answer.map(|body| DecodedBody { body, decoder }))
}

impl DecodedBody {
    /// The next piece, which may be empty.
    pub(super) async fn piece(&mut self) -> Option<Result<Bytes, Failure>> {
        let frame = self.body.frame().await?;
        let piece = frame.map_err(|_| Failure::Broken).map(|frame| frame.into_data().ok());
        Some(piece.and_then(|piece| self.decoder.decode(piece.unwrap_or_default())))
    }
}

impl Decoder {
    fn decode(&mut self, piece: Bytes) -> Result<Bytes, Failure> {
        match self {
            Decoder::None => Ok(piece),
            Decoder::Gzip(decoder) => steps(decoder, &piece, MultiGzDecoder::get_mut),
            Decoder::Deflate(decoder) => steps(decoder, &piece, ZlibDecoder::get_mut),
        }
    }
}

fn steps<D: Write>(
    decoder: &mut D,
    piece: &[u8],
    output: fn(&mut D) -> &mut Vec<u8>,
) -> Result<Bytes, Failure> {
    let garbage = |_: io::Error| Failure::Garbage;
    for step in piece.chunks(STEP) {
        decoder.write_all(step).map_err(garbage)?;
        // What was read is given out now: an event may be the last for a long time.
        decoder.flush().map_err(garbage)?;
        if output(decoder).len() > LONGEST_MESSAGE {
            return Err(Failure::TooLong);
        }
    }
    Ok(std::mem::take(output(decoder)).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn d53_an_answer_is_decoded_however_it_is_cut() {
        let text = b"event: message\ndata: {}\n\n".repeat(40);
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(&text).unwrap();
        let zlib = zlib.finish().unwrap();
        for size in [1, 2, 7, 1000] {
            for (wire, mut decoder) in [
                (gzip(&text), Decoder::Gzip(MultiGzDecoder::new(Vec::new()))),
                (zlib.clone(), Decoder::Deflate(ZlibDecoder::new(Vec::new()))),
            ] {
                let pieces = wire.chunks(size).map(Bytes::copy_from_slice);
                let decoded: Vec<u8> =
                    pieces.flat_map(|piece| decoder.decode(piece).unwrap()).collect();
                assert_eq!(decoded, text, "{size}");
            }
        }
    }

    #[test]
    fn d53_events_of_a_coded_stream_are_heard_when_they_come() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let mut decoder = Decoder::Gzip(MultiGzDecoder::new(Vec::new()));
        for event in ["data: 1\n\n", "data: 2\n\n"] {
            encoder.write_all(event.as_bytes()).unwrap();
            encoder.flush().unwrap();
            let wire = Bytes::from(std::mem::take(encoder.get_mut()));
            assert_eq!(decoder.decode(wire).unwrap(), event);
        }
    }

    #[test]
    fn d53_a_bomb_and_what_is_not_in_its_coding_are_failures() {
        let mut decoder = Decoder::Gzip(MultiGzDecoder::new(Vec::new()));
        let bomb = gzip(&vec![b'a'; 64 << 20]);
        assert!(matches!(decoder.decode(bomb.into()), Err(Failure::TooLong)));
        let mut decoder = Decoder::Gzip(MultiGzDecoder::new(Vec::new()));
        let plain = Bytes::from_static(b"{\"jsonrpc\":\"2.0\"}");
        assert!(matches!(decoder.decode(plain), Err(Failure::Garbage)));
    }
}
