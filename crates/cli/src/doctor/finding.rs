//! What was found.

use serde::Serialize;
use std::fmt;

/// One thing that was found.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    /// What was looked at.
    pub(super) check: &'static str,
    pub(super) state: State,
    pub(super) says: String,
    /// What to do about it.
    #[serde(rename = "do", skip_serializing_if = "Option::is_none")]
    pub(super) remedy: Option<String>,
}

/// Is it as it must be?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Ok,
    /// It works, and is worth a look.
    Note,
    Broken,
}

impl Finding {
    pub(super) fn ok(check: &'static str, says: impl Into<String>) -> Self {
        Finding { check, state: State::Ok, says: says.into(), remedy: None }
    }

    pub(super) fn note(check: &'static str, says: impl Into<String>) -> Self {
        Finding { state: State::Note, ..Self::ok(check, says) }
    }

    pub(super) fn broken(check: &'static str, says: impl Into<String>) -> Self {
        Finding { state: State::Broken, ..Self::ok(check, says) }
    }

    /// With what to do about it.
    pub(super) fn remedied_by(self, remedy: impl Into<String>) -> Self {
        Finding { remedy: Some(remedy.into()), ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.state {
            State::Ok => "ok",
            State::Note => "note",
            State::Broken => "BROKEN",
        };
        write!(f, "{mark:<7} {:<11} {}", self.check, self.says)?;
        match &self.remedy {
            Some(remedy) => write!(f, "\n{:<20}-> {remedy}", ""),
            None => Ok(()),
        }
    }
}
