//! A result as it stood in its body, to tell whether another text is the same.

use memchr::memchr_iter;

#[cfg(test)]
thread_local! {
    /// How many bytes this thread hashed.
    pub(super) static HASHED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Of a longer text only a hash is kept: a copy of it would be a large part of the memory that its request takes.
const LONGEST_COPY: usize = 256 << 10;

/// A text, or what tells it from every other one. Two texts with the same BLAKE3 hash cannot be made, by those who send them
/// neither, so that it decides as a comparison does.
#[derive(Debug)]
pub(super) enum RawText {
    Copy(Box<[u8]>),
    Hash { length: usize, hash: blake3::Hash },
}

impl RawText {
    pub(super) fn of(text: &[u8]) -> Self {
        match text.len() {
            length if length > LONGEST_COPY => RawText::Hash { length, hash: hash(text) },
            _ => RawText::Copy(text.into()),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            RawText::Copy(copy) => copy.len(),
            RawText::Hash { length, .. } => *length,
        }
    }

    /// Is it this text?
    pub(super) fn is(&self, other: &[u8]) -> bool {
        match self {
            RawText::Copy(copy) => **copy == *other,
            RawText::Hash { length, hash: kept } => *length == other.len() && *kept == hash(other),
        }
    }

    /// Does a JSON string begin with it? `text` is what stands from there on, beyond the end of the string.
    ///
    /// What this takes grows with the string alone: a body may have many short strings that begin like one long text.
    pub(super) fn begins(&self, text: &[u8]) -> bool {
        let is_it = |start: &[u8]| match self {
            RawText::Copy(copy) => **copy == *start,
            RawText::Hash { .. } => is_in_one_string(start) && self.is(start),
        };
        text.get(..self.len()).is_some_and(is_it)
    }

    /// How many bytes it takes beside itself.
    pub(super) fn bytes(&self) -> usize {
        match self {
            RawText::Copy(copy) => copy.len(),
            RawText::Hash { .. } => 0,
        }
    }
}

fn hash(text: &[u8]) -> blake3::Hash {
    #[cfg(test)]
    HASHED.set(HASHED.get() + text.len());
    blake3::hash(text)
}

/// Does the JSON string that starts here take all of this text? Read no further than to the end of the string.
fn is_in_one_string(text: &[u8]) -> bool {
    memchr_iter(b'"', text).all(|quote| {
        let before = text[..quote].iter().rev();
        before.take_while(|byte| **byte == b'\\').count() % 2 == 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l5_a_text_is_known_again_however_long_it_is() {
        for length in [0, 1, LONGEST_COPY, LONGEST_COPY + 1, 2 * LONGEST_COPY] {
            let text: Vec<u8> = (0..length).map(|at| b'a' + (at % 23) as u8).collect();
            let kept = RawText::of(&text);
            assert!(kept.is(&text) && kept.begins(&text) && kept.len() == length);
            assert!(kept.begins(&[&text[..], b"more"].concat()));
            assert!(kept.bytes() <= LONGEST_COPY);
            if let Some(last) = length.checked_sub(1) {
                let mut other = text.clone();
                other[last] ^= 1;
                assert!(!kept.is(&other) && !kept.begins(&other) && !kept.is(&text[..last]));
            }
        }
    }

    #[test]
    fn g92_a_string_ends_at_its_first_unescaped_quote() {
        for inside in ["", "a", r#"a \"b\" c"#, r#"\\\" b"#, r"\n\\"] {
            assert!(is_in_one_string(inside.as_bytes()), "{inside}");
        }
        for beyond in [r#"" "#, r#"a","b"#, r#"a\\"b"#, r#"\"\\"b"#] {
            assert!(!is_in_one_string(beyond.as_bytes()), "{beyond}");
        }
    }
}
