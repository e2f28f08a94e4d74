//! A server of this crate as its clients see it: keep-alive, timeouts and backpressure, before an upstream that is no model.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokenforge_proxy::body::{Body, BodyTimeout};
use tokenforge_proxy::client_peer::ClientPeer;
use tokenforge_proxy::headers;
use tokenforge_proxy::server::{RequestHandler, Server, ServerLimits};
use tokenforge_proxy::upstream::{UpstreamClient, UpstreamLimits};
use tokio::runtime::Runtime;

const SHORT: Duration = Duration::from_millis(300);

/// How long a test waits for what must happen before it fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// What systems keep in their own buffers, at most.
const IN_BUFFERS: usize = 30 << 20;

/// A reverse proxy: passes on everything to one upstream, and answers itself where there is none.
#[derive(Clone)]
struct ReverseProxy {
    client: Arc<UpstreamClient>,
    upstream: Option<SocketAddr>,
}

impl RequestHandler for ReverseProxy {
    type Body = Body;

    async fn answer(&self, request: Request<Incoming>, _: Arc<ClientPeer>) -> Response<Body> {
        let Some(upstream) = self.upstream else { return Response::new("here".to_owned().into()) };
        let timeout = BodyTimeout::idle(PATIENCE);
        let mut request = request.map(|body| Body::passing(body, timeout));
        *request.uri_mut() = format!("http://{upstream}{}", request.uri()).parse().unwrap();
        headers::readdress(request.headers_mut());
        match self.client.send(&mut request, false, PATIENCE).await {
            Ok(answer) => answer.map(|body| Body::passing(body, timeout)),
            Err(failure) => {
                let mut answer = Response::new(failure.to_string().into());
                *answer.status_mut() = StatusCode::BAD_GATEWAY;
                answer
            }
        }
    }

    fn is_draining(&self) -> bool {
        false
    }
}

/// A server that runs until this is dropped.
struct Serving {
    address: SocketAddr,
    _runtime: Runtime,
}

fn serve(upstream: Option<SocketAddr>, set: impl FnOnce(&mut ServerLimits)) -> Serving {
    let mut limits = ServerLimits {
        max_connections: 100,
        header_timeout: PATIENCE,
        write_timeout: PATIENCE,
        keep_alive_timeout: Duration::from_secs(75),
        drain_timeout: PATIENCE,
    };
    set(&mut limits);
    let of_upstream =
        UpstreamLimits { max_requests: 100, connect_timeout: PATIENCE, idle_connections: 8 };
    let client = Arc::new(UpstreamClient::new(of_upstream));
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(1).enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server::start(&ReverseProxy { client, upstream }, limits).unwrap();
    runtime.spawn(async move { server.accept_until(&listener, std::future::pending()).await });
    Serving { address, _runtime: runtime }
}

/// A client's connection, over which HTTP is written by hand.
fn connect(serving: &Serving) -> TcpStream {
    let stream = TcpStream::connect(serving.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Sends a head without a body, and reads the answer's head and `here`.
fn ask(stream: &mut TcpStream, connection: &str) -> String {
    write!(stream, "GET / HTTP/1.1\r\nhost: a\r\nconnection: {connection}\r\n\r\n").unwrap();
    let mut said = Vec::new();
    while !said.ends_with(b"here") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        said.extend(byte);
    }
    String::from_utf8(said).unwrap()
}

/// What comes until the other end closes.
fn rest(stream: &mut TcpStream) -> String {
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    rest
}

#[test]
fn d72_an_idle_connection_is_not_kept_for_ever() {
    let serving = serve(None, |limits| limits.keep_alive_timeout = SHORT);
    let mut idle = connect(&serving);
    ask(&mut idle, "keep-alive");
    assert_eq!(rest(&mut idle), "");
}

#[test]
fn d72_a_client_is_told_how_long_its_connection_is_kept() {
    let serving = serve(None, |_| {});
    assert!(ask(&mut connect(&serving), "keep-alive").contains("keep-alive: timeout=75\r\n"));
    let closed = ask(&mut connect(&serving), "close");
    assert!(!closed.contains("keep-alive:"), "{closed}");
}

#[test]
fn d72_a_head_that_was_begun_is_cut_off_before_an_idle_connection_is() {
    let serving = serve(None, |limits| limits.header_timeout = SHORT);
    let (mut idle, mut begun) = (connect(&serving), connect(&serving));
    ask(&mut idle, "keep-alive");
    ask(&mut begun, "keep-alive");
    begun.write_all(b"GET / HTTP/1.1\r\nx-a: ").unwrap();
    assert_eq!(rest(&mut begun), "");
    ask(&mut idle, "keep-alive");
}

#[test]
fn d68_a_request_that_the_upstream_does_not_read_is_not_read_from_the_client() {
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
    let serving = serve(Some(deaf.local_addr().unwrap()), |_| {});
    let mut client = connect(&serving);
    let length = 10 * IN_BUFFERS;
    write!(client, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: {length}\r\n\r\n").unwrap();
    let _held = deaf.accept().unwrap();
    client.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    let (mut written, piece) = (0, vec![b'x'; 64 << 10]);
    while let Ok(length) = client.write(&piece) {
        written += length;
        assert!(written < IN_BUFFERS, "{written} bytes were read for an upstream that reads none");
    }
}

#[test]
fn d68_a_client_that_stops_reading_is_cut_off_and_so_is_its_upstream() {
    let endless = TcpListener::bind("127.0.0.1:0").unwrap();
    let upstream = endless.local_addr().unwrap();
    let (sender, left) = mpsc::channel();
    std::thread::spawn(move || {
        let (mut stream, _) = endless.accept().unwrap();
        let _ = stream.read(&mut [0; 64 << 10]).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        while stream.write_all(&[b'x'; 4 << 10]).is_ok() {}
        sender.send(()).unwrap();
    });
    let serving = serve(Some(upstream), |limits| limits.write_timeout = SHORT);
    let mut silent = connect(&serving);
    silent.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    left.recv_timeout(PATIENCE).expect("the upstream is left when its reader is cut off");
}
