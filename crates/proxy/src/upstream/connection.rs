//! A connection to an upstream, over HTTP/1.1 or HTTP/2, and requests over it.

use super::connect::UpstreamStream;
use super::link::ForwardProxy;
use super::watched_stream::{ReceivedMark, WatchedStream};
use crate::body::Body;
use http::header::{HOST, HeaderValue, PROXY_AUTHORIZATION};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Extensions, Request, Response, Uri};
use hyper::body::Incoming;
use hyper::client::conn::{TrySendError, http1, http2};
use hyper::rt::{Read, Write};
use hyper_util::client::legacy::connect::Connection as _;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::future::poll_fn;
use std::io::ErrorKind;
use std::mem;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use tokio::task::unconstrained;

/// Why there is no connection, or no answer over it.
pub(super) type Error = Box<dyn std::error::Error + Send + Sync>;

/// How much is read ahead of who takes an answer. Hyper's own bound is 13 times that.
const READ_BYTES: usize = 32 << 10;

/// The same over HTTP/2, where 2 MB would be read ahead. At 100 ms to a provider it is 1.3 MB a second.
const STREAM_WINDOW: u32 = 128 << 10;

/// Slow readers do not hold up the streams that share their connection, because each stream has its own window.
const CONNECTION_WINDOW: u32 = 1 << 30;

/// No answer came to a request.
#[derive(Debug)]
pub(super) struct SendFailure {
    pub(super) error: hyper::Error,
    /// The upstream has not seen the request.
    pub(super) is_unsent: bool,
    /// The upstream gave it up: over HTTP/1.1 it closed the connection before anything of an answer came, over HTTP/2 it said
    /// that it did not process the request.
    pub(super) is_given_up: bool,
}

/// A connection, in the protocol that both ends speak.
pub(super) enum UpstreamConnection {
    /// One request at a time. The task that waits for its answer drives the connection, because a task of its own would
    /// have to be woken for everything that comes and goes.
    Http1(Box<Http1Connection>),
    /// Many at once, over a connection that a task of its own drives.
    Http2(http2::SendRequest<Body>),
}

/// A connection of one request at a time.
pub(super) struct Http1Connection {
    sender: http1::SendRequest<Body>,
    /// Nothing once it is closed.
    driver: Option<http1::Connection<Box<dyn ReadWrite>, Body>>,
    received: ReceivedMark,
    /// Whether the task that drove it last is woken when something comes.
    is_awaited: bool,
    /// To whom its requests are for.
    host: HeaderValue,
    /// It has to be told with each request whom it is for.
    proxy: Option<ForwardProxy>,
}

impl UpstreamConnection {
    /// Begins to speak over a stream to an address.
    pub(super) async fn handshake(stream: UpstreamStream, to: &Uri) -> Result<Self, Error> {
        let connected = stream.connected();
        if connected.is_negotiated_h2() {
            let mut builder = http2::Builder::new(TokioExecutor::new());
            builder.timer(TokioTimer::new()).initial_stream_window_size(STREAM_WINDOW);
            builder.initial_connection_window_size(CONNECTION_WINDOW);
            let (sender, driver) = builder.handshake(stream).await?;
            // A request that waits for an answer gets the error.
            tokio::spawn(async move { drop(driver.await) });
            return Ok(UpstreamConnection::Http2(sender));
        }
        let mut builder = http1::Builder::new();
        let received = ReceivedMark::default();
        let stream = in_box(stream, received.clone());
        let (sender, driver) = builder.max_buf_size(READ_BYTES).handshake(stream).await?;
        let mut extras = Extensions::new();
        connected.get_extras(&mut extras);
        let (host, proxy) = (host(to)?, extras.remove());
        let http1 = Http1Connection {
            sender,
            driver: Some(driver),
            received,
            is_awaited: false,
            host,
            proxy,
        };
        Ok(UpstreamConnection::Http1(Box::new(http1)))
    }

    /// Takes a request and sends it to an address. If nothing of it was sent, it is put back.
    pub(super) async fn send(
        &mut self,
        request: &mut Request<Body>,
        to: &Uri,
    ) -> Result<Response<Incoming>, SendFailure> {
        let answer = match self {
            UpstreamConnection::Http1(http1) => {
                http1.address(request, to);
                http1.received.clear();
                let mut answer = pin!(http1.sender.try_send_request(mem::take(request)));
                poll_fn(|context| http1.drive(context, |context| answer.as_mut().poll(context)))
                    .await
            }
            UpstreamConnection::Http2(sender) => {
                *request.uri_mut() = to.clone();
                sender.try_send_request(mem::take(request)).await
            }
        };
        answer.map_err(|mut error: TrySendError<Request<Body>>| {
            let unsent = error.take_message();
            let is_unsent = unsent.is_some();
            *request = unsent.unwrap_or_default();
            let error = error.into_error();
            let is_given_up = self.is_given_up(&error);
            SendFailure { error, is_unsent, is_given_up }
        })
    }

    /// Whether the upstream gave up the last request that was begun. A lost connection of HTTP/2 says nothing of the requests
    /// over it, of which there may be many.
    fn is_given_up(&self, error: &hyper::Error) -> bool {
        match self {
            UpstreamConnection::Http1(http1) => is_closed(error) && !http1.received.is_set(),
            UpstreamConnection::Http2(_) => is_unprocessed(error),
        }
    }

    /// Looks for something that comes over this connection, and drives it until that is here.
    pub(super) fn poll<T>(
        &mut self,
        context: &mut Context<'_>,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        match self {
            // It may be here already.
            UpstreamConnection::Http1(http1) => match poll_once(&mut poll) {
                Poll::Pending => http1.drive(context, poll),
                here => here,
            },
            UpstreamConnection::Http2(_) => poll(context),
        }
    }

    /// One that sends over the same connection, if it takes many requests at once.
    pub(super) fn share(&self) -> Option<Self> {
        match self {
            UpstreamConnection::Http1(_) => None,
            UpstreamConnection::Http2(sender) => Some(UpstreamConnection::Http2(sender.clone())),
        }
    }

    /// Can it take a request now? The other end may have closed it meanwhile.
    pub(super) fn is_ready(&mut self) -> bool {
        match self {
            UpstreamConnection::Http1(http1) => {
                http1.advance();
                http1.driver.is_some() && http1.sender.is_ready()
            }
            UpstreamConnection::Http2(sender) => sender.is_ready(),
        }
    }
}

/// What HTTP can be spoken over.
trait ReadWrite: Read + Write + Send + Unpin {}

impl<T: Read + Write + Send + Unpin> ReadWrite for T {}

/// A connection would have room for what encryption takes, encrypted or not.
fn in_box(stream: UpstreamStream, mark: ReceivedMark) -> Box<dyn ReadWrite> {
    match stream {
        UpstreamStream::Http(plain) => Box::new(WatchedStream::wrap(plain, mark)),
        UpstreamStream::Https(encrypted) => Box::new(WatchedStream::wrap(encrypted, mark)),
    }
}

/// Whether a request failed because the connection was closed: by a FIN or an RST.
fn is_closed(error: &hyper::Error) -> bool {
    if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
        return true;
    }
    causes(error).any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| is_closing(error.kind()))
    })
}

/// Whether the upstream said over HTTP/2 that it did not process a request: it refused its stream, or named in a GOAWAY a last
/// stream before it. `h2` fails only the streams behind that one with a GOAWAY that it received; the others go on, and
/// fail with the connection.
fn is_unprocessed(error: &hyper::Error) -> bool {
    causes(error).filter_map(|cause| cause.downcast_ref::<h2::Error>()).any(|error| {
        let is_refused = error.reason() == Some(h2::Reason::REFUSED_STREAM);
        error.is_remote() && (error.is_go_away() || (error.is_reset() && is_refused))
    })
}

fn causes(error: &hyper::Error) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    std::iter::successors(std::error::Error::source(error), |cause| cause.source())
}

fn is_closing(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::NotConnected
            | ErrorKind::UnexpectedEof
    )
}

impl Http1Connection {
    /// Says in a request whom it is for.
    fn address(&self, request: &mut Request<Body>, to: &Uri) {
        *request.uri_mut() = match &self.proxy {
            Some(_) => to.clone(),
            None => path(to).into(),
        };
        let headers = request.headers_mut();
        headers.entry(HOST).or_insert_with(|| self.host.clone());
        if let Some(credentials) = self.proxy.as_ref().and_then(|proxy| proxy.credentials.as_ref())
        {
            headers.insert(PROXY_AUTHORIZATION, credentials.clone());
        }
    }

    /// Drives the connection, and looks for what comes by that.
    ///
    /// Where something has come, it is taken before the task's waker is registered again. Else the task that takes it
    /// would wake itself, because hyper tells the driver of a connection that there is room for more.
    fn drive<T>(
        &mut self,
        context: &mut Context<'_>,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        if self.is_awaited {
            self.advance();
            if let Poll::Ready(here) = poll_once(&mut poll) {
                return Poll::Ready(here);
            }
        }
        self.advance_for(context);
        self.is_awaited = true;
        poll_once(poll)
    }

    /// Sends and receives what there is. No task is woken when there is more.
    fn advance(&mut self) {
        self.advance_for(&mut Context::from_waker(Waker::noop()));
        self.is_awaited = false;
    }

    /// Sends and receives what there is. The task of `context` is woken when there is more.
    fn advance_for(&mut self, context: &mut Context<'_>) {
        if let Some(driver) = &mut self.driver
            && Pin::new(driver).poll(context).is_ready()
        {
            self.driver = None;
        }
    }
}

/// Polls once with a waker that does nothing, because only driving the connection brings anything, so no task has to be
/// woken. Without tokio's budget: once it is spent, tokio hides what is there and relies on a task being woken.
fn poll_once<T>(poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
    pin!(unconstrained(poll_fn(poll))).poll(&mut Context::from_waker(Waker::noop()))
}

fn path(to: &Uri) -> PathAndQuery {
    to.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"))
}

/// The `Host` that an upstream at this address is sent. `None`: no header can say it.
#[must_use]
pub fn host_header(to: &Uri) -> Option<HeaderValue> {
    host(to).ok()
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
