//! The connection pool of `tokenforge-proxy` against the composable one of `hyper-util`, in one run.
//!
//! Both send the same requests from one thread to the same server on another. What is compared is the processor time of
//! the sending thread for each request, since that is what a gateway runs out of. Theirs is measured twice: with the parts
//! that HTTP/1.1 alone needs, and with what ours does too: HTTP/2 where the other end wants it, the request given back by a
//! connection that was closed meanwhile, and a time after which idle connections are closed.
//!
//! ```console
//! $ cargo run --release -p tokenforge-bench --example connection_pool
//! ```

use anyhow::{Context, Result};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;
use hyper::client::conn::{TrySendError, http2};
use hyper::header::HOST;
use hyper::http::uri::Authority;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::client::pool::singleton::Singleton;
use hyper_util::client::pool::{cache, negotiate};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::cell::RefCell;
use std::collections::HashMap;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{self, Poll};
use std::time::{Duration, Instant};
use tokenforge_proxy::body::Body;
use tokenforge_proxy::upstream::{UpstreamClient, UpstreamLimits};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::LocalSet;
use tower_layer::Layer;
use tower_service::Service;

const ROUNDS: usize = 7;
const REQUESTS: usize = 40_000;
const AT_ONCE: [usize; 3] = [1, 4, 32];

fn main() -> Result<()> {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || serve(&tell));
    let server = told.recv().context("the server did not start")?;
    for at_once in AT_ONCE {
        let mut times = [const { Vec::new() }; 3];
        for round in 0..=ROUNDS {
            let measured = [
                measure(|| send_through_ours(server, at_once))?,
                measure(|| send_through_theirs(server, at_once))?,
                measure(|| send_through_whole(server, at_once))?,
            ];
            if round > 0 {
                times.iter_mut().zip(measured).for_each(|(times, time)| times.push(time));
            }
        }
        let [ours, bare, whole] = times.map(median);
        let more = |theirs: f64| (theirs / ours - 1.0) * 100.0;
        println!(
            "{at_once} at once: ours {ours:.2} µs of processor time a request, hyper-util's cache {bare:.2} µs ({:+.1} %), \
             with the same duties {whole:.2} µs ({:+.1} %)",
            more(bare),
            more(whole),
        );
    }
    Ok(())
}

/// Microseconds that this thread's processor worked for each request.
fn measure<F: Future<Output = Result<()>>>(send: impl FnOnce() -> F) -> Result<f64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let before = processor_time()?;
    LocalSet::new().block_on(&runtime, send())?;
    Ok((processor_time()? - before).as_secs_f64() * 1e6 / REQUESTS as f64)
}

fn processor_time() -> Result<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = text.split(' ').next().context("an empty schedstat")?;
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}

/// So many senders at once, each of which waits for its answer.
async fn spread<S, F>(at_once: usize, send: S) -> Result<()>
where
    S: Fn() -> F + 'static,
    F: Future<Output = Result<()>>,
{
    let send = Rc::new(send);
    let senders: Vec<_> = (0..at_once)
        .map(|_| {
            let send = send.clone();
            tokio::task::spawn_local(async move {
                for _ in 0..REQUESTS / at_once {
                    send().await?;
                }
                anyhow::Ok(())
            })
        })
        .collect();
    for sender in senders {
        sender.await??;
    }
    Ok(())
}

fn body() -> Bytes {
    Bytes::from_static(&[b'x'; 2048])
}

async fn send_through_ours(to: SocketAddr, at_once: usize) -> Result<()> {
    let client = Rc::new(UpstreamClient::new(UpstreamLimits {
        max_requests: 1024,
        connect_timeout: Duration::from_secs(5),
        idle_connections: 64,
    }));
    let uri = format!("http://{to}/v1/messages");
    spread(at_once, move || {
        let (client, uri) = (client.clone(), uri.clone());
        async move {
            let mut request = Request::post(uri).header(HOST, "local").body(Body::from(body()))?;
            let answer = client.send(&mut request, false, Duration::from_secs(60)).await?;
            answer.into_body().collect().await?;
            Ok(())
        }
    })
    .await
}

/// A request as a connection takes it, and to whom: read from its address for each.
fn addressed_request(uri: String) -> Result<(Authority, Request<Body>)> {
    let mut request = Request::post(uri).header(HOST, "local").body(Body::from(body()))?;
    let uri = std::mem::take(request.uri_mut()).into_parts();
    *request.uri_mut() = uri.path_and_query.context("no path")?.into();
    Ok((uri.authority.context("no host")?, request))
}

/// An address that is read for each request, a pool for each upstream, a limit on requests, and one on the wait for an
/// answer. Without eviction, retry and HTTP/2.
async fn send_through_theirs(to: SocketAddr, at_once: usize) -> Result<()> {
    let pools = Rc::new(RefCell::new(HashMap::new()));
    let permits = Arc::new(Semaphore::new(1024));
    let uri = format!("http://{to}/v1/messages");
    spread(at_once, move || {
        let (pools, permits, uri) = (pools.clone(), permits.clone(), uri.clone());
        async move {
            let _permit = permits.acquire_owned().await?;
            let (authority, request) = addressed_request(uri)?;
            let new = || cache::builder().executor(TokioExecutor::new()).build(Connect);
            let mut pool = pools.borrow_mut().entry(authority).or_insert_with(new).clone();
            poll_fn(|context| pool.poll_ready(context)).await?;
            let mut connection = pool.call(to).await?;
            poll_fn(|context| connection.poll_ready(context)).await?;
            let answer =
                tokio::time::timeout(Duration::from_secs(60), connection.call(request)).await??;
            answer.into_body().collect().await?;
            Ok(())
        }
    })
    .await
}

/// The same, with what ours does too.
async fn send_through_whole(to: SocketAddr, at_once: usize) -> Result<()> {
    let pools = Rc::new(RefCell::new(HashMap::new()));
    let permits = Arc::new(Semaphore::new(1024));
    let uri = format!("http://{to}/v1/messages");
    spread(at_once, move || {
        let (pools, permits, uri) = (pools.clone(), permits.clone(), uri.clone());
        async move {
            let _permit = permits.acquire_owned().await?;
            let (authority, mut request) = addressed_request(uri)?;
            let new = || {
                let http1 =
                    |streams| cache::builder().executor(TokioExecutor::new()).build(Http1(streams));
                let http2 = |streams| Singleton::new(Http2(streams));
                let pool = negotiate::builder()
                    .connect(Streams)
                    .inspect(|stream: &Stream| stream.is_http2)
                    .fallback(WithLayer(http1))
                    .upgrade(WithLayer(http2))
                    .build::<SocketAddr>();
                let mut kept = pool.clone();
                tokio::task::spawn_local(async move {
                    loop {
                        tokio::time::sleep(Duration::from_secs(15)).await;
                        kept.fallback_mut()
                            .retain(|it: &mut Sender1| it.used.elapsed() < Duration::from_secs(60));
                    }
                });
                pool
            };
            let mut pool = pools.borrow_mut().entry(authority).or_insert_with(new).clone();
            loop {
                poll_fn(|context| pool.poll_ready(context))
                    .await
                    .map_err(anyhow::Error::from_boxed)?;
                let mut connection = pool.call(to).await.map_err(anyhow::Error::from_boxed)?;
                // One that was closed says so here: the next one is taken.
                if poll_fn(|context| connection.poll_ready(context)).await.is_err() {
                    continue;
                }
                let sent =
                    tokio::time::timeout(Duration::from_secs(60), connection.call(request)).await?;
                match sent {
                    Ok(answer) => {
                        answer.into_body().collect().await?;
                        return Ok(());
                    }
                    Err(Failure { unsent: Some(unsent), .. }) => request = unsent,
                    Err(Failure { error, .. }) => return Err(error.into()),
                }
            }
        }
    })
    .await
}

/// Makes one service of another.
#[derive(Clone)]
struct WithLayer<F>(F);

impl<F: Fn(S) -> T, S, T> Layer<S> for WithLayer<F> {
    type Service = T;

    fn layer(&self, inner: S) -> T {
        (self.0)(inner)
    }
}

trait ReadWrite: hyper::rt::Read + hyper::rt::Write + Send + Unpin {}

impl<T: hyper::rt::Read + hyper::rt::Write + Send + Unpin> ReadWrite for T {}

/// A stream, encrypted or not, and what the ends agreed upon.
struct Stream {
    stream: Box<dyn ReadWrite>,
    is_http2: bool,
}

/// Opens streams.
#[derive(Clone)]
struct Streams;

impl Service<SocketAddr> for Streams {
    type Response = Stream;
    type Error = BoxError;
    type Future = Later<Stream, BoxError>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, to: SocketAddr) -> Self::Future {
        Box::pin(async move {
            let stream = TcpStream::connect(to).await?;
            stream.set_nodelay(true)?;
            Ok(Stream { stream: Box::new(TokioIo::new(stream)), is_http2: false })
        })
    }
}

/// Speaks HTTP/1.1 over streams.
#[derive(Clone)]
struct Http1<S>(S);

/// Speaks HTTP/2 over streams.
#[derive(Clone)]
struct Http2<S>(S);

/// Sends a request at a time.
struct Sender1 {
    sender: SendRequest<Body>,
    used: Instant,
}

/// Sends many at once.
#[derive(Clone)]
struct Sender2(http2::SendRequest<Body>);

impl<S> Service<SocketAddr> for Http1<S>
where
    S: Service<SocketAddr, Response = Stream, Error = BoxError, Future: Send + 'static>,
{
    type Response = Sender1;
    type Error = BoxError;
    type Future = Later<Sender1, BoxError>;

    fn poll_ready(&mut self, context: &mut task::Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, to: SocketAddr) -> Self::Future {
        let stream = self.0.call(to);
        Box::pin(async move {
            let (sender, driver) =
                hyper::client::conn::http1::handshake(stream.await?.stream).await?;
            tokio::spawn(driver);
            Ok(Sender1 { sender, used: Instant::now() })
        })
    }
}

impl<S> Service<()> for Http2<S>
where
    S: Service<(), Response = Stream, Error = BoxError, Future: Send + 'static>,
{
    type Response = Sender2;
    type Error = BoxError;
    type Future = Later<Sender2, BoxError>;

    fn poll_ready(&mut self, context: &mut task::Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, (): ()) -> Self::Future {
        let stream = self.0.call(());
        Box::pin(async move {
            let stream = stream.await?.stream;
            let (sender, driver) = http2::handshake(TokioExecutor::new(), stream).await?;
            tokio::spawn(driver);
            Ok(Sender2(sender))
        })
    }
}

impl Service<Request<Body>> for Sender1 {
    type Response = Response<Incoming>;
    type Error = Failure;
    type Future = Later<Response<Incoming>, Self::Error>;

    fn poll_ready(&mut self, context: &mut task::Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.sender.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        self.used = Instant::now();
        let answer = self.sender.try_send_request(request);
        Box::pin(async move { Ok(answer.await?) })
    }
}

impl Service<Request<Body>> for Sender2 {
    type Response = Response<Incoming>;
    type Error = Failure;
    type Future = Later<Response<Incoming>, Self::Error>;

    fn poll_ready(&mut self, context: &mut task::Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answer = self.0.try_send_request(request);
        Box::pin(async move { Ok(answer.await?) })
    }
}

/// No answer came. Holds the request if the server has not seen it.
struct Failure {
    error: hyper::Error,
    unsent: Option<Request<Body>>,
}

impl From<TrySendError<Request<Body>>> for Failure {
    fn from(mut error: TrySendError<Request<Body>>) -> Self {
        let unsent = error.take_message();
        Failure { error: error.into_error(), unsent }
    }
}

impl From<hyper::Error> for Failure {
    fn from(error: hyper::Error) -> Self {
        Failure { error, unsent: None }
    }
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Later<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;

/// Connects, and has a task drive the connection.
#[derive(Clone)]
struct Connect;

/// One connection.
struct Connection(SendRequest<Body>);

type Boxed<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

impl Service<SocketAddr> for Connect {
    type Response = Connection;
    type Error = anyhow::Error;
    type Future = Boxed<Connection>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> Poll<Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, to: SocketAddr) -> Boxed<Connection> {
        Box::pin(async move {
            let stream = TcpStream::connect(to).await?;
            stream.set_nodelay(true)?;
            let (sender, connection) =
                hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
            tokio::spawn(connection);
            Ok(Connection(sender))
        })
    }
}

impl Service<Request<Body>> for Connection {
    type Response = Response<Incoming>;
    type Error = anyhow::Error;
    type Future = Boxed<Response<Incoming>>;

    fn poll_ready(&mut self, context: &mut task::Context<'_>) -> Poll<Result<()>> {
        self.0.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answer = self.0.send_request(request);
        Box::pin(async move { Ok(answer.await?) })
    }
}

/// Reads each request and answers with a few bytes, on a thread of its own.
fn serve(tell: &std::sync::mpsc::Sender<SocketAddr>) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async move {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        tell.send(listener.local_addr().expect("an address")).expect("the caller waits for it");
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            let _ = stream.set_nodelay(true);
            tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(
                TokioIo::new(stream),
                service_fn(async |request: Request<Incoming>| {
                    let _ = request.into_body().collect().await;
                    Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(
                        br#"{"ok":true}"#,
                    ))))
                }),
            ));
        }
    });
}
