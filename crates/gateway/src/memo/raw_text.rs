//! A result as it stood in its body, to tell whether another text is the same.

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
            length if length > LONGEST_COPY => RawText::Hash { length, hash: blake3::hash(text) },
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
            RawText::Hash { length, hash } => {
                *length == other.len() && *hash == blake3::hash(other)
            }
        }
    }

    /// Does a text begin with it?
    pub(super) fn begins(&self, text: &[u8]) -> bool {
        text.get(..self.len()).is_some_and(|start| self.is(start))
    }

    /// How many bytes it takes beside itself.
    pub(super) fn bytes(&self) -> usize {
        match self {
            RawText::Copy(copy) => copy.len(),
            RawText::Hash { .. } => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l5_a_text_is_known_again_however_long_it_is() {
        for length in [0, 1, LONGEST_COPY, LONGEST_COPY + 1, 2 * LONGEST_COPY] {
            let text: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
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
}
