use super::*;
use crate::body::Body;
use crate::client_peer::ClientPeer;
use crate::server::{RequestHandler, Server, ServerLimits};
use crate::test_certificate::{openssl, write_certificate};
use crate::tls_identity::TlsIdentityError;
use http::{Request, Response, Version};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio_rustls::TlsConnector;

const PATIENCE: Duration = Duration::from_secs(20);

/// Says the version of HTTP that it was asked in.
#[derive(Clone)]
struct Versions;

impl RequestHandler for Versions {
    type Body = Body;

    async fn answer(&self, request: Request<Incoming>, _: Arc<ClientPeer>) -> Response<Body> {
        Response::new(format!("{:?}", request.version()).into())
    }

    fn is_draining(&self) -> bool {
        false
    }
}

/// A server that encrypts, and its files.
struct Encrypted {
    address: SocketAddr,
    identity: Arc<TlsIdentity>,
    certificate: PathBuf,
    key: PathBuf,
    folder: TempDir,
}

async fn encrypted(set: impl FnOnce(&mut ServerLimits)) -> Encrypted {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = write_certificate(folder.path(), "own");
    let identity = Arc::new(TlsIdentity::load(&certificate, &key).unwrap());
    let mut limits = ServerLimits {
        max_connections: 100,
        header_timeout: PATIENCE,
        write_timeout: PATIENCE,
        keep_alive_timeout: PATIENCE,
        drain_timeout: PATIENCE,
    };
    set(&mut limits);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server::start(&Versions, limits).unwrap().encrypted(identity.clone());
    tokio::spawn(async move { server.accept_until(&listener, std::future::pending()).await });
    Encrypted { address, identity, certificate, key, folder }
}

type ClientStream = tokio_rustls::client::TlsStream<TcpStream>;

impl Encrypted {
    /// Shakes hands as a client that trusts this certificate alone.
    async fn connect(&self, trusted: &Path, protocols: &[&[u8]]) -> io::Result<ClientStream> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(trusted).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().unwrap();
        let mut config = config.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        let stream = TcpStream::connect(self.address).await?;
        let name = ServerName::try_from("localhost").unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, stream).await
    }

    /// Replaces both files, as an ACME client does.
    fn renew(&self, name: &str) -> PathBuf {
        let (certificate, key) = write_certificate(self.folder.path(), name);
        fs::copy(&certificate, &self.certificate).unwrap();
        fs::copy(key, &self.key).unwrap();
        certificate
    }
}

/// Asks once over HTTP/1.1, and keeps the connection.
async fn ask(stream: &mut (impl tokio::io::AsyncRead + AsyncWriteExt + Unpin)) -> String {
    stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut said = Vec::new();
    while !said.ends_with(b"HTTP/1.1") || said.len() < 20 {
        let mut byte = [0];
        stream.read_exact(&mut byte).await.unwrap();
        said.extend(byte);
    }
    String::from_utf8(said).unwrap()
}

#[tokio::test]
async fn d54_a_client_speaks_the_protocol_that_it_chose_in_its_handshake() {
    let server = encrypted(|_| {}).await;
    let mut stream = server.connect(&server.certificate, &[b"http/1.1"]).await.unwrap();
    assert!(ask(&mut stream).await.starts_with("HTTP/1.1 200 OK"));
    assert!(ask(&mut stream).await.ends_with("HTTP/1.1"), "the connection is kept");
    let mut silent = server.connect(&server.certificate, &[]).await.unwrap();
    assert!(ask(&mut silent).await.ends_with("HTTP/1.1"));

    let stream = server.connect(&server.certificate, &[b"h2", b"http/1.1"]).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let handshake =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (mut sender, connection) = handshake.await.unwrap();
    tokio::spawn(connection);
    let request = Request::get("https://localhost/").body(Empty::<bytes::Bytes>::new()).unwrap();
    let answer = sender.send_request(request).await.unwrap();
    assert_eq!(answer.version(), Version::HTTP_2);
    assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), "HTTP/2.0");
}

#[tokio::test]
async fn d54_who_trusts_another_certificate_gets_no_connection() {
    let server = encrypted(|_| {}).await;
    let (other, _) = write_certificate(server.folder.path(), "other");
    let refused = server.connect(&other, &[]).await.unwrap_err();
    assert!(refused.to_string().contains("certificate"), "{refused}");
}

#[tokio::test]
async fn d54_replaced_files_count_for_new_connections_and_open_ones_go_on() {
    let server = encrypted(|_| {}).await;
    let old = server.folder.path().join("old.pem");
    fs::copy(&server.certificate, &old).unwrap();
    let mut open = server.connect(&old, &[]).await.unwrap();
    ask(&mut open).await;
    assert!(!server.identity.reload().unwrap(), "nothing was replaced");
    let new = server.renew("new");
    assert!(server.connect(&old, &[]).await.is_ok(), "the files are not read yet");
    assert!(server.identity.reload().unwrap());
    ask(&mut open).await;
    assert!(server.connect(&old, &[]).await.is_err());
    ask(&mut server.connect(&new, &[]).await.unwrap()).await;
}

#[tokio::test]
async fn d54_files_that_do_not_go_together_change_nothing() {
    let server = encrypted(|_| {}).await;
    let old = server.folder.path().join("old.pem");
    fs::copy(&server.certificate, &old).unwrap();
    let (new, _) = write_certificate(server.folder.path(), "new");
    fs::copy(&new, &server.certificate).unwrap();
    assert!(matches!(server.identity.reload(), Err(TlsIdentityError::Mismatch { .. })));
    fs::write(&server.certificate, "half").unwrap();
    assert!(matches!(server.identity.reload(), Err(TlsIdentityError::Missing { .. })));
    ask(&mut server.connect(&old, &[]).await.unwrap()).await;
}

#[tokio::test]
async fn d54_from_this_machine_it_may_be_spoken_to_without_tls() {
    let server = encrypted(|_| {}).await;
    let mut plain = TcpStream::connect(server.address).await.unwrap();
    assert!(ask(&mut plain).await.starts_with("HTTP/1.1 200 OK"));
    let [own, other] = ["10.0.0.7", "10.0.0.8"].map(|text| text.parse::<IpAddr>().unwrap());
    for (remote, expected) in [
        ("127.0.0.1", true),
        ("127.9.9.9", true),
        ("::1", true),
        ("::ffff:127.0.0.1", true),
        ("::ffff:10.0.0.7", true),
        ("10.0.0.7", true),
        ("10.0.0.6", false),
        ("::ffff:10.0.0.6", false),
    ] {
        assert_eq!(is_here(remote.parse().unwrap(), own), expected, "{remote}");
    }
    assert!(!is_here(own, other));
}

#[tokio::test]
async fn d54_from_elsewhere_a_client_without_tls_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = write_certificate(folder.path(), "own");
    let identity = Arc::new(TlsIdentity::load(&certificate, &key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let (stream, _) = listener.accept().await.unwrap();
    let tls = TlsListener::new(identity, 1);
    let handshake = tls.admit().await.unwrap();
    let elsewhere = "203.0.113.9:4711".parse().unwrap();
    let stream = handshake.complete(stream, elsewhere).await.unwrap();
    assert!(matches!(stream, ListenerStream::Over));
    let mut said = String::new();
    client.read_to_string(&mut said).await.unwrap();
    assert!(said.starts_with("HTTP/1.1 400") && said.contains("use https://"), "{said}");
}

#[tokio::test]
async fn d54_a_stalled_handshake_is_cut_off_and_makes_room() {
    // Of four connections one may be in its handshake.
    let server = encrypted(|limits| {
        limits.max_connections = 4;
        limits.header_timeout = Duration::from_millis(300);
    })
    .await;
    let mut open = server.connect(&server.certificate, &[]).await.unwrap();
    let mut stalled = TcpStream::connect(server.address).await.unwrap();
    stalled.write_all(&[HANDSHAKE_RECORD, 3, 1]).await.unwrap();
    assert!(ask(&mut open).await.ends_with("HTTP/1.1"), "those who are in are served meanwhile");
    assert_eq!(stalled.read(&mut [0; 9]).await.unwrap_or(0), 0);
    ask(&mut server.connect(&server.certificate, &[]).await.unwrap()).await;
}

#[test]
fn d54_every_mistake_in_the_files_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (certificate, key) = write_certificate(folder.path(), "own");
    let (other, other_key) = write_certificate(folder.path(), "other");
    let locked = path("locked.key");
    let arguments = ["pkey", "-aes256", "-passout", "pass:x", "-in"].map(Into::into);
    let files = [key.clone().into_os_string(), "-out".into(), locked.clone().into_os_string()];
    openssl(&[&arguments[..], &files].concat());
    fs::write(path("empty"), "").unwrap();
    let chain = fs::read_to_string(&certificate).unwrap();
    fs::write(path("long"), format!("{chain}{}", "#".repeat(1 << 20))).unwrap();
    let legacy = path("legacy.key");
    let begin = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n";
    fs::write(&legacy, begin).unwrap();
    for (certificate, key, told) in [
        (&path("gone"), &key, "cannot read the TLS certificate"),
        (&certificate, &path("gone"), "cannot read the TLS key"),
        (&folder.path().to_owned(), &key, "it is no file"),
        (&path("empty"), &key, "holds no certificate in PEM"),
        (&path("long"), &key, "it has more than 1048576 bytes"),
        (&key, &key, "holds no certificate in PEM"),
        (&certificate, &path("empty"), "holds no private key in PEM"),
        (&certificate, &certificate, "holds no private key in PEM"),
        (&certificate, &locked, "is encrypted; write one without a passphrase: openssl pkey"),
        (&certificate, &legacy, "is encrypted"),
        (&certificate, &other_key, "does not belong to the first certificate"),
        (&other, &key, "does not belong to the first certificate"),
    ] {
        let Err(error) = TlsIdentity::load(certificate, key) else { panic!("{told}") };
        assert!(error.to_string().contains(told), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn d54_a_pipe_in_the_place_of_a_file_holds_nothing_up() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, _) = write_certificate(folder.path(), "own");
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (sender, loaded) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(TlsIdentity::load(&certificate, &pipe).err()));
    let error = loaded.recv_timeout(PATIENCE).unwrap().unwrap();
    assert!(error.to_string().contains("it is no file"), "{error}");
}
