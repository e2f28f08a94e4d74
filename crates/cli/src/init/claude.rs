//! Our entry in the settings of Claude Code: a hook that runs after every tool it is for.
//!
//! ```text
//! {"hooks": {"PostToolUse": [{"matcher": "Bash|Read|Grep|Glob|WebFetch|Task|Agent|mcp__.*", "hooks": [{"type": "command", "command": "…"}]}]}}
//! ```

#[cfg(test)]
mod tests;

use crate::client_file::{
    ClientFile, FileNotation, NodeValue, PriorState, SettingsDocument, TextEdits, UnreadableFile,
    cut, insert, quote_string,
};
use anyhow::{Context, bail};
use tokenforge_config::MASK;
use tokenforge_engine::command::CommandLine;

/// How long Claude Code waits for it, in seconds: longer than it waits for itself.
const PATIENCE: u32 = 15;

/// What the command line of the hook is, whatever the path of the program.
const COMMAND: &str = "tokenforge hook claude";

/// The settings with the hook in them, which starts this program after the tools that a pattern matches.
pub(super) fn install(file: &ClientFile, program: &str, tools: &str) -> anyhow::Result<String> {
    let command = command(program);
    if !is_ours(&command) {
        bail!(
            "this program is {program}, and its hook could not be found again to undo it, so nothing is changed; \
             call the program `tokenforge` and try again"
        );
    }
    if !file.is_there() {
        return Ok(whole(&command, tools));
    }
    let new = with_hook(&file.text, &command, tools)?;
    let before = PriorState::Text(file.text.clone());
    let is_first = SettingsDocument::read(&file.text, FileNotation::Json)
        .is_ok_and(|old| hooks(&old).is_empty());
    if is_first && remove(&new, Some(&before))? != Some(before) {
        bail!("this could not be undone byte for byte, so nothing is changed");
    }
    Ok(new)
}

/// The settings without the hook. `None`: there is none. Tables that were made for it go with it, and so does a file
/// that has nothing else.
pub(super) fn remove(
    text: &str,
    before: Option<&PriorState>,
) -> Result<Option<PriorState>, UnreadableFile> {
    let old = match before {
        Some(PriorState::Text(text)) => SettingsDocument::read(text, FileNotation::Json).ok(),
        _ => None,
    };
    let mut text = text.to_owned();
    let mut is_found = false;
    loop {
        let document = SettingsDocument::read(&text, FileNotation::Json)?;
        let Some(hook) = hooks(&document).pop() else { break };
        is_found = true;
        let is_all = hook.levels.iter().all(|level| document.children(level.place).len() == 1);
        if is_all && matches!(before, Some(PriorState::Nothing { .. })) {
            return Ok(Some(PriorState::Nothing { folders: 0 }));
        }
        let mut edits = TextEdits::default();
        hook.cut(&document, old.as_ref(), &mut edits);
        text = edits.apply_to(&text);
    }
    Ok(is_found.then_some(PriorState::Text(text)))
}

/// Is the hook in these settings?
pub(super) fn is_installed(text: &str) -> bool {
    SettingsDocument::read(text, FileNotation::Json)
        .is_ok_and(|document| !hooks(&document).is_empty())
}

/// The program that the hook in these settings starts, if there is one and that can be told.
pub(super) fn program(text: &str) -> Option<String> {
    let document = SettingsDocument::read(text, FileNotation::Json).ok()?;
    let word = document.text_span(hooks(&document).first()?.command)?;
    program_of(&word.text)
}

/// Why these settings cannot be read.
pub(super) fn unreadable(text: &str) -> Option<UnreadableFile> {
    SettingsDocument::read(text, FileNotation::Json).err()
}

/// The settings with values of variables and headers as `***`.
pub(super) fn mask_settings(text: &str) -> String {
    let Ok(document) = SettingsDocument::read(text, FileNotation::Json) else {
        return text.to_owned();
    };
    let mut edits = TextEdits::default();
    let mut left = vec![document.root()];
    while let Some(place) = left.pop() {
        let hidden = ["env", "headers"].map(|name| document.member(place, name));
        for child in document.children(place) {
            if !hidden.contains(&Some(child)) {
                left.push(child);
                continue;
            }
            let words = document.children(child).into_iter();
            let words = words.filter_map(|place| document.text_span(place));
            words.for_each(|word| edits.replace(word.span, quote_string(MASK)));
        }
    }
    edits.apply_to(text)
}

/// What Claude Code runs, by a shell. A program that is gone is no reason to stop an agent.
fn command(program: &str) -> String {
    let program = if is_plain(program) {
        program.to_owned()
    } else {
        format!("'{}'", program.replace('\'', r"'\''"))
    };
    format!("{program} hook claude || true")
}

/// The program of a command line that is written as [`command`] writes it.
fn program_of(command: &str) -> Option<String> {
    match command.strip_prefix('\'') {
        Some(quoted) => Some(quoted.split_once("' hook ")?.0.replace(r"'\''", "'")),
        None => command.split(' ').next().filter(|word| is_plain(word)).map(str::to_owned),
    }
}

/// Does a shell take this word as it is?
fn is_plain(word: &str) -> bool {
    word.chars().all(|character| character.is_ascii_alphanumeric() || "/._-+".contains(character))
}

fn entry(command: &str, tools: &str) -> String {
    let (command, tools) = (quote_string(command), quote_string(tools));
    format!(
        r#"{{"matcher": {tools}, "hooks": [{{"type": "command", "command": {command}, "timeout": {PATIENCE}}}]}}"#
    )
}

/// A file of its own.
fn whole(command: &str, tools: &str) -> String {
    let entry = entry(command, tools);
    format!("{{\n  \"hooks\": {{\n    \"PostToolUse\": [\n      {entry}\n    ]\n  }}\n}}\n")
}

/// The settings with the hook; one that starts another program starts this one.
fn with_hook(text: &str, command: &str, tools: &str) -> anyhow::Result<String> {
    let document = SettingsDocument::read(text, FileNotation::Json)?;
    let mut edits = TextEdits::default();
    let ours = hooks(&document);
    if !ours.is_empty() {
        for word in ours.iter().filter_map(|hook| document.text_span(hook.command)) {
            edits.replace(word.span, quote_string(command));
        }
        return Ok(edits.apply_to(text));
    }
    let (root, entry) = (document.root(), entry(command, tools));
    expect(&document, root, ContainerKind::Table, "the file")?;
    match document.member(root, "hooks") {
        None => insert(
            &document,
            root,
            &format!(r#""hooks": {{"PostToolUse": [{entry}]}}"#),
            &mut edits,
        ),
        Some(hooks) => {
            expect(&document, hooks, ContainerKind::Table, "`hooks`")?;
            match document.member(hooks, "PostToolUse") {
                None => {
                    insert(&document, hooks, &format!(r#""PostToolUse": [{entry}]"#), &mut edits)
                }
                Some(list) => {
                    expect(&document, list, ContainerKind::List, "`hooks.PostToolUse`")?;
                    insert(&document, list, &entry, &mut edits);
                }
            }
        }
    }
    Ok(edits.apply_to(text))
}

#[derive(PartialEq, Eq)]
enum ContainerKind {
    Table,
    List,
}

fn expect(
    document: &SettingsDocument<'_>,
    place: usize,
    kind: ContainerKind,
    name: &str,
) -> anyhow::Result<()> {
    let found = match document.node(place).value {
        NodeValue::Table(_) => Some(ContainerKind::Table),
        NodeValue::List(_) => Some(ContainerKind::List),
        _ => None,
    };
    let expected = if kind == ContainerKind::Table { "an object" } else { "a list" };
    (found == Some(kind)).then_some(()).with_context(|| format!("{name} is not {expected}"))
}

/// A hook of ours, and what it stands in, from the inside out.
struct HookEntryPlace {
    command: usize,
    levels: [Level; 4],
}

/// A table or a list, and what in it has the hook.
#[derive(Clone, Copy)]
struct Level {
    place: usize,
    child: usize,
}

/// All hooks of ours.
fn hooks(document: &SettingsDocument<'_>) -> Vec<HookEntryPlace> {
    let root = document.root();
    let Some(table) = document.member(root, "hooks") else { return Vec::new() };
    let Some(list) = document.member(table, "PostToolUse") else { return Vec::new() };
    let mut found = Vec::new();
    for entry in document.children(list) {
        let Some(inner) = document.member(entry, "hooks") else { continue };
        for hook in document.children(inner) {
            let Some(command) = document.member(hook, "command") else { continue };
            if document.text_span(command).is_some_and(|word| is_ours(&word.text)) {
                let level = |place, child| Level { place, child };
                let levels = [
                    level(inner, hook),
                    level(list, entry),
                    level(table, list),
                    level(root, table),
                ];
                found.push(HookEntryPlace { command, levels });
            }
        }
    }
    found
}

impl HookEntryPlace {
    /// Takes it out, and with it what would be left empty and was not there before.
    fn cut(
        &self,
        document: &SettingsDocument<'_>,
        old: Option<&SettingsDocument<'_>>,
        edits: &mut TextEdits,
    ) {
        let old_hooks = old.and_then(|old| old.member(old.root(), "hooks"));
        let old_list = old.zip(old_hooks).and_then(|(old, hooks)| old.member(hooks, "PostToolUse"));
        let was_there = [false, old_list.is_some(), old_hooks.is_some(), true];
        let stays = |(level, was_there): &(Level, bool)| {
            *was_there || document.children(level.place).len() > 1
        };
        let found = self.levels.into_iter().zip(was_there).find(stays);
        if let Some((Level { place, child }, _)) = found {
            cut(document, place, child, edits);
        }
    }
}

/// Is this the command line of our hook?
fn is_ours(command: &str) -> bool {
    CommandLine::parse(command).is_some_and(|line| line.all().any(|main| main.command.is(COMMAND)))
}
