//! Binary detection: output that no one can read, such as the bytes of a picture or an archive, and long base64.
//!
//! Binary data that was decoded as text is full of control characters *and* of U+FFFD. Spinners, boxes, emoji and other
//! alphabets have neither; text in a legacy encoding has U+FFFD alone; a list separated by NUL has few of them.

use super::kinds::Removal;
use crate::digit_groups::group_digits;
use crate::fidelity::Fidelity;
use crate::whole_lines::whole_lines;
use std::ops::Range;

mod base64;

pub use base64::suppress_base64;

/// A stretch with fewer unreadable characters than this stays.
const MIN_UNREADABLE: usize = 16;

/// Readable lines of this many bytes or fewer between binary ones are part of the data.
const MAX_NOISE: usize = 8;

/// So many readable characters before or behind the binary part of a line are text; fewer are noise.
const MIN_TEXT: usize = 8;

pub(super) static BINARY: Removal =
    Removal { name: "binary", fidelity: Fidelity::Safety, apply: suppress };

pub(super) static BASE64: Removal =
    Removal { name: "base64", fidelity: Fidelity::Reversible, apply: suppress_base64 };

/// The text with every binary stretch of lines replaced by a marker that says how large it was; `None` if there is none, or if
/// markers would take more room. Readable text on the same line, before and behind the binary part, stays.
///
/// ```
/// use tokenforge_engine::internals::binary::suppress;
///
/// let data = "\u{3}\u{4}\0\u{fffd}".repeat(20);
/// let text = format!("a.zip:\n{data}\nthe end: {data}.\n");
/// let shown = "a.zip:\n[Forge removed binary output: 120 bytes]\nthe end: [Forge removed binary output: 121 bytes]\n";
/// assert_eq!(suppress(&text).as_deref(), Some(shown));
/// ```
pub fn suppress(text: &str) -> Option<String> {
    // Without control characters nothing is binary.
    if !has_control(text.as_bytes()) {
        return None;
    }
    let mut kept = String::new();
    let mut copied = 0;
    for part in stretches(text).into_iter().flat_map(|stretch| unreadable_parts(text, stretch)) {
        kept.push_str(&text[copied..part.start]);
        kept.push_str(&format!(
            "[Forge removed binary output: {} bytes]",
            group_digits(part.len())
        ));
        copied = part.end;
    }
    kept.push_str(&text[copied..]);
    (copied > 0 && kept.len() < text.len()).then_some(kept)
}

/// The parts of a binary stretch without the text at the beginnings and ends of its lines, and without its last line end.
fn unreadable_parts(text: &str, stretch: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut start = stretch.start;
    for line in whole_lines(&text[stretch]) {
        let content = line.trim_end_matches(['\n', '\r']);
        let head = readable_end(content.chars());
        let tail = readable_end(content.chars().rev());
        let end = start + content.len();
        // A line that is all readable is noise inside of a part, and text outside of one.
        let is_readable = head.bytes == content.len();
        if !is_readable && head.is_text() {
            parts.extend(open.take());
        }
        let begin = open.as_ref().map(|part| part.start);
        open = match (is_readable, begin) {
            (true, begin) => begin.map(|begin| begin..end),
            (false, Some(begin)) => Some(begin..end - tail.kept()),
            (false, None) => Some(start + head.kept()..end - tail.kept()),
        };
        if !is_readable && tail.is_text() {
            parts.extend(open.take());
        }
        start += line.len();
    }
    parts.extend(open);
    parts
}

/// Readable characters at an end of a line.
struct ReadableEnd {
    characters: usize,
    bytes: usize,
}

impl ReadableEnd {
    fn is_text(&self) -> bool {
        self.characters >= MIN_TEXT
    }

    /// How many bytes stay.
    fn kept(&self) -> usize {
        if self.is_text() { self.bytes } else { 0 }
    }
}

/// The readable characters at the end of a line from which these characters come.
fn readable_end(from_end: impl Iterator<Item = char>) -> ReadableEnd {
    let is_control =
        |c: char| u8::try_from(c).is_ok_and(|byte| byte.is_ascii() && is_control(byte));
    let is_readable = |c: &char| *c != char::REPLACEMENT_CHARACTER && !is_control(*c);
    let none = ReadableEnd { characters: 0, bytes: 0 };
    from_end.take_while(is_readable).fold(none, |end, c| ReadableEnd {
        characters: end.characters + 1,
        bytes: end.bytes + c.len_utf8(),
    })
}

/// The byte ranges of binary lines, with the noise between them.
fn stretches(text: &str) -> Vec<Range<usize>> {
    let mut stretches = Vec::new();
    let mut open: Option<(Range<usize>, usize)> = None;
    let mut close = |open: &mut Option<(Range<usize>, usize)>| {
        if let Some((stretch, unreadable)) = open.take()
            && unreadable >= MIN_UNREADABLE
        {
            stretches.push(stretch);
        }
    };
    let mut start = 0;
    for line in whole_lines(text) {
        let end = start + line.len();
        let census = Census::of(line);
        if census.is_binary() {
            let (stretch, unreadable) = open.get_or_insert((start..end, 0));
            stretch.end = end;
            *unreadable += census.unreadable();
        } else if line.trim_end().len() > MAX_NOISE {
            close(&mut open);
        }
        start = end;
    }
    close(&mut open);
    stretches
}

/// How many characters of a line are of which kind.
#[derive(Default)]
struct Census {
    characters: usize,
    control: usize,
    nul: usize,
    replaced: usize,
}

impl Census {
    fn of(line: &str) -> Self {
        let mut census = Self::default();
        for c in line.chars() {
            census.characters += 1;
            census.nul += usize::from(c == '\0');
            census.control += usize::from(c.is_ascii() && is_control(c as u8));
            census.replaced += usize::from(c == char::REPLACEMENT_CHARACTER);
        }
        census
    }

    fn unreadable(&self) -> usize {
        self.control + self.replaced
    }

    /// At least one character in 33 is a control character and one in 8 is unreadable; but not UTF-16 text, where every
    /// other character is NUL.
    fn is_binary(&self) -> bool {
        let utf16 = self.nul * 5 >= self.characters * 2 && self.nul * 5 <= self.characters * 3;
        let only_nul = self.unreadable() == self.nul;
        self.control * 33 >= self.characters
            && self.unreadable() * 8 >= self.characters
            && self.control > 0
            && !(utf16 && only_nul)
    }
}

/// Is there a control character? Words of eight bytes in which none can be are passed at once.
fn has_control(text: &[u8]) -> bool {
    let (words, rest) = text.as_chunks::<8>();
    let suspect = words.iter().filter(|word| may_have_control(u64::from_le_bytes(**word)));
    suspect.flatten().chain(rest).any(|&byte| is_control(byte))
}

/// Is a byte of the word below a space, or 0x7f?
fn may_have_control(word: u64) -> bool {
    const EACH: u64 = u64::MAX / 0xff;
    let low = word.wrapping_sub(EACH * 0x20) & !word;
    let from_delete = word ^ (EACH * 0x7f);
    let delete = from_delete.wrapping_sub(EACH) & !from_delete;
    (low | delete) & (EACH * 0x80) != 0
}

/// Control characters that neither lay out text nor steer a terminal.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=6 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f)
}

#[cfg(test)]
mod tests {
    use super::{has_control, is_control, suppress};

    /// Bytes as a compressor makes them, decoded as a tool does.
    fn noise(bytes: usize) -> String {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        String::from_utf8_lossy(&(0..bytes).map(|_| next()).collect::<Vec<_>>()).into_owned()
    }

    #[test]
    fn a_control_character_is_found_wherever_it_is() {
        for byte in 0..=u8::MAX {
            for at in 0..20 {
                let mut text = *b"twenty bytes \n of \xfft";
                text[at] = byte;
                assert_eq!(has_control(&text), is_control(byte), "{byte:#x} at {at}");
            }
        }
    }

    #[test]
    fn a_picture_becomes_its_signature_and_its_size() {
        let picture = format!("\u{fffd}PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\u{1}{}", noise(20_000));
        let shown = suppress(&picture).unwrap();
        assert!(shown.starts_with("\u{fffd}PNG\r\n[Forge removed binary output: "), "{shown}");
        assert_eq!(shown.lines().count(), 2, "{shown}");
        assert_eq!(suppress(&shown), None);
    }

    #[test]
    fn readable_lines_around_it_stay() {
        let shown =
            suppress(&format!("$ cat a.zip\n{}\n$ echo done\ndone\n", noise(3_000))).unwrap();
        assert!(shown.starts_with("$ cat a.zip\n[Forge removed binary output: "), "{shown}");
        assert!(shown.ends_with(" bytes]\n$ echo done\ndone\n"), "{shown}");
    }

    #[test]
    fn f23_text_on_the_line_of_binary_output_stays() {
        let data = "\u{fffd}\u{1}\u{2}\u{fffd}".repeat(30);
        let text = format!("upload of logo.png: {data}\nshop:{data}ok\n{data} 3 files sent\nend\n");
        let shown = suppress(&text).unwrap();
        assert_eq!(
            shown,
            "upload of logo.png: [Forge removed binary output: 729 bytes] 3 files sent\nend\n"
        );
        assert_eq!(suppress(&shown), None);
    }

    #[test]
    fn text_that_only_looks_unusual_stays() {
        let stray = "a line of ordinary text, ten times\n".repeat(300) + "one \0 here\n";
        let utf16: String = "wsl.exe prints like this\n".chars().flat_map(|c| [c, '\0']).collect();
        for text in [
            "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ installing\r⠋⠙⠹⠸ installing\n".repeat(50),
            "\x1b[2K\x1b[1G\x1b[?25l\x1b[31m▓▓▓░░░\x1b[0m 12 %\x08\x08".repeat(200),
            "│ 表 │ ┌──┐ 🎉🎉🎉 日本語テキスト\n".repeat(50),
            stray,
            utf16.repeat(10),
            "src/main.rs\0src/lib.rs\0Cargo.toml\0".repeat(100),
            "\u{fffd}\u{fffd}\u{fffd}\u{fffd} \u{fffd}\u{fffd}\u{fffd}: C:\\temp\\x\n".repeat(20),
        ] {
            assert_eq!(suppress(&text), None, "{text:?}");
        }
    }
}
