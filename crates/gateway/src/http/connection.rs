//! One connection of a client.

use crate::exchange;
use crate::gateway::Gateway;
use crate::http::body::Body;
use crate::http::headers::HEAD_BYTES;
use crate::http::leave::Leave;
use crate::http::wakes::listening;
use http::header::{CONNECTION, HeaderValue, TRANSFER_ENCODING};
use http::{Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::Watcher;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokenforge_config::Limits;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

/// How much is read at once: most bodies in one piece.
const READ_BYTES: usize = 256 << 10;

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
    watcher: Watcher,
    mut leave: Leave,
) -> io::Result<()> {
    let stream = TcpStream::from_std(stream)?;
    let _ = stream.set_nodelay(true);
    let header_timeout = limits.header_timeout;
    tokio::spawn(async move {
        let _held = (permit, token);
        let first = tokio::select! {
            biased; // who has spoken is answered
            first = timeout(header_timeout, may_be_http2(&stream)) => first,
            () = leave.asked() => return,
        };
        match first {
            Ok(Ok(false)) => {
                // Not by a name of its own: the task would have room for it twice.
                let _ = listening(pin!(served_http1(
                    &gateway,
                    stream,
                    remote,
                    header_timeout,
                    watcher
                )))
                .await;
            }
            Ok(Ok(true)) => {
                Box::pin(serve_either(gateway, stream, remote, header_timeout, watcher)).await;
            }
            Ok(Err(_)) | Err(_) => {}
        }
    });
    Ok(())
}

/// Does a connection begin as HTTP/2 does? Nothing is taken from it. Its first bytes may not tell yet.
async fn may_be_http2(stream: &TcpStream) -> io::Result<bool> {
    let mut first = [0; 3];
    let length = stream.peek(&mut first).await?;
    Ok(length > 0 && b"PRI".starts_with(&first[..length]))
}

/// Serves HTTP/1.1, as most clients speak it to a gateway. No `async fn`, which would have room for the connection twice.
fn served_http1(
    gateway: &Arc<Gateway>,
    stream: TcpStream,
    remote: SocketAddr,
    header_timeout: Duration,
    watcher: Watcher,
) -> impl Future<Output = hyper::Result<()>> {
    let service = service_fn(move |request| answering(gateway, request, remote));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_timeout)
        .max_buf_size(READ_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    watcher.watch(connection)
}

/// Serves whichever protocol it turns out to be.
async fn serve_either(
    gateway: Arc<Gateway>,
    stream: TcpStream,
    remote: SocketAddr,
    header_timeout: Duration,
    watcher: Watcher,
) {
    let has_spoken = Arc::new(AtomicBool::new(false));
    let spoken = has_spoken.clone();
    let service = service_fn(move |request| {
        spoken.store(true, Ordering::Relaxed);
        let gateway = gateway.clone();
        async move { answering(&gateway, request, remote).await }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(header_timeout)
        .max_buf_size(READ_BYTES)
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(HEAD_BYTES as u32)
        .max_concurrent_streams(256)
        .keep_alive_interval(Duration::from_secs(30));
    let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
    let mut watched = pin!(watcher.watch(connection));
    // Before the first request nobody knows which protocol it will be, and no protocol's own timeout holds.
    if timeout(header_timeout, watched.as_mut()).await.is_err()
        && has_spoken.load(Ordering::Relaxed)
    {
        let _ = watched.await;
    }
}

/// An answer under way, in a box of its own: a connection has room for it from its start to its end, and is mostly idle.
fn answering(
    gateway: &Arc<Gateway>,
    request: Request<Incoming>,
    remote: SocketAddr,
) -> impl Future<Output = Result<Response<Body>, Infallible>> {
    let is_http1 = request.version() <= Version::HTTP_11;
    // Whoever stands before us may have seen another end of such a body: what follows is not taken for a request.
    let has_unclear_end = request.headers().contains_key(TRANSFER_ENCODING);
    // Made in its box: nearly all of it is room for what it will wait for, which need not be copied there.
    let answering = Box::write(Box::new_uninit(), exchange::serve(gateway, request, remote));
    let answering = Box::into_pin(answering);
    async move {
        let mut answer = answering.await;
        // Nor is what follows a head that was too long.
        let is_too_long = answer.status() == StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        if is_http1 && (has_unclear_end || is_too_long || gateway.is_draining()) {
            answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(answer)
    }
}
