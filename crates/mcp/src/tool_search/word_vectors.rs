//! Static word embeddings: a table of vectors for wordpieces, and the mean vector of a text.
//!
//! The table, `word_vectors.bin`, is made of the input embeddings of a sentence encoder (all-MiniLM-L6-v2), without the
//! encoder: its principal 64 dimensions in 8 bits, each row weighted by how rare its wordpiece is (SIF). Where it comes
//! from and how it is made: `word_vectors.md`. A text is looked up and averaged, so no model runs.
//!
//! The layout, all little endian: `TFSV`, `u16` version (1), `u16` dimensions, `u32` rows; a line for each row with its
//! wordpiece, sorted by bytes (`##` in front of one that continues a word); an `f16` for each row, its scale; the rows,
//! `i8`. A vector is its row times its scale.

use super::words::{is_stop_word, parts};
use std::sync::LazyLock;

/// The embedded table. `None` would leave the search lexical; that it is well formed is tested.
pub(super) static WORD_VECTORS: LazyLock<Option<WordVectors<'static>>> =
    LazyLock::new(|| WordVectors::read(include_bytes!("word_vectors.bin")));

const MAGIC: &[u8] = b"TFSV\x01\0";

/// How much of a text is read: characters, and wordpieces.
const CHARACTERS: usize = 2000;
const PIECES: usize = 400;

/// Shorter words are single letters and fragments, which say nothing alone.
const SHORTEST_KNOWN: usize = 3;

/// What continues a word begins with this.
const CONTINUES: &[u8] = b"##";

/// A table of word vectors; its wordpieces and rows are borrowed.
#[derive(Debug)]
pub(super) struct WordVectors<'a> {
    dimensions: usize,
    /// The wordpieces that continue a word, without their mark, and those that begin one.
    continuing: Pieces<'a>,
    beginning: Pieces<'a>,
    scales: &'a [u8],
    rows: &'a [u8],
}

/// Sorted wordpieces.
#[derive(Debug)]
struct Pieces<'a> {
    all: Vec<&'a [u8]>,
    /// The row of the first.
    first: usize,
    /// How long the longest is.
    longest: usize,
}

impl<'a> WordVectors<'a> {
    /// Reads a table; `None`: it is not one.
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (header, mut rest) = bytes.split_at_checked(MAGIC.len() + 6)?;
        let numbers = header.strip_prefix(MAGIC)?;
        let dimensions = usize::from(u16::from_le_bytes(numbers[..2].try_into().ok()?));
        let count = usize::try_from(u32::from_le_bytes(numbers[2..].try_into().ok()?)).ok()?;
        let mut pieces = Vec::with_capacity(count.min(bytes.len()));
        for _ in 0..count {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            pieces.push(&rest[..end]);
            rest = &rest[end + 1..];
        }
        let (scales, rows) = rest.split_at_checked(count.checked_mul(2)?)?;
        let is_table = dimensions > 0
            && Some(rows.len()) == count.checked_mul(dimensions)
            && pieces.is_sorted_by(|one, next| one < next);
        if !is_table {
            return None;
        }
        let start = pieces.partition_point(|piece| *piece < CONTINUES);
        let end = start + pieces[start..].partition_point(|piece| piece.starts_with(CONTINUES));
        // `#` sorts in front of digits and letters, so what begins a word stands behind what continues one.
        let beginning = Pieces::new(pieces.split_off(end), end);
        pieces.drain(..start);
        let bare = pieces.iter().map(|piece| &piece[CONTINUES.len()..]).collect();
        Some(WordVectors {
            dimensions,
            continuing: Pieces::new(bare, start),
            beginning,
            scales,
            rows,
        })
    }

    /// The mean of the vectors of a text's wordpieces; zero if it has none. Function words count: the table weighs them
    /// down.
    pub(super) fn mean(&self, text: &str) -> Vec<f32> {
        let text = first_characters(text);
        let mut sum = vec![0.0; self.dimensions];
        let mut count = 0_usize;
        let mut rows = Vec::new();
        for part in parts(text) {
            if count == PIECES {
                break;
            }
            self.split(part, &mut rows);
            rows.truncate(PIECES - count);
            count += rows.len();
            rows.iter().for_each(|row| self.add(*row, &mut sum));
        }
        if count > 0 {
            sum.iter_mut().for_each(|value| *value /= count as f32);
        }
        sum
    }

    /// Is one of the words of a text in the table as a whole? Of letters that make no word a vector is made all the same,
    /// of their wordpieces, and it means nothing.
    pub(super) fn knows_a_word(&self, text: &str) -> bool {
        let mut rows = Vec::new();
        parts(first_characters(text)).any(|part| {
            self.split(part, &mut rows);
            let is_word = rows.len() == 1 && part.len() >= SHORTEST_KNOWN;
            is_word && !is_stop_word(&part.to_ascii_lowercase())
        })
    }

    /// The rows of a word's wordpieces, the longest that fits first, from the left; none if it cannot be spelled.
    fn split(&self, word: &str, rows: &mut Vec<usize>) {
        rows.clear();
        if !word.is_ascii() {
            return;
        }
        let word = word.to_ascii_lowercase();
        let mut rest = word.as_bytes();
        while !rest.is_empty() {
            let pieces = if rows.is_empty() { &self.beginning } else { &self.continuing };
            let Some((row, length)) = pieces.longest_start(rest) else { return rows.clear() };
            rows.push(row);
            rest = &rest[length..];
        }
    }

    /// Adds the vector of a row.
    fn add(&self, row: usize, sum: &mut [f32]) {
        let scale = self.scale(row);
        let values = &self.rows[row * self.dimensions..][..self.dimensions];
        for (sum, value) in sum.iter_mut().zip(values) {
            *sum += scale * f32::from(value.cast_signed());
        }
    }

    fn scale(&self, row: usize) -> f32 {
        half(u16::from_le_bytes([self.scales[2 * row], self.scales[2 * row + 1]]))
    }
}

impl<'a> Pieces<'a> {
    fn new(all: Vec<&'a [u8]>, first: usize) -> Self {
        let longest = all.iter().map(|piece| piece.len()).max().unwrap_or(0);
        Pieces { all, first, longest }
    }

    /// The row and length of the longest wordpiece that a text starts with.
    fn longest_start(&self, text: &[u8]) -> Option<(usize, usize)> {
        (1..=self.longest.min(text.len())).rev().find_map(|length| {
            let at = self.all.binary_search(&&text[..length]).ok()?;
            Some((self.first + at, length))
        })
    }
}

fn first_characters(text: &str) -> &str {
    let end = text.char_indices().nth(CHARACTERS).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

/// An IEEE 754 number of 16 bits, which 32 bits hold exactly.
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023) / 1024.0);
    sign * match exponent {
        0 => fraction * 2_f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Two dimensions: `##ing`, `##s`, `send`, `the`.
    fn small() -> Vec<u8> {
        let mut bytes = b"TFSV\x01\0\x02\0\x04\0\0\0##ing\n##s\nsend\nthe\n".to_vec();
        for scale in [0x3c00_u16, 0x3800, 0x4000, 0x3c00] {
            bytes.extend(scale.to_le_bytes());
        }
        bytes.extend([1, 0, 0, 4, 3, 255, 0, 0]);
        bytes
    }

    #[test]
    fn m21_the_embedded_table_of_word_vectors_is_well_formed() {
        let table = WORD_VECTORS.as_ref().unwrap();
        let all = [&table.continuing, &table.beginning];
        assert!(all.iter().all(|pieces| pieces.all.len() > 1000));
        for piece in all.iter().flat_map(|pieces| &pieces.all) {
            let fits = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
            assert!(!piece.is_empty() && piece.iter().all(fits), "{piece:?}");
        }
        assert_eq!(table.continuing.first, 0);
        assert_eq!(table.beginning.first, table.continuing.all.len());
        let count = table.scales.len() / 2;
        assert_eq!(count, all.iter().map(|pieces| pieces.all.len()).sum::<usize>());
        assert_eq!(table.rows.len(), count * table.dimensions);
        assert!((0..count).all(|row| table.scale(row).is_finite() && table.scale(row) > 0.0));
        // Every letter and digit can begin a word and continue one, so that each can be spelled.
        let mut rows = Vec::new();
        for letter in ('a'..='z').chain('0'..='9') {
            table.split(&format!("{letter}{letter}qz{letter}"), &mut rows);
            assert!(!rows.is_empty(), "{letter}");
        }
    }

    #[test]
    fn a_word_is_split_into_the_longest_wordpieces_from_the_left() {
        let bytes = small();
        let table = WordVectors::read(&bytes).unwrap();
        let split = |word: &str| {
            let mut rows = Vec::new();
            table.split(word, &mut rows);
            rows
        };
        assert_eq!(split("Sendings"), [2, 0, 1]);
        assert_eq!(split("the"), [3]);
        for none in ["sendx", "ing", "", "größe", "##s"] {
            assert_eq!(split(none), [0; 0], "{none}");
        }
        assert_eq!(table.mean("sends"), [3.0, 0.0]);
        assert_eq!(table.mean("SEND theSend"), [4.0, -4.0 / 3.0]);
        assert_eq!(table.mean("nothing known"), [0.0, 0.0]);
        assert!(table.knows_a_word("please send") && !table.knows_a_word("the sends"));
    }

    #[test]
    fn what_is_no_table_of_word_vectors_is_refused() {
        let whole = small();
        assert!((0..whole.len()).all(|end| WordVectors::read(&whole[..end]).is_none()));
        let mut more = whole.clone();
        more.push(0);
        assert!(WordVectors::read(&more).is_none());
        let mut unsorted = whole.clone();
        unsorted.swap(14, 20);
        assert!(WordVectors::read(&unsorted).is_none());
        let mut many = whole;
        many[8..12].fill(255);
        assert!(WordVectors::read(&many).is_none());
    }

    #[test]
    fn halves_are_read_exactly() {
        let cases = [
            (0, 0.0),
            (1, 2_f32.powi(-24)),
            (0x03ff, 1023.0 * 2_f32.powi(-24)),
            (0x0400, 2_f32.powi(-14)),
            (0x3c00, 1.0),
            (0x3555, 0.333_251_95),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
        ];
        for (bits, value) in cases {
            assert_eq!(half(bits), value, "{bits:#x}");
        }
        assert!(half(0x7e00).is_nan() && half(0x7c00).is_infinite());
    }

    #[test]
    fn only_the_start_of_a_text_is_read() {
        let table = WORD_VECTORS.as_ref().unwrap();
        let long = "ü ".repeat(CHARACTERS / 2);
        assert!(table.mean(&(long.clone() + "weather")).iter().all(|value| *value == 0.0));
        assert!(table.mean(&(long[..9].to_owned() + "weather")).iter().any(|value| *value != 0.0));
        let many = "a ".repeat(PIECES);
        assert_eq!(table.mean(&(many.clone() + "weather")), table.mean(&many));
    }

    proptest! {
        #[test]
        fn m21_any_text_has_a_finite_vector_and_always_the_same(text in "\\PC{0,80}|[a-zA-Z0-9_# ]{0,80}") {
            let table = WORD_VECTORS.as_ref().unwrap();
            let mean = table.mean(&text);
            prop_assert!(mean.iter().all(|value| value.is_finite()));
            prop_assert_eq!(&mean, &table.mean(&text));
            table.knows_a_word(&text);
        }

        #[test]
        fn whatever_the_bytes_of_a_table_reading_it_does_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = WordVectors::read(&bytes);
            let _ = WordVectors::read(&[MAGIC, &*bytes].concat());
        }
    }
}
