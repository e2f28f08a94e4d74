//! A text cut where a tokenizer would cut it, more or less.
//!
//! An entry that begins or ends inside a word makes the rest of the word dearer than it was. So repeats are looked
//! for between these cuts only: before the blank that leads a word, between words, numbers, punctuation and line ends.

/// No lexeme is longer, so that a text without any such place has cuts as well.
const LONGEST: usize = 16;

/// Where the lexemes of a text begin, and one place more: where the text ends.
pub(super) fn cuts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let mut cuts = Vec::with_capacity(bytes.len() / 3 + 2);
    let mut start = 0;
    let mut before = Kind::Newline;
    for (at, &byte) in bytes.iter().enumerate() {
        let kind = KINDS[usize::from(byte)];
        let joined = match (before, kind) {
            (_, Kind::Inside) => true,
            _ if at - start >= LONGEST => false,
            (Kind::Word, Kind::Upper) => false,
            (Kind::Upper | Kind::Blank, Kind::Word) | (Kind::Blank, Kind::Upper | Kind::Mark) => {
                true
            }
            (Kind::Digit, Kind::Digit) => at - start < 3,
            (Kind::Blank, Kind::Blank) => {
                let next = bytes.get(at + 1).map_or(Kind::Newline, |&next| KINDS[usize::from(next)]);
                matches!(next, Kind::Blank | Kind::Newline | Kind::Digit)
            }
            (before, kind) => before == kind,
        };
        if !joined || at == 0 {
            cuts.push(at as u32);
            start = at;
        }
        before = if kind == Kind::Inside { Kind::Word } else { kind };
    }
    cuts.push(bytes.len() as u32);
    cuts
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
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

const KINDS: [Kind; 256] = kinds();

const fn kinds() -> [Kind; 256] {
    let mut kinds = [Kind::Mark; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' | 0xC0.. => Kind::Word,
            b'A'..=b'Z' => Kind::Upper,
            b'0'..=b'9' => Kind::Digit,
            b' ' | b'\t' => Kind::Blank,
            b'\n' | b'\r' => Kind::Newline,
            0x80..=0xBF => Kind::Inside,
            _ => Kind::Mark,
        };
        byte += 1;
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexemes(text: &str) -> Vec<&str> {
        cuts(text).windows(2).map(|cut| &text[cut[0] as usize..cut[1] as usize]).collect()
    }

    #[test]
    fn words_take_the_blank_before_them() {
        assert_eq!(lexemes("error in  crate α:\n"), ["error", " in", " ", " crate", " α", ":", "\n"]);
        assert_eq!(lexemes("fooBar12345 == HTTPx"), ["foo", "Bar", "123", "45", " ==", " HTTPx"]);
    }

    #[test]
    fn long_runs_are_cut_between_characters() {
        assert_eq!(lexemes(&"a".repeat(40)).len(), 3);
        assert_eq!(lexemes(&"€".repeat(40)).concat(), "€".repeat(40));
        assert!(lexemes(&"€".repeat(40)).len() > 5);
        assert_eq!(cuts(""), [0]);
    }
}
