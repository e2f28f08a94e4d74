//! A change of a client's file: shown as a diff, confirmed, applied, rolled back.

use super::file::{ClientFile, PriorState};
use crate::diff::unified_diff;
use crate::{confirm, output, screen};
use anyhow::bail;
use serde_json::json;
use tokenforge_redact::Scanner;

/// A file, and what is to become of it.
pub(crate) struct FileChange {
    pub(crate) file: ClientFile,
    /// For a person to look at.
    pub(crate) diff: String,
    /// Its text from now on; `None`: it goes.
    pub(crate) new: Option<String>,
    /// What is known beside it afterwards of how it was.
    pub(crate) before: Option<PriorState>,
    /// What is said when it is done.
    pub(crate) done: String,
}

/// Whether it is meant.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ChangeConsent {
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,

    /// Do not ask
    #[arg(long)]
    yes: bool,
}

/// Shows what would change, asks, and does it.
pub(crate) fn carry_out(changes: &[FileChange], consent: ChangeConsent) -> anyhow::Result<()> {
    for change in changes {
        output::print(&screen::diff(&change.diff))?;
    }
    if changes.is_empty() {
        return Ok(output::print("nothing to change")?);
    }
    if consent.dry_run {
        return Ok(output::print("dry run: nothing was changed")?);
    }
    let what = match changes.len() {
        1 => "this file".to_owned(),
        several => format!("these {several} files"),
    };
    let (question, does) = (format!("Change {what}?"), format!("this changes {what}"));
    if !consent.is_given(&question, &does)? {
        bail!("nothing was changed");
    }
    changes.iter().try_for_each(FileChange::carry_out)
}

/// The same without a question, and with an account for programs: {"changed", "files": [{"file", "diff"}]}.
pub(crate) fn carry_out_as_json(
    changes: &[FileChange],
    consent: ChangeConsent,
) -> anyhow::Result<()> {
    if !consent.yes && !consent.dry_run && !changes.is_empty() {
        bail!(
            "--json does not ask for confirmation: add --yes to change the files, or --dry-run to see what would change"
        );
    }
    if !consent.dry_run {
        changes.iter().try_for_each(FileChange::apply)?;
    }
    let file = |change: &FileChange| json!({"file": change.file.name, "diff": change.diff});
    let files: Vec<_> = changes.iter().map(file).collect();
    let is_changed = !consent.dry_run && !files.is_empty();
    Ok(output::print(&json!({"changed": is_changed, "files": files}).to_string())?)
}

impl ChangeConsent {
    /// Is nothing to be done, only shown?
    pub(crate) fn is_dry_run(self) -> bool {
        self.dry_run
    }

    /// Is it meant? Asks, unless that was said.
    pub(crate) fn is_given(self, question: &str, does: &str) -> anyhow::Result<bool> {
        Ok(self.yes || confirm::is_confirmed(question, does)?)
    }
}

impl FileChange {
    /// Undoes it, if something that belongs to it failed.
    pub(crate) fn roll_back(&self) -> anyhow::Result<()> {
        let now = ClientFile::find(&self.file.name)?;
        if self.file.is_there() {
            now.replace(&self.file.text)?;
        } else {
            now.remove_if_there()?;
        }
        // What was kept beside it before us stays.
        let is_ours = match &self.before {
            Some(PriorState::Text(text)) => self.file.is_there() && *text == self.file.text,
            Some(PriorState::Nothing { .. }) => !self.file.is_there(),
            None => false,
        };
        if is_ours { now.forget() } else { Ok(()) }
    }

    pub(crate) fn carry_out(&self) -> anyhow::Result<()> {
        self.apply()?;
        Ok(output::print(&self.done)?)
    }

    fn apply(&self) -> anyhow::Result<()> {
        if let Some(before) = &self.before {
            self.file.keep(before)?;
        }
        match &self.new {
            Some(new) => self.file.replace(new)?,
            None => self.file.remove_if_there()?,
        }
        if self.before.is_none() {
            self.file.forget()?;
        }
        Ok(())
    }
}

/// A unified diff of a file, without what looks like a key: screens are shared.
pub(crate) fn diff(name: &str, old: &str, new: &str) -> String {
    let text = unified_diff(name, old, new);
    match Scanner::builtin().redact(&text) {
        Some(redacted) => redacted.text,
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_that_changed_in_the_meantime_is_left_as_it_is_with_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("settings.json");
        for before in [Some("old"), None] {
            if let Some(text) = before {
                fs::write(&name, text).unwrap();
            }
            let file = ClientFile::find(&name).unwrap();
            let before = Some(file.current_state());
            fs::write(&name, "the client's").unwrap();
            let (diff, done) = (String::new(), String::new());
            let change = FileChange { file, diff, new: Some("ours".to_owned()), before, done };
            let error = change.carry_out().unwrap_err().to_string();
            assert!(error.contains("changed in the meantime"), "{error}");
            assert_eq!(fs::read_to_string(&name).unwrap(), "the client's");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
            fs::remove_file(&name).unwrap();
        }
    }
}
