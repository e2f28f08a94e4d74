//! Standard output and error, and numbers as people read them.

use std::io::{self, IsTerminal, Write};

/// Writes a text and a line end to standard output.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Says a line on standard error. One that is gone, as with a closed terminal, is no reason to fail.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Asks on standard error, in the line that the answer is typed into.
pub(crate) fn ask(question: &str) {
    let _ = write!(io::stderr(), "{question}");
}

/// Writes bytes as they are.
pub(crate) fn write_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Writes a text as it is; on a terminal it ends with a line end.
pub(crate) fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if out.is_terminal() && !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// A text from another source, without the characters that would move a terminal's cursor.
pub(crate) fn printable(text: &str) -> String {
    let shown = |character: char| if character.is_control() { '\u{fffd}' } else { character };
    text.chars().map(shown).collect()
}

/// `1234567` as `1,234,567`.
pub(crate) fn group_digits(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_terminal_is_not_told_what_to_do() {
        assert_eq!(super::printable("a\u{1b}[2Jb"), "a\u{fffd}[2Jb");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(super::group_digits(number), text);
        }
    }
}
