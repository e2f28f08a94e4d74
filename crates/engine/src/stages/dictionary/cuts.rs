//! Where a tokenizer would cut a text, more or less.
//!
//! An entry that begins or ends inside a word makes the rest of the word dearer than it was. So repeats are looked
//! for between these cuts only: before the blank that leads a word, between words, numbers, punctuation and line ends.

use super::lexemes::LexemeIndex;

/// No lexeme is longer, so that a text without any such place has cuts as well.
const LONGEST: usize = 16;

/// Where the lexemes of a text begin, and one place more: where the text ends.
pub(super) fn cuts(bytes: &[u8]) -> Vec<LexemeIndex> {
    // Written to at every byte and moved on at a cut: a branch there would be mispredicted at every other lexeme.
    let mut cuts = vec![0; bytes.len() + 1];
    let (mut count, mut start) = (0, 0);
    let mut kinds = (ByteClass::End, kind_at(bytes, 0));
    for at in 0..bytes.len() {
        let next = kind_at(bytes, at + 1);
        let (before, kind) = kinds;
        let is_long = at - start >= LONGEST && kind != ByteClass::Inside;
        let is_cut = CUT[before as usize][kind as usize][next as usize] || is_long;
        cuts[count] = at as LexemeIndex;
        count += usize::from(is_cut);
        start = if is_cut { at } else { start };
        kinds = (if kind == ByteClass::Inside { ByteClass::Word } else { kind }, next);
    }
    cuts[count] = bytes.len() as LexemeIndex;
    cuts.truncate(count + 1);
    cuts
}

/// What a byte is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteClass {
    /// Before the first byte and after the last.
    End,
    /// Small letters, and characters outside ASCII.
    Word,
    Upper,
    Digit,
    Mark,
    Blank,
    Newline,
    /// The second and later bytes of a character: no place to cut.
    Inside,
}

use ByteClass::{Blank, Digit, End, Inside, Mark, Newline, Upper, Word};

const ALL: [ByteClass; 8] = [End, Word, Upper, Digit, Mark, Blank, Newline, Inside];

/// What stands at a byte.
pub(super) fn kind_at(bytes: &[u8], at: usize) -> ByteClass {
    bytes.get(at).map_or(End, |&byte| KINDS[usize::from(byte)])
}

/// Is there a cut between two kinds, the second of which is followed by a third?
static CUT: [[[bool; 8]; 8]; 8] = cut_table();

const fn cut_table() -> [[[bool; 8]; 8]; 8] {
    let mut table = [[[false; 8]; 8]; 8];
    let mut index = 0;
    while index < 512 {
        let (before, kind, next) = (index / 64, index / 8 % 8, index % 8);
        table[before][kind][next] = is_cut(ALL[before], ALL[kind], ALL[next]);
        index += 1;
    }
    table
}

const fn is_cut(before: ByteClass, kind: ByteClass, next: ByteClass) -> bool {
    match (before, kind) {
        (End, _) => true,
        (_, Inside) | (Upper | Blank, Word) | (Blank, Upper | Mark) => false,
        // The last of several blanks belongs to the word after it.
        (Blank, Blank) => !matches!(next, Blank | Newline | Digit | End),
        _ => before as u8 != kind as u8,
    }
}

static KINDS: [ByteClass; 256] = kind_table();

const fn kind_table() -> [ByteClass; 256] {
    let mut kinds = [Mark; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' | 0xC0.. => Word,
            b'A'..=b'Z' => Upper,
            b'0'..=b'9' => Digit,
            b' ' | b'\t' => Blank,
            b'\n' | b'\r' => Newline,
            0x80..=0xBF => Inside,
            _ => Mark,
        };
        byte += 1;
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexemes(text: &str) -> Vec<&str> {
        cuts(text.as_bytes()).windows(2).map(|cut| &text[cut[0].into()..cut[1].into()]).collect()
    }

    #[test]
    fn words_take_the_blank_before_them() {
        assert_eq!(
            lexemes("error in  crate α:\n"),
            ["error", " in", " ", " crate", " α", ":", "\n"]
        );
        assert_eq!(lexemes("fooBar12345 == HTTPx"), ["foo", "Bar", "12345", " ==", " HTTPx"]);
    }

    #[test]
    fn long_runs_are_cut_between_characters() {
        assert_eq!(lexemes(&"a".repeat(40)).len(), 3);
        assert_eq!(lexemes(&"€".repeat(40)).concat(), "€".repeat(40));
        assert!(lexemes(&"€".repeat(40)).len() > 5);
        assert_eq!(cuts(b""), [0]);
    }
}
