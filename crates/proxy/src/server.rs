//! The server: accepts connections within a limit, hands them to the serving threads, and drains them at the end.

use crate::body::BodyError;
use crate::client_peer::ClientPeer;
use crate::connection::AcceptedConnection;
use crate::handshake::TlsListener;
use crate::serving_threads::ServingThreads;
pub use crate::tls_identity::{TlsIdentity, TlsIdentityError};
use bytes::Bytes;
use http::{Request, Response};
use http_body::Body as HttpBody;
use hyper::body::Incoming;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{sleep, timeout};

/// How long connections are still accepted after a stop was requested, so that a load balancer notices in time.
const FAREWELL: Duration = Duration::from_millis(500);

/// Who answers requests. Every connection has a clone of it.
pub trait RequestHandler: Clone + Send + Sync + 'static {
    /// The body of its answers.
    type Body: HttpBody<Data = Bytes, Error = BodyError> + Send + Unpin + 'static;

    /// Answers a request of this client.
    fn answer(
        &self,
        request: Request<Incoming>,
        client: Arc<ClientPeer>,
    ) -> impl Future<Output = Response<Self::Body>> + Send;

    /// Is each answer to be the last of its connection?
    fn is_draining(&self) -> bool;
}

/// How many clients there may be, and how long each may take for what.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    /// Connections at the same time; more wait to be accepted.
    pub max_connections: usize,
    /// For a head, from its first byte to its last, and for a TLS handshake.
    pub header_timeout: Duration,
    /// For a write that the client does not read.
    pub write_timeout: Duration,
    /// For a connection between two requests (keep-alive).
    pub keep_alive_timeout: Duration,
    /// For the requests that are under way when the server ends.
    pub drain_timeout: Duration,
}

/// Serving threads, and how many connections they may have.
pub struct Server {
    threads: ServingThreads,
    connections: Arc<Semaphore>,
    max_connections: usize,
    tls: Option<TlsListener>,
}

/// The serving threads after their connections are done. They run on, for work that is no connection's, until this is dropped.
pub struct DrainedThreads(
    #[expect(dead_code, reason = "held, and dropped")] Vec<oneshot::Sender<()>>,
);

impl Server {
    /// Starts a serving thread for each processor.
    ///
    /// # Errors
    /// There cannot be another thread.
    pub fn start(handler: &impl RequestHandler, limits: ServerLimits) -> io::Result<Self> {
        let threads = ServingThreads::start(handler, limits)?;
        let max_connections = limits.max_connections;
        let connections = Arc::new(Semaphore::new(max_connections));
        Ok(Server { threads, connections, max_connections, tls: None })
    }

    /// The same over TLS. Connections from this machine may do without.
    #[must_use]
    pub fn encrypted(self, identity: Arc<TlsIdentity>) -> Self {
        let tls = Some(TlsListener::new(identity, self.max_connections));
        Server { tls, ..self }
    }

    /// Serves connections until `stop` ends.
    pub async fn accept_until(&self, listener: &TcpListener, stop: impl Future<Output = ()>) {
        tokio::select! {
            () = self.accept(listener) => {}
            () = stop => {}
        }
    }

    /// Waits until all connections are done or out of time. Those that come in the next moment are served too.
    pub async fn drain(self, listener: TcpListener) -> DrainedThreads {
        let _ = timeout(FAREWELL, self.accept(&listener)).await;
        drop(listener);
        DrainedThreads(self.threads.drain().await)
    }

    async fn accept(&self, listener: &TcpListener) {
        loop {
            let Ok(permit) = self.connections.clone().acquire_owned().await else { return };
            let handshake = match &self.tls {
                Some(tls) => tls.admit().await,
                None => None,
            };
            let accepted = listener.accept().await;
            let accepted = accepted.and_then(|(stream, remote)| Ok((stream.into_std()?, remote)));
            match accepted {
                Ok((stream, remote)) => {
                    self.threads
                        .assign(AcceptedConnection { stream, remote, permit, handshake })
                        .await;
                }
                // Out of file descriptors, or the client was gone already: others may do better.
                Err(_) => sleep(Duration::from_millis(10)).await,
            }
        }
    }
}
