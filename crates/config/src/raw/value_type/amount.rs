//! Words that are numbers: counts, sizes, times, money.

use super::{Scalar, ValueType};
use schemars::{Schema, json_schema};
use std::time::Duration;

/// How many: 1 or more.
pub(crate) struct PositiveCount;

impl ValueType for PositiveCount {
    type Value = usize;

    fn expected() -> String {
        "a positive integer".to_owned()
    }

    fn parse(text: &str) -> Option<usize> {
        text.parse().ok().filter(|count| *count > 0)
    }

    fn write(value: &usize) -> Scalar {
        Scalar::Integer(*value)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "integer", "minimum": 1 })
    }
}

/// How many bytes: a number with or without a unit, and no fewer than `LEAST`.
pub(crate) struct ByteSize<const LEAST: usize>;

/// The larger first: what is written uses the largest that fits.
const SIZES: &[(&str, usize)] = &[("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

impl<const LEAST: usize> ValueType for ByteSize<LEAST> {
    type Value = usize;

    fn expected() -> String {
        let least = if LEAST > 0 { format!(" of {LEAST} or more") } else { String::new() };
        format!("a number of bytes{least}, such as 65536, 64KiB or 64MiB")
    }

    fn parse(text: &str) -> Option<usize> {
        let (number, unit) = split_unit(text)?;
        let scale = match unit {
            "" | "B" => 1,
            unit => SIZES.iter().find(|(name, _)| *name == unit)?.1,
        };
        number.checked_mul(scale).filter(|bytes| *bytes >= LEAST)
    }

    /// Small sizes are exact numbers to everybody; the large ones are easier to read with a unit.
    fn write(value: &usize) -> Scalar {
        let unit =
            SIZES.iter().find(|(_, scale)| *value >= 1 << 20 && value.is_multiple_of(*scale));
        match unit {
            Some((name, scale)) => Scalar::text(format!("{}{name}", value / scale)),
            None => Scalar::Integer(*value),
        }
    }

    fn schema() -> Schema {
        json_schema!({ "anyOf": [
            { "type": "integer", "minimum": LEAST },
            { "type": "string", "pattern": "^[0-9]+ ?(B|KiB|MiB|GiB)?$" },
        ] })
    }
}

/// How long: numbers with units, and more than nothing.
pub(crate) struct TimeSpan;

const TIMES: &[(&str, u64)] =
    &[("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

impl ValueType for TimeSpan {
    type Value = Duration;

    fn expected() -> String {
        "a time such as 500ms, 30s, 5m or 24h".to_owned()
    }

    fn parse(text: &str) -> Option<Duration> {
        let (number, unit) = split_unit(text)?;
        let scale = TIMES.iter().find(|(name, _)| *name == unit)?.1;
        let milliseconds = u64::try_from(number).ok()?.checked_mul(scale)?;
        (milliseconds > 0).then(|| Duration::from_millis(milliseconds))
    }

    fn write(value: &Duration) -> Scalar {
        let milliseconds = value.as_millis();
        // A day is written as 24h, which is how people say it.
        let unit =
            TIMES.iter().skip(1).find(|(_, scale)| milliseconds.is_multiple_of(u128::from(*scale)));
        let (name, scale) = unit.copied().unwrap_or(("ms", 1));
        Scalar::text(format!("{}{name}", milliseconds / u128::from(scale)))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9]+ ?(ms|s|m|h|d)$" })
    }
}

/// A number without a fraction, which may be below zero.
pub(crate) struct Integer;

impl ValueType for Integer {
    type Value = i32;

    fn expected() -> String {
        "a whole number".to_owned()
    }

    fn parse(text: &str) -> Option<i32> {
        text.parse().ok()
    }

    fn write(value: &i32) -> Scalar {
        Scalar::Signed(*value)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "integer" })
    }
}

/// A part: 0.1 to 0.9.
pub(crate) struct TargetRatio;

impl ValueType for TargetRatio {
    type Value = f64;

    fn expected() -> String {
        "a number from 0.1 to 0.9".to_owned()
    }

    fn parse(text: &str) -> Option<f64> {
        text.parse().ok().filter(|ratio| (0.1..=0.9).contains(ratio))
    }

    fn write(value: &f64) -> Scalar {
        Scalar::Fraction(*value)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "number", "minimum": 0.1, "maximum": 0.9 })
    }
}

/// A part of something: 0 to 1.
pub(crate) struct Part;

impl ValueType for Part {
    type Value = f64;

    fn expected() -> String {
        "a number from 0 to 1".to_owned()
    }

    fn parse(text: &str) -> Option<f64> {
        text.parse().ok().filter(|part| (0.0..=1.0).contains(part))
    }

    fn write(value: &f64) -> Scalar {
        Scalar::Fraction(*value)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

/// Dollars to be spent.
pub(crate) struct Spending;

impl ValueType for Spending {
    type Value = f64;

    fn expected() -> String {
        "a number of dollars, such as 5 or 0.5".to_owned()
    }

    fn parse(text: &str) -> Option<f64> {
        Dollars::parse(text)
    }

    fn write(value: &f64) -> Scalar {
        Scalar::Fraction(*value)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "number", "minimum": 0 })
    }
}

/// Dollars per million tokens.
pub(crate) struct Dollars;

impl ValueType for Dollars {
    type Value = f64;

    fn expected() -> String {
        "dollars per million tokens, such as 3 or 0.25".to_owned()
    }

    fn parse(text: &str) -> Option<f64> {
        text.parse().ok().filter(|dollars: &f64| dollars.is_finite() && *dollars >= 0.0)
    }

    fn write(value: &f64) -> Scalar {
        Scalar::Fraction(*value)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "number", "minimum": 0 })
    }
}

/// The digits in front, and what follows them.
fn split_unit(text: &str) -> Option<(usize, &str)> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    Some((number.parse().ok()?, unit.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_with_or_without_a_unit() {
        let cases = [
            ("65536", Some(65_536)),
            ("64KiB", Some(65_536)),
            ("64 MiB", Some(64 << 20)),
            ("1GiB", Some(1 << 30)),
            ("7B", Some(7)),
            ("0", None),
            ("64MB", None),
            ("-1", None),
            ("1.5MiB", None),
            ("99999999999999999999", None),
            ("99999999999GiB", None),
            ("", None),
            ("é", None),
        ];
        for (text, bytes) in cases {
            assert_eq!(ByteSize::<1>::parse(text), bytes, "{text}");
        }
    }

    #[test]
    fn a_time_needs_a_unit_and_is_never_nothing() {
        let cases = [
            ("30s", Some(30_000)),
            ("500ms", Some(500)),
            ("5 m", Some(300_000)),
            ("24h", Some(86_400_000)),
            ("1d", Some(86_400_000)),
            ("30", None),
            ("0s", None),
            ("s", None),
            ("99999999999999999d", None),
        ];
        for (text, milliseconds) in cases {
            assert_eq!(TimeSpan::parse(text), milliseconds.map(Duration::from_millis), "{text}");
        }
    }

    #[test]
    fn amounts_are_written_as_people_say_them() {
        assert_eq!(ByteSize::<0>::write(&(64 << 20)), Scalar::text("64MiB"));
        assert_eq!(ByteSize::<0>::write(&65_536), Scalar::Integer(65_536));
        assert_eq!(TimeSpan::write(&Duration::from_secs(86_400)), Scalar::text("24h"));
        assert_eq!(TimeSpan::write(&Duration::from_secs(90)), Scalar::text("90s"));
        assert_eq!(TimeSpan::write(&Duration::from_millis(1_500)), Scalar::text("1500ms"));
    }

    #[test]
    fn v10_a_part_is_from_none_to_all_and_money_is_not_negative() {
        let reads = |text| Part::parse(text).is_some();
        assert!(reads("0") && reads("0.05") && reads("1"));
        assert!(!reads("-0.1") && !reads("1.01") && !reads("5%") && !reads("NaN"));
        assert!(Spending::parse("0.5").is_some() && Spending::parse("0").is_some());
        assert!(Spending::parse("-1").is_none() && Spending::parse("inf").is_none());
    }

    #[test]
    fn c9_a_ratio_is_from_a_tenth_to_nine_tenths() {
        let reads = |text| TargetRatio::parse(text).is_some();
        assert!(reads("0.1") && reads("0.5") && reads("0.9"));
        assert!(!reads("0") && !reads("1") && !reads("NaN") && !reads("half"));
    }
}
