//! Graceful shutdown: how a connection on which nothing was said yet learns that its thread is about to end.

use tokio::sync::watch;

/// Tells when the thread is about to end.
#[derive(Clone)]
pub(super) struct Shutdown(watch::Receiver<()>);

/// Held as long as connections may wait for a first request. To drop it is to shut down.
pub(super) type ShutdownTrigger = watch::Sender<()>;

impl Shutdown {
    pub(super) fn new() -> (ShutdownTrigger, Self) {
        let (trigger, shutdown) = watch::channel(());
        (trigger, Shutdown(shutdown))
    }

    /// Ends when the other half is gone: nothing is ever sent.
    pub(super) async fn wait(&mut self) {
        while self.0.changed().await.is_ok() {}
    }
}
