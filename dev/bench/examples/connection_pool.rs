//! The connection pool of `tokenforge-proxy` against the composable one of `hyper-util`, in one run.
//!
//! Both send the same requests from one thread to the same server on another. What is compared is the processor time of
//! the sending thread for each request, since that is what a gateway runs out of.
//!
//! ```console
//! $ cargo run --profile dist -p tokenforge-bench --example connection_pool
//! ```

use anyhow::{Context, Result};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;
use hyper::header::HOST;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::client::pool::cache;
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
use std::time::Duration;
use tokenforge_proxy::body::Body;
use tokenforge_proxy::upstream::{UpstreamClient, UpstreamLimits};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::LocalSet;
use tower_service::Service;

const ROUNDS: usize = 7;
const REQUESTS: usize = 40_000;
const AT_ONCE: [usize; 3] = [1, 4, 32];

fn main() -> Result<()> {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || serve(&tell));
    let server = told.recv().context("the server did not start")?;
    for at_once in AT_ONCE {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for round in 0..=ROUNDS {
            let one = measure(|| send_through_ours(server, at_once))?;
            let other = measure(|| send_through_theirs(server, at_once))?;
            if round > 0 {
                ours.push(one);
                theirs.push(other);
            }
        }
        let (ours, theirs) = (median(ours), median(theirs));
        println!(
            "{at_once} at once: ours {ours:.2} µs of processor time a request, hyper-util's {theirs:.2} µs: {:+.1} %",
            (theirs / ours - 1.0) * 100.0
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

/// The same duties around it as ours: an address that is read for each request, a pool for each upstream, a limit on
/// requests, and one on the wait for an answer. Still without eviction, retry and HTTP/2.
async fn send_through_theirs(to: SocketAddr, at_once: usize) -> Result<()> {
    let pools = Rc::new(RefCell::new(HashMap::new()));
    let permits = Arc::new(Semaphore::new(1024));
    let uri = format!("http://{to}/v1/messages");
    spread(at_once, move || {
        let (pools, permits, uri) = (pools.clone(), permits.clone(), uri.clone());
        async move {
            let mut request = Request::post(uri).header(HOST, "local").body(Body::from(body()))?;
            let _permit = permits.acquire_owned().await?;
            let uri = std::mem::take(request.uri_mut()).into_parts();
            let authority = uri.authority.context("no host")?;
            *request.uri_mut() = uri.path_and_query.context("no path")?.into();
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
        tell.send(listener.local_addr().expect("an address")).expect("somebody waits for it");
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
