//! What was promised, and what was measured.

use std::fmt;

/// The table of promises.
#[derive(Default)]
pub(crate) struct Promises(Vec<Promise>);

struct Promise {
    what: String,
    limit: String,
    measured: String,
    is_kept: bool,
}

impl Promises {
    /// `what` is to be at least this, in `unit`.
    pub(crate) fn at_least(&mut self, what: &str, limit: f64, measured: f64, unit: &str) {
        self.add(what, "≥", limit, measured, unit, measured >= limit);
    }

    /// `what` is to be at most this, in `unit`.
    pub(crate) fn at_most(&mut self, what: &str, limit: f64, measured: f64, unit: &str) {
        self.add(what, "≤", limit, measured, unit, measured <= limit);
    }

    /// Whether all of them were kept.
    pub(crate) fn are_kept(&self) -> bool {
        self.0.iter().all(|promise| promise.is_kept)
    }

    fn add(&mut self, what: &str, sign: &str, limit: f64, measured: f64, unit: &str, kept: bool) {
        self.0.push(Promise {
            what: what.to_owned(),
            limit: format!("{sign} {limit} {unit}"),
            measured: format!("{measured:.1} {unit}"),
            is_kept: kept,
        });
    }
}

impl fmt::Display for Promises {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "| | promised | measured | |\n|---|---|---|---|")?;
        for Promise { what, limit, measured, is_kept } in &self.0 {
            let kept = if *is_kept { "" } else { "**missed**" };
            writeln!(out, "| {what} | {limit} | {measured} | {kept} |")?;
        }
        Ok(())
    }
}
