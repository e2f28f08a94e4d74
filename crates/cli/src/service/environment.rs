//! What a service must know of the shell in which it was installed: where things are, and how to get out.

use crate::settings::{self, SettingsSource};
use crate::{data, output};
use anyhow::Context;
use std::env;
use std::path::{self, PathBuf};
use tokenforge_config::Overrides;

/// Where things are: folders.
const FOLDERS: &[&str] =
    &["FORGE_CONFIG_DIR", "FORGE_DATA_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"];

/// Where it listens, and how it gets out.
const OTHERS: &[&str] = &[
    "FORGE_LISTEN",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// What a service is started with.
#[derive(Debug)]
pub(super) struct ServiceEnvironment {
    /// The folder that it runs in: the data folder, because it writes to no other.
    pub(super) folder: String,
    pub(super) variables: Vec<(&'static str, String)>,
}

impl ServiceEnvironment {
    pub(super) fn of_shell() -> anyhow::Result<Self> {
        let folder = text(path::absolute(data::folder()?)?)?;
        let mut variables = Vec::new();
        for name in FOLDERS {
            if let Some(value) = data::set(name) {
                variables.push((*name, text(path::absolute(value)?)?));
            }
        }
        for name in OTHERS {
            if let Some(value) = env::var(name).ok().filter(|value| !value.is_empty()) {
                variables.push((*name, value));
            }
        }
        let source = SettingsSource { file: settings::users_file(), flags: Overrides::default() };
        let (_, origins) = source.load_with_origins()?;
        // Originals of yesterday's session can still be asked for, and `tokenforge expand` finds them.
        if origins.of("store.url").is_none() {
            variables.push(("FORGE_STORE", format!("disk:{folder}")));
        }
        Ok(ServiceEnvironment { folder, variables })
    }

    /// Says which settings of this shell are not the service's.
    pub(super) fn tell_rest(&self) {
        let is_known = |name: &str| self.variables.iter().any(|(known, _)| *known == name);
        let mut rest: Vec<_> = env::vars_os()
            .filter_map(|(name, _)| name.into_string().ok())
            .filter(|name| name.starts_with("FORGE_") && !is_known(name))
            .collect();
        rest.sort();
        if !rest.is_empty() {
            output::tell(&format!(
                "note: {} is set in this shell but not for the service; put it in tokenforge.yaml",
                rest.join(", ")
            ));
        }
    }
}

fn text(path: PathBuf) -> anyhow::Result<String> {
    path.into_os_string().into_string().ok().context("the path of a folder is not UTF-8")
}
