//! One step of a setup: shown first, performed, and rolled back if a later one fails.

use super::shim;
use crate::client_file::{self, FileChange};
use crate::output;
use crate::service::{InstalledUnit, ServiceUnit};
use anyhow::bail;
use std::path::PathBuf;

/// One change.
pub(super) enum SetupStep {
    Install(ServiceUnit),
    Remove(InstalledUnit),
    Shim {
        path: PathBuf,
        /// What is there now.
        old: Option<String>,
        /// What is to be; `None`: nothing.
        new: Option<String>,
    },
    File(FileChange),
}

impl SetupStep {
    /// What would change, for a person.
    pub(super) fn preview(&self) -> String {
        match self {
            SetupStep::Install(unit) => unit.preview(),
            SetupStep::Remove(unit) => unit.preview(),
            SetupStep::File(change) => change.diff.clone(),
            SetupStep::Shim { path, old, new } => {
                let text = |text: &Option<String>| text.clone().unwrap_or_default();
                client_file::diff(&path.display().to_string(), &text(old), &text(new))
            }
        }
    }

    fn perform(&self) -> anyhow::Result<()> {
        match self {
            SetupStep::Install(unit) => Ok(output::print(&unit.install()?)?),
            SetupStep::Remove(unit) => Ok(output::print(&unit.remove()?)?),
            SetupStep::File(change) => change.carry_out(),
            SetupStep::Shim { path, new: Some(text), .. } => {
                shim::write(path, text)?;
                Ok(output::print(&format!("wrote {}", path.display()))?)
            }
            SetupStep::Shim { path, new: None, .. } => {
                shim::remove(path)?;
                Ok(output::print(&format!("removed {}", path.display()))?)
            }
        }
    }

    fn roll_back(&self) -> anyhow::Result<()> {
        match self {
            SetupStep::Install(unit) => unit.roll_back(),
            SetupStep::Remove(_) => Ok(()),
            SetupStep::File(change) => change.roll_back(),
            SetupStep::Shim { path, old: Some(text), .. } => shim::write(path, text),
            SetupStep::Shim { path, old: None, .. } => shim::remove(path),
        }
    }
}

/// Takes all steps. If one fails, those before it are taken back.
pub(super) fn perform_all_or_none(steps: &[SetupStep]) -> anyhow::Result<()> {
    for (at, step) in steps.iter().enumerate() {
        let Err(error) = step.perform() else { continue };
        let failed = steps[..at].iter().rev().filter_map(|done| done.roll_back().err());
        let failed: Vec<_> = failed.collect();
        if failed.is_empty() {
            return Err(error.context("nothing was changed"));
        }
        bail!("{error:#}; and not all that was done before could be taken back: {}", list(&failed));
    }
    Ok(())
}

/// Takes all steps, also if one fails: an undo leaves as little as it can.
pub(super) fn perform_all(steps: &[SetupStep]) -> anyhow::Result<()> {
    let failed: Vec<_> = steps.iter().filter_map(|step| step.perform().err()).collect();
    match failed.len() {
        0 => Ok(()),
        _ => bail!("not all was undone: {}", list(&failed)),
    }
}

fn list(errors: &[anyhow::Error]) -> String {
    let why: Vec<_> = errors.iter().map(|error| format!("{error:#}")).collect();
    why.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_a_step_fails_those_before_it_are_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "").unwrap();
        std::fs::write(at("shim"), "old").unwrap();
        let shim = |path: &str, old: Option<&str>| SetupStep::Shim {
            path: at(path),
            old: old.map(str::to_owned),
            new: Some("new".to_owned()),
        };
        let steps =
            [shim("shim", Some("old")), shim("shims/claude", None), shim("file/below", None)];
        let error = perform_all_or_none(&steps).unwrap_err();
        assert!(format!("{error:#}").starts_with("nothing was changed: cannot write"), "{error:#}");
        assert_eq!(std::fs::read_to_string(at("shim")).unwrap(), "old");
        assert!(!at("shims").exists());
    }

    #[test]
    fn if_one_cannot_be_taken_back_the_others_are_and_all_errors_are_said() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let shim = |path: &str, old: &str, new: Option<&str>| SetupStep::Shim {
            path: at(path),
            old: Some(old.to_owned()),
            new: new.map(str::to_owned),
        };
        for name in ["first", "second"] {
            std::fs::write(at(name), "old").unwrap();
        }
        // The last makes a folder where the second was, before it fails.
        let steps = [
            shim("first", "old", Some("new")),
            shim("second", "old", None),
            shim("second/\0", "", Some("new")),
        ];
        let error = perform_all_or_none(&steps).unwrap_err().to_string();
        assert!(
            error.contains("; and not all that was done before could be taken back: "),
            "{error}"
        );
        assert_eq!(error.matches("cannot write").count(), 2, "{error}");
        assert_eq!(std::fs::read_to_string(at("first")).unwrap(), "old");
    }
}
