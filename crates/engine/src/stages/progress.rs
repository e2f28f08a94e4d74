//! Progress bars and spinners collapsed to their last state: what a terminal shows when the output has ended.
//!
//! A line that returns to its own start (`\r`), steps back (`\b`) or moves the cursor is played on a screen; a
//! shorter text leaves the tail of the longer one it overwrites, as it does on a terminal. `\r\n` is a line end.
//! Moves up to earlier lines (docker, npm) are played too. Old Mac texts end their lines with `\r` alone: without
//! signs of progress or of erasing, a line with returns stays as it is. Sequences in other lines stay: they are for
//! [`terminal::strip`], which comes next.

mod screen;
mod signs;

use super::kinds::Cosmetic;
use crate::terminal::{self, EscapeSequence};
use crate::whole_lines::whole_lines;
use memchr::memchr3_iter;
use screen::Screen;

pub(super) static STAGE: Cosmetic = Cosmetic::always("progress", settle);

/// The text as a terminal shows it in the end; `None` if nothing in it was overwritten.
///
/// ```
/// use tokenforge_engine::internals::progress::settle;
///
/// assert_eq!(settle("fetch  50%\rfetch 100%\nok\r\n").as_deref(), Some("fetch 100%\nok\r\n"));
/// assert_eq!(settle("a\r\nb\r\n"), None);
/// ```
pub fn settle(text: &str) -> Option<String> {
    let movement = movement(text)?;
    let mut screen = Screen::new(text);
    for line in whole_lines(text) {
        let (content, end) = split_end(line);
        let plays = match movement {
            Movement::AcrossLines => true,
            Movement::WithinLines => {
                self::movement(content).is_some() && signs::of_progress(content)
            }
        };
        if plays {
            screen.play(content);
        } else {
            screen.put(content);
        }
        screen.end_line(end);
    }
    Some(screen.visible_text()).filter(|shown| shown != text)
}

/// How far the cursor moves back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Movement {
    WithinLines,
    AcrossLines,
}

fn movement(text: &str) -> Option<Movement> {
    let mut found = None;
    for at in memchr3_iter(b'\r', b'\x08', 0x1b, text.as_bytes()) {
        match text.as_bytes()[at] {
            b'\r' if text.as_bytes().get(at + 1).is_none_or(|&next| next == b'\n') => {}
            b'\r' | b'\x08' => found = Some(Movement::WithinLines),
            _ => match terminal::sequence(&text[at..], None) {
                Some(EscapeSequence { control: Some((b'A' | b'F', _)), .. }) => {
                    return Some(Movement::AcrossLines);
                }
                Some(EscapeSequence { control: Some((b'C' | b'D' | b'G', _)), .. }) => {
                    found = Some(Movement::WithinLines)
                }
                _ => {}
            },
        }
    }
    found
}

/// The line and its end, `\r\n`, `\n` or nothing.
fn split_end(line: &str) -> (&str, &str) {
    let content = line.strip_suffix('\n').unwrap_or(line);
    let content = if content.len() < line.len() {
        content.strip_suffix('\r').unwrap_or(content)
    } else {
        content
    };
    line.split_at(content.len())
}

/// What a line consists of, seen by a terminal.
enum TerminalPiece {
    Char(usize, char),
    Control(u8, Option<usize>),
}

/// The line piece by piece; sequences that move nothing are left out.
fn pieces(line: &str) -> impl Iterator<Item = TerminalPiece> {
    let mut at = 0;
    let mut previous = None;
    std::iter::from_fn(move || {
        loop {
            let rest = &line[at..];
            let next = rest.chars().next()?;
            let start = at;
            let Some(sequence) = terminal::sequence(rest, previous) else {
                at += next.len_utf8();
                previous = Some(next);
                return Some(TerminalPiece::Char(start, next));
            };
            at += sequence.len;
            if let Some((last, parameter)) = sequence.control {
                return Some(TerminalPiece::Control(last, parameter));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::settle;
    use crate::terminal::strip;

    fn shown_text(text: &str) -> String {
        let settled = settle(text).unwrap_or_else(|| text.to_owned());
        strip(&settled).unwrap_or(settled)
    }

    #[test]
    fn a_percentage_keeps_its_last_state() {
        assert_eq!(
            shown_text("Receiving:  10%\rReceiving:  55%\rReceiving: 100%, done.\nnext\n"),
            "Receiving: 100%, done.\nnext\n"
        );
    }

    #[test]
    fn a_shorter_text_leaves_the_tail_of_a_longer_one() {
        assert_eq!(shown_text("100% of everything\r 50%\n"), " 50% of everything\n");
    }

    #[test]
    fn an_erased_line_leaves_no_tail() {
        assert_eq!(shown_text("Building a long name\r\x1b[KDone\n"), "Done\n");
        assert_eq!(shown_text("Building a long name\x1b[2K\rDone\n"), "Done\n");
        assert_eq!(shown_text("Building a long name\x1b[2K\x1b[1GDone\n"), "Done\n");
    }

    #[test]
    fn crlf_is_kept() {
        assert_eq!(settle("a\r\nb 1%\rb 2%\r\nc\n").as_deref(), Some("a\r\nb 2%\r\nc\n"));
        assert_eq!(settle("a\r\nb\r\n"), None);
        assert_eq!(settle("cut off between\r"), None);
    }

    #[test]
    fn spinners_of_backspaces_and_braille_end_in_their_last_state() {
        assert_eq!(shown_text("wait |\x08/\x08-\x08\\\x08 done\n"), "wait  done\n");
        assert_eq!(shown_text("⠋ load\r⠙ load\r⠹ load\r✔ load\n"), "✔ load\n");
        assert_eq!(shown_text("\x1b[2K\x1b[1G⠋ load\x1b[2K\x1b[1G✔ ok\n"), "✔ ok\n");
    }

    #[test]
    fn overstruck_manual_pages_read_as_text() {
        assert_eq!(shown_text("N\x08NA\x08AM\x08ME\x08E\n     _\x08l_\x08s\n"), "NAME\n     ls\n");
    }

    #[test]
    fn lines_of_an_old_mac_text_are_not_progress() {
        assert_eq!(settle("name,age\rAlice,30\rBob,25\r"), None);
        assert_eq!(settle("1,12.5\r2,13.5\n"), None);
    }

    #[test]
    fn several_lines_redrawn_end_in_their_last_state() {
        let text = "pull\r\na: waiting\r\nb: waiting\r\n\x1b[2A\x1b[2K\ra: done\r\n\x1b[1B\x1b[1A\x1b[2K\rb: 40%\r\nend\r\n";
        assert_eq!(shown_text(text), "pull\r\na: done\r\nb: 40%\r\nend\r\n");
        assert_eq!(shown_text("a\nb\nc\n\x1b[2A\x1b[Jz\n"), "a\nz\n");
    }

    #[test]
    fn columns_count_wide_characters_and_tabs() {
        assert_eq!(shown_text("1% 日本\r2%\x1b[6Gx\n"), "2% 日x\n");
        assert_eq!(shown_text("1%\ta\r2%\n"), "2%\ta\n");
    }

    #[test]
    fn a_cursor_moved_forward_leaves_a_blank() {
        assert_eq!(shown_text("os\x1b[6Clinux\n"), "os linux\n");
    }
}
