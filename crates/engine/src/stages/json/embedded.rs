//! JSON inside other text, minified where it stands.

use memchr::memchr2;
use std::borrow::Cow;
use std::ops::Range;
use tokenforge_formats::Json;

/// A bracket behind more blanks than this does not begin its line.
const LONGEST_INDENT: usize = 256;

/// Values with fewer bytes are left alone: little is gained, and a short list in prose is prose.
const FEWEST_BYTES: usize = 64;

/// The text with the JSON values in it minified. A value begins a line or ends its first line, as in
/// `Invalid arguments: [`, and nothing follows it on its last line; so code and prose are left alone.
///
/// ```
/// use tokenforge_engine::internals::json::embedded;
///
/// let text = "Response:\n{\n  \"user\": \"ada lovelace\",\n  \"roles\": [\n    \"admin\",\n    \"author\"\n  ]\n}\ndone";
/// let compact = "Response:\n{\"user\":\"ada lovelace\",\"roles\":[\"admin\",\"author\"]}\ndone";
/// assert_eq!(embedded::minify(text), compact);
/// ```
#[must_use]
pub fn minify(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for Range { start, end } in spans(text) {
        let value = &text[start..end];
        if let Ok(json) = Json::parse(value)
            && json.minified_len() < value.len()
        {
            out.push_str(&text[copied..start]);
            out.push_str(&json.minify());
            copied = end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The largest stretches of text between brackets that may be a value, found in one pass.
fn spans(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut in_string = false;
    let mut at = 0;
    while at < bytes.len() {
        if open.is_empty() {
            let Some(bracket) = memchr2(b'{', b'[', &bytes[at..]) else { break };
            at += bracket;
        }
        match bytes[at] {
            // No string of JSON goes on behind a line end: this was none, and what is open is no value.
            b'\n' if in_string => {
                in_string = false;
                open.clear();
            }
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => open.push(at),
            b'}' | b']' => {
                if let Some(start) = open.pop()
                    && may_be_value(bytes, start, at + 1)
                {
                    while spans.last().is_some_and(|inner| inner.start > start) {
                        spans.pop();
                    }
                    spans.push(start..at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    spans
}

/// Does the value begin its line or end the line of its first bracket, and does nothing follow it?
fn may_be_value(bytes: &[u8], start: usize, end: usize) -> bool {
    let ends_line = |at: usize| matches!(bytes.get(at), None | Some(b'\n' | b'\r'));
    let indent = bytes[..start].iter().rev().take(LONGEST_INDENT);
    let before = indent.copied().find(|byte| !matches!(byte, b' ' | b'\t'));
    end - start >= FEWEST_BYTES
        && ends_line(end)
        && (matches!(before, None | Some(b'\n')) || ends_line(start + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRETTY: &str = "{\n  \"code\": \"invalid_type\",\n  \"path\": [\n    \"stationNames\"\n  ],\n  \"message\": \"Required\"\n}";
    const MINIFIED: &str =
        r#"{"code":"invalid_type","path":["stationNames"],"message":"Required"}"#;

    #[test]
    fn a_value_after_words_is_minified() {
        let text = format!("MCP error -32602: {PRETTY}");
        assert_eq!(minify(&text), format!("MCP error -32602: {MINIFIED}"));
    }

    #[test]
    fn every_value_is_minified_and_the_text_between_kept() {
        let text = format!("one\r\n{PRETTY}\r\ntwo {{ [\n{PRETTY}\nthree\n");
        assert_eq!(minify(&text), format!("one\r\n{MINIFIED}\r\ntwo {{ [\n{MINIFIED}\nthree\n"));
    }

    #[test]
    fn code_with_brackets_inside_lines_is_left_alone() {
        let text =
            "let rows = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20];\n";
        assert_eq!(minify(text), text);
    }

    #[test]
    fn of_a_value_that_was_cut_off_the_whole_parts_are_minified() {
        let text = format!("{{\n\"a\": {PRETTY},\n\"b\": {PRETTY}\n, \"c\": [\n");
        assert_eq!(minify(&text), format!("{{\n\"a\": {PRETTY},\n\"b\": {MINIFIED}\n, \"c\": [\n"));
    }

    #[test]
    fn brackets_that_never_close_are_left_alone() {
        let text = "[\n".repeat(100_000);
        assert_eq!(minify(&text), text);
    }
}
