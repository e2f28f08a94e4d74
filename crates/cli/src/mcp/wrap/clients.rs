//! Which files agents keep their MCP servers in, as the data files of `tokenforge-agents` say.

use std::path::PathBuf;
use tokenforge_agents::{Agent, McpServerFiles};

/// What commands call the agents whose files are known.
pub(crate) fn client_names() -> Vec<&'static str> {
    listing_agents().map(|(agent, _)| agent.id.as_str()).collect()
}

/// The files of an agent, whether they are there or not; `None`: it is not known.
pub(super) fn files(
    client: &str,
    variable: &dyn Fn(&str) -> Option<PathBuf>,
) -> Option<Vec<PathBuf>> {
    let (_, listed) = listing_agents().find(|(agent, _)| agent.id == client)?;
    Some(listed.files.iter().filter_map(|file| file.resolve(variable)).collect())
}

/// The keys that lead to tables of servers, whichever agent's file it is.
pub(super) fn keys() -> Vec<&'static [String]> {
    let mut keys: Vec<&[String]> = Vec::new();
    for key in listing_agents().flat_map(|(_, listed)| &listed.keys) {
        if !keys.contains(&&key[..]) {
            keys.push(key);
        }
    }
    keys
}

fn listing_agents() -> impl Iterator<Item = (&'static Agent, &'static McpServerFiles)> {
    let all = tokenforge_agents::all().iter();
    all.filter_map(|agent| agent.mcp_servers.as_ref().map(|listed| (agent, listed)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_known_client_has_files() {
        let variable = |name: &str| (name == "HOME").then(|| PathBuf::from("/home"));
        for client in client_names() {
            assert!(!files(client, &variable).unwrap().is_empty(), "{client}");
        }
        assert_eq!(files("mcp.json", &variable), None);
        let claude = files("claude", &variable).unwrap();
        assert_eq!(claude, [Path::new(".mcp.json"), Path::new("/home/.claude.json")]);
    }

    #[test]
    fn a_key_that_several_agents_use_is_looked_up_once() {
        let joined: Vec<_> = keys().iter().map(|key| key.join(".")).collect();
        let expected =
            ["mcpServers", "projects.*.mcpServers", "servers", "mcp.servers", "mcp_servers", "mcp"];
        assert_eq!(joined, expected);
    }
}
