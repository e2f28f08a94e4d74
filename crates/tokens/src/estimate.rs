//! The estimate: a heuristic without a tokenizer, for callers that prefer speed to exactness.
//!
//! Tokens follow the structure of a text more than its length: a word is about one token however
//! long, a blank before it is free, three digits are one, punctuation costs by the character.
//! So each byte is weighed by its kind and the kind before it: what opens a run costs more than
//! what continues one. The weights were fitted to o200k on a corpus of tool outputs;
//! [`Counter::Estimate`](crate::Counter::Estimate) lists the errors that remain.
//!
//! The loop looks weights up and never branches on the text, since a wrongly guessed branch at
//! the end of every word would cost more than all the rest: by runs it was a third as fast.

/// Weights are in this part of a token, so that sums are exact and equal on every machine.
const TOKEN: usize = 256;

/// A word; a capital inside one begins the next (`getUserById` is four).
const WORD: usize = 217;
/// Each letter of a word past [`COMMON_WORD`]: what is longer is seldom in the vocabulary.
const LETTER_OF_LONG_WORD: usize = 124;
const COMMON_WORD: usize = 10;
const FIRST_DIGIT: usize = 294;
const NEXT_DIGIT: usize = 72;
const FIRST_SIGN: usize = 181;
const NEXT_SIGN: usize = 78;
/// `-----` and `.....` are few tokens.
const REPEATED_SIGN: usize = 19;
const FIRST_BLANK: usize = 65;
const NEXT_BLANK: usize = 10;
/// A blank shares a token with the word or sign it stands before, with nothing else.
const LONE_BLANK: usize = 277;
const FIRST_LINE_END: usize = 262;
const NEXT_LINE_END: usize = 1;
const CHARACTER_OUTSIDE_ASCII: usize = 157;

/// About how many tokens `text` has in o200k.
pub(crate) fn count(text: &str) -> usize {
    let mut weight = 0;
    let mut last = (0, ByteKind::Trail);
    let mut letters = 0;
    for &byte in text.as_bytes() {
        let kind = KINDS[usize::from(byte)];
        let before = if byte == last.0 { ByteKind::Same } else { last.1 };
        let step = WEIGHTS[before as usize][kind as usize];
        // Letters inside a word weigh nothing, so a run of nothing is a word.
        letters = if step == 0 { letters + 1 } else { 1 };
        let long = if letters > COMMON_WORD { LETTER_OF_LONG_WORD } else { 0 };
        weight += step + long;
        last = (byte, kind);
    }
    let nearest = (weight + TOKEN / 2) / TOKEN;
    nearest.max(usize::from(!text.is_empty()))
}

/// What a byte is to the estimate.
#[derive(Clone, Copy)]
#[repr(u8)]
enum ByteKind {
    Lower,
    Upper,
    Digit,
    /// Punctuation and control characters.
    Sign,
    Blank,
    LineEnd,
    /// First byte of a character outside ASCII.
    Lead,
    /// Further byte of a character outside ASCII.
    Trail,
    /// As what came before: the very same byte.
    Same,
}

const KIND_COUNT: usize = ByteKind::Same as usize + 1;

static KINDS: [ByteKind; 256] = {
    let mut kinds = [ByteKind::Sign; 256];
    let mut byte = 0;
    while byte < kinds.len() {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' => ByteKind::Lower,
            b'A'..=b'Z' => ByteKind::Upper,
            b'0'..=b'9' => ByteKind::Digit,
            b' ' | b'\t' => ByteKind::Blank,
            b'\n' | b'\r' => ByteKind::LineEnd,
            0x80..0xc0 => ByteKind::Trail,
            0xc0.. => ByteKind::Lead,
            _ => ByteKind::Sign,
        };
        byte += 1;
    }
    kinds
};

/// The weight of a byte, by the kind before it and its own.
static WEIGHTS: [[usize; KIND_COUNT]; KIND_COUNT] = {
    use ByteKind::{Blank, Digit, Lead, LineEnd, Lower, Same, Sign, Trail, Upper};
    const ALL: [ByteKind; KIND_COUNT] =
        [Lower, Upper, Digit, Sign, Blank, LineEnd, Lead, Trail, Same];
    let mut weights = [[0; KIND_COUNT]; KIND_COUNT];
    let mut before = 0;
    while before < KIND_COUNT {
        let mut kind = 0;
        while kind < KIND_COUNT {
            weights[before][kind] = weigh(ALL[before], ALL[kind]);
            kind += 1;
        }
        before += 1;
    }
    weights
};

const fn weigh(before: ByteKind, kind: ByteKind) -> usize {
    use ByteKind::{Blank, Digit, Lead, LineEnd, Lower, Same, Sign, Trail, Upper};
    match (before, kind) {
        (Lower | Upper | Same, Lower) | (Upper | Same, Upper) => 0,
        (_, Lower | Upper) => WORD,
        (Digit | Same, Digit) => NEXT_DIGIT,
        (Blank, Digit) => LONE_BLANK + FIRST_DIGIT,
        (_, Digit) => FIRST_DIGIT,
        (Same, Sign) => REPEATED_SIGN,
        (Sign, Sign) => NEXT_SIGN,
        (_, Sign) => FIRST_SIGN,
        (Blank | Same, Blank) => NEXT_BLANK,
        (_, Blank) => FIRST_BLANK,
        (LineEnd | Same, LineEnd) => NEXT_LINE_END,
        (Blank, LineEnd) => LONE_BLANK + FIRST_LINE_END,
        (_, LineEnd) => FIRST_LINE_END,
        (Blank, Lead) => LONE_BLANK + CHARACTER_OUTSIDE_ASCII,
        (_, Lead) => CHARACTER_OUTSIDE_ASCII,
        (_, Trail | Same) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_nothing_and_anything_is_something() {
        assert_eq!(count(""), 0);
        for text in ["a", "\n", " ", "1", ".", "é", "\0", "\u{10ffff}"] {
            assert_eq!(count(text), 1, "{text:?}");
        }
    }

    #[test]
    fn structure_weighs_more_than_length() {
        assert_eq!(count("international"), count("cat") + 1);
        assert!(count("getUserById") > count("getuserbyid"));
        assert!(count("----------------") < count("-=+-=+-=+-=+-=+-"));
        assert!(count("a b c d") < count("1 2 3 4"));
        assert!(count(&"q".repeat(1000)) > 400);
    }
}
