//! Which agents run the hook: in which file that is said.

use super::scope::HookScope;
use super::{claude, plugin};
use crate::client_file::UnreadableFile;
use crate::hook::HookAgent;
use std::path::{Path, PathBuf};
use tokenforge_agents::HookEntry;

/// Gives the value of a variable that names a folder.
type Variables<'v> = &'v dyn Fn(&str) -> Option<PathBuf>;

/// Gives the text of a file that is there.
type ReadFile<'r> = &'r dyn Fn(&Path) -> Option<String>;

/// A file that has an agent run the hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HookRoute {
    pub(crate) client: HookAgent,
    pub(crate) scope: HookScope,
    pub(crate) file: PathBuf,
    /// What it runs, if that can be told.
    pub(crate) program: Option<PathBuf>,
}

/// The routes that are live.
pub(crate) fn live(variables: Variables<'_>, read: ReadFile<'_>) -> Vec<HookRoute> {
    let all = HookAgent::all().flat_map(|client| HookScope::ALL.map(|scope| (client, scope)));
    let live = |(client, scope): (HookAgent, HookScope)| {
        let (entry, file) = (&client.hook.entry, scope.file(client).resolve(variables)?);
        let text = read(&file).filter(|text| is_installed(entry, text))?;
        let program = program(entry, &text).map(PathBuf::from);
        Some(HookRoute { client, scope, file, program })
    };
    all.filter_map(live).collect()
}

/// Settings files that cannot be checked for the hook, and why.
pub(crate) fn unreadable(
    variables: Variables<'_>,
    read: ReadFile<'_>,
) -> Vec<(HookAgent, PathBuf, UnreadableFile)> {
    let agents =
        HookAgent::all().filter(|agent| matches!(agent.hook.entry, HookEntry::PostToolUse(_)));
    let files = agents.flat_map(|agent| HookScope::ALL.map(|scope| (agent, scope.file(agent))));
    let unreadable = files.filter_map(|(agent, file)| {
        let file = file.resolve(variables)?;
        let why = claude::unreadable(&read(&file)?)?;
        Some((agent, file, why))
    });
    unreadable.collect()
}

/// Does this text of its file have an agent run the hook?
pub(super) fn is_installed(entry: &HookEntry, text: &str) -> bool {
    match entry {
        HookEntry::PostToolUse(_) => claude::is_installed(text),
        HookEntry::PluginFile(_) => plugin::is_installed(entry, text),
    }
}

fn program(entry: &HookEntry, text: &str) -> Option<String> {
    match entry {
        HookEntry::PostToolUse(_) => claude::program(text),
        HookEntry::PluginFile(_) => plugin::program(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn a_route_is_live_where_its_file_says_so() {
        let home = |name: &str| (name == "HOME").then(|| PathBuf::from("/home"));
        let opencode = HookAgent::find("opencode").unwrap();
        let hook = r#"{"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [{"command": "/bin/tokenforge hook claude || true"}]}]}}"#;
        let files = HashMap::from([
            ("/home/.claude/settings.json", hook.to_owned()),
            ("./.claude/settings.local.json", hook.replace("tokenforge", "other")),
            ("./.opencode/plugins/tokenforge.js", plugin::source(&opencode.hook.entry, "/x")),
            ("/home/.pi/agent/extensions/tokenforge.ts", "export default 1".to_owned()),
        ]);
        let read = |path: &Path| files.get(path.to_str()?).cloned();
        let found: Vec<_> = live(&home, &read)
            .into_iter()
            .map(|route| (route.client.id(), route.scope, route.program.unwrap()))
            .collect();
        assert_eq!(
            found,
            [
                ("claude", HookScope::Global, "/bin/tokenforge".into()),
                ("opencode", HookScope::Project, "/x".into())
            ]
        );
    }
}
