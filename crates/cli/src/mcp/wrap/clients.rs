//! Which files clients keep their tool servers in.

use std::path::PathBuf;

/// The clients that are known by name.
pub(crate) const CLIENTS: [&str; 6] = ["claude", "cursor", "vscode", "gemini", "opencode", "codex"];

/// Where files of clients are.
pub(super) struct Folders {
    /// The project's.
    pub(super) here: PathBuf,
    pub(super) home: PathBuf,
    /// The user's folder for settings.
    pub(super) config: PathBuf,
    /// Where Claude Code was told to keep its own.
    pub(super) claude: Option<PathBuf>,
    /// Where Codex was told to.
    pub(super) codex: Option<PathBuf>,
}

/// The files of a client, whether they are there or not; `None`: it is not known.
pub(super) fn files(client: &str, folders: &Folders) -> Option<Vec<PathBuf>> {
    let Folders { here, home, config, claude, codex } = folders;
    let claude = claude.as_ref().unwrap_or(home);
    let codex = codex.clone().unwrap_or_else(|| home.join(".codex"));
    Some(match client {
        "claude" => vec![here.join(".mcp.json"), claude.join(".claude.json")],
        "cursor" => vec![here.join(".cursor/mcp.json"), home.join(".cursor/mcp.json")],
        "vscode" => vec![
            here.join(".vscode/mcp.json"),
            config.join("Code/User/mcp.json"),
            home.join("Library/Application Support/Code/User/mcp.json"),
        ],
        "gemini" => vec![here.join(".gemini/settings.json"), home.join(".gemini/settings.json")],
        "opencode" => {
            let users = config.join("opencode");
            [here, &users]
                .iter()
                .flat_map(|folder| {
                    ["opencode.json", "opencode.jsonc"].map(|name| folder.join(name))
                })
                .collect()
        }
        "codex" => vec![here.join(".codex/config.toml"), codex.join("config.toml")],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_known_client_has_files() {
        let folders = Folders {
            here: "/project".into(),
            home: "/home".into(),
            config: "/home/.config".into(),
            claude: None,
            codex: None,
        };
        for client in CLIENTS {
            assert!(!files(client, &folders).unwrap().is_empty(), "{client}");
        }
        assert_eq!(files("mcp.json", &folders), None);
        let claude = files("claude", &folders).unwrap();
        assert_eq!(claude, [Path::new("/project/.mcp.json"), Path::new("/home/.claude.json")]);
    }
}
