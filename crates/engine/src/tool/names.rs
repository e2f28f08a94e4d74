//! Tool names, reduced to what the tool does. Which agent calls it what is in the data files of `tokenforge-agents`.

use super::ToolKind;
use super::skip::{CATEGORIES, DOCUMENTED_CATEGORIES};
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;
use tokenforge_agents::ToolRole;

/// No tool has a longer name; providers allow 64 to 128 characters.
const LONGEST_NAME: usize = 256;

/// The tool of this name, whatever agent uses it.
pub(super) fn find(name: &str) -> ToolKind {
    if name.len() > LONGEST_NAME {
        return ToolKind::Other;
    }
    if let Some(server_and_tool) = strip_mcp(name) {
        return mcp_tool(server_and_tool);
    }
    let last = name.rsplit(['.', '/']).next().unwrap_or(name);
    NAMES
        .own(name)
        .or_else(|| NAMES.own(last))
        .or_else(|| prefixed(last))
        .unwrap_or(ToolKind::Other)
}

static NAMES: LazyLock<ToolNames> = LazyLock::new(ToolNames::of_all_agents);

/// What names mean, without their case and their underscores.
#[derive(Debug, Default)]
struct ToolNames {
    own: HashMap<String, ToolKind>,
    mcp: HashMap<String, ToolKind>,
}

impl ToolNames {
    fn of_all_agents() -> Self {
        let common = tokenforge_agents::common();
        let agents = tokenforge_agents::all().iter().map(|agent| &agent.tools);
        Self {
            own: agents.chain([&common.tools]).flat_map(squashed_names).collect(),
            mcp: squashed_names(&common.mcp_tools).collect(),
        }
    }

    fn own(&self, name: &str) -> Option<ToolKind> {
        self.own.get(&squashed(name)).copied()
    }

    /// One word of a foreign server may mean anything (`list`, `open`); two say what is meant.
    fn foreign(&self, name: &str) -> Option<ToolKind> {
        if let Some(tool) = self.mcp.get(&squashed(name)) {
            return Some(*tool);
        }
        let documented = &CATEGORIES[..DOCUMENTED_CATEGORIES];
        match documented.iter().find(|(category, _)| *category == name) {
            Some((_, tool)) => Some(*tool),
            None if has_two_words(name) => self.own(name),
            None => None,
        }
    }
}

/// `mcp__server__tool` of Claude Code and Codex, `mcp_server_tool` of Gemini: what follows the first mark.
fn strip_mcp(name: &str) -> Option<&str> {
    name.strip_prefix("mcp__").or_else(|| name.strip_prefix("mcp_"))
}

fn mcp_tool(server_and_tool: &str) -> ToolKind {
    let known = match server_and_tool.rsplit_once("__") {
        Some((_, tool)) => NAMES.foreign(tool),
        // Where the server's name ends is not marked, and it may hold an underscore itself.
        None => after_each_mark(server_and_tool).take(2).find_map(|tool| NAMES.foreign(tool)),
    };
    known.unwrap_or(ToolKind::Mcp)
}

/// `server_tool` of opencode and `server__tool` of Goose look like any other name: only what is known counts.
fn prefixed(name: &str) -> Option<ToolKind> {
    match name.rsplit_once("__") {
        Some((_, tool)) => NAMES.foreign(tool).or_else(|| NAMES.own(tool)),
        None => {
            let tool = after_each_mark(name).next()?;
            has_two_words(tool).then(|| NAMES.foreign(tool)).flatten()
        }
    }
}

/// What follows the first underscore, the second, and so on.
fn after_each_mark(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('_').map(|(at, _)| &name[at + 1..])
}

fn has_two_words(name: &str) -> bool {
    let inside = name.as_bytes().get(1..).unwrap_or_default();
    inside.iter().any(|byte| matches!(byte, b'_' | b'-') || byte.is_ascii_uppercase())
}

fn squashed(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
}

fn squashed_names(
    tools: &BTreeMap<ToolRole, Vec<String>>,
) -> impl Iterator<Item = (String, ToolKind)> {
    let kinds = tools.iter().map(|(kind, names)| (ToolKind::from(*kind), names));
    kinds.flat_map(|(tool, names)| names.iter().map(move |name| (squashed(name), tool)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_in_the_data_files_is_known() {
        let agents = tokenforge_agents::all().iter().map(|agent| &agent.tools);
        for (kind, names) in agents.chain([&tokenforge_agents::common().tools]).flatten() {
            for name in names {
                assert_eq!(ToolKind::canonical(name), ToolKind::from(*kind), "{name}");
            }
        }
    }
}
