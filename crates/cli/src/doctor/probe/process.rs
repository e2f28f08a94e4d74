//! A probed agent as a process, and all that it starts: they end with the probe.

use super::home::ProbeHome;
use super::trial::Candidate;
use crate::wrap::ClientLaunch;
use anyhow::Context;
use std::path::PathBuf;
use std::process::Stdio;
use tokio::process::{Child, Command};

/// An agent that runs until this is dropped.
pub(super) struct ProbedProcess {
    child: Child,
    /// The id of its group, which is its own as long as one of the group runs.
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
    home: PathBuf,
}

impl ProbedProcess {
    pub(super) fn start(
        candidate: Candidate<'_>,
        launch: &ClientLaunch,
        home: &ProbeHome,
    ) -> anyhow::Result<Self> {
        let mut command = std::process::Command::new(candidate.program);
        home.variables().apply_to(&mut command);
        let mut command = Command::from(command);
        command.envs(launch.variables.iter().map(|(name, value)| (name, value)));
        command.args(&launch.arguments).args(candidate.arguments);
        command.current_dir(home.path()).kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Most are scripts that start the agent itself, which is to end with them.
        #[cfg(unix)]
        command.process_group(0);
        let child = command.spawn().context("it cannot be started")?;
        Ok(ProbedProcess {
            #[cfg(unix)]
            group: child
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .and_then(rustix::process::Pid::from_raw),
            child,
            home: home.path().to_owned(),
        })
    }

    /// Waits until it ends.
    pub(super) async fn ended(&mut self) {
        let _ = self.child.wait().await;
    }
}

impl Drop for ProbedProcess {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.start_kill();
        left::end(&self.home);
    }
}

/// Programs that left the process group of the agent, as background programs do. Their home folder identifies them,
/// because no other program has it.
#[cfg(target_os = "linux")]
mod left {
    use rustix::process::{Pid, Signal, kill_process};
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    use std::thread::sleep;
    use std::time::Duration;
    use std::{fs, process};

    /// How often, and after how long, it is looked for those that are just starting others or about to end.
    const ROUNDS: usize = 40;
    const PAUSE: Duration = Duration::from_millis(25);

    pub(super) fn end(home: &Path) {
        for _ in 0..ROUNDS {
            let left = in_home(home);
            if left.is_empty() {
                return;
            }
            for id in left {
                let _ = kill_process(id, Signal::KILL);
            }
            sleep(PAUSE);
        }
    }

    fn in_home(home: &Path) -> Vec<Pid> {
        let mark = [b"HOME=", home.as_os_str().as_bytes()].concat();
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let others = ids.filter(|id| u32::try_from(*id).is_ok_and(|id| id != process::id()));
        let is_here = |id: &i32| {
            let variables = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            variables.split(|byte| *byte == 0).any(|variable| variable == mark)
        };
        others.filter(is_here).filter_map(Pid::from_raw).collect()
    }
}

/// Elsewhere the environment of a process is not to be had.
#[cfg(not(target_os = "linux"))]
mod left {
    pub(super) fn end(_home: &std::path::Path) {}
}
