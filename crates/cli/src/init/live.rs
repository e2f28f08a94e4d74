//! Which agents run the hook: in which file that is said.

use super::places::{self, Folders, Scope};
use super::{claude, plugin};
use crate::client_file::Unreadable;
use crate::hook::Client;
use std::path::{Path, PathBuf};

const SCOPES: [Scope; 2] = [Scope::Global, Scope::Project];

/// A file that has an agent run the hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) client: Client,
    pub(crate) scope: Scope,
    pub(crate) file: PathBuf,
    /// What it runs, if that can be told.
    pub(crate) program: Option<PathBuf>,
}

/// The routes that are live. `read` gives the text of a file that is there.
pub(crate) fn routes(folders: &Folders, read: &dyn Fn(&Path) -> Option<String>) -> Vec<Route> {
    let places = Client::ALL.into_iter().flat_map(|client| SCOPES.map(|scope| (client, scope)));
    let live = |(client, scope): (Client, Scope)| {
        let file = places::file(client, scope, folders);
        let text = read(&file).filter(|text| is_installed(client, text))?;
        Some(Route { client, scope, file, program: program(client, &text).map(PathBuf::from) })
    };
    places.filter_map(live).collect()
}

/// Settings of which nobody can tell whether they have the hook, and why.
pub(crate) fn unreadable(
    folders: &Folders,
    read: &dyn Fn(&Path) -> Option<String>,
) -> Vec<(PathBuf, Unreadable)> {
    let files = SCOPES.into_iter().map(|scope| places::file(Client::Claude, scope, folders));
    files.filter_map(|file| Some((file.clone(), claude::unreadable(&read(&file)?)?))).collect()
}

/// Does this text of its file have an agent run the hook?
pub(super) fn is_installed(client: Client, text: &str) -> bool {
    match client {
        Client::Claude => claude::is_installed(text),
        client => plugin::is_installed(client, text),
    }
}

fn program(client: Client, text: &str) -> Option<String> {
    match client {
        Client::Claude => claude::program(text),
        _ => plugin::program(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn a_route_is_live_where_its_file_says_so() {
        let folders = Folders {
            here: "/project".into(),
            config: "/home/.config".into(),
            claude: "/home/.claude".into(),
            opencode: None,
            pi: "/home/.pi/agent".into(),
        };
        let hook = r#"{"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [{"command": "/bin/tokenforge hook claude || true"}]}]}}"#;
        let files = HashMap::from([
            ("/home/.claude/settings.json", hook.to_owned()),
            ("/project/.claude/settings.local.json", hook.replace("tokenforge", "other")),
            ("/project/.opencode/plugins/tokenforge.js", plugin::source(Client::Opencode, "/x")),
            ("/home/.pi/agent/extensions/tokenforge.ts", "export default 1".to_owned()),
        ]);
        let read = |path: &Path| files.get(path.to_str()?).cloned();
        let found: Vec<_> = routes(&folders, &read)
            .into_iter()
            .map(|route| (route.client, route.scope, route.program.unwrap()))
            .collect();
        assert_eq!(
            found,
            [
                (Client::Claude, Scope::Global, "/bin/tokenforge".into()),
                (Client::Opencode, Scope::Project, "/x".into())
            ]
        );
    }
}
