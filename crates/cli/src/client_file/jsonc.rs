//! Reads JSON as clients do: comments, and commas before the end of a list, are allowed.

use super::document::{DocumentNode, NodeValue, UnreadableFile};
use std::ops::Range;

/// What may stand between any two things.
pub(crate) const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

/// Where the white space and the comments end that begin here, in a text that was read before.
pub(crate) fn behind_comments(text: &str, at: usize) -> usize {
    let mut reader = Reader { text, at, nodes: Vec::new(), open: Vec::new() };
    // A comment without an end was seen when the text was read.
    let _ = reader.pass_over();
    reader.at
}

/// All values of a text, the whole first.
pub(crate) fn read_jsonc(text: &str) -> Result<Vec<DocumentNode>, UnreadableFile> {
    let mut reader = Reader { text, at: 0, nodes: Vec::new(), open: Vec::new() };
    // Editors of one platform put it before everything.
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    let mut next = Next::Value;
    loop {
        reader.pass_over()?;
        let Some(byte) = reader.peek() else { break };
        next = reader.step(next, byte)?;
    }
    match next {
        Next::Done => Ok(reader.nodes),
        next => Err(reader.expected(next.name())),
    }
}

/// What may come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    /// In a list, after its beginning or a comma.
    ValueOrEnd,
    /// In an object, after its beginning or a comma.
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Done,
}

impl Next {
    fn name(self) -> &'static str {
        match self {
            Next::Value => "expected a value",
            Next::ValueOrEnd => "expected a value or `]`",
            Next::KeyOrEnd => "expected a key in quotes or `}`",
            Next::Colon => "expected `:`",
            Next::CommaOrEnd => "expected a comma or the end of what was begun",
            Next::Done => "expected nothing more",
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    nodes: Vec<DocumentNode>,
    /// The objects and lists around this place.
    open: Vec<Open>,
}

struct Open {
    node: usize,
    /// Where the key of the value that comes next begins, in an object, and what it says.
    key: Option<(usize, String)>,
}

impl Reader<'_> {
    fn step(&mut self, next: Next, byte: u8) -> Result<Next, UnreadableFile> {
        let takes_value = matches!(next, Next::Value | Next::ValueOrEnd);
        match byte {
            b'{' if takes_value => Ok(self.begin(NodeValue::Table(Vec::new()), Next::KeyOrEnd)),
            b'[' if takes_value => Ok(self.begin(NodeValue::List(Vec::new()), Next::ValueOrEnd)),
            b'"' if takes_value => {
                let (span, text) = self.string()?;
                self.add(span, text.map_or(NodeValue::Other, NodeValue::Text));
                Ok(self.after_value())
            }
            b'"' if next == Next::KeyOrEnd => {
                let (span, key) = self.string()?;
                if let Some(open) = self.open.last_mut() {
                    open.key = Some((span.start, key.unwrap_or_default()));
                }
                Ok(Next::Colon)
            }
            b':' if next == Next::Colon => Ok(self.past(Next::Value)),
            b',' if next == Next::CommaOrEnd => {
                let next = if self.is_in_list() { Next::ValueOrEnd } else { Next::KeyOrEnd };
                Ok(self.past(next))
            }
            b']' if next == Next::ValueOrEnd => Ok(self.end()),
            b'}' if next == Next::KeyOrEnd => Ok(self.end()),
            b']' | b'}' if next == Next::CommaOrEnd && self.is_in_list() == (byte == b']') => {
                Ok(self.end())
            }
            _ if takes_value => {
                let span = self.scalar()?;
                self.add(span, NodeValue::Other);
                Ok(self.after_value())
            }
            _ => Err(self.expected(next.name())),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn past(&mut self, next: Next) -> Next {
        self.at += 1;
        next
    }

    fn is_in_list(&self) -> bool {
        let innermost = self.open.last().map(|open| &self.nodes[open.node].value);
        matches!(innermost, Some(NodeValue::List(_)))
    }

    fn after_value(&self) -> Next {
        if self.open.is_empty() { Next::Done } else { Next::CommaOrEnd }
    }

    /// Takes a value into what is around it.
    fn add(&mut self, span: Range<usize>, value: NodeValue) -> usize {
        let place = self.nodes.len();
        let key = self.open.last_mut().and_then(|open| open.key.take());
        let (begins, key) = key.unwrap_or((span.start, String::new()));
        self.nodes.push(DocumentNode { begins, span, value });
        if let Some(open) = self.open.last() {
            match &mut self.nodes[open.node].value {
                NodeValue::List(items) => items.push(place),
                NodeValue::Table(members) => members.push((key, place)),
                NodeValue::Text(_) | NodeValue::Other => {}
            }
        }
        place
    }

    fn begin(&mut self, value: NodeValue, next: Next) -> Next {
        let node = self.add(self.at..self.at, value);
        self.open.push(Open { node, key: None });
        self.past(next)
    }

    fn end(&mut self) -> Next {
        self.at += 1;
        if let Some(open) = self.open.pop() {
            self.nodes[open.node].span.end = self.at;
        }
        self.after_value()
    }

    /// A text in quotes, and what it says; `None`: nothing that can be said in Unicode.
    fn string(&mut self) -> Result<(Range<usize>, Option<String>), UnreadableFile> {
        let start = self.at;
        let mut rest = self.text.bytes().enumerate().skip(start + 1);
        while let Some((at, byte)) = rest.next() {
            match byte {
                b'"' => {
                    self.at = at + 1;
                    let span = start..self.at;
                    let text = serde_json::from_str(&self.text[span.clone()]).ok();
                    return Ok((span, text));
                }
                b'\\' => {
                    rest.next();
                }
                0..0x20 => break,
                _ => {}
            }
        }
        Err(self.expected("expected a text that ends on its line"))
    }

    /// A number, `true`, `false` or `null`.
    fn scalar(&mut self) -> Result<Range<usize>, UnreadableFile> {
        let rest = &self.text[self.at..];
        let is_end = |character: char| {
            character.is_whitespace()
                || matches!(character, ',' | ':' | '/' | '"' | '{' | '}' | '[' | ']')
        };
        let length = rest.find(is_end).unwrap_or(rest.len());
        if serde_json::from_str::<serde::de::IgnoredAny>(&rest[..length]).is_err() {
            return Err(self.expected(Next::Value.name()));
        }
        let span = self.at..self.at + length;
        self.at = span.end;
        Ok(span)
    }

    /// White space and comments.
    fn pass_over(&mut self) -> Result<(), UnreadableFile> {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start_matches(BLANK);
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else {
                    return Err(self.expected("expected a comment that ends"));
                };
                self.at += end + "/**/".len();
            } else {
                return Ok(());
            }
        }
    }

    fn expected(&self, what: &str) -> UnreadableFile {
        UnreadableFile::new(self.text, self.at, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_found_between_comments_and_commas() {
        let text = "\u{feff}// a\n{ \"a\": [1, /* ] */ \"x\\\"y\",], \"b\": {}, } // z";
        let nodes = read_jsonc(text).unwrap();
        let raw: Vec<&str> = nodes.iter().map(|node| &text[node.span.clone()]).collect();
        assert_eq!(raw[1..], ["[1, /* ] */ \"x\\\"y\",]", "1", "\"x\\\"y\"", "{}"]);
        assert_eq!(nodes[0].value, NodeValue::Table(vec![("a".into(), 1), ("b".into(), 4)]));
        assert_eq!(nodes[3].value, NodeValue::Text("x\"y".into()));
        assert_eq!(&text[nodes[1].begins..nodes[1].span.start], "\"a\": ");
        assert_eq!(nodes[2].begins, nodes[2].span.start);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, said) in [
            ("", "line 1, column 1: expected a value"),
            ("{\n  a: 1}", "line 2, column 3: expected a key in quotes or `}`"),
            ("[1 2]", "line 1, column 4: expected a comma or the end of what was begun"),
            ("[,]", "line 1, column 2: expected a value"),
            ("{\"a\" 1}", "line 1, column 6: expected `:`"),
            ("{\"a\": 1]", "line 1, column 8: expected a comma or the end of what was begun"),
            ("{} {}", "line 1, column 4: expected nothing more"),
            ("[\"é\", nan]", "line 1, column 7: expected a value"),
            ("[\"a\n\"]", "line 1, column 2: expected a text that ends on its line"),
            ("[1, /* ", "line 1, column 5: expected a comment that ends"),
            ("[[1], ", "line 1, column 7: expected a value or `]`"),
        ] {
            assert_eq!(read_jsonc(text).unwrap_err().to_string(), said, "{text}");
        }
    }

    #[test]
    fn depth_is_no_danger() {
        let text = "[".repeat(200_000);
        assert!(read_jsonc(&text).is_err());
        assert!(read_jsonc(&format!("{text}{}", "]".repeat(200_000))).is_ok());
    }

    proptest! {
        #[test]
        fn whatever_a_strict_reader_takes_is_taken(text in "[\\[\\]{}\",:a1 \\\\\n/*]{0,24}") {
            let strict = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            let read = read_jsonc(&text);
            prop_assert!(!strict || read.is_ok());
        }
    }
}
