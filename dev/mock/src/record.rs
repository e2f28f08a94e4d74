//! What reached the mock, and waiting for it without sleeping.

use bytes::Bytes;
use http::{HeaderMap, Method};
use serde_json::Value;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How long a test waits for what must happen before it fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The method.
    pub method: Method,
    /// Whom its first line asks for: a path, or a whole address from who takes the mock for a proxy.
    pub target: String,
    /// The path with its query, as sent.
    pub path_and_query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, as sent.
    pub body: Bytes,
    /// When it was complete.
    pub at: Instant,
    /// Why the mock refused it: the rule, and what a client was told.
    pub refused: Option<String>,
}

impl Recorded {
    /// A header's value; empty if it is missing.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The body without its `Content-Encoding`.
    #[must_use]
    pub fn plain(&self) -> Bytes {
        crate::pace::decoded(&self.body, self.header("content-encoding")).unwrap_or_default()
    }

    /// The body read as JSON; null if it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.plain()).unwrap_or_default()
    }
}

/// Everything that happened, in one place so that a test can wait for it.
#[derive(Debug, Default)]
pub(crate) struct Log {
    happened: Mutex<Happened>,
    blocking: Condvar,
    waiting: Notify,
}

/// What happened so far.
#[derive(Debug, Default)]
pub(crate) struct Happened {
    pub(crate) requests: Vec<Recorded>,
    /// All requests, recorded or not.
    pub(crate) count: usize,
    /// Connections that are open now.
    pub(crate) open: usize,
    /// Connections that were accepted.
    pub(crate) accepted: usize,
    /// Replies that the client did not wait for.
    pub(crate) abandoned: usize,
    /// Requests that are being answered now.
    pub(crate) at_once: usize,
    /// The most that there were of them.
    pub(crate) most_at_once: usize,
}

impl Happened {
    /// Forgets requests, and what was abandoned; connections stay counted.
    pub(crate) fn clear(&mut self) {
        self.requests.clear();
        self.count = 0;
        self.abandoned = 0;
        self.most_at_once = self.at_once;
    }
}

impl Log {
    /// Looks at what happened.
    pub(crate) fn look<T>(&self, at: impl FnOnce(&Happened) -> T) -> T {
        at(&self.lock())
    }

    /// Notes that something happened.
    pub(crate) fn note(&self, change: impl FnOnce(&mut Happened)) {
        change(&mut self.lock());
        self.blocking.notify_all();
        self.waiting.notify_waiters();
    }

    /// Blocks until `enough`.
    ///
    /// # Panics
    /// When it does not happen in twenty seconds.
    pub(crate) fn wait(&self, what: &str, enough: impl Fn(&Happened) -> bool) {
        let (happened, outcome) = self
            .blocking
            .wait_timeout_while(self.lock(), PATIENCE, |happened| !enough(happened))
            .unwrap_or_else(PoisonError::into_inner);
        let late = outcome.timed_out();
        let seen = summary(&happened);
        drop(happened);
        assert!(!late, "waited in vain for {what}; {seen}");
    }

    /// The same for a task.
    ///
    /// # Panics
    /// When it does not happen in twenty seconds.
    pub(crate) async fn until(&self, what: &str, enough: impl Fn(&Happened) -> bool) {
        let happens = async {
            loop {
                let mut news = std::pin::pin!(self.waiting.notified());
                news.as_mut().enable();
                if self.look(&enough) {
                    return;
                }
                news.await;
            }
        };
        if tokio::time::timeout(PATIENCE, happens).await.is_err() {
            panic!("waited in vain for {what}; {}", self.look(summary));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Happened> {
        self.happened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn summary(happened: &Happened) -> String {
    let Happened { count, open, accepted, abandoned, .. } = happened;
    format!(
        "so far {count} requests, {accepted} connections ({open} open), {abandoned} replies abandoned"
    )
}
