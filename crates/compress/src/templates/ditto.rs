//! Values that repeat what the row above has in the same place.

/// How a value is written under the one above it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ditto<'a> {
    /// As it is.
    No,
    /// The same value.
    Same,
    /// A time of the same length that has another ending.
    Ending(&'a str),
}

/// Compares a value with the one above.
pub(super) fn ditto<'a>(value: &'a str, above: &str) -> Ditto<'a> {
    if value == above {
        return if value.len() > 1 { Ditto::Same } else { Ditto::No };
    }
    ending(value, above).map_or(Ditto::No, Ditto::Ending)
}

/// What a value that is written as the sign and an ending has of the one above.
pub(super) fn kept<'a>(above: &'a str, ending: &str) -> Option<&'a str> {
    above.get(..above.len().checked_sub(ending.len())?)
}

/// A time from the first of its numbers that differs.
fn ending<'a>(value: &'a str, above: &str) -> Option<&'a str> {
    if value.len() != above.len() || !is_time(value) || !is_time(above) {
        return None;
    }
    let same = value.bytes().zip(above.bytes()).take_while(|(a, b)| a == b).count();
    let number = value.get(..same)?.rfind(|c: char| !c.is_ascii_digit())?;
    value.get(number + 1..)
}

/// Whether a value is a time of day or seconds with a fraction. Other values are never written in part: they are
/// what a reader searches for.
fn is_time(value: &str) -> bool {
    let digits = |value: &str| value.bytes().take_while(u8::is_ascii_digit).count();
    match (digits(value), value.as_bytes()) {
        (hours @ 1..=2, bytes) if bytes.get(hours) == Some(&b':') => {
            value.bytes().all(|byte| byte.is_ascii_digit() || b":.,".contains(&byte))
        }
        (seconds @ 9..=11, bytes) if bytes.get(seconds) == Some(&b'.') => {
            value.get(seconds + 1..).is_some_and(|fraction| digits(fraction) == fraction.len())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_cut_before_the_first_number_that_differs() {
        assert_eq!(ditto("16:32:01,617", "16:32:01,616"), Ditto::Ending("617"));
        assert_eq!(ditto("16:32:02,001", "16:32:01,616"), Ditto::Ending("02,001"));
        assert_eq!(ditto("1697048351.000682", "1697048351.000668"), Ditto::Ending("000682"));
        assert_eq!(ditto("17:00:00", "16:32:01"), Ditto::No);
        assert_eq!(kept("16:32:01,616", "02,001"), Some("16:32:"));
    }

    #[test]
    fn addresses_versions_and_names_are_never_cut() {
        for (value, above) in [
            ("10.0.0.12", "10.0.0.11"),
            ("10.0.0.1:81", "10.0.0.1:80"),
            ("1.2.4", "1.2.3"),
            ("a-2", "a-1"),
        ] {
            assert_eq!(ditto(value, above), Ditto::No);
        }
    }

    #[test]
    fn a_single_character_is_as_short_as_the_sign() {
        assert_eq!(ditto("0", "0"), Ditto::No);
        assert_eq!(ditto("10", "10"), Ditto::Same);
    }
}
