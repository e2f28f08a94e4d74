//! A finding of the doctor: a check, how it went, and what to do.

use super::probe::ProbeReport;
use crate::screen::{self, TextStyler};
use serde::Serialize;
use std::fmt;

/// Where what was found begins.
const INDENT: usize = 20;

/// One thing that was found.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    /// What was looked at.
    pub(super) check: &'static str,
    pub(super) state: FindingState,
    pub(super) says: String,
    /// What to do about it.
    #[serde(rename = "do", skip_serializing_if = "Option::is_none")]
    pub(super) remedy: Option<String>,
    /// The same of a probed agent, for a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    probe: Option<ProbeReport>,
}

/// Is it as it must be?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FindingState {
    Ok,
    /// It works, and is worth a look.
    Note,
    Broken,
}

impl Finding {
    pub(super) fn ok(check: &'static str, says: impl Into<String>) -> Self {
        Finding { check, state: FindingState::Ok, says: says.into(), remedy: None, probe: None }
    }

    pub(super) fn note(check: &'static str, says: impl Into<String>) -> Self {
        Finding { state: FindingState::Note, ..Self::ok(check, says) }
    }

    pub(super) fn broken(check: &'static str, says: impl Into<String>) -> Self {
        Finding { state: FindingState::Broken, ..Self::ok(check, says) }
    }

    /// With what to do about it.
    pub(super) fn remedied_by(self, remedy: impl Into<String>) -> Self {
        Finding { remedy: Some(remedy.into()), ..self }
    }

    /// With what a probe found.
    pub(super) fn probed(self, report: ProbeReport) -> Self {
        Finding { probe: Some(report), ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let styler = TextStyler::stdout();
        let (mark, painted) = match self.state {
            FindingState::Ok => ("ok", styler.green("ok").to_string()),
            FindingState::Note => ("note", styler.yellow("note").to_string()),
            FindingState::Broken => ("BROKEN", styler.red("BROKEN").to_string()),
        };
        let indent = " ".repeat(INDENT);
        let mut lines = self.says.lines();
        let head = format!("{mark:<7} {:<11} ", self.check);
        let first = screen::wrap_text(lines.next().unwrap_or_default(), &head, &indent);
        // In its colour once it is as wide as it is.
        f.write_str(&first.replacen(mark, &painted, 1))?;
        for line in lines {
            write!(f, "\n{}", screen::wrap_text(line, &indent, &indent))?;
        }
        match &self.remedy {
            Some(remedy) => {
                let (first, others) = (format!("{indent}-> "), format!("{indent}   "));
                write!(f, "\n{}", screen::wrap_text(remedy, &first, &others))
            }
            None => Ok(()),
        }
    }
}
