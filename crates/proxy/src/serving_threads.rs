//! Serving threads: a thread-per-core server, where each thread has a runtime and a connection pool of its own.
//!
//! A connection stays with the thread it was given to. So a request wakes only its own thread; one runtime for all
//! would hand it from thread to thread.
//!
//! A thread with nothing to do sleeps at once. To stay awake for 50 µs after a request, in case the next one comes, was tried
//! and taken out again: it gained where waking a thread is dear (106 to 140 % of a bare passthrough's requests over one
//! connection, against 99 to 110 % without) and mostly lost where waking is cheap (82 to 100 %, against 92 to 105 %). Without
//! it, some 30 % less processor time is used.

use crate::connection::{AcceptedConnection, ClientTimeouts, ThreadToken, serve_connection};
use crate::server::{RequestHandler, ServerLimits};
use crate::shutdown::Shutdown;
use hyper_util::server::graceful::GracefulShutdown;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

/// How often the clock is looked at when nothing else is due.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// How many connections may wait until their thread looks at them.
const WAITING: usize = 64;

/// The threads; they end when this goes away.
pub(crate) struct ServingThreads(Vec<ServingThread>);

/// One thread, as seen from outside.
struct ServingThread {
    arrivals: mpsc::Sender<(AcceptedConnection, ThreadToken)>,
    /// Every connection has a copy of it: they are counted by that.
    token: ThreadToken,
    /// Ends when all connections are done, or out of time.
    drained: oneshot::Receiver<()>,
    /// Held as long as the thread is to live.
    life: oneshot::Sender<()>,
}

impl ServingThreads {
    /// Starts one thread for each processor.
    pub(crate) fn start(handler: &impl RequestHandler, limits: ServerLimits) -> io::Result<Self> {
        let count = thread::available_parallelism().map_or(1, usize::from);
        let start = |_| ServingThread::start(handler.clone(), limits);
        (0..count).map(start).collect::<io::Result<_>>().map(ServingThreads)
    }

    /// Gives a connection to the thread that has the fewest.
    pub(crate) async fn assign(&self, accepted: AcceptedConnection) {
        let Some(thread) = self.0.iter().min_by_key(|thread| Arc::strong_count(&thread.token))
        else {
            return;
        };
        let _ = thread.arrivals.send((accepted, thread.token.clone())).await;
    }

    /// Stops accepting, and waits until the open connections are done or out of time. The threads live as long as the
    /// returned senders, for work that belongs to no connection.
    pub(crate) async fn drain(self) -> Vec<oneshot::Sender<()>> {
        let (lives, drained): (Vec<_>, Vec<_>) =
            self.0.into_iter().map(|thread| (thread.life, thread.drained)).unzip();
        for drained in drained {
            let _ = drained.await;
        }
        lives
    }
}

impl ServingThread {
    fn start(handler: impl RequestHandler, limits: ServerLimits) -> io::Result<Self> {
        let (arrivals, arriving) = mpsc::channel(WAITING);
        let (drained_sender, drained) = oneshot::channel();
        let (life, ended) = oneshot::channel();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        thread::Builder::new().name("serve".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::spawn(keep_timer_busy());
                serve_arriving(&handler, limits, arriving).await;
                drop(drained_sender);
                let _ = ended.await;
            });
            // What blocks must not hold up the end.
            runtime.shutdown_background();
        })?;
        Ok(ServingThread { arrivals, token: Arc::default(), drained, life })
    }
}

/// Serves connections as they come. Ends when no more come and all are done, or out of time.
async fn serve_arriving(
    handler: &impl RequestHandler,
    limits: ServerLimits,
    mut arriving: mpsc::Receiver<(AcceptedConnection, ThreadToken)>,
) {
    let timeouts = ClientTimeouts::of(&limits);
    let graceful = GracefulShutdown::new();
    let (trigger, shutdown) = Shutdown::new();
    while let Some((accepted, token)) = arriving.recv().await {
        // An error means that the connection is already broken, so no client waits for an answer.
        let (watcher, timeouts) = (graceful.watcher(), timeouts.clone());
        let shutdown = shutdown.clone();
        let _ = serve_connection(handler.clone(), accepted, token, timeouts, watcher, shutdown);
    }
    drop(trigger);
    let _ = timeout(limits.drain_timeout, graceful.shutdown()).await;
}

/// Something is always due soon. Else every timeout of a request is the next thing due, and the thread wakes itself to be
/// told so. Measured while one runtime still served all, where that cost two system calls and a second thread: with 2 KB
/// over one connection, 79 % of a bare passthrough's requests became 87 %.
async fn keep_timer_busy() {
    loop {
        sleep(HEARTBEAT).await;
    }
}
