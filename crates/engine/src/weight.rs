//! A token estimate: a guess at what a piece of text costs, for choosing between ways to write it.

/// About how many tokens a text has.
pub(crate) fn weight(text: &str) -> usize {
    let mut classes = text.bytes().map(class).peekable();
    let (mut weight, mut last) = (0, None);
    while let Some(own) = classes.next() {
        if last.replace(own) != Some(own) {
            weight += usize::from(own != MARK || classes.peek() != Some(&LETTER));
        }
    }
    weight
}

/// What a byte adds to the tokens of a text: words count at their start and when they are long, digits by threes,
/// marks unless they go with the word behind them.
pub(crate) fn step_weight(bytes: &[u8], index: usize) -> usize {
    let own = class(bytes[index]);
    let follows = index > 0 && class(bytes[index - 1]) == own;
    let leads = own == MARK && bytes.get(index + 1).is_some_and(|&next| class(next) == LETTER);
    usize::from(!follows && !leads)
}

const DIGIT: u8 = 0;
const LETTER: u8 = 1;
const MARK: u8 = 2;

/// The class of each byte.
const CLASSES: [u8; 256] = {
    let mut classes = [MARK; 256];
    let mut byte = 0;
    while byte < classes.len() {
        classes[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' | 128.. => LETTER,
            _ => MARK,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> u8 {
    CLASSES[usize::from(byte)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_weighs_what_its_steps_add() {
        for text in
            ["", "a", " a", "ab 12", "x: y", "/usr/lib/a.so.6\n", "é1ü", "  ", "..a..1..", "-"]
        {
            let steps: usize = (0..text.len()).map(|at| step_weight(text.as_bytes(), at)).sum();
            assert_eq!(weight(text), steps, "{text:?}");
        }
        assert_eq!((weight("ab 12"), weight("x: y"), weight("")), (3, 3, 0));
    }
}
