//! The plan of a setup, and of its undo: what has to change, from what is there. The files themselves say what was set up:
//! nothing else is kept about it.

use super::rc::{self, ShellFile, ShellFolders};
use super::step::SetupStep;
use super::{agents, shim, status_line};
use crate::client_file::{self, ClientFile, FileChange, PriorState};
use crate::service::{InstalledBy, InstalledUnit, ManagerChoice, ServiceUnit};
use crate::{data, init};
use anyhow::Context;
use std::env;
use std::fs;
use std::path::PathBuf;
use tokenforge_agents::Agent;

/// What has to be done, and said.
pub(super) struct SetupPlan {
    pub(super) steps: Vec<SetupStep>,
    /// What is worth a look.
    pub(super) notes: Vec<String>,
    /// What to do now.
    pub(super) next: Vec<String>,
}

/// The service, unless it runs.
pub(super) fn service(choice: ManagerChoice) -> anyhow::Result<Option<SetupStep>> {
    let unit = ServiceUnit::new(choice.manager()?, InstalledBy::Setup)?;
    Ok((!unit.is_well()).then_some(SetupStep::Install(unit)))
}

/// Everything but the service.
pub(super) fn plan_installation(
    agents: &[&'static str],
    statusline: bool,
) -> anyhow::Result<SetupPlan> {
    let program = &shim::this_program()?;
    let folder = std::path::absolute(data::shim_folder()?)?;
    let shown_folder = folder.to_str().context("the path of the data folder is not UTF-8")?;
    let (mut steps, mut notes) = (Vec::new(), Vec::new());
    for agent in agents {
        let (path, text) = (folder.join(agent), shim::text(agent, program, &folder));
        let old = fs::read_to_string(&path).ok();
        if old.as_ref() != Some(&text) {
            steps.push(SetupStep::Shim { path, old, new: Some(text) });
        }
    }
    let shell = shell();
    let rcs = match &shell {
        Some(shell) => places()?.of_shell(shell, &|path| path.is_file()),
        None => None,
    };
    let rcs = rcs.map(rc::distinct);
    for rc in rcs.iter().flatten() {
        steps.extend(lines(rc, shown_folder)?.map(SetupStep::File));
        notes.extend(aliases(rc, agents));
    }
    if let Some(agent) = agents::status_line_agent(agents) {
        let file = settings(agent)?;
        status_line::check(&file)?;
        notes.extend(overriding_address(agent, &file));
        if statusline {
            steps.extend(with_status_line(file, program)?.map(SetupStep::File));
        }
    }
    for agent in agents {
        if shim::real(agent).next().is_none() {
            notes.push(format!("there is no {agent} on your PATH yet"));
        }
        notes.extend(
            agents::goes_elsewhere(agent).map(|why| format!("{why}; {agent} runs without it")),
        );
    }
    Ok(SetupPlan { steps, notes, next: next(agents, statusline, rcs.as_deref(), shown_folder) })
}

/// What to do now.
fn next(agents: &[&str], statusline: bool, rcs: Option<&[ShellFile]>, folder: &str) -> Vec<String> {
    let names = agents.join(", ");
    let mut next = match rcs {
        Some([rc, ..]) => vec![format!(
            "open a new terminal, or run `. {}`, and start {names} as always",
            rc.file.display()
        )],
        _ => vec![format!(
            "your shell (SHELL) is not known: put {folder} first on your PATH, and start {names} as always"
        )],
    };
    if let Some(agent) = agents::status_line_agent(agents).filter(|_| !statusline) {
        next.push(format!(
            "savings in the status line: tokenforge setup {} --statusline",
            agent.id
        ));
    }
    next.push(format!("undo it with: tokenforge setup {} --undo", agents.join(" ")));
    next
}

/// What takes out what `setup` did, for these agents or for all.
pub(super) fn plan_removal(
    agents: &[&'static str],
    choice: ManagerChoice,
) -> anyhow::Result<Vec<SetupStep>> {
    let installed = shim::installed_shims();
    let is_meant = |agent: &&&'static str| agents.is_empty() || agents.contains(agent);
    let (gone, stay): (Vec<_>, Vec<_>) = installed.iter().partition(is_meant);
    let mut steps = Vec::new();
    let all = agents::supported_names();
    let meant = if agents.is_empty() { &all[..] } else { agents };
    if let Some(agent) = agents::status_line_agent(meant) {
        steps.extend(without_status_line(settings(agent)?)?.map(SetupStep::File));
    }
    // The lines and the service are all agents' together.
    if stay.is_empty() {
        for rc in rc::distinct(places()?.every()) {
            steps.extend(without_lines(&rc)?.map(SetupStep::File));
        }
    }
    for agent in gone {
        let path = shim::path(agent)?;
        let old = fs::read_to_string(&path).ok();
        steps.push(SetupStep::Shim { path, old, new: None });
    }
    if stay.is_empty()
        && let Ok(manager) = choice.or_usual()
    {
        let unit = InstalledUnit::find(manager)?;
        steps.extend(unit.filter(InstalledUnit::is_of_setup).map(SetupStep::Remove));
    }
    Ok(steps)
}

/// The name of the user's shell.
fn shell() -> Option<String> {
    let path = PathBuf::from(env::var_os("SHELL")?);
    Some(path.file_name()?.to_str()?.to_owned())
}

fn places() -> anyhow::Result<ShellFolders> {
    let home = data::home().context("no home folder: set HOME")?;
    let config = data::users_config().unwrap_or_else(|| home.join(".config"));
    Ok(ShellFolders { home, config, zsh: data::set("ZDOTDIR"), is_mac: cfg!(target_os = "macos") })
}

fn settings(agent: &Agent) -> anyhow::Result<ClientFile> {
    let file = agent.settings.as_ref().and_then(|file| file.resolve(&data::set));
    ClientFile::find(&file.context("no home folder: set HOME")?)
}

/// The lines for the folder of shims, unless they are there.
fn lines(rc: &ShellFile, folder: &str) -> anyhow::Result<Option<FileChange>> {
    let file = ClientFile::find(&rc.file)?;
    let new = rc.with(&file.text, folder).with_context(|| rc.file.display().to_string())?;
    let is_ours = rc::without(&file.text)?.is_some();
    change_to(file, new, is_ours, |text| text.to_owned())
}

fn with_status_line(file: ClientFile, program: &str) -> anyhow::Result<Option<FileChange>> {
    let new =
        status_line::install(&file, program).with_context(|| file.name.display().to_string())?;
    let is_ours = status_line::is_installed(&file.text) || init::has_hook(&file.text);
    change_to(file, new, is_ours, init::mask_settings)
}

/// A file with another text, which knows how it was before anything of ours was in it.
fn change_to(
    file: ClientFile,
    new: String,
    is_ours: bool,
    masked: impl Fn(&str) -> String,
) -> anyhow::Result<Option<FileChange>> {
    if file.is_there() && new == file.text {
        return Ok(None);
    }
    let known = if is_ours { file.prior_state()? } else { None };
    let before = known.unwrap_or_else(|| file.current_state());
    let name = file.name.display().to_string();
    let diff = client_file::diff(&name, &masked(&file.text), &masked(&new));
    let done = format!("wrote {name}, {}", changed_lines(&file.text, &new));
    Ok(Some(FileChange { file, diff, new: Some(new), before: Some(before), done }))
}

/// Which lines of the new text are not in the old.
fn changed_lines(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let same =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let first = same(&mut old.iter().zip(&new));
    let rest = old.len().min(new.len()) - first;
    let last = new.len() - same(&mut old.iter().rev().zip(new.iter().rev()).take(rest));
    match last.saturating_sub(first) {
        0 | 1 => format!("line {}", first + 1),
        _ => format!("lines {} to {last}", first + 1),
    }
}

/// Takes the lines out of a shell's file.
fn without_lines(rc: &ShellFile) -> anyhow::Result<Option<FileChange>> {
    // One that cannot be read, and is not ours, does not stand in the way.
    if !fs::read(&rc.file).is_ok_and(|text| rc::is_in(&text)) {
        return Ok(None);
    }
    let file = ClientFile::find(&rc.file)?;
    let left = rc::without(&file.text).with_context(|| rc.file.display().to_string())?;
    let Some(left) = left else { return Ok(None) };
    let left = match file.prior_state()? {
        Some(PriorState::Nothing { .. }) if left.is_empty() => PriorState::Nothing { folders: 0 },
        // The line end that it did not have.
        Some(PriorState::Text(before)) if left.strip_suffix('\n') == Some(&before) => {
            PriorState::Text(before)
        }
        _ => PriorState::Text(left),
    };
    change_back(file, left, |_| false, |text| text.to_owned()).map(Some)
}

fn without_status_line(file: ClientFile) -> anyhow::Result<Option<FileChange>> {
    if !file.is_there() {
        return Ok(None);
    }
    let before = file.prior_state()?;
    let left = match status_line::remove(&file.text, before.as_ref()) {
        Ok(Some(left)) => left,
        Err(error) if status_line::may_be_in(&file.text) => {
            return Err(error).with_context(|| file.name.display().to_string());
        }
        Ok(None) | Err(_) => return Ok(None),
    };
    change_back(file, left, init::has_hook, init::mask_settings).map(Some)
}

/// A file without what is ours. While something else of ours is in it, what is known of before is kept.
fn change_back(
    file: ClientFile,
    left: PriorState,
    is_still_ours: impl Fn(&str) -> bool,
    masked: impl Fn(&str) -> String,
) -> anyhow::Result<FileChange> {
    let name = file.name.display().to_string();
    let (new, before, done) = match (left, file.prior_state()?) {
        (PriorState::Nothing { .. }, _) => {
            (None, None, format!("removed {name}, which was not there before"))
        }
        (PriorState::Text(text), before) if is_still_ours(&text) => {
            (Some(text), before, format!("took the status line out of {name}"))
        }
        (PriorState::Text(text), Some(PriorState::Text(before))) if text == before => {
            (Some(text), None, format!("restored {name}, byte for byte"))
        }
        (PriorState::Text(text), before @ Some(PriorState::Text(_))) => {
            let kept = file.backup_path();
            let done = format!(
                "{name} was changed since: only what is ours was taken out; as it was before, it is in {}",
                kept.display()
            );
            (Some(text), before, done)
        }
        (PriorState::Text(text), _) => {
            (Some(text), None, format!("took what is ours out of {name}"))
        }
    };
    let after = new.as_deref().unwrap_or_default();
    let diff = client_file::diff(&name, &masked(&file.text), &masked(after));
    Ok(FileChange { file, diff, new, before, done })
}

/// Aliases that come before any program on the `PATH`.
fn aliases(rc: &ShellFile, agents: &[&str]) -> Vec<String> {
    let text = fs::read_to_string(&rc.file).unwrap_or_default();
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim_start()));
    let of_agent = |line: &str| {
        let name = line.strip_prefix("alias ")?.split(['=', ' ']).next()?;
        agents.iter().find(|agent| **agent == name).copied()
    };
    lines
        .filter_map(|(at, line)| Some((at, of_agent(line)?)))
        .map(|(at, agent)| {
            let file = rc.file.display();
            format!(
                "{file}, line {at}: the alias `{agent}` takes precedence over the shim; remove it"
            )
        })
        .collect()
}

/// An address that an agent takes whatever it is told.
fn overriding_address(agent: &Agent, file: &ClientFile) -> Option<String> {
    let key = agent.setup.as_ref()?.overriding_address.as_ref()?;
    let address = agents::text_at(&file.text, key)?;
    Some(format!(
        "{}: `{}` is {address} and overrides the gateway; remove it (and set `upstreams.anthropic` in tokenforge.yaml if \
         requests are to go there)",
        file.name.display(),
        key.join(".")
    ))
}

#[cfg(test)]
mod tests {
    use super::changed_lines;

    #[test]
    fn changed_lines_are_those_of_the_new_text() {
        assert_eq!(changed_lines("a\nb\n", "a\nb\nc\nd\n"), "lines 3 to 4");
        assert_eq!(
            changed_lines("{\n  \"a\": 1\n}\n", "{\n  \"b\": 2,\n  \"a\": 1\n}\n"),
            "line 2"
        );
        assert_eq!(changed_lines("", "a\n"), "line 1");
        assert_eq!(changed_lines("a\na\n", "a\na\na\n"), "line 3");
    }
}
