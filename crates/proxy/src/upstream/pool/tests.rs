//! When a request is sent a second time, and over which connection.

use super::*;
use crate::test_certificate::write_certificate;
use crate::upstream::connect::connector;
use crate::upstream::environment_proxy::EnvironmentProxies;
use crate::upstream::received::ReceivedBody;
use bytes::Bytes;
use http::uri::PathAndQuery;
use http_body_util::{BodyExt, Either, Full};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// A server that counts connections. It says what it is sent, or else the version and the address of the request.
struct Server {
    address: SocketAddr,
    accepted: Arc<AtomicUsize>,
}

impl Server {
    async fn plain() -> Self {
        Self::start(|stream| async { speak(stream).await }).await
    }

    async fn start<F: Future<Output = ()> + Send + 'static>(
        serve: impl Fn(tokio::net::TcpStream) -> F + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let accepted = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&accepted);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream));
            }
        });
        Server { address, accepted }
    }

    fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}

async fn speak(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
    let service = service_fn(|request: Request<Incoming>| async move {
        let said = format!("{:?} {}", request.version(), request.uri());
        let body = match request.method() {
            &Method::POST => Either::Left(request.into_body()),
            _ => Either::Right(Full::<Bytes>::from(said)),
        };
        Ok::<_, Infallible>(Response::new(body))
    });
    let builder = auto::Builder::new(TokioExecutor::new());
    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
}

fn pool(roots: rustls::RootCertStore, most: usize) -> ConnectionPool {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider);
    let tls = tls.with_safe_default_protocol_versions().unwrap();
    let tls = tls.with_root_certificates(roots).with_no_client_auth();
    let patience = Duration::from_secs(20);
    ConnectionPool::new(connector(tls, patience, false, Arc::new(EnvironmentProxies::none())), most)
}

async fn begin(pool: &ConnectionPool, to: &str) -> ReceivedBody {
    begin_with(pool, Request::get(to).body(Body::empty()).unwrap()).await
}

async fn begin_with(pool: &ConnectionPool, mut request: Request<Body>) -> ReceivedBody {
    let (answer, lease) = pool.send(&mut request, Resend::Always).await.unwrap();
    ReceivedBody::over(lease, None, answer.into_body())
}

async fn ask(pool: &ConnectionPool, to: &str) -> String {
    let said = begin(pool, to).await.collect().await.unwrap().to_bytes();
    String::from_utf8(said.to_vec()).unwrap()
}

#[tokio::test]
async fn a_connection_is_used_again_once_its_answer_was_read() {
    let (server, pool) = (Server::plain().await, pool(rustls::RootCertStore::empty(), 8));
    let to = format!("http://{}/a?b", server.address);
    for _ in 0..3 {
        assert_eq!(ask(&pool, &to).await, "HTTP/1.1 /a?b");
    }
    assert_eq!(server.accepted(), 1);
    let unread = begin(&pool, &to).await;
    ask(&pool, &to).await;
    assert_eq!(server.accepted(), 2);
    drop(unread);
}

/// Thousands of streams may be open at once, and such a buffer has several kilobytes.
#[tokio::test]
async fn an_answer_keeps_nothing_of_the_buffer_that_its_request_was_read_into() {
    let (server, pool) = (Server::plain().await, pool(rustls::RootCertStore::empty(), 8));
    let buffer = Arc::<[u8]>::from(*b"/a?b");
    // Over a new connection, and over one that was kept.
    for _ in 0..2 {
        let path = PathAndQuery::from_maybe_shared(Bytes::from_owner(buffer.clone())).unwrap();
        let to = Uri::builder().scheme("http").authority(server.address.to_string());
        let to = to.path_and_query(path).build().unwrap();
        let request = Request::get(to).body(Body::empty()).unwrap();
        assert_eq!(Arc::strong_count(&buffer), 2);
        let answer = begin_with(&pool, request).await;
        assert_eq!(Arc::strong_count(&buffer), 1);
        assert_eq!(answer.collect().await.unwrap().to_bytes(), "HTTP/1.1 /a?b");
    }
    assert_eq!(server.accepted(), 1);
}

#[tokio::test]
async fn an_answer_may_begin_before_the_request_ends() {
    let (server, pool) = (Server::plain().await, pool(rustls::RootCertStore::empty(), 8));
    let to = format!("http://{}", server.address);
    // More than all buffers on the way hold: it must be sent while the answer is read.
    let long: Bytes = (0..32 << 20).map(|at: u32| at.to_le_bytes()[1]).collect();
    for _ in 0..2 {
        let request = Request::post(&to).body(long.clone().into()).unwrap();
        let said = begin_with(&pool, request).await.collect().await.unwrap().to_bytes();
        assert!(said == long);
    }
    assert_eq!(server.accepted(), 1);
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_costs_no_request() {
    let server = Server::start(|mut stream| async move {
        let mut request = [0; 1024];
        let _ = stream.read(&mut request).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
    });
    let (server, pool) = (server.await, pool(rustls::RootCertStore::empty(), 8));
    for turn in 1..=3 {
        assert_eq!(ask(&pool, &format!("http://{}", server.address)).await, "ok");
        assert_eq!(server.accepted(), turn);
        while !pool.idle.are_closed() {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn a_connection_gives_back_what_it_cannot_send() {
    let [leave, left] = [(); 2].map(|()| Arc::new(Notify::new()));
    let (asked, done) = (leave.clone(), left.clone());
    let server = Server::start(move |mut stream| {
        let (asked, done) = (asked.clone(), done.clone());
        async move {
            let mut request = [0; 1024];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
            asked.notified().await;
            drop(stream);
            done.notify_one();
        }
    });
    let (server, other) = (server.await, Server::plain().await);
    let pool = pool(rustls::RootCertStore::empty(), 8);
    for turn in 1..=3 {
        assert_eq!(ask(&pool, &format!("http://{}", server.address)).await, "ok");
        assert_eq!(server.accepted(), turn);
        leave.notify_one();
        left.notified().await;
        // This answer comes after the events before it. The pool has not looked at the other connection yet.
        ask(&pool, &format!("http://{}", other.address)).await;
        assert_eq!(pool.idle.count(), 2);
    }
}

/// What an upstream does with the second request that comes over a connection. It reads it whole first.
#[derive(Clone)]
enum SecondRequest {
    /// It closes the connection without an answer.
    Close,
    /// It begins an answer and closes the connection.
    CloseAfterByte,
    /// It closes the connection without an answer when it is told to.
    CloseWhenTold(Arc<Notify>),
}

/// A server that answers the first request over each connection, and so deals with the second. Counts the requests too.
async fn closing_server(second: SecondRequest) -> (Server, Arc<AtomicUsize>) {
    const HEAD: &[u8] = b"POST / HTTP/1.1\r\n";
    let requests = Arc::<AtomicUsize>::default();
    let count = requests.clone();
    let server = Server::start(move |mut stream| {
        let (count, second) = (count.clone(), second.clone());
        async move {
            for turn in 0..2 {
                let mut seen = Vec::new();
                // Body and head come together or one after the other.
                while !seen.ends_with(b"body") {
                    match stream.read_buf(&mut seen).await {
                        Ok(0) | Err(_) => return,
                        Ok(_) => {}
                    }
                }
                assert!(seen.starts_with(HEAD), "{}", String::from_utf8_lossy(&seen));
                count.fetch_add(1, Ordering::SeqCst);
                let answer: &[u8] = match (turn, &second) {
                    (0, _) => b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
                    (_, SecondRequest::Close) => b"",
                    (_, SecondRequest::CloseAfterByte) => b"H",
                    (_, SecondRequest::CloseWhenTold(told)) => {
                        told.notified().await;
                        b""
                    }
                };
                let _ = stream.write_all(answer).await;
            }
        }
    });
    (server.await, requests)
}

async fn post(pool: &ConnectionPool, server: &Server) -> Result<String, Error> {
    post_to(pool, &format!("http://{}/", server.address), Resend::Always).await
}

async fn post_to(pool: &ConnectionPool, to: &str, resend: Resend) -> Result<String, Error> {
    let mut request = Request::post(to).body(Bytes::from_static(b"body").into()).unwrap();
    let (answer, lease) = pool.send(&mut request, resend).await?;
    let body = ReceivedBody::over(lease, None, answer.into_body());
    Ok(String::from_utf8(body.collect().await?.to_bytes().to_vec())?)
}

#[tokio::test]
async fn g75_a_request_that_met_a_closing_connection_is_sent_again() {
    let (server, requests) = closing_server(SecondRequest::Close).await;
    let pool = pool(rustls::RootCertStore::empty(), 8);
    for turn in 0..3 {
        assert_eq!(post(&pool, &server).await.unwrap(), "ok", "{turn}");
    }
    // The first, the second twice, the third twice.
    assert_eq!((server.accepted(), requests.load(Ordering::SeqCst)), (3, 5));
}

#[tokio::test]
async fn g75_an_unsafe_request_that_met_a_closing_connection_is_not_repeated() {
    let (server, requests) = closing_server(SecondRequest::Close).await;
    let pool = pool(rustls::RootCertStore::empty(), 8);
    let to = format!("http://{}/", server.address);
    assert_eq!(post_to(&pool, &to, Resend::IfSafe).await.unwrap(), "ok");
    assert!(post_to(&pool, &to, Resend::IfSafe).await.is_err());
    assert_eq!((server.accepted(), requests.load(Ordering::SeqCst)), (1, 2));
}

#[test]
fn g75_only_methods_that_change_nothing_may_be_resent_unasked() {
    for method in [Method::GET, Method::HEAD] {
        assert!(Resend::IfSafe.allows(&method), "{method}");
    }
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
        assert!(!Resend::IfSafe.allows(&method), "{method}");
        assert!(Resend::Always.allows(&method), "{method}");
    }
}

#[tokio::test]
async fn g75_nothing_is_sent_again_after_the_first_byte() {
    let (server, requests) = closing_server(SecondRequest::CloseAfterByte).await;
    let pool = pool(rustls::RootCertStore::empty(), 8);
    assert_eq!(post(&pool, &server).await.unwrap(), "ok");
    assert!(post(&pool, &server).await.is_err());
    assert_eq!((server.accepted(), requests.load(Ordering::SeqCst)), (1, 2));
}

#[tokio::test]
async fn g75_nothing_is_sent_again_after_the_retry_window() {
    let close = Arc::new(Notify::new());
    let (server, requests) = closing_server(SecondRequest::CloseWhenTold(close.clone())).await;
    let pool = pool(rustls::RootCertStore::empty(), 8);
    let pool = Arc::new(ConnectionPool { retry_window: Duration::from_millis(1), ..pool });
    assert_eq!(post(&pool, &server).await.unwrap(), "ok");
    let body = Arc::<[u8]>::from(*b"body");
    let to = format!("http://{}/", server.address);
    let sent = Bytes::from_owner(body.clone());
    let mut request = Request::post(to).body(sent.into()).unwrap();
    let asking =
        tokio::spawn(async move { pool.send(&mut request, Resend::Always).await.is_err() });
    // The window is over once the body is held no more.
    while requests.load(Ordering::SeqCst) < 2 || Arc::strong_count(&body) > 1 {
        tokio::task::yield_now().await;
    }
    close.notify_one();
    assert!(asking.await.unwrap());
    assert_eq!((server.accepted(), requests.load(Ordering::SeqCst)), (1, 2));
}

#[tokio::test]
async fn g75_a_new_connection_that_is_closed_costs_no_second_request() {
    let server = Server::start(|mut stream| async move {
        let mut seen = [0; 1024];
        let _ = stream.read(&mut seen).await;
    });
    let (server, pool) = (server.await, pool(rustls::RootCertStore::empty(), 8));
    assert!(post(&pool, &server).await.is_err());
    assert_eq!(server.accepted(), 1);
}

/// What `localhost` shows of itself, and its key.
fn certificate() -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
    let folder = tempfile::tempdir().unwrap();
    let (shown, key) = write_certificate(folder.path(), "localhost");
    let shown = CertificateDer::from_pem_file(shown).unwrap();
    (shown, PrivateKeyDer::from_pem_file(key).unwrap())
}

/// What accepts TLS for HTTP/2 as `localhost`, and who trusts it.
fn http2_acceptor() -> (rustls::RootCertStore, TlsAcceptor) {
    let (certificate, key) = certificate();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ServerConfig::builder_with_provider(provider);
    let tls = tls.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let mut tls = tls.with_single_cert(vec![certificate], key).unwrap();
    tls.alpn_protocols = vec![b"h2".to_vec()];
    (roots, TlsAcceptor::from(Arc::new(tls)))
}

/// A server of HTTP/2 that answers the first request over each connection. It refuses the streams of all later ones, or
/// else closes the connection as soon as it has so many. Counts the requests too.
async fn http2_server(
    close_at: Option<usize>,
) -> (Server, rustls::RootCertStore, Arc<AtomicUsize>) {
    let (roots, acceptor) = http2_acceptor();
    let requests = Arc::<AtomicUsize>::default();
    let count = requests.clone();
    let server = Server::start(move |stream| {
        let (accepting, count) = (acceptor.accept(stream), count.clone());
        async move {
            let mut connection = h2::server::handshake(accepting.await.unwrap()).await.unwrap();
            let mut unanswered = Vec::new();
            let mut seen = 0;
            while let Some(Ok((request, mut respond))) = connection.accept().await {
                seen += 1;
                count.fetch_add(1, Ordering::SeqCst);
                if seen == 1 {
                    respond.send_response(Response::new(()), true).unwrap();
                } else if close_at.is_none() {
                    respond.send_reset(h2::Reason::REFUSED_STREAM);
                } else if close_at == Some(seen) {
                    return;
                }
                unanswered.push((request, respond));
            }
        }
    });
    (server.await, roots, requests)
}

#[tokio::test]
async fn g75_over_http2_a_refused_request_is_sent_again() {
    let (server, roots, requests) = http2_server(None).await;
    let pool = pool(roots, 8);
    let to = format!("https://localhost:{}/", server.address.port());
    for _ in 0..2 {
        assert_eq!(post_to(&pool, &to, Resend::Always).await.unwrap(), "");
    }
    assert_eq!((server.accepted(), requests.load(Ordering::SeqCst)), (2, 3));
}

#[tokio::test]
async fn g75_over_http2_a_lost_connection_repeats_none_of_its_requests() {
    let (server, roots, requests) = http2_server(Some(6)).await;
    let pool = Arc::new(pool(roots, 8));
    let to = format!("https://localhost:{}/", server.address.port());
    assert_eq!(post_to(&pool, &to, Resend::Always).await.unwrap(), "");
    let mut asking = JoinSet::new();
    for _ in 0..5 {
        let (pool, to) = (pool.clone(), to.clone());
        asking.spawn(async move { post_to(&pool, &to, Resend::Always).await.is_err() });
    }
    assert_eq!(asking.join_all().await, [true; 5]);
    assert_eq!((server.accepted(), requests.load(Ordering::SeqCst)), (1, 6));
}

#[tokio::test]
async fn over_http2_many_requests_share_a_connection() {
    let (roots, acceptor) = http2_acceptor();
    let server = Server::start(move |stream| {
        let accepting = acceptor.accept(stream);
        async { speak(accepting.await.unwrap()).await }
    });
    let (server, pool) = (server.await, Arc::new(pool(roots, 8)));
    let to = format!("https://localhost:{}/a?b", server.address.port());
    ask(&pool, &to).await;
    let mut asking = JoinSet::new();
    for _ in 0..20 {
        let (pool, to) = (pool.clone(), to.clone());
        asking.spawn(async move { assert_eq!(ask(&pool, &to).await, format!("HTTP/2.0 {to}")) });
    }
    asking.join_all().await;
    assert_eq!(server.accepted(), 1);
}

#[tokio::test]
async fn idle_connections_are_kept_within_their_bound_and_time() {
    let (server, pool) = (Server::plain().await, pool(rustls::RootCertStore::empty(), 2));
    let to = format!("http://{}", server.address);
    let idle = || pool.idle.count();
    let mut under_way = Vec::new();
    for _ in 0..4 {
        under_way.push(begin(&pool, &to).await);
    }
    assert_eq!((server.accepted(), idle()), (4, 0));
    drop(under_way);
    assert_eq!(idle(), 2);
    (1..idle_connections::MAX_IDLE_SWEEPS).for_each(|_| pool.idle.sweep());
    assert_eq!(idle(), 2);
    pool.idle.sweep();
    assert_eq!(idle(), 0);
}
