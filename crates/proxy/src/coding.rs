//! Content codings (gzip, deflate, brotli, zstd): how bodies are compressed on the wire, and what stops a decompression
//! bomb.

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, HeaderMap};
use std::io::{self, Read, Write};

/// A body that decodes to no more bytes than this may be coded as well as anybody can.
const SMALL: usize = 1 << 20;

/// A content coding that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentCoding {
    /// `gzip`, and `x-gzip`.
    Gzip,
    /// As HTTP means it: with a zlib header. Some send it without.
    Deflate,
    /// `br`.
    Brotli,
    /// `zstd`.
    Zstd,
}

/// The most that one piece of a body that arrives in pieces may decode to.
pub const MAX_DECODED_PIECE: usize = 256 << 10;

/// A message says of itself that it is in a coding that we do not know, or in several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a Content-Encoding that cannot be undone")]
pub struct UnknownCoding;

/// Why a body cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum CodingError {
    /// It is cut off, or something else.
    #[error("the body is not what its Content-Encoding says")]
    Malformed,
    /// It is too long, or a decompression bomb.
    #[error("the body has more than {limit} bytes when decoded")]
    TooLarge {
        /// What it may have.
        limit: usize,
    },
}

impl ContentCoding {
    /// The coding of a message: `Ok(None)` if there is none, `Err` if it is one that we do not know.
    pub fn of(headers: &HeaderMap) -> Result<Option<Self>, UnknownCoding> {
        let mut values = headers.get_all(CONTENT_ENCODING).iter();
        let Some(value) = values.next() else { return Ok(None) };
        if values.next().is_some() {
            return Err(UnknownCoding);
        }
        match value.to_str().map(|value| value.trim().to_ascii_lowercase()).as_deref() {
            Ok("" | "identity") => Ok(None),
            Ok("gzip" | "x-gzip") => Ok(Some(ContentCoding::Gzip)),
            Ok("deflate") => Ok(Some(ContentCoding::Deflate)),
            Ok("br") => Ok(Some(ContentCoding::Brotli)),
            Ok("zstd") => Ok(Some(ContentCoding::Zstd)),
            _ => Err(UnknownCoding),
        }
    }

    /// How many bytes a body of this size may have when it is decoded: in no case more than `most`, and no more than so many
    /// times its own, but for small ones. A history of tool results that repeat each other is 20 to 50 times as large as its
    /// coded form; a decompression bomb 1,000 times and more.
    pub fn decoded_limit(coded: usize, ratio: usize, most: usize) -> usize {
        most.min(coded.saturating_mul(ratio).max(SMALL))
    }

    /// Decodes a whole body, if it has no more than `limit` bytes then. It is never decoded further than that.
    pub fn decode(self, body: &[u8], limit: usize) -> Result<Bytes, CodingError> {
        let reader: Box<dyn Read + '_> = match self {
            ContentCoding::Gzip => Box::new(flate2::read::MultiGzDecoder::new(body)),
            ContentCoding::Deflate if is_zlib(body) => {
                Box::new(flate2::read::ZlibDecoder::new(body))
            }
            ContentCoding::Deflate => Box::new(flate2::read::DeflateDecoder::new(body)),
            ContentCoding::Brotli => Box::new(brotli::Decompressor::new(body, 1 << 14)),
            ContentCoding::Zstd => {
                Box::new(zstd::Decoder::new(body).map_err(|_| CodingError::Malformed)?)
            }
        };
        let mut decoded = Vec::with_capacity(body.len().saturating_mul(4).min(limit));
        let mut bounded = reader.take(limit as u64 + 1);
        bounded.read_to_end(&mut decoded).map_err(|_| CodingError::Malformed)?;
        if decoded.len() > limit {
            return Err(CodingError::TooLarge { limit });
        }
        Ok(decoded.into())
    }

    /// A decoder for a body that arrives in pieces.
    pub fn decoder(self) -> io::Result<PieceDecoder> {
        Ok(PieceDecoder(match self {
            ContentCoding::Gzip => {
                Inner::Gzip(Box::new(flate2::write::MultiGzDecoder::new(Bounded::default())))
            }
            ContentCoding::Deflate => {
                Inner::Deflate(Box::new(flate2::write::ZlibDecoder::new(Bounded::default())))
            }
            ContentCoding::Brotli => {
                let writer = brotli::DecompressorWriter::new(Bounded::default(), 1 << 14);
                Inner::Brotli(Box::new(writer))
            }
            ContentCoding::Zstd => {
                Inner::Zstd(Box::new(zstd::stream::write::Decoder::new(Bounded::default())?))
            }
        }))
    }
}

fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [first, second, ..] if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0)
}

/// Decodes a body piece by piece: what a piece holds comes out with it.
pub struct PieceDecoder(Inner);

enum Inner {
    Gzip(Box<flate2::write::MultiGzDecoder<Bounded>>),
    Deflate(Box<flate2::write::ZlibDecoder<Bounded>>),
    Brotli(Box<brotli::DecompressorWriter<Bounded>>),
    Zstd(Box<zstd::stream::write::Decoder<'static, Bounded>>),
}

/// What a piece decodes to, as long as that is not too much.
#[derive(Default)]
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_DECODED_PIECE {
            return Err(io::Error::other("a body that swells beyond measure when decoded"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl PieceDecoder {
    /// What the next piece decodes to: an error if that is more than [`MAX_DECODED_PIECE`]. The caller cuts pieces that
    /// are small enough for that to be a bomb.
    pub fn push(&mut self, piece: &[u8]) -> io::Result<Vec<u8>> {
        fn through<W: Write>(
            writer: &mut W,
            piece: &[u8],
            out: impl FnOnce(&mut W) -> &mut Bounded,
        ) -> io::Result<Vec<u8>> {
            writer.write_all(piece)?;
            writer.flush()?;
            Ok(std::mem::take(out(writer)).0)
        }
        match &mut self.0 {
            Inner::Gzip(writer) => through(writer, piece, |writer| writer.get_mut()),
            Inner::Deflate(writer) => through(writer, piece, |writer| writer.get_mut()),
            Inner::Brotli(writer) => through(writer, piece, |writer| writer.get_mut()),
            Inner::Zstd(writer) => through(writer, piece, |writer| writer.get_mut()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(coding: ContentCoding, text: &[u8]) -> Vec<u8> {
        match coding {
            ContentCoding::Gzip => {
                let mut encoder =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            ContentCoding::Deflate => {
                let mut encoder =
                    flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            ContentCoding::Brotli => {
                let mut out = Vec::new();
                brotli::CompressorWriter::new(&mut out, 4096, 4, 20).write_all(text).unwrap();
                out
            }
            ContentCoding::Zstd => zstd::encode_all(text, 1).unwrap(),
        }
    }

    const ALL: [ContentCoding; 4] =
        [ContentCoding::Gzip, ContentCoding::Deflate, ContentCoding::Brotli, ContentCoding::Zstd];

    #[test]
    fn g20_every_coding_is_undone_whole_and_in_pieces() {
        let text = "a tool's output, again and again. ".repeat(1000);
        for coding in ALL {
            let wire = encoded(coding, text.as_bytes());
            assert_eq!(coding.decode(&wire, 1 << 20).unwrap(), text.as_bytes(), "{coding:?}");
            let mut decoder = coding.decoder().unwrap();
            let pieces: Vec<u8> =
                wire.chunks(7).flat_map(|piece| decoder.push(piece).unwrap()).collect();
            assert_eq!(pieces, text.as_bytes(), "{coding:?}");
        }
    }

    #[test]
    fn d68_a_piece_that_swells_beyond_measure_is_an_error() {
        let bomb = vec![0; 64 << 20];
        for coding in ALL {
            let wire = encoded(coding, &bomb);
            let mut decoder = coding.decoder().unwrap();
            let decoded: Vec<_> = wire.chunks(1 << 10).map(|piece| decoder.push(piece)).collect();
            let is_bounded = |plain: &Vec<u8>| plain.len() <= MAX_DECODED_PIECE;
            assert!(decoded.iter().flatten().all(is_bounded), "{coding:?}");
            assert!(decoded.iter().any(Result::is_err), "{coding:?}");
        }
    }

    #[test]
    fn a_bomb_is_stopped_at_the_limit_and_rubbish_is_told() {
        let bomb = vec![0; 10 << 20];
        for coding in ALL {
            let wire = encoded(coding, &bomb);
            let error = coding.decode(&wire, 1 << 16).unwrap_err();
            assert!(matches!(error, CodingError::TooLarge { .. }), "{coding:?}: {error}");
            assert!(coding.decode(b"\x99 no such thing", 1 << 16).is_err(), "{coding:?}");
        }
    }
}
