//! A connection, and who is at its other end.

use http::HeaderValue;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::net::TcpStream;

/// A connection to a provider, or to a proxy that is told with each request whom it is for.
pub(crate) struct Link {
    stream: TokioIo<TcpStream>,
    /// Nothing if nobody stands between.
    proxy: Option<Proxy>,
}

/// A proxy that reads what it passes on.
#[derive(Debug, Clone)]
pub(crate) struct Proxy {
    /// What it wants to be shown in each request.
    pub(crate) credentials: Option<HeaderValue>,
}

impl Link {
    /// To whom the requests are for.
    pub(crate) fn direct(stream: TokioIo<TcpStream>) -> Self {
        Link { stream, proxy: None }
    }

    /// To a proxy.
    pub(crate) fn to_proxy(stream: TokioIo<TcpStream>, proxy: Proxy) -> Self {
        Link { stream, proxy: Some(proxy) }
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut TokioIo<TcpStream>> {
        Pin::new(&mut self.get_mut().stream)
    }
}

impl Connection for Link {
    fn connected(&self) -> Connected {
        match &self.proxy {
            Some(proxy) => self.stream.connected().extra(proxy.clone()),
            None => self.stream.connected(),
        }
    }
}

impl Read for Link {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream().poll_read(context, into)
    }
}

impl Write for Link {
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
