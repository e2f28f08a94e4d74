//! The first moments of a connection to a TLS listener: the handshake, within its time and among no more than so many.

use crate::tls_identity::TlsIdentity;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// How the first record of a TLS handshake begins.
const HANDSHAKE_RECORD: u8 = 0x16;

/// Of so many connections one may be in its handshake: clients that begin one and go no further cannot take them all.
const SHARE: usize = 4;

const NOT_ENCRYPTED: &str = "this port speaks TLS: use https://\n";

/// The TLS of a listener.
#[derive(Clone)]
pub(crate) struct TlsListener {
    identity: Arc<TlsIdentity>,
    handshakes: Arc<Semaphore>,
}

/// A connection that may have to shake hands.
pub(crate) struct PendingHandshake {
    identity: Arc<TlsIdentity>,
    /// Kept until that is over.
    permit: OwnedSemaphorePermit,
}

/// A connection after its first moments.
pub(crate) enum ListenerStream {
    /// Encrypted; over HTTP/2, or else HTTP/1.1.
    Encrypted(Box<TlsStream<TcpStream>>, bool),
    /// Unencrypted, from this machine, where there is no network to listen on: as to a listener without TLS.
    Plain(TcpStream),
    /// It said nothing, or is not let in, and knows why.
    Over,
}

impl TlsListener {
    pub(crate) fn new(identity: Arc<TlsIdentity>, max_connections: usize) -> Self {
        let handshakes = Arc::new(Semaphore::new((max_connections / SHARE).max(1)));
        TlsListener { identity, handshakes }
    }

    /// Waits for room for one more. What is not accepted meanwhile waits in the system's queue, and costs nothing here.
    pub(crate) async fn admit(&self) -> Option<PendingHandshake> {
        let permit = self.handshakes.clone().acquire_owned().await.ok()?;
        Some(PendingHandshake { identity: self.identity.clone(), permit })
    }
}

impl PendingHandshake {
    /// Completes the handshake. A client on this machine may go without one, because the gateway's own commands do, and
    /// a gateway without TLS is open to the same clients.
    pub(crate) async fn complete(
        self,
        mut stream: TcpStream,
        remote: SocketAddr,
    ) -> io::Result<ListenerStream> {
        let PendingHandshake { identity, permit } = self;
        let mut first = [0];
        if stream.peek(&mut first).await? == 0 {
            return Ok(ListenerStream::Over);
        }
        if first[0] == HANDSHAKE_RECORD {
            // Not before it begins: files may have been replaced since there was room for it.
            let encrypted = TlsAcceptor::from(identity.config()).accept(stream).await?;
            drop(permit);
            let is_http2 = encrypted.get_ref().1.alpn_protocol() == Some(b"h2");
            return Ok(ListenerStream::Encrypted(Box::new(encrypted), is_http2));
        }
        if stream.local_addr().is_ok_and(|own| is_here(remote.ip(), own.ip())) {
            return Ok(ListenerStream::Plain(stream));
        }
        let length = NOT_ENCRYPTED.len();
        let answer = format!(
            "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n\
             {NOT_ENCRYPTED}"
        );
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        Ok(ListenerStream::Over)
    }
}

/// Does a connection come from this machine: from loopback, or from the very address that it leads to?
fn is_here(remote: IpAddr, own: IpAddr) -> bool {
    remote.to_canonical().is_loopback() || remote.to_canonical() == own.to_canonical()
}

#[cfg(test)]
mod tests;
