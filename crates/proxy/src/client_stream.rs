//! Read and write timeouts of a client's socket: slow-loris heads, and clients that stop reading.

use super::flow::{ConnectionPhase, FlowControl};
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// The socket of a client.
pub(super) struct ClientStream<T> {
    stream: T,
    flow: Arc<FlowControl>,
    head: Timeout,
    write: Timeout,
}

/// Fails an operation that waits for too long. The timer is made when there is something to wait for: mostly there is
/// not.
struct Timeout {
    after: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Timeout {
    fn new(after: Duration) -> Self {
        Timeout { after, timer: None }
    }

    fn over(&mut self) {
        self.timer = None;
    }

    /// Something is waited for.
    fn poll<R>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<R>> {
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(self.after)));
        timer.as_mut().poll(context).map(|()| Err(ErrorKind::TimedOut.into()))
    }
}

impl<T> ClientStream<T> {
    /// A head has `header_timeout` from its first byte to its last, unless the service enters no phases in `flow`; a
    /// write has `write_timeout`.
    pub(super) fn new(
        stream: T,
        flow: Arc<FlowControl>,
        header_timeout: Duration,
        write_timeout: Duration,
    ) -> Self {
        let (head, write) = (Timeout::new(header_timeout), Timeout::new(write_timeout));
        ClientStream { stream, flow, head, write }
    }

    fn time_write<R>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<R>>,
    ) -> Poll<io::Result<R>> {
        match written {
            Poll::Pending => self.write.poll(context),
            written => {
                self.write.over();
                written
            }
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for ClientStream<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let me = self.get_mut();
        let room = into.remaining();
        let read = Pin::new(&mut me.stream).poll_read(context, into);
        match (me.flow.phase(), &read) {
            (ConnectionPhase::Idle, Poll::Ready(Ok(()))) if into.remaining() < room => {
                me.flow.enter(ConnectionPhase::Head);
                me.head.over();
            }
            (ConnectionPhase::Head, Poll::Pending) => return me.head.poll(context),
            _ => {}
        }
        read
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for ClientStream<T> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let me = self.get_mut();
        let written = Pin::new(&mut me.stream).poll_write(context, bytes);
        if let Poll::Ready(Ok(length)) = written {
            me.flow.wrote(length);
        }
        me.time_write(context, written)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let me = self.get_mut();
        let flushed = Pin::new(&mut me.stream).poll_flush(context);
        if let Poll::Ready(Ok(())) = flushed {
            me.flow.wrote_all();
        }
        me.time_write(context, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let me = self.get_mut();
        let shut = Pin::new(&mut me.stream).poll_shutdown(context);
        me.time_write(context, shut)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let me = self.get_mut();
        let written = Pin::new(&mut me.stream).poll_write_vectored(context, pieces);
        if let Poll::Ready(Ok(length)) = written {
            me.flow.wrote(length);
        }
        me.time_write(context, written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use crate::flow::{FlowBody, WINDOW};
    use bytes::Bytes;
    use http::{Request, Response};
    use hyper::body::Incoming;
    use hyper::server::conn::http1;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::io::AsyncWriteExt;
    use tokio::sync::mpsc;

    const PIECE: usize = 4 << 10;

    #[tokio::test]
    async fn d68_an_unread_answer_is_buffered_up_to_a_window_and_cut_off() {
        let (mut client, server) = tokio::io::duplex(1 << 10);
        let flow = Arc::<FlowControl>::default();
        let patience = Duration::from_millis(50);
        let stream = ClientStream::new(server, flow.clone(), Duration::from_secs(60), patience);
        let taken = Arc::<AtomicUsize>::default();
        let counted = taken.clone();
        let service = service_fn(move |_: Request<Incoming>| {
            let (sender, pieces) = mpsc::channel(1);
            let counted = counted.clone();
            tokio::spawn(async move {
                while sender.send(Ok(Bytes::from_static(&[b'x'; PIECE]))).await.is_ok() {
                    counted.fetch_add(PIECE, Ordering::Relaxed);
                }
            });
            let body = FlowBody::windowed(Body::Channel(pieces), flow.clone());
            async move { Ok::<_, Infallible>(Response::new(body)) }
        });
        client.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        // As much is read at once as the gateway does.
        let mut builder = http1::Builder::new();
        let connection = builder.max_buf_size(256 << 10);
        let served = connection.serve_connection(TokioIo::new(stream), service).await;
        assert!(served.is_err(), "a client that does not read is cut off");
        let taken = taken.load(Ordering::Relaxed);
        assert!(taken <= WINDOW + 4 * PIECE, "{taken} bytes were taken");
        assert!(taken >= WINDOW / 2, "{taken} bytes were taken");
    }
}
