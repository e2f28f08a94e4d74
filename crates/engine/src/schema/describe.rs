//! The white space of one description.

use std::borrow::Cow;

const FENCE: &str = "```";

/// A description without superfluous white space: none at the end of lines, one blank line where there were more,
/// one space where there were several spaces or tabs. Indentation stays, since lists and code depend on it, and
/// in fenced code only the ends of lines are trimmed. Doing it twice changes nothing more.
///
/// ```
/// use tokenforge_engine::internals::minify_description;
///
/// assert_eq!(minify_description("Reads  a\tfile. \n\n\n  - fast"), "Reads a file.\n\n  - fast");
/// ```
pub fn minify_description(text: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len());
    let mut is_fenced = false;
    let mut was_blank = false;
    for (index, line) in text.split('\n').enumerate() {
        let line = line.trim_end();
        let is_blank = line.is_empty() && !is_fenced;
        if is_blank && was_blank {
            continue;
        }
        was_blank = is_blank;
        if index > 0 {
            out.push('\n');
        }
        let fences = line.matches(FENCE).count();
        if is_fenced || fences > 0 {
            out.push_str(line);
        } else {
            collapse(line, &mut out);
        }
        // One fence opens or closes a block; two in a line are a block of their own.
        is_fenced ^= fences % 2 == 1;
    }
    if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// Writes a line with single spaces behind its indentation.
fn collapse(line: &str, out: &mut String) {
    let content = line.trim_start_matches([' ', '\t']);
    out.push_str(&line[..line.len() - content.len()]);
    let words = content.split([' ', '\t']).filter(|word| !word.is_empty());
    for (index, word) in words.enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn f15_the_four_transforms() {
        for (text, minified) in [
            ("a  \nb\t\nc \r\nd", "a\nb\nc\nd"),
            ("a\n\n\n\nb\n \n\t\nc", "a\n\nb\n\nc"),
            ("a  b\t\tc \t d\te", "a b c d e"),
            (" \n\t\n ", ""),
        ] {
            assert_eq!(minify_description(text), minified);
        }
    }

    #[test]
    fn f15_in_fenced_code_only_line_ends_are_trimmed() {
        let text = "x  y\n```js  a\nif  (a)\t{  \n\n\n  }\n```  \nx  y";
        let minified = "x y\n```js  a\nif  (a)\t{\n\n\n  }\n```\nx y";
        assert_eq!(minify_description(text), minified);
        assert_eq!(
            minify_description("see: ```a  b``` or  so\nx  y"),
            "see: ```a  b``` or  so\nx y"
        );
        assert_eq!(minify_description("```\na  b"), "```\na  b");
    }

    #[test]
    fn indentation_stays() {
        let text = "Options:\n  - one\n    - two\n\tthree";
        assert!(matches!(minify_description(text), Cow::Borrowed(same) if same == text));
    }

    proptest! {
        #[test]
        fn f15_twice_is_once(text in "([ \t\n\r`a\u{a0}é]|```){0,60}") {
            let once = minify_description(&text).into_owned();
            prop_assert_eq!(&*minify_description(&once), &once);
            prop_assert!(once.len() <= text.len());
            let words = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(words(&once), words(&text));
        }
    }
}
