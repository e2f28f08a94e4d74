//! The structural cost: about how many tokens a text is, without a tokenizer, so that encoders in every language
//! agree on what is cheaper.

/// Words cost one per eight letters begun, numbers one per three digits begun, other characters one per two begun; a
/// single space before a word is free.
pub(super) fn cost(text: &[u8]) -> u32 {
    let mut total = 0;
    let mut at = 0;
    while let Some(&first) = text.get(at) {
        let class = CLASSES[usize::from(first)];
        let is_same = |byte: &&u8| CLASSES[usize::from(**byte)] == class;
        let length = text[at..].iter().take_while(is_same).count();
        at += length;
        total += match class {
            Class::Word => length.div_ceil(8),
            Class::Digit => length.div_ceil(3),
            Class::Space => usize::from(length > 1 || !text.get(at).is_some_and(is_letter)),
            Class::Other => length.div_ceil(2),
        };
    }
    u32::try_from(total).unwrap_or(u32::MAX)
}

/// The cost of a text behind a space.
pub(super) fn cost_behind_space(text: &[u8]) -> u32 {
    cost(text) + u32::from(!text.first().is_some_and(is_letter))
}

/// Is this byte part of a word? Bytes of characters outside ASCII are.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

fn is_letter(byte: &u8) -> bool {
    CLASSES[usize::from(*byte)] == Class::Word
}

/// The class of every byte.
static CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < classes.len() {
        classes[byte] = Class::of(byte as u8);
        byte += 1;
    }
    classes
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Digit,
    Space,
    Other,
}

impl Class {
    const fn of(byte: u8) -> Self {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => Self::Word,
            b'0'..=b'9' => Self::Digit,
            b' ' => Self::Space,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_signs_have_their_price() {
        let prices = [
            ("", 0),
            ("word", 1),
            ("eightlet", 1),
            ("nineletter", 2),
            ("123", 1),
            ("1234", 2),
            ("a b", 2),
            ("a 1", 3),
            ("a  b", 3),
            ("://", 2),
            ("https://x.y/", 7),
            ("é", 1),
        ];
        for (text, price) in prices {
            assert_eq!(cost(text.as_bytes()), price, "{text}");
        }
        assert_eq!(cost_behind_space(b"word"), 1);
        assert_eq!(cost_behind_space(b"12"), 2);
    }
}
