//! One connection of a client.

use crate::exchange;
use crate::gateway::Gateway;
use crate::http::body::Body;
use http::header::{CONNECTION, HeaderValue, TRANSFER_ENCODING};
use http::{Request, Response, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokenforge_config::Limits;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;

/// The most that a request's headers may take.
const HEADER_BYTES: usize = 64 << 10;

/// A connection that was accepted, on its way to the thread that serves it.
pub(crate) struct Arrival {
    pub(crate) stream: std::net::TcpStream,
    pub(crate) remote: SocketAddr,
    /// Kept until it is closed.
    pub(crate) permit: OwnedSemaphorePermit,
    /// Kept until it is closed: its thread is judged by how many there are.
    pub(crate) token: Arc<()>,
}

/// Serves a connection, beside everything else that its thread does.
pub(crate) fn serve(
    gateway: Arc<Gateway>,
    Arrival { stream, remote, permit, token }: Arrival,
    limits: &Limits,
    graceful: &GracefulShutdown,
) -> io::Result<()> {
    let stream = TcpStream::from_std(stream)?;
    let _ = stream.set_nodelay(true);
    let has_spoken = Arc::new(AtomicBool::new(false));
    let spoken = has_spoken.clone();
    let service = service_fn(move |request| {
        spoken.store(true, Ordering::Relaxed);
        // In a box of its own: a connection has room for it from its start to its end, and is mostly idle.
        let answering = Box::pin(answer(gateway.clone(), request, remote));
        async move { Ok::<_, Infallible>(answering.await) }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(HEADER_BYTES.max(8192))
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(HEADER_BYTES as u32)
        .max_concurrent_streams(256)
        .keep_alive_interval(Duration::from_secs(30));
    let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
    // In a box: what a task takes along and then pins, it has room for twice.
    let mut watched = Box::pin(graceful.watch(connection));
    let header_timeout = limits.header_timeout;
    tokio::spawn(async move {
        let _held = (permit, token);
        // Before the first request nobody knows which protocol it will be, and no protocol's own timeout holds.
        if tokio::time::timeout(header_timeout, watched.as_mut()).await.is_err()
            && has_spoken.load(Ordering::Relaxed)
        {
            let _ = watched.await;
        }
    });
    Ok(())
}

async fn answer(
    gateway: Arc<Gateway>,
    request: Request<Incoming>,
    remote: SocketAddr,
) -> Response<Body> {
    let is_http1 = request.version() <= Version::HTTP_11;
    // Whoever stands before us may have seen another end of such a body: what follows is not taken for a request.
    let has_unclear_end = request.headers().contains_key(TRANSFER_ENCODING);
    let mut answer = exchange::serve(gateway.clone(), request, remote).await;
    if is_http1 && (has_unclear_end || gateway.is_draining()) {
        answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    answer
}
