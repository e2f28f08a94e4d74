//! The wake filter: a connection's task is not woken for what it did itself.
//!
//! A task that takes a piece of a body tells hyper that there is room for the next one, and hyper wakes the task of the
//! connection. Mostly that is the task that took it, and after the last piece there is no next one: half of all polls of a
//! connection found nothing to do. So hyper is given a waker of ours, which holds back what is woken while a piece is taken
//! on the same thread, and passes it on only if more of the body is to come.
//!
//! It rests on how hyper behaves, not on what hyper promises: the tests below run hyper itself, and count how often it is
//! polled.

use bytes::Bytes;
use http_body::{Body as _, Frame};
use hyper::body::Incoming;
use std::cell::Cell;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

thread_local! {
    /// A piece of a body is being taken.
    static IS_TAKING: Cell<bool> = const { Cell::new(false) };
    /// Whom hyper wakes by that: one at most.
    static WOKEN: Cell<Option<Arc<FilteredWaker>>> = const { Cell::new(None) };
}

/// The waker of a connection's task, which is held back while a piece of a body is taken on the same thread.
struct FilteredWaker(Waker);

impl Wake for FilteredWaker {
    fn wake(self: Arc<Self>) {
        if IS_TAKING.get() {
            WOKEN.set(Some(self));
        } else {
            self.0.wake_by_ref();
        }
    }
}

/// Drives a connection to its end, in a task of its own.
pub(super) async fn filter_wakes<T>(mut connection: Pin<&mut impl Future<Output = T>>) -> T {
    // It stays the same as long as there is the task.
    let task = poll_fn(|context| Poll::Ready(context.waker().clone())).await;
    let filtered = Waker::from(Arc::new(FilteredWaker(task)));
    poll_fn(|_| connection.as_mut().poll(&mut Context::from_waker(&filtered))).await
}

/// Takes the next piece of the body of a request.
#[inline]
pub(crate) fn take_frame(
    body: &mut Incoming,
    context: &mut Context<'_>,
) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
    let taking = TakingScope::begin();
    let piece = Pin::new(&mut *body).poll_frame(context);
    drop(taking);
    if let Some(filtered) = WOKEN.take()
        && !body.is_end_stream()
    {
        filtered.0.wake_by_ref();
    }
    piece
}

/// As long as there is one, a piece is being taken. A panic ends that, too.
struct TakingScope;

impl TakingScope {
    fn begin() -> Self {
        IS_TAKING.set(true);
        TakingScope
    }
}

impl Drop for TakingScope {
    fn drop(&mut self) {
        IS_TAKING.set(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::BytesMut;
    use http::{Request, Response};
    use http_body_util::{BodyExt, Empty};
    use hyper::server::conn::http1;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use std::convert::Infallible;
    use std::pin::pin;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

    /// Serves a connection until its client leaves. Tells how often its task ran.
    async fn runs_of<F>(
        stream: DuplexStream,
        answer: impl Fn(Request<Incoming>) -> F + Send + 'static,
    ) -> usize
    where
        F: Future<Output = Result<Response<Empty<Bytes>>, Infallible>> + Send,
    {
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = runs.clone();
        let served = tokio::spawn(async move {
            let service = service_fn(answer);
            let mut served = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            let counting = poll_fn(|context| {
                counted.fetch_add(1, Ordering::Relaxed);
                Pin::new(&mut served).poll(context)
            });
            filter_wakes(pin!(counting)).await
        });
        served.await.unwrap().unwrap();
        runs.load(Ordering::Relaxed)
    }

    /// Sends one request with a body of one piece, and leaves after the answer.
    async fn ask(mut stream: DuplexStream) {
        stream.write_all(b"POST / HTTP/1.1\r\ncontent-length: 4\r\n\r\nbody").await.unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(answer, *b"HTTP/1.1 200");
    }

    #[tokio::test]
    async fn a_task_that_takes_the_last_piece_does_not_wake_itself() {
        let taken = |mut request: Request<Incoming>| async move {
            let piece = poll_fn(|context| take_frame(request.body_mut(), context)).await;
            assert_eq!(piece.unwrap().unwrap().into_data().unwrap(), "body");
            Ok(Response::default())
        };
        let as_hyper_does = |mut request: Request<Incoming>| async move {
            let piece = request.body_mut().frame().await;
            assert_eq!(piece.unwrap().unwrap().into_data().unwrap(), "body");
            Ok(Response::default())
        };
        let (client, server) = tokio::io::duplex(1 << 10);
        let (runs, ()) = tokio::join!(runs_of(server, taken), ask(client));
        let (client, server) = tokio::io::duplex(1 << 10);
        let (more_runs, ()) = tokio::join!(runs_of(server, as_hyper_does), ask(client));
        assert_eq!(runs + 1, more_runs);
    }

    #[tokio::test]
    async fn a_body_of_many_pieces_arrives_whole_though_its_taker_asks_for_no_wake() {
        let long = vec![b'x'; 1 << 20];
        for head in
            ["content-length: 1048576\r\n\r\n", "transfer-encoding: chunked\r\n\r\n100000\r\n"]
        {
            let (mut client, server) = tokio::io::duplex(1 << 10);
            let taken = |mut request: Request<Incoming>| async move {
                let mut whole = BytesMut::new();
                let taking = |_: &mut Context<'_>| {
                    let no_wake = &mut Context::from_waker(Waker::noop());
                    while let Poll::Ready(piece) = take_frame(request.body_mut(), no_wake) {
                        let Some(piece) = piece else { return Poll::Ready(()) };
                        whole.extend(piece.unwrap().into_data().unwrap());
                    }
                    Poll::Pending
                };
                poll_fn(taking).await;
                assert!(whole.len() == 1 << 20);
                Ok(Response::default())
            };
            let asked = async {
                let head = format!("POST / HTTP/1.1\r\n{head}");
                client.write_all(head.as_bytes()).await.unwrap();
                client.write_all(&long).await.unwrap();
                if head.contains("chunked") {
                    client.write_all(b"\r\n0\r\n\r\n").await.unwrap();
                }
                let mut answer = [0; 12];
                client.read_exact(&mut answer).await.unwrap();
                assert_eq!(answer, *b"HTTP/1.1 200");
                drop(client);
            };
            tokio::join!(runs_of(server, taken), asked);
        }
    }
}
