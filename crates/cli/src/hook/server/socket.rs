//! The Unix domain socket of a gateway, in a folder that only its owner can enter.

use super::{Bound, Listener};
use crate::data;
use crate::hook::hook_socket::{Place, is_private};
use anyhow::{Context, bail};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Longest path of a socket: some systems allow no longer ones.
const LONGEST_PATH: usize = 100;

/// Beginning of the name of a folder that is made for a socket because its path in the data folder is too long.
const SHORT: &str = "tokenforge-hook-";

/// Listens, in the place of a gateway that was killed and left its own behind.
pub(super) fn bind(folder: &Path, left_behind: Option<Place>) -> anyhow::Result<Bound> {
    if let Some(Place::Socket(path)) = left_behind {
        remove_left_behind(&path);
    }
    let (path, short) = socket_path(folder)?;
    let shown = || path.display().to_string();
    // One that no file names.
    let _ = fs::remove_file(&path);
    let listener = tokio::net::UnixListener::bind(&path).with_context(shown)?;
    fs::set_permissions(&path, Permissions::from_mode(0o600)).with_context(shown)?;
    Ok(Bound { listener: Listener::Socket(listener), place: Place::Socket(path), short })
}

/// Removes the socket of a gateway that was killed, and the folder that was made for it.
fn remove_left_behind(path: &Path) {
    let Some(folder) = path.parent().filter(|folder| is_private(folder)) else { return };
    let _ = fs::remove_file(path);
    let name = folder.file_name().unwrap_or_default();
    if name.as_encoded_bytes().starts_with(SHORT.as_bytes()) {
        let _ = fs::remove_dir(folder);
    }
}

/// The path of the socket: in this folder, or in a new private one where its path would be too long.
fn socket_path(folder: &Path) -> anyhow::Result<(PathBuf, Option<TempDir>)> {
    let usual = folder.join("socket");
    if fits(&usual) {
        // In a folder of another user, that user could replace the socket.
        if !is_private(folder) {
            bail!("{} belongs to another user or can be entered by others", folder.display());
        }
        return Ok((usual, None));
    }
    let runtime = data::set("XDG_RUNTIME_DIR").filter(|folder| folder.is_absolute());
    for parent in runtime.into_iter().chain([PathBuf::from("/tmp")]) {
        let mut builder = tempfile::Builder::new();
        let builder = builder.prefix(SHORT).permissions(Permissions::from_mode(0o700));
        let Ok(made) = builder.tempdir_in(&parent) else { continue };
        let path = made.path().join("socket");
        if fits(&path) {
            return Ok((path, Some(made)));
        }
    }
    bail!(
        "the path {} is too long for a socket, and no folder for it could be made in XDG_RUNTIME_DIR or /tmp",
        usual.display()
    )
}

fn fits(path: &Path) -> bool {
    path.as_os_str().len() <= LONGEST_PATH
}
