//! `tokenforge launch`: what the shims of `tokenforge setup` run. The agent starts behind the gateway that runs as a
//! service, or, where none answers, as if there were no Tokenforge.
//!
//! It takes the place of this process (`exec`), so that its terminal, signals, process id and exit code are its own and
//! nothing of ours stays in memory. Only where the agent is told by a file (pi) is it a child: the file goes with it.
//!
//! The gateway is asked once, before the start, over a plain socket: a client with TLS and a thread pool would cost more
//! than the question. Who it is that runs is looked up each time, so that an agent may be updated, or installed
//! elsewhere, without another `setup`.

use super::clients::WrappedClient;
use super::plan::{BaseUrlPlan, ClientLaunch};
use super::variables::ClientVariables;
use super::{child, local_shell, route, stay_local};
use crate::gateway;
use crate::output::tell;
use crate::settings::{self, SettingsSource};
use crate::setup::{agents, shim};
use anyhow::{Context, bail};
use clap::Args;
use probe::ProbeResult;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use tokenforge_config::Overrides;

pub(crate) mod probe;

/// Who was started by us on the way here: a process id, and paths.
const TRAIL: &str = "TOKENFORGE_LAUNCHED";

/// More launches within one another than any user starts.
const DEEPEST: usize = 16;

/// Start an agent behind the gateway that runs, or without it if none answers
#[derive(Args)]
pub(crate) struct LaunchArgs {
    /// The agent, and after it its arguments, whatever they look like
    // One list: of two, what begins with a dash between them would be taken for an option of ours.
    #[arg(required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// Becomes the agent; its exit code, where it had to be a child.
pub(crate) fn run(launch: &LaunchArgs) -> anyhow::Result<i32> {
    let (name, arguments) = launch.command.split_first().context("expected an agent")?;
    let name = &*name.to_string_lossy();
    let client =
        WrappedClient::of_program(name).with_context(|| format!("`{name}` is not known"))?;
    let trail = Trail::read(env::var_os(TRAIL).as_deref());
    let program = trail.next(name, shim::real(name))?;
    let mut command = Command::new(&program);
    command.env(TRAIL, trail.with(&program));
    let started = match prepare_launch(client, &program, arguments) {
        Ok(started) => {
            command.envs(started.variables.iter().map(|(name, value)| (name, value)));
            command.args(&started.arguments);
            stay_local(&mut command);
            started
        }
        Err(error) => {
            tell(&format!("tokenforge: {error:#}; {name} runs without it"));
            ClientLaunch::default()
        }
    };
    command.args(arguments);
    run_as(command, name, started).with_context(|| format!("cannot run {}", program.display()))
}

/// What the agent is told, if there is a gateway for it.
fn prepare_launch(
    client: WrappedClient,
    program: &Path,
    arguments: &[OsString],
) -> anyhow::Result<ClientLaunch> {
    // A project may be anybody's, and its file could send the agent's key anywhere.
    let source = SettingsSource { file: settings::users_file(), flags: Overrides::default() };
    let settings = source.load().context("the gateway's settings cannot be used")?;
    let url = gateway::url(settings.listen);
    let (has_upstreams, is_same_version) = match probe::ask_patiently(&settings) {
        ProbeResult::NoAnswer => {
            bail!("the gateway at {url} does not answer (see `tokenforge service status`)")
        }
        ProbeResult::Stranger(why) => bail!("{why}"),
        ProbeResult::Busy => bail!("the gateway at {url} takes no requests now"),
        ProbeResult::Gateway { asks_for_key: true, .. } => {
            bail!("the gateway at {url} asks for a key, which the agent does not have")
        }
        ProbeResult::Gateway { version, has_upstreams, .. } => {
            let is_same_version = version == env!("CARGO_PKG_VERSION");
            if !is_same_version {
                tell(&format!(
                    "tokenforge: the gateway at {url} is still version {version}; `tokenforge service install` \
                     restarts it"
                ));
            }
            (has_upstreams, is_same_version)
        }
    };
    if let Some(why) = agents::goes_elsewhere(client.name) {
        bail!("{why}");
    }
    let path = program.to_str().context("the path of the agent's program is not UTF-8")?;
    let plan = BaseUrlPlan::new(client, path, ClientVariables::Inherited, &url)?;
    // What was read here may not be what the gateway was started with.
    if !has_upstreams && !plan.is_usual() {
        bail!(
            "you have set a provider's address, and the gateway at {url} runs with other `upstreams` than your settings \
             name now (restart it, or use `tokenforge wrap {}`)",
            client.name
        );
    }
    if let Some(origin) = plan.missed_by(client, &settings.upstreams) {
        let origin = origin.to_string();
        bail!(
            "your settings send requests to {}, and the gateway at {url} does not (set `upstreams` in tokenforge.yaml, or \
             use `tokenforge wrap {}`)",
            origin.trim_end_matches('/'),
            client.name
        );
    }
    // Another version may take the mark for a part of the provider's path.
    let mark = if is_same_version {
        local_shell::path_mark(client.name, arguments)
    } else {
        String::new()
    };
    plan.start(&format!("{url}/p/{}{mark}", route::project()))
}

#[cfg(unix)]
fn run_as(mut command: Command, name: &str, started: ClientLaunch) -> anyhow::Result<i32> {
    use std::os::unix::process::CommandExt;
    // As a shell would: some agents look at what they were called.
    command.arg0(name);
    if !started.has_files() {
        return Err(command.exec().into());
    }
    as_child(command, started)
}

#[cfg(not(unix))]
fn run_as(command: Command, _: &str, started: ClientLaunch) -> anyhow::Result<i32> {
    as_child(command, started)
}

fn as_child(command: Command, started: ClientLaunch) -> anyhow::Result<i32> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start threads")?;
    let code = runtime.block_on(child::run(command.into()));
    drop(started);
    Ok(code?)
}

/// Who was started by us on the way here. The shim itself is never taken for the agent, but a program of that name may
/// be another tool's shim, which finds ours again.
#[derive(Debug, Default)]
struct Trail {
    process: Option<u32>,
    programs: Vec<PathBuf>,
}

impl Trail {
    fn read(set: Option<&OsStr>) -> Self {
        let mut parts = set.map(env::split_paths).into_iter().flatten();
        let process = parts.next().and_then(|part| part.to_str()?.parse().ok());
        Trail { process, programs: parts.collect() }
    }

    /// Are we back where we were? `exec` keeps the process id; who starts a child instead is seen by how often.
    fn is_loop(&self) -> bool {
        self.process == Some(process::id()) || self.programs.len() >= DEEPEST
    }

    /// The agent's program. Where others led back to us, one that did not; where there is none, they get more chances
    /// before it is an error, since process ids come again.
    fn next(&self, name: &str, found: impl Iterator<Item = PathBuf>) -> anyhow::Result<PathBuf> {
        let found: Vec<_> = found.collect();
        if self.is_loop() {
            let new = found.iter().find(|program| !self.programs.contains(program));
            if let Some(program) = new {
                return Ok(program.clone());
            }
            if let Some(last) = self.programs.get(DEEPEST - 1..).and_then(<[_]>::last) {
                bail!(
                    "{name} cannot be started: {} leads back to the shim of `tokenforge setup {name}`, and there is no \
                     other {name} on your PATH",
                    last.display()
                );
            }
        }
        let none = || {
            format!("there is no {name} on your PATH, only the shim of `tokenforge setup {name}`")
        };
        found.into_iter().next().with_context(none)
    }

    /// The trail with one more on it, for who comes after.
    fn with(&self, program: &Path) -> OsString {
        let process = PathBuf::from(process::id().to_string());
        let parts = [&process].into_iter().chain(&self.programs).map(PathBuf::as_path);
        // A path with a colon in it cannot have come from a PATH.
        env::join_paths(parts.chain([program])).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> impl Iterator<Item = PathBuf> {
        ["/a/claude", "/b/claude"].into_iter().map(PathBuf::from)
    }

    fn trail(process: u32, programs: &[&str]) -> Trail {
        Trail::read(Some(OsStr::new(&format!("{process}:{}", programs.join(":")))))
    }

    #[test]
    fn the_first_on_the_path_is_the_agent_also_for_an_agent_in_an_agent() {
        assert_eq!(Trail::read(None).next("claude", found()).unwrap(), Path::new("/a/claude"));
        let nested = trail(1, &["/a/claude"]);
        assert_eq!(nested.next("claude", found()).unwrap(), Path::new("/a/claude"));
        let none = Trail::read(None).next("claude", std::iter::empty()).unwrap_err();
        assert!(none.to_string().starts_with("there is no claude on your PATH"), "{none}");
    }

    #[test]
    fn a_program_that_leads_back_to_the_shim_is_passed_over() {
        let back = trail(process::id(), &["/a/claude"]);
        assert_eq!(back.next("claude", found()).unwrap(), Path::new("/b/claude"));
        let deep = trail(1, &["/a/claude"; DEEPEST]);
        assert_eq!(deep.next("claude", found()).unwrap(), Path::new("/b/claude"));
        let again = trail(process::id(), &["/a/claude", "/b/claude"]);
        assert_eq!(again.next("claude", found()).unwrap(), Path::new("/a/claude"));
        let all = trail(1, &["/a/claude", "/b/claude"].repeat(DEEPEST / 2));
        let error = all.next("claude", found()).unwrap_err().to_string();
        assert!(error.contains("/b/claude leads back"), "{error}");
    }

    #[test]
    fn the_trail_goes_on() {
        let after = trail(1, &["/a/claude"]).with(Path::new("/b/claude"));
        let read = Trail::read(Some(&after));
        assert_eq!(read.process, Some(process::id()));
        assert_eq!(read.programs, ["/a/claude", "/b/claude"].map(PathBuf::from));
    }
}
