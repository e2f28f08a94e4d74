//! Timestamps in logs: texts as RFC 3339 has them, or seconds or milliseconds since 1970.

use super::EventSink;
use crate::transcript::LogEvent;
use serde_json::Value;
use tokenforge_ledger::parse_rfc3339;

/// No log is from the year 5138, so a larger number is of milliseconds.
const LATEST_SECOND: f64 = 1e11;

/// Tells the time that a member of an entry says, if it says one.
pub(super) fn tell(value: &Value, tell: EventSink<'_>) {
    if let Some(time) = seconds(value) {
        tell(LogEvent::Time(time));
    }
}

fn seconds(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => parse_rfc3339(text),
        _ => {
            let number = value.as_f64().filter(|number| *number > 0.0)?;
            let seconds = if number < LATEST_SECOND { number } else { number / 1000.0 };
            (seconds < LATEST_SECOND).then_some(seconds as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn decision_33_times_are_read_as_agents_write_them() {
        for value in [
            json!("2025-11-15T19:38:32.123Z"),
            json!(1_763_235_512),
            json!(1_763_235_512_123_u64),
            json!(1_763_235_512.123),
        ] {
            assert_eq!(seconds(&value), Some(1_763_235_512), "{value}");
        }
        for value in [json!(null), json!(-1), json!(1e300), json!("soon"), json!({})] {
            assert_eq!(seconds(&value), None, "{value}");
        }
    }
}
