//! The threads that serve connections.
//!
//! Each has a runtime of its own, and upstream connections of its own, and a connection stays with the thread it was given
//! to. So a request wakes nobody but its own thread; one runtime for all would hand it from thread to thread.

use super::connection::{Arrival, Pace, serve};
use super::leave::Leave;
use crate::gateway::Gateway;
use hyper_util::server::graceful::GracefulShutdown;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use tokio::time::{sleep, timeout};

/// How often the clock is looked at when nothing else is due.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// How many connections may wait until their thread looks at them.
const WAITING: usize = 64;

/// The threads; they end when this goes away.
pub(crate) struct Lanes(Vec<Lane>);

/// One thread, as seen from outside.
struct Lane {
    arrivals: mpsc::Sender<Arrival>,
    /// Every connection has a copy of it: they are counted by that.
    token: Arc<()>,
    /// Ends when all connections are done, or out of time.
    drained: oneshot::Receiver<()>,
    /// Held as long as the thread is to live.
    life: oneshot::Sender<()>,
}

impl Lanes {
    /// Starts one thread for each processor.
    pub(crate) fn start(gateway: &Arc<Gateway>) -> io::Result<Self> {
        let count = thread::available_parallelism().map_or(1, usize::from);
        (0..count).map(|_| Lane::start(gateway.clone())).collect::<io::Result<_>>().map(Lanes)
    }

    /// Gives a connection to the thread that has the fewest.
    pub(crate) async fn give(
        &self,
        stream: TcpStream,
        remote: SocketAddr,
        permit: OwnedSemaphorePermit,
    ) {
        let Some(lane) = self.0.iter().min_by_key(|lane| Arc::strong_count(&lane.token)) else {
            return;
        };
        let arrival = Arrival { stream, remote, permit, token: lane.token.clone() };
        let _ = lane.arrivals.send(arrival).await;
    }

    /// Nobody comes any more: waits until those who are here are done, or out of time. The threads live as long as what is
    /// returned, for work that is no connection's.
    pub(crate) async fn drain(self) -> Vec<oneshot::Sender<()>> {
        let (lives, drained): (Vec<_>, Vec<_>) =
            self.0.into_iter().map(|lane| (lane.life, lane.drained)).unzip();
        for drained in drained {
            let _ = drained.await;
        }
        lives
    }
}

impl Lane {
    fn start(gateway: Arc<Gateway>) -> io::Result<Self> {
        let (arrivals, arriving) = mpsc::channel(WAITING);
        let (drained_sender, drained) = oneshot::channel();
        let (life, ended) = oneshot::channel();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        thread::Builder::new().name("serve".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::spawn(beat());
                welcome(&gateway, arriving).await;
                drop(drained_sender);
                let _ = ended.await;
            });
            // What blocks must not hold up the end.
            runtime.shutdown_background();
        })?;
        Ok(Lane { arrivals, token: Arc::default(), drained, life })
    }
}

/// Serves connections as they come. Ends when no more come and all are done, or out of time.
async fn welcome(gateway: &Arc<Gateway>, mut arriving: mpsc::Receiver<Arrival>) {
    let limits = gateway.settings().limits;
    let pace = Pace::of(&limits);
    let graceful = GracefulShutdown::new();
    let (stay, leave) = Leave::new();
    while let Some(arrival) = arriving.recv().await {
        // A connection that broke already is nobody's loss.
        let _ = serve(gateway.clone(), arrival, pace.clone(), graceful.watcher(), leave.clone());
    }
    drop(stay);
    let _ = timeout(limits.drain_timeout, graceful.shutdown()).await;
}

/// Something is always due soon. Else every timeout of a request is the next thing due, and the thread wakes itself to be
/// told so.
async fn beat() {
    loop {
        sleep(HEARTBEAT).await;
    }
}
