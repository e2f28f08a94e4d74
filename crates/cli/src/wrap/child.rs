//! The agent as a child process: with our terminal, the signals that we forward, and its own exit code.

use std::io;
use std::process::ExitStatus;
use tokio::process::Command;

/// Runs it to its end.
pub(super) async fn run(mut command: Command) -> io::Result<i32> {
    // Before there is a child: a signal that came in between would end us and not it.
    #[cfg(unix)]
    let signals = signals::Signals::listen()?;
    let mut child = command.spawn()?;
    #[cfg(unix)]
    let passing = child.id().map(|id| tokio::spawn(signals.pass_on(id)));
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
    use std::io::{self, IsTerminal, stdin};
    use tokio::signal::unix::{self, SignalKind, signal};

    /// What asks us to end. From now on it does not end us: we end with the child.
    pub(super) struct Signals {
        terminate: unix::Signal,
        hangup: unix::Signal,
        interrupt: unix::Signal,
        quit: unix::Signal,
    }

    impl Signals {
        pub(super) fn listen() -> io::Result<Self> {
            Ok(Signals {
                terminate: signal(SignalKind::terminate())?,
                hangup: signal(SignalKind::hangup())?,
                interrupt: signal(SignalKind::interrupt())?,
                quit: signal(SignalKind::quit())?,
            })
        }

        /// Passes them on.
        pub(super) async fn pass_on(mut self, child: u32) {
            let child = i32::try_from(child).ok().and_then(Pid::from_raw);
            // What is typed at a terminal goes to the child as well as to us.
            let is_typed = stdin().is_terminal();
            loop {
                let signal = tokio::select! {
                    _ = self.terminate.recv() => Signal::TERM,
                    _ = self.hangup.recv() => Signal::HUP,
                    _ = self.interrupt.recv() => Signal::INT,
                    _ = self.quit.recv() => Signal::QUIT,
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
}
