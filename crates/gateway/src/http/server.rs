//! Accepts connections, and ends them well.

use crate::exchange;
use crate::gateway::Gateway;
use crate::http::body::Body;
use crate::traces;
use http::header::{CONNECTION, HeaderValue, TRANSFER_ENCODING};
use http::{Request, Response, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokenforge_config::Limits;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long connections are still accepted after a stop was asked for, so that whoever sends them here notices.
const FAREWELL: Duration = Duration::from_millis(500);

/// How often the clock is looked at when nothing else is due.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// The most that a request's headers may take.
const HEADER_BYTES: usize = 64 << 10;

/// Serves connections until `stop` ends, and then those that are open until they are done or out of time.
pub async fn serve(gateway: Arc<Gateway>, listener: TcpListener, stop: impl Future<Output = ()>) {
    let limits = gateway.settings().limits;
    tokio::spawn(traces::export(gateway.clone()));
    let heart = tokio::spawn(beat());
    let connections = Arc::new(Semaphore::new(limits.max_connections));
    let graceful = GracefulShutdown::new();
    let accepting = accept(&gateway, &listener, &limits, &connections, &graceful);
    tokio::select! {
        () = accepting => {}
        () = stop => {}
    }
    gateway.start_draining();
    let accepting = accept(&gateway, &listener, &limits, &connections, &graceful);
    let _ = tokio::time::timeout(FAREWELL, accepting).await;
    drop(listener);
    let _ = tokio::time::timeout(limits.drain_timeout, graceful.shutdown()).await;
    gateway.mcp.stop().await;
    heart.abort();
}

/// Something is always due soon. Else every timeout of a request is the next thing due, and wakes a thread that sleeps
/// to tell it so: two threads a request, where the request itself needs one.
async fn beat() {
    loop {
        tokio::time::sleep(HEARTBEAT).await;
    }
}

async fn accept(
    gateway: &Arc<Gateway>,
    listener: &TcpListener,
    limits: &Limits,
    connections: &Arc<Semaphore>,
    graceful: &GracefulShutdown,
) {
    loop {
        let Ok(permit) = connections.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, remote)) => {
                connect(gateway.clone(), stream, remote, limits, permit, graceful);
            }
            // Out of file descriptors, or the client was gone already: others may do better.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

fn connect(
    gateway: Arc<Gateway>,
    stream: TcpStream,
    remote: SocketAddr,
    limits: &Limits,
    permit: OwnedSemaphorePermit,
    graceful: &GracefulShutdown,
) {
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
        let _permit = permit;
        // Before the first request nobody knows which protocol it will be, and no protocol's own timeout holds.
        if tokio::time::timeout(header_timeout, watched.as_mut()).await.is_err()
            && has_spoken.load(Ordering::Relaxed)
        {
            let _ = watched.await;
        }
    });
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
