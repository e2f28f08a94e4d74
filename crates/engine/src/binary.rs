//! Binary detection: output that no one can read, such as the bytes of a picture or an archive, and long base64.
//!
//! Binary data that was decoded as text is full of control characters *and* of U+FFFD. Spinners, boxes, emoji and other
//! alphabets have neither; text in a legacy encoding has U+FFFD alone; a list separated by NUL has few of them.

use crate::digit_groups::group_digits;
use crate::whole_lines::whole_lines;
use std::ops::Range;

mod base64;

pub use base64::suppress_base64;

/// A stretch with fewer unreadable characters than this stays.
const MIN_UNREADABLE: usize = 16;

/// Readable lines of this many bytes or fewer between binary ones are part of the data.
const MAX_NOISE: usize = 8;

/// The text with every binary stretch of lines replaced by one line that says how large it was; `None` if there is none.
///
/// ```
/// use tokenforge_engine::binary::suppress;
///
/// let text = format!("a.zip:\n{}\nend\n", "PK\u{3}\u{4}\0\u{fffd}".repeat(20));
/// assert_eq!(suppress(&text).as_deref(), Some("a.zip:\n[Forge removed binary output: 161 bytes]\nend\n"));
/// ```
pub fn suppress(text: &str) -> Option<String> {
    // Without control characters nothing is binary.
    if !has_control(text.as_bytes()) {
        return None;
    }
    let stretches = stretches(text);
    if stretches.is_empty() {
        return None;
    }
    let mut kept = String::new();
    let mut copied = 0;
    for stretch in stretches {
        kept.push_str(&text[copied..stretch.start]);
        kept.push_str(&format!(
            "[Forge removed binary output: {} bytes]",
            group_digits(stretch.len())
        ));
        copied = stretch.end;
        if text[..copied].ends_with('\n') {
            kept.push('\n');
        }
    }
    kept.push_str(&text[copied..]);
    Some(kept)
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
