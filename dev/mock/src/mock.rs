//! The mock as a test holds it.

use crate::answer::Answer;
use crate::aws::AwsKey;
use crate::fault::Fault;
use crate::gate::Hold;
use crate::prompt_cache::PromptCache;
use crate::record::{Happened, Recorded};
use crate::script::Reply;
use crate::server::serve;
use crate::shared::{Shared, Source};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// A model provider on a port of its own. It runs on its own threads, so that any test can hold it, and ends when
/// dropped.
///
/// ```
/// use tokenforge_mock::{Mock, Reply};
///
/// let mock = Mock::start();
/// mock.reply(Reply::new().text("hello").stop("max_tokens"));
/// assert!(mock.url().starts_with("http://127.0.0.1:"));
/// assert!(mock.requests().is_empty());
/// ```
#[derive(Debug)]
pub struct Mock {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: watch::Sender<bool>,
    /// Tells that the listener was closed or opened.
    ready: Mutex<mpsc::Receiver<io::Result<()>>>,
    runtime: Option<Runtime>,
}

impl Mock {
    /// Starts a mock on a free port of this machine.
    ///
    /// # Panics
    /// When there is no port or no thread for it.
    #[must_use]
    pub fn start() -> Self {
        Self::listen(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port and a thread")
    }

    /// Starts a mock on an address.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub fn listen(address: SocketAddr) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("mock")
            .enable_all()
            .build()?;
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let listener = {
            let _runtime = runtime.enter();
            TcpListener::from_std(listener)?
        };
        let shared = Arc::new(Shared::default());
        shared.attentive.store(true, Ordering::Relaxed);
        let (listening, receiver) = watch::channel(true);
        let (ready, changed) = mpsc::sync_channel(1);
        runtime.spawn(serve(listener, address, Arc::clone(&shared), receiver, ready));
        Ok(Self { address, shared, listening, ready: Mutex::new(changed), runtime: Some(runtime) })
    }

    /// Its base URL, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Queues the reply to the next question to a model. When nothing is queued it says "ok". Requests that are refused,
    /// that only count tokens, or that no model is behind take nothing from the queue.
    pub fn reply(&self, reply: impl Into<Reply>) {
        self.shared.queue().next.push_back(Source::Ready(reply.into()));
    }

    /// Queues a reply that is made from the request.
    pub fn reply_with(&self, make: impl Fn(&Recorded) -> Reply + Send + Sync + 'static) {
        self.shared.queue().next.push_back(Source::Made(Arc::new(make)));
    }

    /// Answers the next request whose path and query have `part` in it, model or not, before the queue is looked at.
    pub fn reply_on(&self, part: &str, reply: impl Into<Reply>) {
        self.shared.queue().on_path.push((part.to_owned(), Source::Ready(reply.into())));
    }

    /// Answers every question to a model like this while nothing is queued.
    pub fn always(&self, make: impl Fn(&Recorded) -> Reply + Send + Sync + 'static) {
        self.shared.queue().always = Some(Arc::new(make));
    }

    /// Lets the reply to the next question go wrong.
    pub fn fault(&self, fault: Fault) {
        self.reply(Reply::failing(fault));
    }

    /// Closes the listener and all connections: new connections are refused.
    ///
    /// # Panics
    /// When the mock is no longer running.
    pub fn refuse(&self) {
        self.listen_if(false);
    }

    /// Listens again, on the same port.
    ///
    /// # Panics
    /// When the port was taken by someone else.
    pub fn accept(&self) {
        self.listen_if(true);
    }

    /// Refuses calls whose ids the mock did not make, so that a test sees any change of an id.
    pub fn only_own_ids(&self) {
        self.shared.memory.only_own_ids.store(true, Ordering::Relaxed);
    }

    /// Charges from now on as a provider with a prompt cache does, with tokens counted like this. For Anthropic's requests.
    pub fn with_prompt_cache(&self, count: impl Fn(&str) -> u64 + Send + Sync + 'static) {
        let cache = PromptCache::new(Arc::new(count));
        let held = self.shared.memory.prompt_cache.lock();
        *held.unwrap_or_else(PoisonError::into_inner) = Some(cache);
    }

    /// Refuses requests to Bedrock that are neither signed with this key nor show an API key.
    pub fn signed_with(&self, key: AwsKey) {
        *self.shared.aws_key() = Some(key);
    }

    /// Neither checks nor records what comes: for benchmarks.
    pub fn careless(&self) {
        self.shared.attentive.store(false, Ordering::Relaxed);
    }

    /// Every request so far, in the order in which they were complete.
    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.log.look(|happened| happened.requests.clone())
    }

    /// The last request.
    ///
    /// # Panics
    /// When there was none.
    #[must_use]
    pub fn last(&self) -> Recorded {
        self.shared.log.look(|happened| happened.requests.last().cloned()).expect("no request came")
    }

    /// Why requests were refused: the broken rule, and what the client was told.
    #[must_use]
    pub fn refusals(&self) -> Vec<String> {
        self.shared.log.look(|happened| {
            happened.requests.iter().filter_map(|request| request.refused.clone()).collect()
        })
    }

    /// Forgets the requests so far, and what was abandoned. Queued replies stay.
    pub fn clear(&self) {
        self.shared.log.note(Happened::clear);
    }

    /// How many replies are queued.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.shared.queue().next.len()
    }

    /// How many connections are open.
    #[must_use]
    pub fn connections_open(&self) -> usize {
        self.shared.log.look(|happened| happened.open)
    }

    /// How many connections there were.
    #[must_use]
    pub fn connections_accepted(&self) -> usize {
        self.shared.log.look(|happened| happened.accepted)
    }

    /// How many replies the client did not wait for.
    #[must_use]
    pub fn abandoned(&self) -> usize {
        self.shared.log.look(|happened| happened.abandoned)
    }

    /// The most requests that were being answered at the same time.
    #[must_use]
    pub fn most_at_once(&self) -> usize {
        self.shared.log.look(|happened| happened.most_at_once)
    }

    /// Holds back all replies, before their headers, for as long as the guard lives.
    ///
    /// ```
    /// let mock = tokenforge_mock::Mock::start();
    /// let hold = mock.hold();
    /// // ... send a request, see that it waits ...
    /// hold.release();
    /// ```
    #[must_use]
    pub fn hold(&self) -> Hold {
        Hold::new(None, Arc::clone(&self.shared))
    }

    /// Holds back all replies after so many events of their stream; 0 is after the headers.
    #[must_use]
    pub fn hold_after(&self, events: usize) -> Hold {
        Hold::new(Some(events), Arc::clone(&self.shared))
    }

    /// Blocks until so many requests came.
    ///
    /// # Panics
    /// When they do not come in twenty seconds.
    pub fn wait_for_requests(&self, count: usize) {
        self.shared.log.wait("requests", |happened| happened.count >= count);
    }

    /// Blocks until the client gave up on a reply.
    ///
    /// # Panics
    /// When it does not in twenty seconds.
    pub fn wait_for_disconnect(&self) {
        self.shared.log.wait("a client to give up", |happened| happened.abandoned > 0);
    }

    /// Blocks until so many connections are open.
    ///
    /// # Panics
    /// When that does not happen in twenty seconds.
    pub fn wait_for_connections(&self, open: usize) {
        self.shared.log.wait("connections", |happened| happened.open == open);
    }

    /// [`Mock::wait_for_requests`] for a task.
    pub async fn saw_requests(&self, count: usize) {
        self.shared.log.until("requests", |happened| happened.count >= count).await;
    }

    /// [`Mock::wait_for_disconnect`] for a task.
    pub async fn saw_disconnect(&self) {
        self.shared.log.until("a client to give up", |happened| happened.abandoned > 0).await;
    }

    /// Answers all that no model is behind with this.
    pub(crate) fn serve_with(
        &self,
        service: impl Fn(&mut Recorded) -> Answer + Send + Sync + 'static,
    ) {
        *self.shared.service() = Some(Arc::new(service));
    }

    fn listen_if(&self, listening: bool) {
        let changed =
            self.listening.send_if_modified(|was| std::mem::replace(was, listening) != listening);
        if changed {
            let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
            ready.recv().expect("the mock is running").expect("the port is still free");
        }
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
