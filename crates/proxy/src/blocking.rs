//! Blocking work (`spawn_blocking`), with a timeout for its caller.

use std::time::Duration;

/// How long a caller waits for such work, because a store may never answer.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Does work that blocks. Nothing if a defect ended it, or it did not end.
pub async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    tokio::time::timeout(PATIENCE, tokio::task::spawn_blocking(work)).await.ok()?.ok()
}

/// Does work that blocks and may find nothing. Nothing also if a defect ended it, or it did not end.
pub async fn find_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Option<T> + Send + 'static,
) -> Option<T> {
    run_blocking(work).await.flatten()
}
