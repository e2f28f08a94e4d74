//! The agent as a child of ours: with our terminal, our signals and its own exit code.

use std::io;
use std::process::ExitStatus;
use tokio::process::Command;

/// Runs it to its end.
pub(super) async fn run(mut command: Command) -> io::Result<i32> {
    let mut child = command.spawn()?;
    #[cfg(unix)]
    let passing = child.id().map(|id| tokio::spawn(signals::pass_on(id)));
    let status = child.wait().await;
    #[cfg(unix)]
    if let Some(passing) = passing {
        passing.abort();
    }
    Ok(code(status?))
}

/// How it ended, as shells say it.
fn code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(1)
}

#[cfg(unix)]
mod signals {
    use rustix::process::{Pid, Signal, kill_process};
    use std::io::{IsTerminal, stdin};
    use tokio::signal::unix::{SignalKind, signal};

    /// Passes on what asks us to end; we end with the child.
    pub(super) async fn pass_on(child: u32) {
        let child = i32::try_from(child).ok().and_then(Pid::from_raw);
        let kinds = [
            SignalKind::terminate(),
            SignalKind::hangup(),
            SignalKind::interrupt(),
            SignalKind::quit(),
        ];
        let [Ok(mut terminate), Ok(mut hangup), Ok(mut interrupt), Ok(mut quit)] =
            kinds.map(signal)
        else {
            return;
        };
        // What is typed at a terminal goes to the child as well as to us.
        let is_typed = stdin().is_terminal();
        loop {
            let signal = tokio::select! {
                _ = terminate.recv() => Signal::TERM,
                _ = hangup.recv() => Signal::HUP,
                _ = interrupt.recv() => Signal::INT,
                _ = quit.recv() => Signal::QUIT,
            };
            if is_typed && matches!(signal, Signal::INT | Signal::QUIT) {
                continue;
            }
            if let Some(child) = child {
                let _ = kill_process(child, signal);
            }
        }
    }
}
