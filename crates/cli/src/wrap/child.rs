//! The agent as a child of ours: with our terminal, our signals and its own exit code.

use super::signals::Signals;
use std::io;
use std::process::ExitStatus;
use tokio::process::Command;

/// Runs it to its end.
pub(super) async fn run(mut command: Command) -> io::Result<i32> {
    // Before there is an agent: a signal in between would end us and leave it behind.
    let mut signals = Signals::listen()?;
    let mut child = command.spawn()?;
    let id = child.id();
    loop {
        tokio::select! {
            status = child.wait() => return Ok(code(status?)),
            () = signals.pass_next(id) => {}
        }
    }
}

/// How it ended, as shells say it.
fn code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(1)
}
