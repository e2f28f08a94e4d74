//! Terminal escapes (ANSI, ECMA-48): text without the sequences that steer a terminal: colours, titles, hyperlinks, cursor movement.
//!
//! What a terminal would show stays, line ends included. No escape character survives, so stripping twice changes
//! nothing. A string sequence that is not closed on its own line loses its introducer alone: its payload may be text.

use memchr::memchr2_iter;

const ESCAPE: char = '\u{1b}';

/// Longer parameters than this are text, not a control sequence.
const MAX_PARAMETERS: usize = 256;

/// The text without terminal sequences; `None` if it has none.
///
/// ```
/// use tokenforge_redact::terminal::strip;
///
/// assert_eq!(strip("\x1b[1;31merror\x1b[0m: no\r\n").as_deref(), Some("error: no\r\n"));
/// assert_eq!(strip("\x1b]8;;https://a.b\x1b\\link\x1b]8;;\x07").as_deref(), Some("link"));
/// assert_eq!(strip("plain"), None);
/// ```
pub fn strip(text: &str) -> Option<String> {
    let mut kept = String::new();
    let mut copied = 0;
    for at in introducers(text) {
        if at < copied {
            continue;
        }
        let before = &text[copied..at];
        let previous = before.chars().next_back().or_else(|| kept.chars().next_back());
        let Some(sequence) = sequence(&text[at..], previous) else { continue };
        kept.push_str(before);
        copied = at + sequence.len;
    }
    if copied == 0 {
        return None;
    }
    kept.push_str(&text[copied..]);
    Some(kept)
}

/// Where a sequence may begin: an escape character, or the lead byte of the 8-bit controls.
pub fn introducers(text: &str) -> impl Iterator<Item = usize> {
    memchr2_iter(0x1b, 0xc2, text.as_bytes())
}

/// One sequence at the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EscapeSequence {
    /// How many bytes it takes.
    pub len: usize,
    /// For a control sequence without intermediate bytes: its final byte and first parameter.
    pub control: Option<(u8, Option<usize>)>,
}

/// The sequence that the text begins with. After a Latin-1 letter an 8-bit control is text: UTF-8 that was decoded
/// wrongly (`â\u{80}\u{9d}`) looks like that, a terminal's output does not.
pub fn sequence(text: &str, previous: Option<char>) -> Option<EscapeSequence> {
    let mut chars = text.chars();
    let first = chars.next()?;
    let (kind, introducer) = match first {
        ESCAPE => (chars.next(), 2),
        '\u{90}' | '\u{98}' | '\u{9b}'..='\u{9f}' if !previous.is_some_and(is_latin1) => {
            (char::from_u32(u32::from(first) - 0x40), first.len_utf8())
        }
        _ => return None,
    };
    let rest = text.get(introducer..).unwrap_or_default();
    let (body, control) = match kind {
        Some('[') => control_body(rest),
        Some(']') => (string_body(rest, true), None),
        Some('P' | 'X' | '^' | '_') => (string_body(rest, false), None),
        Some(' '..='/') => (intermediates_and_final(rest), None),
        Some('0'..='~') => (0, None),
        _ => return Some(EscapeSequence { len: first.len_utf8(), control: None }),
    };
    Some(EscapeSequence { len: introducer + body, control })
}

fn is_latin1(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{ff}')
}

/// The length of parameters, intermediates and final byte, or of what there is of them.
fn control_body(rest: &str) -> (usize, Option<(u8, Option<usize>)>) {
    let bytes = &rest.as_bytes()[..rest.len().min(MAX_PARAMETERS)];
    let parameters = bytes.iter().take_while(|byte| matches!(byte, 0x30..=0x3f)).count();
    let body = parameters + intermediates_and_final(&rest[parameters..]);
    if parameters == MAX_PARAMETERS {
        return (0, None);
    }
    let control = (body == parameters + 1).then(|| {
        let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (rest.as_bytes()[parameters], rest[..digits].parse().ok())
    });
    (body, control.filter(|(last, _)| matches!(last, 0x40..=0x7e)))
}

fn intermediates_and_final(rest: &str) -> usize {
    let bytes = &rest.as_bytes()[..rest.len().min(MAX_PARAMETERS)];
    let intermediates = bytes.iter().take_while(|byte| matches!(byte, 0x20..=0x2f)).count();
    intermediates + usize::from(matches!(bytes.get(intermediates), Some(0x30..=0x7e)))
}

/// The length of a string up to its terminator, or 0 if the line or another sequence comes first.
fn string_body(rest: &str, bell_ends: bool) -> usize {
    let stop = |c: char| {
        matches!(c, '\n' | ESCAPE | '\u{90}' | '\u{98}' | '\u{9b}'..='\u{9f}')
            || bell_ends && c == '\x07'
    };
    let Some(end) = rest.find(stop) else { return 0 };
    let terminator = &rest[end..];
    match terminator.chars().next() {
        Some('\x07') => end + 1,
        Some('\u{9c}') => end + '\u{9c}'.len_utf8(),
        _ if terminator.starts_with("\x1b\\") => end + 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::strip;

    fn strip_text(text: &str) -> String {
        strip(text).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn colours_and_cursor_movement_go() {
        assert_eq!(
            strip_text("\x1b[0m\x1b[01;34msrc\x1b[0m\x1b[K\x1b[?25h\x1b[38;2;1;2;3mx\x1b[m"),
            "srcx"
        );
        assert_eq!(strip_text("\x1b(B\x1b=\x1b7a\x1b8\x1bMb\x1b#8"), "ab");
    }

    #[test]
    fn a_hyperlink_keeps_its_text() {
        assert_eq!(
            strip_text("see \x1b]8;id=1;https://a.b/c\x1b\\docs\x1b]8;;\x1b\\."),
            "see docs."
        );
        assert_eq!(strip_text("\x1b]0;title\x07$ ls"), "$ ls");
    }

    #[test]
    fn device_strings_go() {
        assert_eq!(
            strip_text("a\x1bPq#0;1\x1b\\b\x1b_Gf=100;AAAA\x1b\\c\x1b^x\x1b\\d\x1bXy\x1b\\e"),
            "abcde"
        );
    }

    #[test]
    fn eight_bit_introducers_go() {
        assert_eq!(strip_text("\u{9b}31mred\u{9b}0m \u{9d}0;title\u{9c}x\u{90}q\u{9c}"), "red x");
    }

    #[test]
    fn wrongly_decoded_text_stays() {
        assert_eq!(strip("it\u{e2}\u{80}\u{99}s \u{e2}\u{80}\u{9c}quoted\u{e2}\u{80}\u{9d}"), None);
        assert_eq!(strip("5 °C · «naïve»\u{a0}"), None);
    }

    #[test]
    fn an_unterminated_string_swallows_nothing() {
        assert_eq!(
            strip_text("\x1b]0;title\nline one\nline two\n"),
            "0;title\nline one\nline two\n"
        );
        assert_eq!(strip_text("\x1bPabc\x1b[1mdef"), "abcdef");
    }

    #[test]
    fn a_sequence_that_is_cut_off_goes() {
        assert_eq!(strip_text("end\x1b"), "end");
        assert_eq!(strip_text("end\x1b[3"), "end");
        assert_eq!(strip_text("a\x1b[3\nb\x1bé"), "a\nbé");
    }

    #[test]
    fn everything_else_is_kept() {
        assert_eq!(strip("a\r\nb\tc\x07\0\r\n"), None);
        assert_eq!(strip_text("\x1b[1ma\x1b[0m\r\nb\r\n"), "a\r\nb\r\n");
    }
}
