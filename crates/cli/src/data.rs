//! Data and settings folders (XDG): where Tokenforge keeps what must outlive a run.

use anyhow::Context;
use std::env;
use std::path::{Path, PathBuf};
use tokenforge_config::Secret;
use tokenforge_gateway::read_token;
use tokenforge_store::{DiskStore, StoreError, StoreLocation, StoreOptions, key_file};

/// What our folder is called in the user's data folder.
const OWN: &str = "tokenforge";

/// The store of originals.
pub(crate) fn store() -> anyhow::Result<DiskStore> {
    Ok(DiskStore::open(folder()?, StoreOptions::DISK)?)
}

/// Where the store of originals is.
pub(crate) fn location() -> anyhow::Result<StoreLocation> {
    Ok(StoreLocation::Disk(folder()?))
}

/// The key of references, in the file where the store of originals has it too: every process that shortens outputs on
/// this machine prints the same ids, and prints them again after a restart.
pub(crate) fn reference_key() -> Result<[u8; 32], StoreError> {
    let no_place = |error: anyhow::Error| StoreError::NoKey { reason: format!("{error:#}") };
    key_file(&folder().map_err(no_place)?.join("key"))
}

/// Where tool servers are kept that were added while the gateway ran.
pub(crate) fn mcp_file() -> anyhow::Result<PathBuf> {
    Ok(folder()?.join("mcp.json"))
}

/// Where the admin token is drawn.
pub(crate) fn admin_token_file() -> anyhow::Result<PathBuf> {
    Ok(folder()?.join("admin_token"))
}

/// The admin token in the data folder.
pub(crate) fn drawn_admin_token() -> anyhow::Result<Secret> {
    let file = admin_token_file()?;
    read_token(&file).with_context(|| file.display().to_string())
}

/// Where the token of the user's own clients is drawn.
pub(crate) fn client_token_file() -> anyhow::Result<PathBuf> {
    Ok(folder()?.join("client_token"))
}

/// Where the programs are that `tokenforge setup` puts before the agents' own.
pub(crate) fn shim_folder() -> anyhow::Result<PathBuf> {
    Ok(folder()?.join("shims"))
}

/// Where hooks of agents find a gateway that runs.
pub(crate) fn hook_folder() -> anyhow::Result<PathBuf> {
    Ok(folder()?.join("hook"))
}

/// Where savings are written down. The store beside it has a file called `ledger`.
pub(crate) fn ledger() -> anyhow::Result<PathBuf> {
    Ok(folder()?.join("savings"))
}

/// `FORGE_DATA_DIR`, else `tokenforge` in the user's data folder.
pub(crate) fn folder() -> anyhow::Result<PathBuf> {
    if let Some(folder) = set("FORGE_DATA_DIR") {
        return Ok(folder);
    }
    let data = set("XDG_DATA_HOME").map(|data| data.join(OWN));
    let data = data.or_else(|| Some(folder_in(&home()?)));
    data.context("no data folder: set FORGE_DATA_DIR or HOME")
}

/// The same, of a user with this home folder who has set nothing.
pub(crate) fn folder_in(home: &Path) -> PathBuf {
    home.join(".local/share").join(OWN)
}

/// `FORGE_CONFIG_DIR`, else `tokenforge` in the user's folder for settings, if there is one.
pub(crate) fn config_folder() -> Option<PathBuf> {
    set("FORGE_CONFIG_DIR").or_else(|| Some(users_config()?.join("tokenforge")))
}

/// The user's folder for settings of all programs.
pub(crate) fn users_config() -> Option<PathBuf> {
    set("XDG_CONFIG_HOME").or_else(|| Some(home()?.join(".config")))
}

/// The user's own folder.
pub(crate) fn home() -> Option<PathBuf> {
    set("HOME").or_else(|| set("USERPROFILE"))
}

/// A variable that names a folder.
pub(crate) fn set(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
