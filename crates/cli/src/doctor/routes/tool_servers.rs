//! Tool servers in clients' files that are behind Tokenforge.

use super::CHECK;
use crate::doctor::finding::Finding;
use crate::mcp::wrapped_files;
use crate::output::printable;
use std::path::Path;

pub(super) fn check(config: Option<&Path>) -> Vec<Finding> {
    // What cannot be looked at for its settings was told already.
    let Ok(files) = wrapped_files(config) else { return Vec::new() };
    let shown = |(path, servers): (std::path::PathBuf, Vec<String>)| {
        let servers: Vec<_> = servers.iter().map(|server| printable(server)).collect();
        let says =
            format!("{}: tool servers behind Tokenforge: {}", path.display(), servers.join(", "));
        Finding::ok(CHECK, says)
    };
    files.into_iter().map(shown).collect()
}
