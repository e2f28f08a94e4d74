//! Private keys in text form, from `-----BEGIN ... PRIVATE KEY-----` to their end, or as far as they go without one.

use std::ops::Range;

use super::{
    finding::{Certainty, Findings},
    marker::{self, MARKER_START},
    rules::BlockRule,
};

const DASHES: &str = "-----";

/// The longest label between the dashes.
const LABEL: usize = 48;

/// A line of a key has this many base64 characters in a row, its last line aside.
const LINE: usize = 16;

/// How far behind its first line a key has to begin: header lines and a client's line numbers may come between.
const LEAD: usize = 400;

/// Looks for a key block whose first line has the word `KEY` at this byte.
pub(crate) fn find_at(rules: &[BlockRule], text: &str, key: usize, findings: &mut Findings) {
    let rest = text.as_bytes().get(key..).unwrap_or_default();
    let found = if rest.starts_with(b"KEY") {
        pem(text, key)
    } else if rest.starts_with(b"Key-File-") {
        putty(text, key)
    } else {
        None
    };
    let Some((label, range)) = found else { return };
    if let Some(rule) =
        rules.iter().find(|rule| rule.labels.is_empty() || rule.labels.contains(&label))
    {
        findings.add(Certainty::Block, rule.id, range);
    }
}

/// The label of the block and where it is.
fn pem(text: &str, key: usize) -> Option<(&str, Range<usize>)> {
    let line = text.floor_char_boundary(key.saturating_sub(LABEL));
    let begin = line + text.get(line..key)?.rfind("BEGIN ")?;
    let label_start = begin + "BEGIN ".len();
    let label_end = key + text.get(key..text.floor_char_boundary(key + LABEL))?.find("--")?;
    let label = text.get(label_start..label_end)?.trim_end();
    let is_label = label.ends_with("PRIVATE KEY") || label.ends_with("PRIVATE KEY BLOCK");
    let is_label = is_label && label.bytes().all(is_label_byte);
    let dashes = text.get(..begin)?.trim_end_matches(' ');
    let count = dashes.len() - dashes.trim_end_matches('-').len();
    if !is_label || count < 4 {
        return None;
    }
    let start = dashes.len() - count.min(DASHES.len());
    let body = label_end
        + text.get(label_end..)?.bytes().take_while(|byte| *byte == b'-' || *byte == b' ').count();
    let end = body_end(text, body)?;
    Some((label, start..end))
}

/// The end of a block whose first line ended at `body`, if it holds a key and not three dots.
fn body_end(text: &str, body: usize) -> Option<usize> {
    let lead = text.get(body..text.floor_char_boundary(body + LEAD))?;
    let stop = next_stop(text, body);
    if !has_key_line(lead.get(..stop - body).unwrap_or(lead)) {
        return None;
    }
    let is_end = text.get(stop..)?.trim_start_matches(['-', ' ']).starts_with("END ");
    Some(if is_end { last_line_end(text, stop) } else { unfinished_end(&text[..stop], body) })
}

/// Where the next dashes are, or a marker in their place, or the end of the text.
fn next_stop(text: &str, body: usize) -> usize {
    let dashes = text[body..].find("----").map_or(text.len(), |at| body + at);
    text[body..dashes].find(MARKER_START).map_or(dashes, |at| body + at)
}

/// Behind the dashes that close the line `-----END ...-----`, or at its end if they are cut off.
fn last_line_end(text: &str, dashes: usize) -> usize {
    let label =
        dashes + text[dashes..].bytes().take_while(|byte| matches!(byte, b'-' | b' ')).count();
    let label_end =
        label + text[label..].bytes().take(LABEL).take_while(|byte| is_label_byte(*byte)).count();
    label_end
        + text[label_end..].bytes().take(DASHES.len()).take_while(|byte| *byte == b'-').count()
}

fn is_label_byte(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
}

/// Where the lines of a key without an end stop: at the first line that is not one of its own.
fn unfinished_end(text: &str, body: usize) -> usize {
    let mut end = body;
    let mut in_key = false;
    for line in text[body..].split_inclusive('\n') {
        let content = line.trim_end();
        if in_key || !is_header(content) {
            let is_last = in_key && is_last_line(content);
            in_key = has_key_line(content);
            if !in_key {
                end += if is_last { content.len() } else { 0 };
                break;
            }
        }
        end += line.len();
    }
    text[..end].trim_end().len()
}

fn is_header(line: &str) -> bool {
    line.trim().is_empty() || line.contains(": ")
}

/// The last line of a key: base64 to its end, and not a word.
fn is_last_line(line: &str) -> bool {
    let line = line.trim_matches(['"', '\'', ',', '+', ' ']).as_bytes();
    line.iter().all(|byte| is_base64(*byte) || *byte == b'=') && is_mixed(line)
}

/// Whether there are enough base64 characters in a row.
fn has_key_line(text: &str) -> bool {
    text.as_bytes().split(|byte| !is_base64(*byte)).any(|run| run.len() >= LINE && is_mixed(run))
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// Letters in lower case alone are a word.
fn is_mixed(run: &[u8]) -> bool {
    run.iter().any(|byte| !byte.is_ascii_lowercase())
}

/// A key file of PuTTY, from its first line to its checksum.
fn putty(text: &str, key: usize) -> Option<(&str, Range<usize>)> {
    let start = key.checked_sub("PuTTY-User-".len())?;
    if text.get(start..key)? != "PuTTY-User-" {
        return None;
    }
    let label = text.get(start..key + "Key-File".len())?;
    let private =
        key + text.get(key..text.floor_char_boundary(key + 4096))?.find("Private-Lines:")?;
    let rest = text.get(private..text.floor_char_boundary(private + 8192))?;
    let length = match rest.find("Private-MAC: ") {
        Some(mac) => mac + rest[mac..].find(['\n', '\r', '"', '\\']).unwrap_or(rest.len() - mac),
        None => rest.len(),
    };
    let end = private + length;
    (!marker::within(&text[start..end])).then_some((label, start..end))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str =
        "MIIEowIBAAKCAQEAx0example0line0of0a0key0AAA\nc29tZSBtb3JlIGxpbmVzIG9mIGEga2V5IGhlcmUu\n";

    fn found(text: &str) -> Option<&str> {
        let key = text.find("KEY")?;
        pem(text, key).map(|(_, range)| &text[range])
    }

    #[test]
    fn a_block_goes_from_its_first_dashes_to_its_last() {
        for (begin, end) in [
            ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"),
            (
                "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----",
                "---- END SSH2 ENCRYPTED PRIVATE KEY ----",
            ),
        ] {
            let block = format!("{begin}\n{LINES}{end}");
            let expected = block.trim_end_matches([' ', '-']).len();
            let text = format!("a\n{block}\nb\n");
            let seen = found(&text).unwrap();
            assert!(
                seen.starts_with("----") && seen.len() >= expected && block.starts_with(seen),
                "{seen}"
            );
        }
    }

    #[test]
    fn a_block_without_end_goes_as_far_as_its_lines() {
        let begin = "-----BEGIN PRIVATE KEY-----";
        let key = format!("{begin}\n{LINES}YQ==");
        assert_eq!(found(&format!("{key}\nthe next line\n")), Some(key.as_str()));
        assert_eq!(found(&key), Some(key.as_str()));
        let other = format!("{key}\n-----BEGIN CERTIFICATE-----\n{LINES}");
        assert_eq!(found(&other), Some(key.as_str()));
    }

    #[test]
    fn a_block_within_a_string_is_found() {
        let line = r#""-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEAx0\nabcd\n-----END PRIVATE KEY-----\n""#;
        assert_eq!(found(line), line.strip_prefix('"').and_then(|line| line.strip_suffix("\\n\"")));
    }

    #[test]
    fn a_mention_is_not_a_block() {
        for text in [
            "-----BEGIN PRIVATE KEY-----",
            "if line == \"-----BEGIN RSA PRIVATE KEY-----\" { return Err(Error::Key) }",
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
            "-----BEGIN PUBLIC KEY-----\nMIIEowIBAAKCAQEAx0AAA\n-----END PUBLIC KEY-----",
            "BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEAx0AAA",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
