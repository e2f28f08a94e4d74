//! Is what a carriage return overwrites progress, or text whose lines end with `\r`?

use super::{TerminalPiece, pieces};

/// Letters that two states of the same progress have in common.
const MIN_LABEL: usize = 6;

/// A state with more bytes than this is data.
const MAX_STATE: usize = 4096;

/// Whether everything the line overwrites is erased on purpose or looks like a state of progress.
pub(super) fn of_progress(line: &str) -> bool {
    let mut states = vec![String::new()];
    let mut erases = false;
    for piece in pieces(line) {
        match piece {
            TerminalPiece::Control(b'K' | b'J', _) => erases = true,
            TerminalPiece::Control(..) => {}
            TerminalPiece::Char(_, '\r') if states.last().is_some_and(String::is_empty) => {}
            TerminalPiece::Char(_, '\r') => states.push(String::new()),
            TerminalPiece::Char(_, c) => {
                if let Some(state) = states.last_mut() {
                    state.push(c);
                }
            }
        }
    }
    states.retain(|state| !state.trim().is_empty());
    if states.iter().any(|state| state.len() > MAX_STATE) {
        return false;
    }
    erases || states.windows(2).all(|pair| matches!(pair, [state, next] if shows_progress(state) || same_label(state, next)))
}

fn shows_progress(state: &str) -> bool {
    state.contains(['%', '\u{8}'])
        || ["--:--", "/s"].iter().any(|sign| state.contains(sign))
        || state.chars().any(|c| matches!(c, '\u{2580}'..='\u{259f}' | '\u{2800}'..='\u{28ff}'))
        || has_bar(state)
        || has_fraction(state)
}

/// Three equal characters of which bars are drawn: `===`, `###`, `...`, `━━━`.
fn has_bar(state: &str) -> bool {
    let mut last = ['\0'; 2];
    state.chars().any(|c| {
        let bar = matches!(c, '=' | '#' | '.' | '*' | '━' | '─') && last == [c, c];
        last = [last[1], c];
        bar
    })
}

/// A count of a total: `3/12`.
fn has_fraction(state: &str) -> bool {
    state.as_bytes().windows(3).any(|window| matches!(window, [b'0'..=b'9', b'/', b'0'..=b'9']))
}

fn same_label(state: &str, next: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>();
    let label = letters(state);
    label.chars().count() >= MIN_LABEL && label == letters(next)
}
