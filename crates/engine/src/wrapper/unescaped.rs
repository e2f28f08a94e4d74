//! Unescaped strings: an output whose payloads stand between quotes, written as its wrapper and then the payloads as they
//! are.
//!
//! ```text
//! [Forge … in the next line is the text below, unescaped]
//! meta=None content=[TextContent(type='text', text='…', annotations=None)] isError=False
//! It's a file,
//! "said" twice
//! ```
//!
//! A quote in a string in a string takes four characters, and every escape cuts a word that the tokenizer knows. How
//! the payloads are to be escaped again is not written down: a wrapper is recognised whatever is in it, so it is
//! recognised around `…` too, and tells it. Only what serialisers do differently is in the first line.

use super::codec::Codec;
use super::{JsonStyle, Parts, Piece, opening, unwrap};
use crate::lines;
use std::borrow::Cow;

/// What stands in the wrapper where a payload was.
const PLACEHOLDER: &str = "…";

/// The first line, with the number of the wrapper's lines and the style of its JSON strings in between.
const HEAD: &str = "[Forge … in the next ";
const BELOW: &str = " is the text below, unescaped";
const STYLE: &str = " from ";
const AND: &str = ", ";
const END: &str = "]\n";

/// What stands between two payloads.
const NEXT: &str = "\n[Forge next text]\n";

/// An output written with its payloads unescaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnescapedOutput<'t> {
    /// The wrapper around placeholders.
    frame: Parts<'t>,
    payloads: Vec<&'t str>,
}

/// Is this an output with its payloads unescaped? Its head says so.
#[must_use]
pub fn is_written(text: &str) -> bool {
    text.starts_with(HEAD)
}

/// An output with its payloads unescaped; `None` if none of them is escaped.
#[must_use]
pub fn encode(text: &str) -> Option<String> {
    let parts = unwrap(text);
    let style = parts.json_style()?;
    let payloads: Vec<&str> = parts.payloads().collect();
    let frame = parts.rewrap(&vec![PLACEHOLDER; payloads.len()]);
    let frame = opening::minified(&frame);
    let lines = match lines::count(&frame) {
        1 => "line".to_owned(),
        lines => format!("{lines} lines"),
    };
    let words: Vec<&str> = style.words().collect();
    let style =
        if words.is_empty() { String::new() } else { format!("{STYLE}{}", words.join(AND)) };
    Some(format!("{HEAD}{lines}{BELOW}{style}{END}{frame}\n{}", payloads.join(NEXT)))
}

/// The output with its payloads escaped again.
#[must_use]
pub fn decode(text: &str) -> Option<String> {
    let output = UnescapedOutput::parse(text)?;
    Some(output.escape(output.payloads()))
}

/// The part of an output that [`decode`] gives back: all but the blanks of wrappers that are JSON.
#[must_use]
pub fn minify(text: &str) -> Cow<'_, str> {
    opening::minified(text)
}

impl<'t> UnescapedOutput<'t> {
    /// Reads an output that [`encode`] wrote.
    #[must_use]
    pub fn parse(text: &'t str) -> Option<Self> {
        let (head, rest) = text.strip_prefix(HEAD)?.split_once(END)?;
        let (lines, style) = head.split_once(BELOW)?;
        let lines = match lines {
            "line" => 1,
            lines => lines.strip_suffix(" lines")?.parse().ok()?,
        };
        let style = match style.strip_prefix(STYLE) {
            Some(words) => words.split(AND).try_fold(JsonStyle::default(), JsonStyle::and)?,
            None if style.is_empty() => JsonStyle::default(),
            None => return None,
        };
        let (frame, rest) = split_lines(rest, lines)?;
        let frame = unwrap(frame).with_json_style(style);
        let are_places = frame.payloads().all(|payload| payload == PLACEHOLDER);
        let payloads: Vec<&str> = match frame.payloads().count() {
            1 => vec![rest],
            _ => rest.split(NEXT).collect(),
        };
        (are_places && payloads.len() == frame.payloads().count())
            .then_some(UnescapedOutput { frame, payloads })
    }

    /// The payloads, as they are.
    #[must_use]
    pub fn payloads(&self) -> &[&'t str] {
        &self.payloads
    }

    /// The output with these payloads, escaped.
    #[must_use]
    pub fn escape<S: AsRef<str>>(&self, payloads: &[S]) -> String {
        self.frame.rewrap(payloads)
    }
}

impl Parts<'_> {
    /// What the serialisers of all payloads escape; `None` if no payload is escaped at all.
    fn json_style(&self) -> Option<JsonStyle> {
        self.codecs().fold(None, |all: Option<JsonStyle>, codec| {
            let all = all.unwrap_or_default();
            Some(if let Codec::JsonString(style) = codec { all.union(*style) } else { all })
        })
    }

    /// Is a payload written as a string?
    pub(crate) fn has_escapes(&self) -> bool {
        self.codecs().next().is_some()
    }

    fn codecs(&self) -> impl Iterator<Item = &Codec> {
        let payloads = self.pieces.iter().filter_map(Piece::payload);
        payloads.flat_map(|payload| &payload.codecs)
    }

    /// With all JSON strings written in one style.
    fn with_json_style(mut self, style: JsonStyle) -> Self {
        let payloads = self.pieces.iter_mut().filter_map(Piece::payload_mut);
        for codec in payloads.flat_map(|payload| &mut payload.codecs) {
            if let Codec::JsonString(old) = codec {
                *old = style;
            }
        }
        self
    }
}

/// So many lines, the last without its end, and what follows them.
fn split_lines(text: &str, lines: usize) -> Option<(&str, &str)> {
    let end = memchr::memchr_iter(b'\n', text.as_bytes()).nth(lines.checked_sub(1)?)?;
    Some((&text[..end], &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes a text and reads it back.
    fn round_trip(text: &str) -> String {
        let encoded = encode(text).unwrap();
        assert_eq!(decode(&encoded).unwrap(), minify(text), "{encoded}");
        encoded
    }

    #[test]
    fn a_payload_in_a_python_string_stands_below_its_wrapper() {
        let text = r#"meta=None content=[TextContent(type='text', text='It\'s a file,\n"said" twice', annotations=None)]"#;
        let encoded = "[Forge … in the next line is the text below, unescaped]\n\
                       meta=None content=[TextContent(type='text', text='…', annotations=None)]\n\
                       It's a file,\n\"said\" twice";
        assert_eq!(round_trip(text), encoded);
    }

    #[test]
    fn a_string_in_a_string_is_unescaped_through_both_and_json_around_it_minified() {
        let inner = "{\n  \"content\": [\n    {\n      \"type\": \"text\",\n      \"text\": \"a \\\"b\\\"\\nc\"\n    }\n  ]\n}";
        let text = format!(
            "[TextContent(type='text', text='{}')]",
            inner.replace('\\', "\\\\").replace('\n', "\\n")
        );
        let encoded = round_trip(&text);
        let (_, rest) = encoded.split_once('\n').unwrap();
        let frame =
            r#"[TextContent(type='text', text='{"content":[{"type":"text","text":"…"}]}')]"#;
        assert_eq!(rest, format!("{frame}\na \"b\"\nc"));
    }

    #[test]
    fn every_style_of_json_comes_back() {
        for (written, words) in [
            (r"caf\u00e9 \ud83d\ude00", " from ASCII"),
            (r"a\/b\n", " from \\/"),
            (r"\u003cb\u003e\n", " from HTML"),
            (r"\u003c\u00e9\/\n", " from ASCII, \\/, HTML"),
            (r"caf\n é", ""),
        ] {
            let text = format!(r#"{{"stdout":"{written}","exit_code":0}}"#);
            let encoded = round_trip(&text);
            assert!(encoded.contains(&format!("unescaped{words}]\n")), "{encoded}");
            assert_eq!(decode(&encoded).unwrap(), text);
        }
    }

    #[test]
    fn of_several_payloads_each_has_its_place() {
        let text = r#"[{"query":"ls","result":"a\nb"},{"query":"pwd","result":"\"/\"\n"}]"#;
        let encoded = round_trip(text);
        assert!(encoded.ends_with("\na\nb\n[Forge next text]\n\"/\"\n"), "{encoded}");
        assert_eq!(decode(&encoded).unwrap(), text);
    }

    #[test]
    fn a_wrapper_of_several_lines_and_one_that_was_cut_come_back() {
        for text in [
            "Wall time: 0.1 seconds\nOutput:\n{\"output\":\"a\\nb\\n\",\"metadata\":{\"exit_code\":0}}",
            r#"[{"query":"cat a","result":"{\n  \"total\": 9,\n  \"rows"#,
            "[TextContent(type='text', text='a\\nb')]\n",
            r#"[{"query":"cat a","result":"it was cut in an escape \u00"#,
        ] {
            assert_eq!(decode(&round_trip(text)).unwrap(), text);
        }
    }

    #[test]
    fn a_forged_head_is_not_decoded() {
        for text in [
            "[Forge … in the next line is the text below, unescaped]\n",
            "[Forge … in the next line is the text below, unescaped]\n{\"output\":\"x\"}\na",
            "[Forge … in the next 9 lines is the text below, unescaped]\n{\"output\":\"…\"}\na",
            "[Forge … in the next line is the text below, unescaped from X]\n{\"output\":\"…\"}\na",
            "[Forge … in the next 0 lines is the text below, unescaped]\n{\"output\":\"…\"}\na",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
