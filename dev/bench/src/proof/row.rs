//! A row of the proof table: what is tried, the pass bar, and what came of it.

use crate::kit::ProofBench;
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is tried.
pub(crate) struct ProofRow {
    /// Its number in the list of proofs.
    pub(crate) number: u8,
    pub(crate) what: &'static str,
    /// When it passes, and at which scale if that is smaller than what is aimed at.
    pub(crate) bar: &'static str,
    pub(crate) prove: fn(&ProofBench) -> anyhow::Result<RowResult>,
}

/// What came of it.
pub(crate) struct RowResult {
    /// How many cases were tried, and of what.
    pub(crate) count: String,
    /// What was measured.
    pub(crate) figure: String,
    pub(crate) verdict: RowVerdict,
}

/// Whether the bar was met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RowVerdict {
    Passed,
    /// What was wrong.
    Failed(String),
    /// Why it was not tried.
    Skipped(String),
}

impl fmt::Display for RowVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Failed(what) => write!(f, "**failed**: {what}"),
            Self::Skipped(why) => write!(f, "skipped: {why}"),
        }
    }
}

impl ProofRow {
    /// Tries it. An error or a panic on the way is a failure of the row, and the next one goes on.
    pub(crate) fn run(&self, bench: &ProofBench) -> RowResult {
        let tried = catch_unwind(AssertUnwindSafe(|| (self.prove)(bench)));
        let failed = |what: String| RowResult {
            count: String::new(),
            figure: String::new(),
            verdict: RowVerdict::Failed(what),
        };
        match tried {
            Ok(Ok(measured)) => measured,
            Ok(Err(error)) => failed(format!("{error:#}")),
            Err(panic) => failed(panic_text(&*panic).to_owned()),
        }
    }
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic")
}

/// What went wrong in many cases: how often, and the first few.
#[derive(Default)]
pub(crate) struct Faults {
    count: usize,
    first: Vec<String>,
}

impl Faults {
    const SHOWN: usize = 3;

    pub(crate) fn add(&mut self, fault: impl Into<String>) {
        self.count += 1;
        if self.first.len() < Self::SHOWN {
            self.first.push(fault.into());
        }
    }

    /// Notes a law that was broken, and how.
    pub(crate) fn law(&mut self, held: Result<(), Box<dyn Any + Send>>, what: impl Fn() -> String) {
        if let Err(panic) = held {
            let text: String = panic_text(&*panic).chars().take(300).collect();
            self.add(format!("{}: {text}", what()));
        }
    }

    /// Notes the fault unless what must hold does.
    pub(crate) fn check(&mut self, holds: bool, fault: impl FnOnce() -> String) {
        if !holds {
            self.add(fault());
        }
    }

    /// Notes the fault if the figure is above its bar.
    pub(crate) fn at_most(&mut self, what: &str, bar: f64, figure: f64, unit: &str) {
        self.check(figure <= bar, || {
            format!("{what}: {figure:.2} {unit}, at most {bar:.2} allowed")
        });
    }

    pub(crate) fn verdict(self) -> RowVerdict {
        match self.count {
            0 => RowVerdict::Passed,
            count if count > self.first.len() => {
                let more = count - self.first.len();
                RowVerdict::Failed(format!("{}; and {more} more", self.first.join("; ")))
            }
            _ => RowVerdict::Failed(self.first.join("; ")),
        }
    }

    /// The row's result.
    pub(crate) fn into_result(self, count: String, figure: String) -> anyhow::Result<RowResult> {
        Ok(RowResult { count, figure, verdict: self.verdict() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(prove: fn(&ProofBench) -> anyhow::Result<RowResult>) -> RowVerdict {
        let row = ProofRow { number: 1, what: "", bar: "", prove };
        row.run(&ProofBench { program: "/bin/sh".into() }).verdict
    }

    #[test]
    fn errors_and_panics_fail_their_row_alone() {
        let failed = |text: &str| RowVerdict::Failed(text.to_owned());
        assert_eq!(row(|_| anyhow::bail!("no port")), failed("no port"));
        assert_eq!(row(|_| panic!("a defect")), failed("a defect"));
        assert_eq!(
            row(|_| Faults::default().into_result(String::new(), String::new())),
            RowVerdict::Passed
        );
    }

    #[test]
    fn the_first_faults_are_named_and_the_rest_counted() {
        let mut faults = Faults::default();
        (1..=5).for_each(|n| faults.check(n < 2, || format!("case {n}")));
        let told = "case 2; case 3; case 4; and 1 more".to_owned();
        assert_eq!(faults.verdict(), RowVerdict::Failed(told));
    }
}
