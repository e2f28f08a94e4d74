//! The socket: connections, requests, and how a reply gets onto the wire.

use crate::answer::{self, Answer};
use crate::fault::{Fault, Plan, spoil};
use crate::gate::Gate;
use crate::memory::Memory;
use crate::pace::{Split, decoded, writes};
use crate::record::{Log, Recorded};
use crate::route::Route;
use crate::script::Reply;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot, watch};

/// What all connections share.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) log: Log,
    pub(crate) memory: Memory,
    /// Bodies are checked and recorded; a benchmark turns it off.
    pub(crate) attentive: AtomicBool,
    queue: Mutex<Queue>,
    service: Mutex<Option<Arc<Service>>>,
    gates: Mutex<Vec<Arc<Gate>>>,
    replies: AtomicU64,
}

/// What the next requests are answered with.
#[derive(Default)]
pub(crate) struct Queue {
    /// For the next question to a model, in order.
    pub(crate) next: VecDeque<Source>,
    /// For the next request whose path has this text in it.
    pub(crate) on_path: Vec<(String, Source)>,
    /// For every question to a model when nothing is queued.
    pub(crate) always: Option<Arc<Make>>,
}

/// Answers what no model is behind, and may refuse it.
pub(crate) type Service = dyn Fn(&mut Recorded) -> Answer + Send + Sync;

/// Makes a reply for a request.
pub(crate) type Make = dyn Fn(&Recorded) -> Reply + Send + Sync;

/// Where a reply is from.
#[derive(Clone)]
pub(crate) enum Source {
    /// It was written before.
    Ready(Reply),
    /// It is made from the request.
    Made(Arc<Make>),
}

impl Source {
    fn reply(self, request: &Recorded) -> Reply {
        match self {
            Self::Ready(reply) => reply,
            Self::Made(make) => make(request),
        }
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("log", &self.log).finish_non_exhaustive()
    }
}

impl Shared {
    pub(crate) fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn service(&self) -> MutexGuard<'_, Option<Arc<Service>>> {
        self.service.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn gates(&self) -> MutexGuard<'_, Vec<Arc<Gate>>> {
        self.gates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn pass_gates(&self, after: Option<usize>) {
        let gates = self.gates().clone();
        for gate in gates {
            gate.pass(after, &self.log).await;
        }
    }

    /// The reply that was queued for this request; only questions to a model take those without a path.
    fn scripted(&self, request: &Recorded, is_question: bool) -> Option<Reply> {
        let source = {
            let mut queue = self.queue();
            let path = &request.path_and_query;
            match queue.on_path.iter().position(|(part, _)| path.contains(part.as_str())) {
                Some(at) => Some(queue.on_path.remove(at).1),
                None if is_question => {
                    queue.next.pop_front().or_else(|| queue.always.clone().map(Source::Made))
                }
                None => None,
            }
        };
        source.map(|source| source.reply(request))
    }
}

/// Accepts connections while `listening` is true, and answers on them. Says on `ready` when that changed.
pub(crate) async fn serve(
    mut listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
    mut listening: watch::Receiver<bool>,
    ready: std::sync::mpsc::SyncSender<std::io::Result<()>>,
) {
    loop {
        accept(listener, &shared, &listening).await;
        shared.log.until("connections to close", |happened| happened.open == 0).await;
        let _ = ready.send(Ok(()));
        if listening.wait_for(|listening| *listening).await.is_err() {
            return;
        }
        match TcpListener::bind(address).await {
            Ok(bound) => listener = bound,
            Err(error) => {
                let _ = ready.send(Err(error));
                return;
            }
        }
        let _ = ready.send(Ok(()));
    }
}

/// Accepts connections until they shall be refused.
async fn accept(listener: TcpListener, shared: &Arc<Shared>, listening: &watch::Receiver<bool>) {
    let mut closed = listening.clone();
    loop {
        tokio::select! {
            accepted = listener.accept() => if let Ok((stream, _)) = accepted {
                tokio::spawn(connection(stream, Arc::clone(shared), listening.clone()));
            },
            _ = closed.wait_for(|listening| !listening) => return,
        }
    }
}

/// Where a request says that the rest of its connection is written by hand.
type Takeover = Arc<Mutex<Option<oneshot::Sender<Plan>>>>;

async fn connection(stream: TcpStream, shared: Arc<Shared>, mut listening: watch::Receiver<bool>) {
    let _open = Open::new(&shared);
    let _ = stream.set_nodelay(true);
    // The second handle outlives hyper's, so that a fault can go on where hyper stopped.
    let Ok((stream, by_hand)) = two_handles(stream) else { return };
    let (sender, mut plan) = oneshot::channel();
    let takeover: Takeover = Arc::new(Mutex::new(Some(sender)));
    let service = {
        let shared = Arc::clone(&shared);
        service_fn(move |request| respond(request, Arc::clone(&shared), Arc::clone(&takeover)))
    };
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().max_buf_size(1 << 20);
    let mut served = Box::pin(builder.serve_connection(TokioIo::new(stream), service));
    let taken = tokio::select! {
        _ = served.as_mut() => None,
        _ = listening.wait_for(|listening| !listening) => None,
        plan = &mut plan => plan.ok(),
    };
    drop(served);
    if let Some(plan) = taken
        && plan.write(by_hand).await.unwrap_or(true)
    {
        shared.log.note(|happened| happened.abandoned += 1);
    }
}

fn two_handles(stream: TcpStream) -> std::io::Result<(TcpStream, TcpStream)> {
    let stream = stream.into_std()?;
    let second = stream.try_clone()?;
    Ok((TcpStream::from_std(stream)?, TcpStream::from_std(second)?))
}

/// Counts a connection as open.
struct Open<'a>(&'a Shared);

impl<'a> Open<'a> {
    fn new(shared: &'a Shared) -> Self {
        shared.log.note(|happened| {
            happened.open += 1;
            happened.accepted += 1;
        });
        Self(shared)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.log.note(|happened| happened.open -= 1);
    }
}

async fn respond(
    request: Request<Incoming>,
    shared: Arc<Shared>,
    takeover: Takeover,
) -> Result<Response<Outgoing>, Infallible> {
    let mut in_flight = InFlight::new(&shared);
    let (head, body) = request.into_parts();
    let Ok(body) = body.collect().await else { return Ok(empty(StatusCode::BAD_REQUEST)) };
    let path_and_query = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let mut request = Recorded {
        method: head.method,
        path_and_query,
        headers: head.headers,
        body: body.to_bytes(),
        at: Instant::now(),
        refused: None,
    };
    if request.path_and_query.starts_with(crate::admin::PREFIX) {
        in_flight.done = true;
        return Ok(whole(crate::admin::answer(&request, &shared)));
    }
    let (answer, reply) = answered(&mut request, &shared);
    let attentive = shared.attentive.load(Ordering::Relaxed);
    shared.log.note(|happened| {
        happened.count += 1;
        if attentive {
            happened.requests.push(request);
        }
    });
    shared.pass_gates(None).await;
    send(answer, reply, shared, in_flight, &takeover).await
}

/// What the request is answered with: a refusal, what the script says, or what the path has by default.
fn answered(request: &mut Recorded, shared: &Shared) -> (Answer, Reply) {
    let route = Route::of(&request.path_and_query).filter(|_| request.method == http::Method::POST);
    let Some(route) = route else {
        let scripted = shared.scripted(request, false);
        let service = shared.service().clone();
        return match (scripted, service) {
            (None, Some(service)) => (service(request), Reply::default()),
            (scripted, _) => {
                let reply = scripted.unwrap_or_default();
                (answer::of_no_model(request, &reply), reply)
            }
        };
    };
    let serial = shared.replies.fetch_add(1, Ordering::Relaxed);
    if !shared.attentive.load(Ordering::Relaxed) {
        let reply = shared.scripted(request, !route.counts).unwrap_or_else(|| Reply::from("ok"));
        return (answer::unchecked(&route, &request.body, &reply, serial), reply);
    }
    let plain = decoded(&request.body, request.header("content-encoding")).unwrap_or_default();
    let body = match answer::checked(&route, &plain, &shared.memory) {
        Ok(body) => body,
        Err(refused) => {
            request.refused = Some(refused.reason);
            return (refused.answer, Reply::default());
        }
    };
    let reply = shared.scripted(request, !route.counts).unwrap_or_else(|| Reply::from("ok"));
    (answer::to(&route, &body, &plain, &reply, serial, &shared.memory), reply)
}

async fn send(
    mut answer: Answer,
    reply: Reply,
    shared: Arc<Shared>,
    mut in_flight: InFlight,
    takeover: &Takeover,
) -> Result<Response<Outgoing>, Infallible> {
    answer.headers.extend(reply.headers.iter().cloned());
    match &reply.fault {
        Some(Fault::InvalidUtf8) => spoil(&mut answer.events),
        Some(Fault::Redirect(to)) => {
            answer.status = 307;
            answer.headers.push(("location".to_owned(), to.clone()));
        }
        _ => {}
    }
    if let Some(encoding) = reply.encoding
        && let Ok(events) = encoding.encode(&answer.events)
    {
        answer.events = events;
        answer.headers.push(("content-encoding".to_owned(), encoding.name().to_owned()));
    }
    let plan = reply
        .fault
        .as_ref()
        .and_then(|fault| Plan::of(fault, answer.status, &answer.headers, &answer.events));
    if let Some(plan) = plan {
        in_flight.done = true;
        let sender = takeover.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(sender) = sender {
            let _ = sender.send(plan);
        }
        // The connection ends this when it sees the plan.
        std::future::pending::<()>().await;
    }
    let plain =
        reply.split == Split::Events && reply.chunk_every.is_none() && shared.gates().is_empty();
    if !answer.streams && plain {
        in_flight.done = true;
        return Ok(whole(answer));
    }
    let (sender, frames) = mpsc::channel(1);
    let length =
        (!answer.streams).then(|| answer.events.iter().map(Bytes::len).sum::<usize>() as u64);
    let response = headed(
        &answer,
        Outgoing { frames: Frames::Live(frames), length, in_flight: Some(in_flight) },
    );
    tokio::spawn(trickle(answer.events, reply.split, reply.chunk_every, sender, shared));
    Ok(response)
}

/// Sends the writes of a body at their pace, past the gates, until the client leaves. The second value says that it was
/// the last.
async fn trickle(
    events: Vec<Bytes>,
    split: Split,
    pause: Option<Duration>,
    sender: mpsc::Sender<(Bytes, bool)>,
    shared: Arc<Shared>,
) {
    let writes = writes(&events, split);
    let count = writes.len();
    let sent = async {
        let mut complete = 0;
        shared.pass_gates(Some(0)).await;
        for (at, (write, events)) in writes.into_iter().enumerate() {
            if let Some(pause) = pause {
                tokio::time::sleep(pause).await;
            }
            if sender.send((write, at + 1 == count)).await.is_err() {
                return;
            }
            while complete < events {
                complete += 1;
                shared.pass_gates(Some(complete)).await;
            }
        }
    };
    tokio::select! {
        () = sent => {}
        () = sender.closed() => {}
    }
}

fn whole(answer: Answer) -> Response<Outgoing> {
    let body: Bytes = match answer.events.as_slice() {
        [one] => one.clone(),
        many => many.concat().into(),
    };
    let length = Some(body.len() as u64);
    headed(&answer, Outgoing { frames: Frames::Ready(Some(body)), length, in_flight: None })
}

fn headed(answer: &Answer, body: Outgoing) -> Response<Outgoing> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    for (name, value) in &answer.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

fn empty(status: StatusCode) -> Response<Outgoing> {
    let frames = Frames::Ready(None);
    let mut response = Response::new(Outgoing { frames, length: Some(0), in_flight: None });
    *response.status_mut() = status;
    response
}

/// A reply that the client waits for. Dropped before it is done, it was abandoned.
struct InFlight {
    shared: Arc<Shared>,
    done: bool,
}

impl InFlight {
    fn new(shared: &Arc<Shared>) -> Self {
        shared.log.note(|happened| {
            happened.at_once += 1;
            happened.most_at_once = happened.most_at_once.max(happened.at_once);
        });
        Self { shared: Arc::clone(shared), done: false }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.shared.log.note(|happened| {
            happened.at_once -= 1;
            happened.abandoned += usize::from(!self.done);
        });
    }
}

/// The body of a response.
struct Outgoing {
    frames: Frames,
    length: Option<u64>,
    in_flight: Option<InFlight>,
}

enum Frames {
    /// All of it.
    Ready(Option<Bytes>),
    /// As it is sent.
    Live(mpsc::Receiver<(Bytes, bool)>),
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        let bytes = match &mut this.frames {
            Frames::Ready(bytes) => bytes.take(),
            Frames::Live(frames) => match frames.poll_recv(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(received) => {
                    let is_last = received.as_ref().is_none_or(|(_, is_last)| *is_last);
                    if let Some(in_flight) = this.in_flight.as_mut().filter(|_| is_last) {
                        in_flight.done = true;
                    }
                    received.map(|(bytes, _)| bytes)
                }
            },
        };
        Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
