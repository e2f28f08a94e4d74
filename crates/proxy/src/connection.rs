//! One connection of a client: HTTP/1.1 or HTTP/2, keep-alive, and its timeouts.

use crate::client_peer::ClientPeer;
use crate::client_stream::ClientStream;
use crate::flow::{ConnectionPhase, FlowBody, FlowControl};
use crate::handshake::{ListenerStream, PendingHandshake};
use crate::headers::{self, HEAD_BYTES};
use crate::server::{RequestHandler, ServerLimits};
use crate::shutdown::Shutdown;
use crate::wake_filter::filter_wakes;
use http::header::{CONNECTION, HeaderName, HeaderValue, TRANSFER_ENCODING};
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
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

/// How much is read at once: most bodies in one piece.
const READ_BYTES: usize = 256 << 10;

/// How much of an answer may wait in each stream of HTTP/2, which has backpressure of its own.
const STREAM_BYTES: usize = 64 << 10;

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");

/// What a connection is served over: a socket, encrypted or not.
trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin + 'static {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin + 'static> ByteStream for S {}

/// A connection that was accepted, on its way to the thread that serves it.
pub(crate) struct AcceptedConnection {
    pub(crate) stream: std::net::TcpStream,
    pub(crate) remote: SocketAddr,
    /// Kept until it is closed.
    pub(crate) permit: OwnedSemaphorePermit,
    /// It comes to a listener with TLS.
    pub(crate) handshake: Option<PendingHandshake>,
}

/// Kept until a connection is closed: its thread is judged by how many there are.
pub(crate) type ThreadToken = Arc<()>;

/// What serves a connection, and what is held until it is closed.
struct ConnectionScope<H> {
    handler: H,
    client: Arc<ClientPeer>,
    timeouts: ClientTimeouts,
    watcher: Watcher,
    shutdown: Shutdown,
    _held: (OwnedSemaphorePermit, ThreadToken),
}

/// Serves a connection, beside everything else that its thread does.
pub(crate) fn serve_connection(
    handler: impl RequestHandler,
    AcceptedConnection { stream, remote, permit, handshake }: AcceptedConnection,
    token: ThreadToken,
    timeouts: ClientTimeouts,
    watcher: Watcher,
    shutdown: Shutdown,
) -> io::Result<()> {
    let stream = TcpStream::from_std(stream)?;
    let client = Arc::new(ClientPeer::new(remote, stream.local_addr().ok()));
    let _ = stream.set_nodelay(true);
    let _held = (permit, token);
    let scope = ConnectionScope { handler, client, timeouts, watcher, shutdown, _held };
    match handshake {
        None => tokio::spawn(serve_plain(scope, stream)),
        Some(handshake) => tokio::spawn(serve_behind_tls(scope, stream, handshake)),
    };
    Ok(())
}

/// Serves a connection that is not encrypted.
#[expect(clippy::manual_async_fn, reason = "an `async fn` would have room for all of it twice")]
fn serve_plain<H: RequestHandler>(
    mut scope: ConnectionScope<H>,
    stream: TcpStream,
) -> impl Future<Output = ()> + Send {
    async move {
        let first = tokio::select! {
            biased; // who has spoken is answered
            first = timeout(scope.timeouts.head, may_be_http2(&stream)) => first,
            () = scope.shutdown.wait() => return,
        };
        match first {
            Ok(Ok(false)) => {
                // Not by a name of its own: the task would have room for it twice.
                let _ = filter_wakes(pin!(http1_connection(
                    &scope.handler,
                    stream,
                    scope.client,
                    scope.timeouts,
                    scope.watcher
                )))
                .await;
            }
            Ok(Ok(true)) => {
                let ConnectionScope { handler, client, timeouts, watcher, .. } = scope;
                Box::pin(serve_either(handler, stream, client, timeouts, watcher)).await;
            }
            Ok(Err(_)) | Err(_) => {}
        }
    }
}

/// Serves a connection to a listener with TLS. The client has as long for the handshake as for a head.
async fn serve_behind_tls<H: RequestHandler>(
    mut scope: ConnectionScope<H>,
    stream: TcpStream,
    handshake: PendingHandshake,
) {
    let handshake = Box::pin(handshake.complete(stream, scope.client.remote()));
    let stream = tokio::select! {
        biased; // who has spoken is answered
        stream = timeout(scope.timeouts.head, handshake) => stream,
        () = scope.shutdown.wait() => return,
    };
    match stream {
        Ok(Ok(ListenerStream::Encrypted(stream, is_http2))) => {
            let ConnectionScope { handler, client, timeouts, watcher, _held, .. } = scope;
            if is_http2 {
                return Box::pin(serve_either(handler, stream, client, timeouts, watcher)).await;
            }
            let connection = http1_connection(&handler, stream, client, timeouts, watcher);
            let _ = filter_wakes(pin!(connection)).await;
        }
        Ok(Ok(ListenerStream::Plain(stream))) => Box::pin(serve_plain(scope, stream)).await,
        Ok(Ok(ListenerStream::Over) | Err(_)) | Err(_) => {}
    }
}

/// How long a client may take for what, and what it hears of that.
#[derive(Clone)]
pub(super) struct ClientTimeouts {
    head: Duration,
    write: Duration,
    keep_alive: Duration,
    /// For `Keep-Alive`.
    keep_alive_header: HeaderValue,
}

impl ClientTimeouts {
    pub(super) fn of(limits: &ServerLimits) -> Self {
        let keep_alive = limits.keep_alive_timeout;
        let keep_alive_header = HeaderValue::try_from(format!("timeout={}", keep_alive.as_secs()));
        let keep_alive_header =
            keep_alive_header.unwrap_or_else(|_| HeaderValue::from_static("timeout=0"));
        ClientTimeouts {
            head: limits.header_timeout,
            write: limits.write_timeout,
            keep_alive,
            keep_alive_header,
        }
    }
}

/// Does a connection begin as HTTP/2 does? Nothing is taken from it. Its first bytes may not tell yet.
async fn may_be_http2(stream: &TcpStream) -> io::Result<bool> {
    let mut first = [0; 3];
    let length = stream.peek(&mut first).await?;
    Ok(length > 0 && b"PRI".starts_with(&first[..length]))
}

/// Serves HTTP/1.1, as most clients speak it to a proxy. No `async fn`, which would have room for the connection twice.
fn http1_connection<S: ByteStream>(
    handler: &impl RequestHandler,
    stream: S,
    client: Arc<ClientPeer>,
    timeouts: ClientTimeouts,
    watcher: Watcher,
) -> impl Future<Output = hyper::Result<()>> {
    let flow = Arc::<FlowControl>::default();
    let stream = ClientStream::new(stream, flow.clone(), timeouts.head, timeouts.write);
    let keep_alive_header = timeouts.keep_alive_header;
    let service = service_fn(move |request: Request<Incoming>| {
        flow.enter(ConnectionPhase::Request);
        let keeps = !headers::asks_to_close(request.headers());
        let keep_alive_header =
            (keeps && request.version() == Version::HTTP_11).then(|| keep_alive_header.clone());
        let (answering, flow) = (respond(handler, request, client.clone()), flow.clone());
        async move {
            let mut answer = answering.await;
            if let Some(keep_alive_header) = keep_alive_header
                && !answer.headers().contains_key(CONNECTION)
            {
                answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("keep-alive"));
                answer.headers_mut().insert(KEEP_ALIVE, keep_alive_header);
            }
            Ok::<_, Infallible>(answer.map(|body| FlowBody::windowed(body, flow)))
        }
    });
    // Hyper's timeout begins when the request before it is over: it is that of an idle connection. A head that has begun
    // to arrive has its own, in the stream.
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(timeouts.keep_alive)
        .max_buf_size(READ_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    watcher.watch(connection)
}

/// Serves whichever protocol it turns out to be. Most often that is HTTP/2: one that began with a `P` alone and goes on as
/// HTTP/1.1 is kept open for as long as a head may take.
async fn serve_either<S: ByteStream>(
    handler: impl RequestHandler,
    stream: S,
    client: Arc<ClientPeer>,
    timeouts: ClientTimeouts,
    watcher: Watcher,
) {
    let flow = Arc::<FlowControl>::default();
    // Many requests at once have no phases: no head of theirs is timed by the stream.
    flow.enter(ConnectionPhase::Request);
    let stream = ClientStream::new(stream, flow, timeouts.head, timeouts.write);
    let has_spoken = Arc::new(AtomicBool::new(false));
    let spoken = has_spoken.clone();
    let service = service_fn(move |request| {
        spoken.store(true, Ordering::Relaxed);
        let (handler, client) = (handler.clone(), client.clone());
        async move {
            let answer = respond(&handler, request, client).await;
            Ok::<_, Infallible>(answer.map(FlowBody::free))
        }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(timeouts.head)
        .max_buf_size(READ_BYTES)
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(HEAD_BYTES as u32)
        .max_concurrent_streams(256)
        .max_send_buf_size(STREAM_BYTES)
        .keep_alive_interval(Duration::from_secs(30));
    let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
    let mut watched = pin!(watcher.watch(connection));
    // Before the first request the protocol is unknown, and no protocol's own timeout holds.
    if timeout(timeouts.head, watched.as_mut()).await.is_err() && has_spoken.load(Ordering::Relaxed)
    {
        let _ = watched.await;
    }
}

/// An answer under way, in a box of its own: a connection has room for it from its start to its end, and is mostly idle.
fn respond<H: RequestHandler>(
    handler: &H,
    request: Request<Incoming>,
    client: Arc<ClientPeer>,
) -> impl Future<Output = Response<H::Body>> {
    let is_http1 = request.version() <= Version::HTTP_11;
    // A proxy before us may have seen another end of such a body: what follows is not taken for a request.
    let has_unclear_end = request.headers().contains_key(TRANSFER_ENCODING);
    // Made in its box: nearly all of it is room for what it will wait for, which need not be copied there.
    let answering = Box::write(Box::new_uninit(), handler.answer(request, client));
    let answering = Box::into_pin(answering);
    async move {
        let mut answer = answering.await;
        // Nor is what follows a head that was too long.
        let is_too_long = answer.status() == StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        if is_http1 && (has_unclear_end || is_too_long || handler.is_draining()) {
            answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        answer
    }
}
