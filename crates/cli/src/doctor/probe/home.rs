//! The home folder of a probed agent: empty but for what its data file says, with an environment of its own. No file,
//! login or session of the user is in it, and it is gone when the probe is done.

use crate::data;
use crate::wrap::ClientVariables;
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokenforge_agents::AgentProbe;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_store::key_file;
use tokio::process::Command;
use tokio::time::timeout;

/// What an agent must know to start at all.
const KEPT_VARIABLES: [&str; 4] = ["LANG", "TERM", "SYSTEMROOT", "PATHEXT"];

/// Where it puts what is temporary, so that this is gone too.
const TEMPORARY: &str = "tmp";

/// How long a command of ours may take.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct ProbeHome {
    folder: TempDir,
    variables: BTreeMap<OsString, OsString>,
    program: PathBuf,
}

impl ProbeHome {
    /// One for an agent whose proxy is at this address.
    pub(super) fn new(probe: &AgentProbe, proxy: &str) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("tokenforge-probe-").tempdir();
        let folder = folder.context("there is no place for a home folder")?;
        let program = env::current_exe().context("cannot find the path of this program")?;
        let variables = variables(probe, folder.path(), &program, proxy)?;
        let home = ProbeHome { folder, variables, program };
        fs::create_dir(home.path().join(TEMPORARY))?;
        for (name, text) in &probe.files {
            home.write(name, text)?;
        }
        Ok(home)
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// This program.
    pub(super) fn program(&self) -> anyhow::Result<&str> {
        self.program.to_str().context("the path of this program is not UTF-8")
    }

    pub(super) fn variables(&self) -> ClientVariables<'_> {
        ClientVariables::Only(&self.variables)
    }

    pub(super) fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let file = self.path().join(name);
        fs::create_dir_all(file.parent().unwrap_or(self.path()))?;
        fs::write(&file, text).with_context(|| file.display().to_string())
    }

    /// Writes a file that can be run.
    pub(super) fn write_program(&self, name: &str, text: &str) -> anyhow::Result<()> {
        self.write(name, text)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(self.path().join(name), fs::Permissions::from_mode(0o700))?;
        }
        Ok(())
    }

    /// Runs a command of ours, as the user would in this home.
    pub(super) async fn tokenforge(&self, arguments: &[&str]) -> anyhow::Result<()> {
        let named = || format!("`tokenforge {}`", arguments.join(" "));
        let mut command = std::process::Command::new(&self.program);
        self.variables().apply_to(&mut command);
        let mut command = Command::from(command);
        command.args(arguments).current_dir(self.path()).kill_on_drop(true).stdin(Stdio::null());
        let run = timeout(PATIENCE, command.output()).await;
        let run = run.with_context(|| format!("{} took too long", named()))?;
        let run = run.with_context(named)?;
        if !run.status.success() {
            let said = String::from_utf8_lossy(&run.stderr);
            bail!("{}: {}", named(), super::listener::short(said.trim()));
        }
        Ok(())
    }

    /// The key under which references are made here and nowhere else.
    pub(super) fn reference_key(&self) -> anyhow::Result<ReferenceSecret> {
        let file = data::folder_in(self.path()).join("key");
        let key = key_file(&file).with_context(|| file.display().to_string())?;
        Ok(ReferenceSecret::from_bytes(key))
    }
}

fn variables(
    probe: &AgentProbe,
    home: &Path,
    program: &Path,
    proxy: &str,
) -> anyhow::Result<BTreeMap<OsString, OsString>> {
    let kept = KEPT_VARIABLES.iter().filter_map(|name| Some((name.into(), env::var_os(name)?)));
    let mut variables: BTreeMap<OsString, OsString> = kept.collect();
    let mut set = |names: &[&str], value: OsString| {
        variables.extend(names.iter().map(|name| (name.into(), value.clone())));
    };
    // Models run `tokenforge expand`.
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(program.parent().map(Path::to_owned));
    set(&["PATH"], env::join_paths(folders).context("the path of this program")?);
    set(&["HOME", "USERPROFILE"], home.into());
    set(&["TMPDIR", "TMP", "TEMP"], home.join(TEMPORARY).into());
    set(&["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"], proxy.into());
    set(&["NO_PROXY", "no_proxy"], "127.0.0.1,localhost".into());
    variables.extend(probe.variables.iter().map(|(name, value)| (name.into(), value.into())));
    Ok(variables)
}
