//! The connection pool: requests over connections that are kept alive for the next one, and a retry where one was closed.
//!
//! The pool of `hyper-util`'s client was here first. It prepares a new connection and starts a task for every request,
//! whether it finds an idle one or not, and a task of its own drives each connection, which has to be woken for all that
//! comes and goes. Here a request takes the idle connection that was used last, and the task that waits for the answer
//! drives it (`connection.rs`). Both together took a tenth of the processor time off a request that passes through.
//!
//! What that costs: this module, the eviction of idle connections, and the retry. That its peer closed a
//! connection shows only when it is used: it then gives the request back unsent, and the next one takes it. Where the peer
//! closes it in the very moment in which the request is sent, the request is sent once more, over a new connection. A request
//! that a model was asked with may be billed, so that happens only if the connection was idle before, was closed within a
//! second and brought no byte of an answer: such a peer has most likely given up on the connection before it read the request.
//! It never happens after a timeout. Most likely is not certainly, so the caller says by [`Resend`] whether a request may
//! be done twice: a request to a model may, the call of a tool may not. Over HTTP/2, where many requests share a
//! connection, one is sent again only if the upstream says that it did not process it.
//!
//! The composable `hyper_util::client::pool` (since 0.1.19) came later and was measured beside this
//! (`dev/bench/examples/connection_pool.rs`, three runs on a noisy machine, this 4.6 to 7.1 µs a request). Its `cache` alone
//! takes 3 to 9 % more processor time with one request at once and 16 % less to 2 % more with 4 or 32. With what is done here
//! too (`negotiate` for HTTP/2, the retry, closing idle connections) it takes 10, 10 and 15 % more with one request, and -7 to
//! +7 % with 4 or 32. One request at once is what an agent sends, and where a gateway is farthest behind a passthrough. Nor
//! can it bound how many idle connections are kept between two sweeps, and its types have no names, so that a lease of a
//! connection would be one more box. To be measured again when that changes.
//!
//! Every serving thread has a pool of its own. With one for all, on one runtime, a request woke a second thread twice on its
//! way, for two futex calls each, where a bare passthrough makes none. The price is that a connection that is idle on one
//! thread is of no use to another.

mod idle_connections;
#[cfg(test)]
mod tests;

use super::connect::Connector;
use super::connection::{Error, SendFailure, UpstreamConnection};
use crate::body::Body;
use http::{Method, Request, Response, Uri};
use hyper::body::Incoming;
use idle_connections::{IdleConnections, PoolKey};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::timeout;
use tower_service::Service;

/// Whether a request may be sent once more that met a reused connection which its upstream closed. Such an upstream may have
/// read it, however unlikely that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resend {
    /// A GET or HEAD may, which changes nothing.
    IfSafe,
    /// Any may: done twice it costs, and does no harm.
    Always,
}

impl Resend {
    fn allows(self, method: &Method) -> bool {
        self == Resend::Always || matches!(*method, Method::GET | Method::HEAD)
    }
}

/// How long after it was begun a request may be sent once more.
const RETRY_WINDOW: Duration = Duration::from_secs(1);

/// Sends requests, over idle connections where there are some.
pub(super) struct ConnectionPool {
    connector: Connector,
    idle: Arc<IdleConnections>,
    retry_window: Duration,
}

/// A connection in use, to be held until the answer was read. Then it is kept for the next request.
pub(super) struct ConnectionLease {
    connection: Option<UpstreamConnection>,
    key: PoolKey,
    idle: Weak<IdleConnections>,
}

impl ConnectionPool {
    /// Keeps up to `most` idle connections to each upstream. Must be called in a runtime.
    pub(super) fn new(connector: Connector, most: usize) -> Self {
        ConnectionPool { connector, idle: IdleConnections::new(most), retry_window: RETRY_WINDOW }
    }

    /// Sends a request and waits for the head of its answer.
    pub(super) async fn send(
        &self,
        request: &mut Request<Body>,
        resend: Resend,
    ) -> Result<(Response<Incoming>, ConnectionLease), Error> {
        let to = std::mem::take(request.uri_mut());
        let key = PoolKey::of(&to)?;
        loop {
            let idle = self.idle.take(&key);
            let is_reused = idle.is_some();
            let mut connection = match idle {
                Some(connection) => connection,
                // In a box: most requests do not wait for it, and every request would have room for it.
                None => Box::pin(self.connect(&to, &key)).await?,
            };
            let may_resend = is_reused && resend.allows(request.method());
            let mut copy = if may_resend { copy(request) } else { None };
            let sent = {
                let mut sending = pin!(connection.send(request, &to));
                match &copy {
                    None => sending.await,
                    Some(_) => match timeout(self.retry_window, &mut sending).await {
                        Ok(sent) => sent,
                        // From here on it may be answered, and its body need not be held.
                        Err(_) => {
                            copy = None;
                            sending.await
                        }
                    },
                }
            };
            match sent {
                Ok(answer) => return Ok((answer, self.lease(connection, key))),
                // The idle connection was closed unnoticed: retry with the next one, since the upstream has not seen
                // the request.
                Err(SendFailure { is_unsent: true, .. }) if is_reused => {}
                Err(SendFailure { error, is_given_up, .. }) => {
                    let copy = copy.filter(|_| is_given_up);
                    *request = *copy.ok_or(error)?;
                    let mut connection = Box::pin(self.connect(&to, &key)).await?;
                    let answer = Box::pin(connection.send(request, &to)).await;
                    let answer = answer.map_err(|failure| failure.error)?;
                    return Ok((answer, self.lease(connection, key)));
                }
            }
        }
    }

    fn lease(&self, connection: UpstreamConnection, key: PoolKey) -> ConnectionLease {
        let (connection, idle) = (Some(connection), Arc::downgrade(&self.idle));
        ConnectionLease { connection, key, idle }
    }

    async fn connect(&self, to: &Uri, key: &PoolKey) -> Result<UpstreamConnection, Error> {
        let mut connector = self.connector.clone();
        poll_fn(|context| connector.poll_ready(context)).await?;
        let connection =
            UpstreamConnection::handshake(connector.call(to.clone()).await?, to).await?;
        if let Some(shared) = connection.share() {
            self.idle.put(key, shared);
        }
        Ok(connection)
    }
}

/// The same request once more, if its body is here as a whole.
fn copy(request: &Request<Body>) -> Option<Box<Request<Body>>> {
    let mut copy = Box::new(Request::new(request.body().try_clone()?));
    *copy.method_mut() = request.method().clone();
    *copy.version_mut() = request.version();
    *copy.headers_mut() = request.headers().clone();
    Some(copy)
}

impl ConnectionLease {
    /// Looks for something that comes over the connection: see [`UpstreamConnection::poll`].
    pub(super) fn poll<T>(
        &mut self,
        context: &mut Context<'_>,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        match &mut self.connection {
            Some(connection) => connection.poll(context, poll),
            None => poll(context),
        }
    }
}

impl Drop for ConnectionLease {
    fn drop(&mut self) {
        if let (Some(connection), Some(idle)) = (self.connection.take(), self.idle.upgrade()) {
            idle.put(&self.key, connection);
        }
    }
}
