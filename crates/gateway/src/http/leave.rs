//! How a connection on which nothing was said yet learns that its thread is about to end.

use tokio::sync::watch;

/// Tells when it is time to leave.
#[derive(Clone)]
pub(super) struct Leave(watch::Receiver<()>);

/// Held as long as there is time.
pub(super) type Stay = watch::Sender<()>;

impl Leave {
    pub(super) fn new() -> (Stay, Self) {
        let (stay, leave) = watch::channel(());
        (stay, Leave(leave))
    }

    /// Ends when the other half is gone: nothing is ever sent.
    pub(super) async fn asked(&mut self) {
        while self.0.changed().await.is_ok() {}
    }
}
