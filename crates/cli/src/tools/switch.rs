//! A tool switch in an agent's settings: put there, taken away again, and found.
//!
//! ```text
//! {"permissions": {"deny": ["mcp__files__write"]}}                                  Claude Code
//! [mcp_servers.files]                                                               Codex
//! disabled_tools = ["write"]
//! ```
//!
//! What is put in goes in front of what is there, so that taking it away leaves every byte as it was.

use crate::client_file::{
    FileNotation, NodeValue, SettingsDocument, TextEdits, UnreadableFile, cut, insert, quote_string,
};
use anyhow::{Context, bail};
use std::collections::BTreeSet;
use tokenforge_agents::{ToolSwitch, ToolSwitches};

/// What is to be switched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SwitchTarget {
    /// The key that leads to the setting.
    key: Vec<String>,
    /// The server that the key leads through, which must be there.
    server: Option<String>,
    state: SwitchState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SwitchState {
    /// This name is in the list.
    Listed(String),
    /// The key has this value.
    Set(bool),
}

impl SwitchTarget {
    /// The switch of a tool with this name, or of a server; `server` and `tool` are the parts of the name.
    pub(super) fn new(switch: &ToolSwitch, name: &str, server: &str, tool: &str) -> Self {
        let fill = |text: &String| {
            // One after another would fill in what a name happens to say.
            match text.as_str() {
                "{name}" => name.to_owned(),
                "{server}" => server.to_owned(),
                "{tool}" => tool.to_owned(),
                text => text.replace("{server}", server),
            }
        };
        let (key, state) = match switch {
            ToolSwitch::Listed { key, name } => (key, SwitchState::Listed(fill(name))),
            ToolSwitch::Set { key, to } => (key, SwitchState::Set(*to)),
        };
        let is_in_server = key.iter().any(|part| part == "{server}");
        SwitchTarget {
            key: key.iter().map(fill).collect(),
            server: is_in_server.then(|| server.to_owned()),
            state,
        }
    }

    /// Is it off in these settings?
    pub(super) fn is_off(&self, document: &SettingsDocument<'_>) -> bool {
        let place = Levels::of(document, &self.key).whole();
        place.is_some_and(|place| self.found_at(document, place).is_some())
    }

    /// Settings with it off.
    pub(super) fn switch_off(&self, text: &str, notation: FileNotation) -> anyhow::Result<String> {
        let document = SettingsDocument::read(text, notation)?;
        if self.is_off(&document) {
            return Ok(text.to_owned());
        }
        let (levels, mut edits) = (Levels::of(&document, &self.key), TextEdits::default());
        let value = self.value();
        match levels.whole() {
            None => {
                let (parent, missing) = levels.parent();
                if let Some(server) = self.server.as_ref().filter(|_| missing.len() > 1) {
                    bail!("there is no tool server `{server}` in it");
                }
                insert_member(&document, parent, missing, &value, &mut edits)?;
            }
            Some(place) => match (&self.state, &document.node(place).value) {
                (SwitchState::Listed(name), NodeValue::List(_)) => {
                    insert(&document, place, &quote_string(name), &mut edits);
                }
                (SwitchState::Listed(_), _) => bail!("`{}` is not a list", self.key.join(".")),
                (SwitchState::Set(_), NodeValue::Other) => {
                    edits.replace(document.node(place).span.clone(), value);
                }
                (SwitchState::Set(_), _) => {
                    bail!("`{}` is neither true nor false", self.key.join("."))
                }
            },
        }
        Ok(edits.apply_to(text))
    }

    /// Settings without it. What was made for it goes with it, as `before` says. `None`: it is not off.
    pub(super) fn switch_on(
        &self,
        text: &str,
        notation: FileNotation,
        before: Option<&str>,
    ) -> Result<Option<String>, UnreadableFile> {
        let document = SettingsDocument::read(text, notation)?;
        let before = before.and_then(|text| SettingsDocument::read(text, notation).ok());
        let levels = Levels::of(&document, &self.key);
        let Some(place) = levels.whole() else { return Ok(None) };
        let Some(found) = self.found_at(&document, place) else { return Ok(None) };
        let old = before.as_ref().map(|old| (old, Levels::of(old, &self.key)));
        let mut edits = TextEdits::default();
        match (&self.state, &old) {
            // It was there, with another value or in other company.
            (SwitchState::Set(off), Some((old, old_levels))) if old_levels.whole().is_some() => {
                let raw = old_levels.whole().map(|place| old.raw(&old.node(place).span));
                let raw = raw.map(str::to_owned).filter(|raw| *raw != off.to_string());
                let on = raw.unwrap_or_else(|| (!off).to_string());
                edits.replace(document.node(place).span.clone(), on);
            }
            (SwitchState::Set(off), None) => {
                edits.replace(document.node(place).span.clone(), (!off).to_string());
            }
            _ => {
                let was_there = old.map_or(usize::MAX, |(_, levels)| levels.places.len());
                let (parent, child) = levels.removed(&document, place, found, was_there);
                remove(&document, parent, child, &mut edits);
            }
        }
        Ok(Some(edits.apply_to(text)))
    }

    /// Where it stands, if it is off: the name in the list, or the value itself.
    fn found_at(&self, document: &SettingsDocument<'_>, place: usize) -> Option<usize> {
        match &self.state {
            SwitchState::Listed(name) => {
                let mut items = document.children(place).into_iter();
                items.find(|item| document.text_span(*item).is_some_and(|item| item.text == *name))
            }
            SwitchState::Set(off) => {
                let raw = document.raw(&document.node(place).span);
                (raw == off.to_string()).then_some(place)
            }
        }
    }

    /// The value of a key that has to be made.
    fn value(&self) -> String {
        match &self.state {
            SwitchState::Listed(name) => format!("[{}]", quote_string(name)),
            SwitchState::Set(off) => off.to_string(),
        }
    }
}

/// Is there no rule for all tools that would go before the switch for one?
pub(super) fn check_not_overruled(
    text: &str,
    notation: FileNotation,
    key: &str,
) -> anyhow::Result<()> {
    let document = SettingsDocument::read(text, notation)?;
    let Some(rules) = document.member(document.root(), key) else { return Ok(()) };
    if document.text_span(rules).is_some() || document.member(rules, "*").is_some() {
        bail!(
            "`{key}` has a rule for all tools, which goes before a switch for one; add the tool to `{key}` below that \
             rule, with \"deny\""
        );
    }
    Ok(())
}

/// The names of all that is off in an agent's settings, no matter what switched it off. A tool of a server is
/// `SERVER/TOOL`.
pub(super) fn off_names(
    text: &str,
    notation: FileNotation,
    switches: &ToolSwitches,
) -> Result<BTreeSet<String>, UnreadableFile> {
    let document = SettingsDocument::read(text, notation)?;
    let all = [&switches.tool, &switches.server_tool, &switches.server].into_iter().flatten();
    Ok(all.flat_map(|switch| off_by(&document, switch)).collect())
}

/// What one switch has switched off. Rules with arguments are for calls, not for tools.
fn off_by(document: &SettingsDocument<'_>, switch: &ToolSwitch) -> Vec<String> {
    let (ToolSwitch::Listed { key, .. } | ToolSwitch::Set { key, .. }) = switch;
    let mut places = vec![(String::new(), document.root())];
    for part in key {
        let step = |(named, table): (String, usize)| {
            let is_any = part.starts_with('{');
            let members = document.members(table).iter().filter(|(name, _)| is_any || name == part);
            let named = |name: &String| if is_any { name.clone() } else { named.clone() };
            members.map(|(name, place)| (named(name), *place)).collect::<Vec<_>>()
        };
        places = places.into_iter().flat_map(step).collect();
    }
    let names = places.into_iter().flat_map(|(named, place)| match switch {
        ToolSwitch::Listed { .. } => {
            let items = document.children(place).into_iter();
            let items = items.filter_map(|item| Some(document.text_span(item)?.text));
            let name = |item: String| match named.as_str() {
                "" => item,
                server => format!("{server}/{item}"),
            };
            items.filter(|item| !item.contains('(')).map(name).collect()
        }
        ToolSwitch::Set { to, .. } => {
            let is_off = document.raw(&document.node(place).span) == to.to_string();
            Vec::from_iter(is_off.then_some(named))
        }
    });
    names.collect()
}

/// How far a key leads into a document.
struct Levels<'k> {
    key: &'k [String],
    /// The root, and then a place for each part of the key that is there.
    places: Vec<usize>,
}

impl<'k> Levels<'k> {
    fn of(document: &SettingsDocument<'_>, key: &'k [String]) -> Self {
        let mut places = vec![document.root()];
        for part in key {
            let deepest = places.last().copied().unwrap_or_default();
            let Some(next) = document.member(deepest, part) else { break };
            places.push(next);
        }
        Levels { key, places }
    }

    /// The place of the whole key.
    fn whole(&self) -> Option<usize> {
        self.places.get(self.key.len()).copied()
    }

    /// The deepest table that is there, and the parts of the key that are missing in it.
    fn parent(&self) -> (usize, &'k [String]) {
        let missing = self.key.get(self.places.len() - 1..).unwrap_or_default();
        (self.places.last().copied().unwrap_or_default(), missing)
    }

    /// What is to be removed, and from where: the value that was found, or the outermost table or list that would be left
    /// empty and was not there before, when `was_there` levels were.
    fn removed(
        &self,
        document: &SettingsDocument<'_>,
        place: usize,
        found: usize,
        was_there: usize,
    ) -> (usize, usize) {
        let mut chain = self.places.clone();
        if found != place {
            chain.push(found);
        }
        let mut at = chain.len() - 1;
        while at > 1 && at > was_there && document.children(chain[at - 1]).len() == 1 {
            at -= 1;
        }
        (chain[at - 1], chain[at])
    }
}

/// Puts a key with a value into a table.
fn insert_member(
    document: &SettingsDocument<'_>,
    into: usize,
    key: &[String],
    value: &str,
    edits: &mut TextEdits,
) -> anyhow::Result<()> {
    let (name, inner) = key.split_first().context("the setting has no name")?;
    if !matches!(document.node(into).value, NodeValue::Table(_)) {
        bail!("`{name}` cannot be added: what it belongs to is no table");
    }
    match document.notation {
        FileNotation::Json => {
            let nested = inner.iter().rev().fold(value.to_owned(), |value, name| {
                format!("{{{}: {value}}}", quote_string(name))
            });
            let member = format!("{}: {nested}", quote_string(name));
            insert(document, into, &member, edits);
        }
        FileNotation::Toml => {
            let at = line_behind_header(document, into).filter(|_| inner.is_empty()).with_context(
                || format!("`{name}` cannot be added the way the table is written"),
            )?;
            let end = if document.text.contains("\r\n") { "\r\n" } else { "\n" };
            // A header may be the last line, without an end.
            let (lead, tail) =
                if document.text[..at].ends_with('\n') { ("", end) } else { (end, "") };
            edits.replace(at..at, format!("{lead}{name} = {value}{tail}"));
        }
    }
    Ok(())
}

/// Where the line begins that follows the header of a TOML table.
fn line_behind_header(document: &SettingsDocument<'_>, table: usize) -> Option<usize> {
    let span = &document.node(table).span;
    let is_header = document.raw(span).starts_with('[');
    let behind = document.text.get(span.end..)?;
    let line = behind.find('\n').map_or(behind.len(), |end| end + 1);
    is_header.then_some(span.end + line)
}

/// Takes a value out of the table or the list that it is directly in.
fn remove(document: &SettingsDocument<'_>, from: usize, value: usize, edits: &mut TextEdits) {
    match (document.notation, &document.node(from).value) {
        (FileNotation::Json, _) => cut(document, from, value, edits),
        (FileNotation::Toml, NodeValue::List(items)) => {
            let span = |place: usize| document.node(place).span.clone();
            let at = items.iter().position(|item| *item == value).unwrap_or_default();
            let (own, next) = (span(value), items.get(at + 1));
            let before = at.checked_sub(1).and_then(|before| items.get(before));
            let range = match (next, before) {
                (Some(next), _) => own.start..span(*next).start,
                (None, Some(before)) => span(*before).end..own.end,
                // The comma behind it was its own.
                (None, None) => {
                    let rest = &document.text[own.end..];
                    let blank = rest.len() - rest.trim_start().len();
                    let comma = usize::from(rest.trim_start().starts_with(','));
                    own.start..own.end + if comma > 0 { blank + comma } else { 0 }
                }
            };
            edits.replace(range, "");
        }
        (FileNotation::Toml, _) => {
            let span = &document.node(value).span;
            let start = document.text[..span.start].rfind('\n').map_or(0, |end| end + 1);
            let behind = &document.text[span.end..];
            let end = behind.find('\n').map(|end| span.end + end + 1);
            match end {
                Some(end) => edits.replace(start..end, ""),
                // The last line has no end: that of the line before goes.
                None => {
                    let before = document.text[..start].trim_end_matches(['\r', '\n']).len();
                    edits.replace(before..document.text.len(), "");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DENY: [&str; 2] = ["permissions", "deny"];

    fn listed(key: &[&str], name: &str) -> SwitchTarget {
        let key = key.iter().map(|part| (*part).to_owned()).collect();
        SwitchTarget { key, server: None, state: SwitchState::Listed(name.to_owned()) }
    }

    fn set(key: &[&str]) -> SwitchTarget {
        let key = key.iter().map(|part| (*part).to_owned()).collect();
        SwitchTarget { key, server: None, state: SwitchState::Set(false) }
    }

    /// What becomes of settings, and that they become what they were.
    fn off(target: &SwitchTarget, text: &str, notation: FileNotation) -> String {
        let new = target.switch_off(text, notation).unwrap();
        assert!(target.is_off(&SettingsDocument::read(&new, notation).unwrap()), "{new}");
        assert_eq!(target.switch_off(&new, notation).unwrap(), new, "twice is once");
        let back = target.switch_on(&new, notation, Some(text)).unwrap();
        assert_eq!(back.as_deref(), Some(text), "{new}");
        new
    }

    #[test]
    fn u3_a_name_goes_into_a_list_of_json_and_out_again() {
        let target = listed(&DENY, "Agent");
        for (text, new) in [
            ("{}", r#"{"permissions": {"deny": ["Agent"]}}"#),
            (r#"{"model": "x"}"#, r#"{"permissions": {"deny": ["Agent"]},"model": "x"}"#),
            (
                r#"{"permissions": {"allow": []}}"#,
                r#"{"permissions": {"deny": ["Agent"],"allow": []}}"#,
            ),
            (r#"{"permissions": {"deny": []}}"#, r#"{"permissions": {"deny": ["Agent"]}}"#),
            (
                "{\n  // mine\n  \"permissions\": {\n    \"deny\": [\n      \"WebFetch\", // no\n    ],\n  },\n}\n",
                "{\n  // mine\n  \"permissions\": {\n    \"deny\": [\n      \"Agent\",\n      \"WebFetch\", // no\n    ],\n  },\n}\n",
            ),
        ] {
            assert_eq!(off(&target, text, FileNotation::Json), new);
        }
    }

    #[test]
    fn u3_a_key_is_set_in_json_and_gets_its_own_value_back() {
        let target = set(&["mcp", "files", "enabled"]);
        for (text, new) in [
            (
                r#"{"mcp": {"files": {"enabled" : true}}}"#,
                r#"{"mcp": {"files": {"enabled" : false}}}"#,
            ),
            (
                r#"{"mcp": {"files": {"type": "local"}}}"#,
                r#"{"mcp": {"files": {"enabled": false,"type": "local"}}}"#,
            ),
            (r#"{"mcp": {"files": {}}}"#, r#"{"mcp": {"files": {"enabled": false}}}"#),
        ] {
            assert_eq!(off(&target, text, FileNotation::Json), new);
        }
        // Without the prior state.
        let on =
            target.switch_on(r#"{"mcp":{"files":{"enabled":false}}}"#, FileNotation::Json, None);
        assert_eq!(on.unwrap().as_deref(), Some(r#"{"mcp":{"files":{"enabled":true}}}"#));
    }

    #[test]
    fn u3_toml_keeps_its_comments_line_ends_and_layout() {
        let tools = listed(&["mcp_servers", "files", "disabled_tools"], "write");
        let server = set(&["mcp_servers", "files", "enabled"]);
        for text in [
            "[mcp_servers.files]",
            "[mcp_servers.files]\ncommand = \"npx\"\n",
            "# mine\r\n[mcp_servers.files] # here\r\ncommand = \"npx\"\r\n\r\n[other]\r\n",
            "[mcp_servers.files]\ndisabled_tools = []\nenabled = true # yes\n",
            "[mcp_servers.files]\ndisabled_tools = [ \"a\", \"b\" ]\n",
            "[mcp_servers.files]\ndisabled_tools = [\n  \"a\", # why\n]\n[mcp_servers.files.env]\nK = \"v\"\n",
        ] {
            off(&tools, text, FileNotation::Toml);
            off(&server, text, FileNotation::Toml);
        }
        let new = off(&tools, "[mcp_servers.files]\ncommand = \"npx\"\n", FileNotation::Toml);
        assert_eq!(new, "[mcp_servers.files]\ndisabled_tools = [\"write\"]\ncommand = \"npx\"\n");
    }

    #[test]
    fn u3_several_switches_are_undone_in_any_order() {
        let (one, two) = (listed(&DENY, "one"), listed(&DENY, "two"));
        for text in ["{}", "{\n  \"permissions\": {\"deny\": [\"x\"]}\n}", "{\"permissions\":{}}"] {
            let json = FileNotation::Json;
            let both = two.switch_off(&one.switch_off(text, json).unwrap(), json).unwrap();
            for (first, second) in [(&one, &two), (&two, &one)] {
                let left = first.switch_on(&both, json, Some(text)).unwrap().unwrap();
                let back = second.switch_on(&left, json, Some(text)).unwrap();
                assert_eq!(back.as_deref(), Some(text), "{both}");
            }
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let target = listed(&DENY, "Agent");
        for text in [r#"{"permissions": {"deny": "all"}}"#, r#"{"permissions": 1}"#, "[]"] {
            assert!(target.switch_off(text, FileNotation::Json).is_err(), "{text}");
        }
        let inline = "mcp_servers = { files = { command = \"npx\" } }\n";
        let tools = listed(&["mcp_servers", "files", "disabled_tools"], "write");
        assert!(tools.switch_off(inline, FileNotation::Toml).is_err());
    }

    proptest! {
        #[test]
        fn u3_whatever_is_around_it_every_byte_comes_back(
            before in "[ \n]{0,3}",
            names in proptest::collection::vec("[a-z]{1,3}", 0..4),
            gap in "[ \n]{0,3}",
            has_deny in any::<bool>(),
        ) {
            let quoted: Vec<String> = names.iter().map(|name| quote_string(name)).collect();
            let list = quoted.join(&format!(",{gap}"));
            let text = if has_deny {
                format!("{{{before}\"permissions\":{{\"deny\":[{gap}{list}{before}]}}{gap}}}")
            } else {
                format!("{{{before}\"model\":[{list}]{gap}}}")
            };
            off(&listed(&DENY, "Agent"), &text, FileNotation::Json);
        }
    }
}
