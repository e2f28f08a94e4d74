//! Truncated JSON: a text that its client cut off, at the end or in the middle, so that no reader of JSON takes it.
//!
//! ```text
//! [Forge JSON that was cut off, closed with ]}]
//! stc2 …
//! … the readable beginning, in the form with the fewest tokens
//! [Forge then the text as it was]
//! ,{"id":41,"na…12345 chars truncated…"},
//! [Forge the elements that follow, as a list]
//! stc2 …
//! … whole elements behind the cut
//! [Forge then the text as it was]
//! ]}
//! ```
//!
//! What the client wrote where it cut is not looked at: the beginning ends where the text stops being JSON, and what
//! can be read behind it are values that are whole and follow each other.

use super::{container, decode as decode_json};
use std::borrow::Cow;
use std::ops::Range;
use tokenforge_formats::{Form, Json, cheapest};
use tokenforge_json::lexeme;
use tokenforge_tokens::Counter;

const HEAD: &str = "[Forge JSON that was cut off, closed with ";
const HEAD_END: &str = "]\n";
const LIST: &str = "\n[Forge the elements that follow, as a list]\n";
const TEXT: &str = "\n[Forge then the text as it was]\n";

/// A beginning with fewer bytes is not worth its lines.
const FEWEST_BYTES: usize = 128;

/// So many elements behind a cut are not worth theirs.
const FEWEST_BYTES_BEHIND: usize = 512;

/// The beginning ends behind a whole element of a list, unless that leaves more than one byte in so many of it behind:
/// a row that lacks its last columns would cost the whole table its shape.
const LARGEST_PART_BEHIND: usize = 8;

/// Truncated JSON with what can be read of it in the form with the fewest tokens; `None` if the text is no truncated JSON.
///
/// ```
/// use tokenforge_engine::internals::json::truncated;
///
/// let whole: Vec<String> = (0..20).map(|id| format!(r#"{{"id": {id}, "state": "open"}}"#)).collect();
/// let text = format!(r#"{{"items": [{}, {{"id": 20, "sta... [cut]"#, whole.join(", "));
/// let encoded = truncated::encode(&text, &[tokenforge_formats::Form::Table], Default::default()).unwrap();
/// assert!(encoded.starts_with("[Forge JSON that was cut off, closed with ]}]\n"));
/// assert!(encoded.ends_with("\n[Forge then the text as it was]\n, {\"id\": 20, \"sta... [cut]"));
/// assert_eq!(truncated::decode(&encoded).unwrap(), truncated::minify(&text));
/// ```
#[must_use]
pub fn encode(text: &str, allowed: &[Form], counter: Counter) -> Option<String> {
    let truncated = TruncatedJson::of(text)?;
    let form =
        |json: &str| Some(cheapest(&Json::parse(json).ok()?, allowed, counter).text.into_owned());
    let TruncatedJson { head, closers, rest, .. } = &truncated;
    let mut encoded = [HEAD, closers, HEAD_END, &form(head)?, TEXT].concat();
    match &truncated.list {
        None => encoded.push_str(rest),
        Some(list) => {
            encoded.push_str(&rest[..list.start]);
            encoded.push_str(LIST);
            encoded.push_str(&form(&as_list(&rest[list.clone()]))?);
            encoded.push_str(TEXT);
            encoded.push_str(&rest[list.end..]);
        }
    }
    Some(encoded)
}

/// Is this truncated JSON as [`encode`] writes it?
pub(crate) fn is_written(text: &str) -> bool {
    text.starts_with(HEAD)
}

/// The truncated JSON that an encoded text stands for, what is JSON in it minified.
#[must_use]
pub fn decode(text: &str) -> Option<String> {
    let (closers, rest) = text.strip_prefix(HEAD)?.split_once(HEAD_END)?;
    let (head, rest) = rest.split_once(TEXT)?;
    let head = decode_json(head)?;
    let mut decoded = head.strip_suffix(closers)?.to_owned();
    match rest.split_once(LIST) {
        None => decoded.push_str(rest),
        Some((before, rest)) => {
            let (list, rest) = rest.split_once(TEXT)?;
            let list = decode_json(list)?;
            decoded.push_str(before);
            decoded.push_str(list.strip_prefix('[')?.strip_suffix(']')?);
            decoded.push_str(rest);
        }
    }
    Some(decoded)
}

/// The text with what can be read of it minified; as it is if it is no truncated JSON.
#[must_use]
pub fn minify(text: &str) -> Cow<'_, str> {
    let Some(TruncatedJson { head, closers, rest, list }) = TruncatedJson::of(text) else {
        return Cow::Borrowed(text);
    };
    let head = super::minify(&head).into_owned();
    let mut minified = head.strip_suffix(&closers).unwrap_or(&head).to_owned();
    let list = list.unwrap_or(rest.len()..rest.len());
    minified.push_str(&rest[..list.start]);
    if !list.is_empty() {
        let elements = as_list(&rest[list.clone()]);
        let elements = super::minify(&elements);
        minified.push_str(&elements[1..elements.len() - 1]);
    }
    minified.push_str(&rest[list.end..]);
    Cow::Owned(minified)
}

/// What can be read of a JSON text that was cut.
struct TruncatedJson<'t> {
    /// The readable beginning, closed so that it is JSON.
    head: String,
    /// The brackets that close it.
    closers: String,
    /// What follows the beginning.
    rest: &'t str,
    /// Where in the rest whole elements follow each other: the longest such stretch.
    list: Option<Range<usize>>,
}

impl<'t> TruncatedJson<'t> {
    fn of(text: &'t str) -> Option<Self> {
        if !matches!(text.trim_ascii_start().as_bytes().first(), Some(b'{' | b'[')) {
            return None;
        }
        let readable = Json::parse(text).err()?.offset();
        let (end, closers) = last_cut(&text.as_bytes()[..readable])?;
        let (head, rest) = text.split_at(end);
        if head.len() < FEWEST_BYTES {
            return None;
        }
        let head = [head, &closers].concat();
        container(&head)?;
        // An element that the cut went through may look like a whole one, its brackets being there.
        let list = longest_list(rest, readable - end);
        let list = list.filter(|list| list.len() >= FEWEST_BYTES_BEHIND);
        Some(TruncatedJson { head, closers, rest, list })
    }
}

fn as_list(elements: &str) -> String {
    ["[", elements, "]"].concat()
}

/// Where a beginning of JSON can be closed: behind the last whole element or member of an open container. With the
/// brackets that close it. `None` if nothing is open, or nothing in it whole.
fn last_cut(json: &[u8]) -> Option<(usize, String)> {
    let mut open: Vec<u8> = Vec::new();
    // Where the text can end, and how many of the containers are open there that are still open.
    let (mut any, mut element) = (None, None);
    let mut at = 0;
    while at < json.len() {
        match json[at] {
            b'"' => {
                let Ok((end, _)) = lexeme::string(json, at) else { break };
                at = end;
                continue;
            }
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => {
                open.pop();
                any = Some((at + 1, open.len()));
                element = element.filter(|(_, depth)| *depth <= open.len());
                if open.last() == Some(&b']') {
                    element = any;
                }
            }
            b',' => any = Some((at, open.len())),
            _ => {}
        }
        at += 1;
    }
    let is_near =
        |(end, _): &(usize, usize)| (json.len() - end) * LARGEST_PART_BEHIND <= json.len();
    let (end, depth) = element.filter(is_near).or(any)?;
    let closers: Vec<u8> = open.get(..depth)?.iter().rev().copied().collect();
    (!closers.is_empty()).then_some((end, String::from_utf8(closers).ok()?))
}

/// The longest stretch of a text, from an offset on, in which whole objects and arrays follow each other as the elements
/// of a list do. Nothing says whether the middle of JSON is the middle of a string, so both are tried; and where the client
/// wrote its notice on lines of its own, whether what follows the last of them is.
fn longest_list(text: &str, from: usize) -> Option<Range<usize>> {
    let behind_notice =
        text.trim_ascii_end().rfind('\n').map_or(from, |newline| from.max(newline + 1));
    let starts = [(from, false), (from, true), (behind_notice, true)];
    let longest = |(from, in_string)| {
        lists(text.as_bytes(), from, in_string).into_iter().max_by_key(Range::len)
    };
    let is_list = |list: &Range<usize>| Json::parse(&as_list(&text[list.clone()])).is_ok();
    starts.into_iter().filter_map(longest).filter(is_list).max_by_key(Range::len)
}

/// The stretches between matching brackets that no other encloses, in one pass; those with nothing but a comma between
/// them are one.
fn lists(text: &[u8], from: usize, mut in_string: bool) -> Vec<Range<usize>> {
    let mut lists: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = from;
    while at < text.len() {
        match text[at] {
            // No string of JSON goes on behind a line end: this was none.
            b'\n' if in_string => {
                in_string = false;
                open.clear();
            }
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => open.push(at),
            b'}' | b']' => {
                if let Some(start) = open.pop() {
                    while lists.last().is_some_and(|inner| inner.start > start) {
                        lists.pop();
                    }
                    match lists.last_mut().filter(|last| is_comma(&text[last.end..start])) {
                        Some(last) => last.end = at + 1,
                        None => lists.push(start..at + 1),
                    }
                }
            }
            _ => {}
        }
        at += 1;
    }
    lists
}

fn is_comma(between: &[u8]) -> bool {
    between.trim_ascii() == b","
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(ids: Range<usize>) -> String {
        let record = |id| format!(r#"{{"id":{id},"name":"n{}","state":"open"}}"#, id * 7);
        ids.map(record).collect::<Vec<_>>().join(",")
    }

    fn round_trip(text: &str) -> String {
        let encoded = encode(text, Form::ALL, Counter::default()).unwrap();
        assert_eq!(decode(&encoded).unwrap(), minify(text), "{encoded}");
        encoded
    }

    #[test]
    fn d55_of_json_cut_at_its_end_the_beginning_is_encoded_and_the_torn_end_kept() {
        let text = format!(r#"{{"total":90,"rows":[{},{{"id":40,"na"#, records(0..40));
        let encoded = round_trip(&text);
        assert!(
            encoded.starts_with("[Forge JSON that was cut off, closed with ]}]\n"),
            "{encoded}"
        );
        assert!(
            encoded.ends_with("\n[Forge then the text as it was]\n,{\"id\":40,\"na"),
            "{encoded}"
        );
        assert_eq!(decode(&encoded).unwrap(), text);
        assert!(encoded.len() * 2 < text.len(), "{encoded}");
    }

    #[test]
    fn d55_of_json_cut_in_its_middle_both_sides_are_encoded_whatever_the_notice() {
        for notice in ["…9321 tokens truncated…", "\n... [93 lines truncated] ...\n", " \" ", ""]
        {
            for torn in [r#"40,"na"#, r#"40,"name":"n2"#, "", "40"] {
                for tail in [r#"me":"x"},"#, r#"80","state":"open"},"#, "},", ":1},"] {
                    let (head, behind) = (records(0..40), records(70..99));
                    let text =
                        format!(r#"{{"rows":[{head},{{"id":{torn}{notice}{tail}{behind}],"z":1}}"#);
                    if Json::parse(&text).is_ok() {
                        continue;
                    }
                    let encoded = round_trip(&text);
                    assert!(
                        encoded.contains("\n[Forge the elements that follow, as a list]\n"),
                        "{encoded}"
                    );
                    assert!(encoded.len() * 3 < text.len() * 2, "{encoded}");
                    assert_eq!(decode(&encoded).unwrap(), text);
                }
            }
        }
    }

    #[test]
    fn d55_the_readable_part_of_a_pretty_text_is_minified_and_the_torn_end_is_not() {
        let row = |id| {
            format!(
                "    {{\n      \"id\": {id},\n      \"tags\": [\n        \"a\"\n      ]\n    }}"
            )
        };
        let rows = (0..20).map(row).collect::<Vec<_>>().join(",\n");
        let text = format!("{{\n  \"rows\": [\n{rows},\n    {{\n      \"id\": 2\n[cut]\n");
        let encoded = round_trip(&text);
        let decoded = decode(&encoded).unwrap();
        assert!(decoded.starts_with(r#"{"rows":[{"id":0,"tags":["a"]},{"id":1,"#), "{decoded}");
        assert!(decoded.ends_with("},\n    {\n      \"id\": 2\n[cut]\n"), "{decoded}");
    }

    #[test]
    fn d55_the_cut_is_behind_a_whole_element_if_one_is_near() {
        let cut = |text: &str| {
            last_cut(text.as_bytes()).map(|(end, closers)| text[..end].to_owned() + &closers)
        };
        let rows = records(0..40);
        let whole = format!("[{rows}]");
        assert_eq!(cut(&format!(r#"[{rows},{{"id":40,"name":"x","st"#)), Some(whole));
        assert_eq!(cut(r#"{"a":1,"b":[1,2,3"#).as_deref(), Some(r#"{"a":1,"b":[1,2]}"#));
        assert_eq!(cut(r#"{"a":[[1],[2]],"b":{"c":"#).as_deref(), Some(r#"{"a":[[1],[2]]}"#));
        assert_eq!(cut(r#"{"a":"x,]"#), None);
        assert_eq!(cut("[[[["), None);
    }

    #[test]
    fn d55_what_is_whole_or_no_json_is_no_truncated_json() {
        let whole = format!("[{}]", records(0..40));
        for text in
            [&whole, &format!("{whole}\n"), &format!("cut: {}", &whole[..500]), &whole[..60]]
        {
            assert_eq!(encode(text, Form::ALL, Counter::default()), None, "{text}");
            assert_eq!(minify(text), *text);
        }
    }

    #[test]
    fn d55_a_forged_head_is_not_decoded() {
        for text in [
            "[Forge JSON that was cut off, closed with ]]\n",
            "[Forge JSON that was cut off, closed with ]]\n[1]",
            "[Forge JSON that was cut off, closed with }]\n[1]\n[Forge then the text as it was]\n",
            "[Forge JSON that was cut off, closed with ]]\nx y\n[Forge then the text as it was]\n",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
