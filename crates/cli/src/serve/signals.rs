//! Signals that end the gateway, and those that end a program at a terminal.

use anyhow::Context;

/// Ends when the process is asked to stop.
#[cfg(unix)]
pub(crate) fn stop() -> anyhow::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for signals")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for signals")?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// The same, also when its terminal closes or `quit` is typed there. A gateway reads its settings again at the former.
#[cfg(unix)]
pub(crate) fn stop_or_hangup() -> anyhow::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let stopped = stop()?;
    let mut hangup = signal(SignalKind::hangup()).context("cannot listen for signals")?;
    let mut quit = signal(SignalKind::quit()).context("cannot listen for signals")?;
    Ok(async move {
        tokio::select! {
            () = stopped => {}
            _ = hangup.recv() => {}
            _ = quit.recv() => {}
        }
    })
}

/// Ends when the process is asked to stop.
#[cfg(not(unix))]
pub(crate) fn stop() -> anyhow::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

/// The same: there are no others.
#[cfg(not(unix))]
pub(crate) fn stop_or_hangup() -> anyhow::Result<impl Future<Output = ()>> {
    stop()
}
