//! Formatting: numbers and names as people read them.

/// `1234567` as `1,234,567`.
pub(crate) fn group_digits(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut out = String::new();
    if number <= -0.5 {
        out.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Dollars, with as many digits as a small sum needs.
pub(crate) fn dollars(amount: f64) -> String {
    let sign = if amount < 0.0 { "-" } else { "" };
    match amount.abs() {
        amount if amount < 0.00005 => "$0".to_owned(),
        amount if amount < 0.1 => format!("{sign}${amount:.4}"),
        amount => format!("{sign}${amount:.2}"),
    }
}

/// What is saved of something, in percent; negative if it is more than before.
pub(crate) fn percent_saved(before: f64, after: f64) -> String {
    format!("{:.1} %", 100.0 * (1.0 - crate::account::ratio(after, before)))
}

/// A name from a log, without what would move a terminal's cursor, and not too long.
pub(crate) fn printable_name(text: &str) -> String {
    let shown = |character: char| if character.is_control() { '\u{fffd}' } else { character };
    let text = if text.is_empty() { "(no name)" } else { text };
    let mut name: String = text.chars().take(40).map(shown).collect();
    if text.chars().count() > 40 {
        name.push('…');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(group_digits(1_234_567.4), "1,234,567");
        assert_eq!(group_digits(-1234.0), "-1,234");
        assert_eq!((dollars(12.345), dollars(-0.0123)), ("$12.35".into(), "-$0.0123".into()));
        assert_eq!(
            (percent_saved(100.0, 60.0), percent_saved(0.0, 0.0)),
            ("40.0 %".into(), "0.0 %".into())
        );
        assert_eq!(printable_name("a\u{1b}[2J"), "a\u{fffd}[2J");
    }
}
