//! A TCP connection, and who is at its other end: the upstream itself, or a forward proxy.

use http::HeaderValue;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::net::TcpStream;

/// A connection to an upstream, or to a proxy that is told with each request whom it is for.
pub(crate) struct TcpLink {
    stream: TokioIo<TcpStream>,
    /// The proxy, if there is one.
    proxy: Option<ForwardProxy>,
}

/// A proxy that reads what it passes on.
#[derive(Debug, Clone)]
pub(crate) struct ForwardProxy {
    /// What it wants to be shown in each request.
    pub(crate) credentials: Option<HeaderValue>,
}

impl TcpLink {
    /// To whom the requests are for.
    pub(crate) fn direct(stream: TokioIo<TcpStream>) -> Self {
        TcpLink { stream, proxy: None }
    }

    /// To a proxy.
    pub(crate) fn to_proxy(stream: TokioIo<TcpStream>, proxy: ForwardProxy) -> Self {
        TcpLink { stream, proxy: Some(proxy) }
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut TokioIo<TcpStream>> {
        Pin::new(&mut self.get_mut().stream)
    }
}

impl Connection for TcpLink {
    fn connected(&self) -> Connected {
        match &self.proxy {
            Some(proxy) => self.stream.connected().extra(proxy.clone()),
            None => self.stream.connected(),
        }
    }
}

impl Read for TcpLink {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream().poll_read(context, into)
    }
}

impl Write for TcpLink {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream().poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stream().poll_write_vectored(context, pieces)
    }
}
