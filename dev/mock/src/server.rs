//! The socket: accepts connections, and lets faults take them over.

use crate::fault::Plan;
use crate::respond::respond;
use crate::shared::Shared;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};

/// Accepts connections while `listening` is true, and answers on them. Says on `ready` when that changed.
pub(crate) async fn serve(
    mut listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
    mut listening: watch::Receiver<bool>,
    ready: std::sync::mpsc::SyncSender<std::io::Result<()>>,
) {
    loop {
        accept(listener, &shared, &listening).await;
        shared.log.until("connections to close", |happened| happened.open == 0).await;
        let _ = ready.send(Ok(()));
        if listening.wait_for(|listening| *listening).await.is_err() {
            return;
        }
        match TcpListener::bind(address).await {
            Ok(bound) => listener = bound,
            Err(error) => {
                let _ = ready.send(Err(error));
                return;
            }
        }
        let _ = ready.send(Ok(()));
    }
}

/// Accepts connections until they shall be refused.
async fn accept(listener: TcpListener, shared: &Arc<Shared>, listening: &watch::Receiver<bool>) {
    let mut closed = listening.clone();
    loop {
        tokio::select! {
            accepted = listener.accept() => if let Ok((stream, _)) = accepted {
                tokio::spawn(connection(stream, Arc::clone(shared), listening.clone()));
            },
            _ = closed.wait_for(|listening| !listening) => return,
        }
    }
}

/// Where a request says that the rest of its connection is written by hand.
pub(crate) type Takeover = Arc<Mutex<Option<oneshot::Sender<Plan>>>>;

async fn connection(stream: TcpStream, shared: Arc<Shared>, mut listening: watch::Receiver<bool>) {
    let _open = CountedConnection::new(&shared);
    let _ = stream.set_nodelay(true);
    // The second handle outlives hyper's, so that a fault can go on where hyper stopped.
    let Ok((stream, by_hand)) = two_handles(stream) else { return };
    let (sender, mut plan) = oneshot::channel();
    let takeover: Takeover = Arc::new(Mutex::new(Some(sender)));
    let service = {
        let shared = Arc::clone(&shared);
        service_fn(move |request| respond(request, Arc::clone(&shared), Arc::clone(&takeover)))
    };
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().max_buf_size(1 << 20);
    let mut served = Box::pin(builder.serve_connection(TokioIo::new(stream), service));
    let taken = tokio::select! {
        _ = served.as_mut() => None,
        _ = listening.wait_for(|listening| !listening) => None,
        plan = &mut plan => plan.ok(),
    };
    drop(served);
    // A client that leaves at once ends the connection before the plan is looked for.
    let Some(plan) = taken.or_else(|| plan.try_recv().ok()) else { return };
    let is_abandoned = tokio::select! {
        left = plan.write(by_hand) => left.unwrap_or(true),
        _ = listening.wait_for(|listening| !listening) => false,
    };
    if is_abandoned {
        shared.log.note(|happened| happened.abandoned += 1);
    }
}

fn two_handles(stream: TcpStream) -> std::io::Result<(TcpStream, TcpStream)> {
    let stream = stream.into_std()?;
    let second = stream.try_clone()?;
    Ok((TcpStream::from_std(stream)?, TcpStream::from_std(second)?))
}

/// Counts a connection as open.
struct CountedConnection<'a>(&'a Shared);

impl<'a> CountedConnection<'a> {
    fn new(shared: &'a Shared) -> Self {
        shared.log.note(|happened| {
            happened.open += 1;
            happened.accepted += 1;
        });
        Self(shared)
    }
}

impl Drop for CountedConnection<'_> {
    fn drop(&mut self) {
        self.0.log.note(|happened| happened.open -= 1);
    }
}
