//! Results that Tokenforge wrote: a log of an agent with the hook has them in place of the originals.

/// What lines of ours begin with: references, pointers and notes of stages, and markers of duplicates.
const SIGNS: [&str; 3] = ["<<<SHADOW:shadow_", "[Forge ", "[Duplicate of "];

/// Does a result have a line that Tokenforge writes? A text that only quotes one is taken for one too: less is promised
/// then, never more.
pub(crate) fn is_in(text: &str) -> bool {
    let mut lines = text.lines();
    lines.clone().next().is_some_and(|first| first == "stc2" || first.starts_with("stc2 "))
        || lines.any(|line| SIGNS.iter().any(|sign| line.starts_with(sign)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d34_a_line_of_ours_is_found_wherever_it_stands() {
        for text in [
            "<<<SHADOW:shadow_bupmii>>>\nrest",
            "Exit code: 0\nOutput:\n<<<SHADOW:shadow_bupmii>>>\nrest",
            "one\n[Forge 7 lines as in src/a.rs]",
            "[Duplicate of `cargo test`; see earlier result]",
            "stc2\nitems:[1 2]",
        ] {
            assert!(is_in(text), "{text}");
        }
        for text in ["", "no [Forge here", "stc2_reader.rs:1:mod x;", "  12\t[Forge quoted"] {
            assert!(!is_in(text), "{text}");
        }
    }
}
