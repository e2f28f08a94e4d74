//! Signals that ask us to end: they are for the agent, and we end with it.

#[cfg(unix)]
pub(super) use unix::Signals;

#[cfg(not(unix))]
pub(super) use other::Signals;

#[cfg(unix)]
mod unix {
    use rustix::process::{Pid, Signal, kill_process};
    use std::io::{self, IsTerminal, stdin};
    use tokio::signal::unix::{self, SignalKind, signal};

    /// The signals that are heard.
    pub(crate) struct Signals {
        terminate: unix::Signal,
        hangup: unix::Signal,
        interrupt: unix::Signal,
        quit: unix::Signal,
        /// What is typed at a terminal goes to the agent as well as to us.
        is_typed: bool,
    }

    impl Signals {
        /// Hears them from now on.
        pub(crate) fn listen() -> io::Result<Self> {
            Ok(Signals {
                terminate: signal(SignalKind::terminate())?,
                hangup: signal(SignalKind::hangup())?,
                interrupt: signal(SignalKind::interrupt())?,
                quit: signal(SignalKind::quit())?,
                is_typed: stdin().is_terminal(),
            })
        }

        /// Passes the next one on to the agent.
        pub(crate) async fn pass_next(&mut self, agent: Option<u32>) {
            let heard = tokio::select! {
                _ = self.terminate.recv() => Signal::TERM,
                _ = self.hangup.recv() => Signal::HUP,
                _ = self.interrupt.recv() => Signal::INT,
                _ = self.quit.recv() => Signal::QUIT,
            };
            let is_known = self.is_typed && matches!(heard, Signal::INT | Signal::QUIT);
            let agent = agent.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
            if let Some(agent) = agent.filter(|_| !is_known) {
                let _ = kill_process(agent, heard);
            }
        }
    }
}

#[cfg(not(unix))]
mod other {
    /// There are none.
    pub(crate) struct Signals;

    impl Signals {
        pub(crate) fn listen() -> std::io::Result<Self> {
            Ok(Signals)
        }

        /// Hears Ctrl-C, which goes to the agent as well as to us.
        pub(crate) async fn pass_next(&mut self, _: Option<u32>) {
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}
