//! Timestamps as AWS signatures have them (ISO 8601 basic format): `20261119T035220Z`.

use std::time::Duration;
use tokenforge_ledger::{UtcDay, parse_rfc3339};

/// A moment, in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Timestamp(u64);

impl Timestamp {
    /// Reads `20261119T035220Z`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_plain = text.len() == 16 && text.is_ascii();
        let text = text.strip_suffix('Z').filter(|_| is_plain)?;
        let (date, time) = text.split_once('T').filter(|(date, _)| date.len() == 8)?;
        let (year, month, day) = (&date[..4], &date[4..6], &date[6..]);
        let (hour, minute, second) = (&time[..2], &time[2..4], &time[4..]);
        parse_rfc3339(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z")).map(Timestamp)
    }

    /// So much later.
    pub(super) fn after(self, elapsed: Duration) -> Self {
        Timestamp(self.0.saturating_add(elapsed.as_secs()))
    }

    /// Its day, as it stands in the scope of a credential: `20261119`.
    pub(super) fn date(self) -> String {
        UtcDay::of(self.0).to_string().replace('-', "")
    }

    /// `20261119T035220Z`
    pub(super) fn text(self) -> String {
        let second = self.0 % (24 * 60 * 60);
        let (hours, minutes, seconds) = (second / 3600, second / 60 % 60, second % 60);
        format!("{}T{hours:02}{minutes:02}{seconds:02}Z", self.date())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_is_read_written_and_advanced_over_midnight() {
        let stamp = Timestamp::parse("20240229T235958Z").unwrap();
        assert_eq!(
            (stamp.text().as_str(), stamp.date().as_str()),
            ("20240229T235958Z", "20240229")
        );
        assert_eq!(stamp.after(Duration::from_secs(3)).text(), "20240301T000001Z");
        for wrong in [
            "",
            "20240229",
            "2024-02-29T23:59:58Z",
            "20240229T235958+",
            "20241329T235958Z",
            "2024022éT23595Z",
        ] {
            assert_eq!(Timestamp::parse(wrong), None, "{wrong}");
        }
    }
}
