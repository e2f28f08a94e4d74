//! Texts in pieces of about a token.

/// The pieces that a model would say a text in: a few characters each, nothing lost.
///
/// Their sizes vary, so that names and markers are cut in many places.
pub(crate) fn fragments(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let mut size = 0;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        size = size % 6 + 1;
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_small_and_make_up_the_text() {
        let text = "äöü and some more text, <<<SHADOW:shadow_0123456789>>>";
        let pieces: Vec<_> = fragments(text).collect();
        assert_eq!(pieces.concat(), text);
        assert!(pieces.iter().all(|piece| piece.chars().count() <= 6));
        assert_eq!(fragments("").count(), 0);
    }
}
