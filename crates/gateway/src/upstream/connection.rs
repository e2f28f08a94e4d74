//! A connection to a provider, and requests over it.

use super::connect::Stream;
use crate::http::body::Body;
use http::header::{HOST, HeaderValue};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Request, Response, Uri};
use hyper::body::Incoming;
use hyper::client::conn::{TrySendError, http1, http2};
use hyper_util::client::legacy::connect::Connection as _;
use hyper_util::rt::{TokioExecutor, TokioTimer};

/// Why there is no connection, or no answer over it.
pub(super) type Error = Box<dyn std::error::Error + Send + Sync>;

/// A connection, in the protocol that both ends speak.
pub(super) enum Connection {
    /// One request at a time.
    Http1 {
        sender: http1::SendRequest<Body>,
        /// To whom its requests are for.
        host: HeaderValue,
        /// A proxy has to be told with each request whom it is for.
        is_to_proxy: bool,
    },
    /// Many at once.
    Http2(http2::SendRequest<Body>),
}

impl Connection {
    /// Begins to speak over a stream to an address. From then on it is driven by the runtime of whoever began.
    pub(super) async fn begin(stream: Stream, to: &Uri) -> Result<Self, Error> {
        let connected = stream.connected();
        if connected.is_negotiated_h2() {
            let mut builder = http2::Builder::new(TokioExecutor::new());
            let (sender, connection) = builder.timer(TokioTimer::new()).handshake(stream).await?;
            drive(connection);
            return Ok(Connection::Http2(sender));
        }
        let (sender, connection) = http1::handshake(stream).await?;
        drive(connection);
        let (host, is_to_proxy) = (host(to)?, connected.is_proxied());
        Ok(Connection::Http1 { sender, host, is_to_proxy })
    }

    /// Sends a request to an address. An error gives it back if nothing of it was sent.
    pub(super) async fn send(
        &mut self,
        mut request: Request<Body>,
        to: &Uri,
    ) -> Result<Response<Incoming>, TrySendError<Request<Body>>> {
        match self {
            Connection::Http1 { sender, host, is_to_proxy } => {
                *request.uri_mut() = if *is_to_proxy { to.clone() } else { path(to).into() };
                request.headers_mut().entry(HOST).or_insert_with(|| host.clone());
                sender.try_send_request(request).await
            }
            Connection::Http2(sender) => {
                *request.uri_mut() = to.clone();
                sender.try_send_request(request).await
            }
        }
    }

    /// One that sends over the same connection, if it takes many requests at once.
    pub(super) fn shared(&self) -> Option<Self> {
        match self {
            Connection::Http1 { .. } => None,
            Connection::Http2(sender) => Some(Connection::Http2(sender.clone())),
        }
    }

    /// Can it take a request now?
    pub(super) fn is_ready(&self) -> bool {
        match self {
            Connection::Http1 { sender, .. } => sender.is_ready(),
            Connection::Http2(sender) => sender.is_ready(),
        }
    }

    /// Will it never take one again?
    pub(super) fn is_closed(&self) -> bool {
        match self {
            Connection::Http1 { sender, .. } => sender.is_closed(),
            Connection::Http2(sender) => sender.is_closed(),
        }
    }
}

/// Whoever waits for an answer hears of what goes wrong.
fn drive(connection: impl Future<Output = hyper::Result<()>> + Send + 'static) {
    tokio::spawn(async move { drop(connection.await) });
}

fn path(to: &Uri) -> PathAndQuery {
    to.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"))
}

/// The host of an address, and its port if that is not the usual one.
fn host(to: &Uri) -> Result<HeaderValue, Error> {
    let host = to.host().unwrap_or_default();
    let usual = if to.scheme() == Some(&Scheme::HTTPS) { 443 } else { 80 };
    Ok(match to.authority().and_then(Authority::port_u16).filter(|port| *port != usual) {
        Some(port) => HeaderValue::try_from(format!("{host}:{port}"))?,
        None => HeaderValue::from_str(host)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_named_without_credentials_and_without_the_usual_port() {
        for (address, named) in [
            ("http://a.example/x?y", "a.example"),
            ("http://a.example:80", "a.example"),
            ("https://u:p@a.example:443/", "a.example"),
            ("https://a.example:80", "a.example:80"),
            ("http://[::1]:8080/", "[::1]:8080"),
        ] {
            assert_eq!(host(&address.parse().unwrap()).unwrap(), named, "{address}");
        }
    }

    #[test]
    fn the_path_of_an_address_without_one_is_its_root() {
        assert_eq!(path(&"http://a.example".parse().unwrap()), "/");
        assert_eq!(path(&"http://a.example/x?y".parse().unwrap()), "/x?y");
    }
}
