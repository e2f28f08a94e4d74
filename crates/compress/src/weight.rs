//! A guess at what a piece of text costs, for choosing between ways to write it.

/// About how many tokens a text has.
pub(crate) fn weight(text: &str) -> usize {
    let bytes = text.as_bytes();
    (0..bytes.len()).map(|index| step_weight(bytes, index)).sum()
}

/// What a byte adds to the tokens of a text: words count at their start and when they are long, digits by threes,
/// marks unless they go with the word behind them.
pub(crate) fn step_weight(bytes: &[u8], index: usize) -> usize {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' | b'A'..=b'Z' | 128.. => 1,
        _ => 2,
    };
    let own = class(bytes[index]);
    let follows = index > 0 && class(bytes[index - 1]) == own;
    let next = bytes.get(index + 1).map_or(2, |&next| class(next));
    match own {
        0 => usize::from(!follows),
        1 => usize::from(!follows),
        _ => usize::from(!follows && next != 1),
    }
}
