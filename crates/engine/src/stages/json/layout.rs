//! The layouts in which serialisers print JSON: recognised in a text, and written again from the minified text.

use tokenforge_formats::{Json, MAX_OUTPUT};

/// No serialiser is told to indent by more.
const WIDEST_INDENT: usize = 8;

/// The white space that a serialiser puts between the tokens of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum JsonLayout {
    /// None, as JavaScript does by default.
    #[default]
    Compact,
    /// A blank behind every comma and colon, as Python does by default.
    Spaced,
    /// A line for every element and member, so many blanks in for each level.
    Indented(usize),
    /// The same with tabs.
    Tabs,
}

impl JsonLayout {
    /// The layout of a JSON text and the text minified, if it is laid out as one of them throughout.
    pub(crate) fn of(text: &str) -> Option<(Self, String)> {
        let minified = Json::parse(text).ok()?.minify().into_owned();
        let layout = match text.as_bytes().get(1)? {
            _ if minified == text => JsonLayout::Compact,
            b'\n' => match text[2..].bytes().take_while(|byte| *byte == b' ').count() {
                0 => JsonLayout::Tabs,
                indent @ ..=WIDEST_INDENT => JsonLayout::Indented(indent),
                _ => return None,
            },
            _ => JsonLayout::Spaced,
        };
        (layout.write(&minified)? == text).then_some((layout, minified))
    }

    /// A minified JSON text in this layout, unless it would be too large.
    pub(crate) fn write(self, minified: &str) -> Option<String> {
        let mut out = String::with_capacity(minified.len() * 2);
        let mut depth = 0_usize;
        let mut rest = minified;
        while let Some(end) = rest.find(['"', '{', '[', '}', ']', ',', ':']) {
            out.push_str(&rest[..end]);
            let mark = &rest[end..=end];
            rest = &rest[end + 1..];
            match mark {
                "\"" => {
                    let length = string_end(rest)?;
                    out.push_str(mark);
                    out.push_str(&rest[..length]);
                    rest = &rest[length..];
                }
                "{" | "[" => {
                    out.push_str(mark);
                    if rest.starts_with(['}', ']']) {
                        out.push_str(&rest[..1]);
                        rest = &rest[1..];
                    } else {
                        depth += 1;
                        self.new_line(depth, &mut out);
                    }
                }
                "}" | "]" => {
                    depth = depth.checked_sub(1)?;
                    self.new_line(depth, &mut out);
                    out.push_str(mark);
                }
                "," => {
                    out.push_str(if self == JsonLayout::Spaced { ", " } else { "," });
                    self.new_line(depth, &mut out);
                }
                _ => out.push_str(if self == JsonLayout::Compact { ":" } else { ": " }),
            }
            if out.len() > MAX_OUTPUT {
                return None;
            }
        }
        out.push_str(rest);
        Some(out)
    }

    fn new_line(self, depth: usize, out: &mut String) {
        let (indent, count) = match self {
            JsonLayout::Compact | JsonLayout::Spaced => return,
            JsonLayout::Indented(width) => (" ", width * depth),
            JsonLayout::Tabs => ("\t", depth),
        };
        out.push('\n');
        out.extend(std::iter::repeat_n(indent, count));
    }

    /// What it is called, but for the compact one.
    pub(crate) fn word(self) -> Option<String> {
        match self {
            JsonLayout::Compact => None,
            JsonLayout::Spaced => Some("spaced".to_owned()),
            JsonLayout::Indented(width) => Some(format!("indented:{width}")),
            JsonLayout::Tabs => Some("indented:tabs".to_owned()),
        }
    }

    /// The layout of this name.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        match word {
            "spaced" => Some(JsonLayout::Spaced),
            "indented:tabs" => Some(JsonLayout::Tabs),
            word => {
                let width = word.strip_prefix("indented:")?.parse().ok()?;
                (1..=WIDEST_INDENT).contains(&width).then_some(JsonLayout::Indented(width))
            }
        }
    }
}

/// Behind the quote that closes a string, given what follows the one that opens it.
pub(crate) fn string_end(text: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'"', b'\\', text.as_bytes().get(at..)?) {
        at += found;
        if text.as_bytes()[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_serialisers_print_comes_back() {
        for (text, layout) in [
            (r#"{"a":[1,{}],"b":"x, y: [\"]"}"#, JsonLayout::Compact),
            (r#"{"a": [1, {}], "b": "x, y: [\"]"}"#, JsonLayout::Spaced),
            ("{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}", JsonLayout::Indented(2)),
            ("[\n\t{\n\t\t\"a\": null\n\t}\n]", JsonLayout::Tabs),
        ] {
            let (found, minified) = JsonLayout::of(text).unwrap();
            assert_eq!((found, found.write(&minified).as_deref()), (layout, Some(text)));
            let word = layout.word().unwrap_or_default();
            assert_eq!(JsonLayout::from_word(&word).unwrap_or_default(), layout);
        }
    }

    #[test]
    fn other_white_space_is_no_layout() {
        for text in
            ["{ \"a\": 1 }", "{\"a\": 1,\"b\":2}", "[1,\n2]", "[\n          1\n]", " [1]", "x"]
        {
            assert_eq!(JsonLayout::of(text), None, "{text}");
        }
    }

    #[test]
    fn many_levels_do_not_become_a_large_text() {
        let text = format!("{}{}{}", "[".repeat(500), "1,".repeat(100_000), "]".repeat(500));
        assert_eq!(JsonLayout::Indented(8).write(&text), None);
    }
}
