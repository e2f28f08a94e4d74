//! Days and times as people write them, in UTC.

use std::fmt;

const SECONDS: u64 = 24 * 60 * 60;

/// A day in UTC. In text it is `2026-11-15`, which sorts by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcDay {
    /// Days since 1 January 1970.
    number: u64,
}

impl UtcDay {
    /// The day of a moment, given in seconds since 1970.
    #[must_use]
    pub fn of(time: u64) -> Self {
        UtcDay { number: time / SECONDS }
    }

    /// The first of as many days as this, of which this is the last.
    #[must_use]
    pub fn first_of(self, days: u64) -> Self {
        UtcDay { number: self.number.saturating_sub(days.saturating_sub(1)) }
    }

    /// Its first second.
    #[must_use]
    pub fn start(self) -> u64 {
        self.number.saturating_mul(SECONDS)
    }

    /// Year, month and day in the calendar. Years are counted from March, so that a leap day is the last day of one.
    fn date(self) -> (u64, u64, u64) {
        let days = self.number.saturating_add(719_468);
        let (era, day) = (days / 146_097, days % 146_097);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let (date, month) = (day - (153 * month + 2) / 5 + 1, (month + 2) % 12 + 1);
        (era * 400 + year + u64::from(month <= 2), month, date)
    }
}

impl fmt::Display for UtcDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

/// A moment as RFC 3339 has it.
pub(crate) fn rfc3339(time: u64) -> String {
    let (day, second) = (UtcDay::of(time), time % SECONDS);
    let (hours, minutes, seconds) = (second / 3600, second / 60 % 60, second % 60);
    format!("{day}T{hours:02}:{minutes:02}:{seconds:02}Z")
}

/// The moment that a text names as RFC 3339 has it, in seconds since 1970.
///
/// ```
/// use tokenforge_ledger::parse_rfc3339;
///
/// assert_eq!(parse_rfc3339("2025-11-15T20:38:32.5+01:00"), Some(1_763_235_512));
/// assert_eq!(parse_rfc3339("yesterday"), None);
/// ```
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<u64> {
    let number = |at: usize, digits: usize| -> Option<u64> {
        let part = text.get(at..at + digits)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let (year, month, date) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hours, minutes, seconds) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    if year < 1970 || !(1..=12).contains(&month) {
        return None;
    }
    // Years are counted from March, as in `date`.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + date;
    let time = (days - 719_469) * SECONDS + hours * 3600 + minutes * 60 + seconds;
    let fraction = text
        .get(19..)?
        .strip_prefix('.')
        .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let offset = fraction.or_else(|| text.get(19..))?;
    let start = text.len() - offset.len();
    let ahead = || Some(number(start + 1, 2)? * 3600 + number(start + 4, 2)? * 60);
    match offset.as_bytes().first()? {
        b'Z' | b'z' => Some(time),
        b'+' => time.checked_sub(ahead()?),
        b'-' => time.checked_add(ahead()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_that_are_written_are_read() {
        for day in (0..60_000).step_by(7) {
            let time = day * SECONDS + day % SECONDS;
            assert_eq!(parse_rfc3339(&rfc3339(time)), Some(time));
        }
        for text in [
            "",
            "2025-11-15",
            "2025-13-15T00:00:00Z",
            "2025-11-15T19:38:32",
            "1969-12-31T23:59:59Z",
            "2025-11-1é T19:38:32Z",
        ] {
            assert_eq!(parse_rfc3339(text), None, "{text}");
        }
        assert_eq!(parse_rfc3339("1970-01-01T00:30:00+01:00"), None, "before the beginning");
        assert_eq!(parse_rfc3339("1970-01-01T00:30:00-01:00"), Some(5_400));
    }

    #[test]
    fn moments_are_written_as_the_calendar_has_them() {
        for (time, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (1_763_235_512, "2025-11-15T19:38:32Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(time), text);
        }
    }

    #[test]
    fn days_in_text_sort_as_they_follow_each_other() {
        let days: Vec<UtcDay> = (0..50_000).map(|number| UtcDay { number }).collect();
        assert!(days.windows(2).all(|pair| pair[0].to_string() < pair[1].to_string()));
    }

    #[test]
    fn the_last_seven_days_begin_six_days_ago() {
        let today = UtcDay::of(1_763_235_512);
        assert_eq!(today.first_of(7).to_string(), "2025-11-09");
        assert_eq!(today.first_of(1), today);
        assert_eq!(today.first_of(u64::MAX).start(), 0);
    }
}
