//! A client's requests under way, for when it takes one back (cancellation).

use crate::message::Message;
use crate::server_link::ServerLink;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokenforge_json::Edit;
use tokio::sync::watch;

/// Requests under way, by how the client wrote their ids.
#[derive(Default)]
pub(crate) struct RunningRequests(Mutex<Running>);

#[derive(Default)]
struct Running {
    last: u64,
    requests: HashMap<String, Cancellation>,
}

/// How a request is taken back.
struct Cancellation {
    number: u64,
    /// The server that has it, and under which id.
    server: Option<(Weak<ServerLink>, u64)>,
    cancel: watch::Sender<bool>,
}

/// A request under way, from when it came until it is answered.
pub(crate) struct RunningRequest {
    all: Arc<RunningRequests>,
    client_id: String,
    number: u64,
    is_cancelled: watch::Receiver<bool>,
}

impl RunningRequests {
    pub(crate) fn begin(self: &Arc<Self>, client_id: &str) -> RunningRequest {
        let (cancel, is_cancelled) = watch::channel(false);
        let mut running = self.locked();
        running.last += 1;
        let number = running.last;
        let cancellation = Cancellation { number, server: None, cancel };
        running.requests.insert(client_id.to_owned(), cancellation);
        let (all, client_id) = (self.clone(), client_id.to_owned());
        RunningRequest { all, client_id, number, is_cancelled }
    }

    /// The client cancels a request: the task that works on it hears so, and so does the server, if it has the request.
    pub(crate) fn cancel(&self, message: &Message<'_>) {
        let Some(client_id) = message.param("requestId") else { return };
        let Some(running) = self.locked().requests.remove(client_id.raw()) else { return };
        if let Some((link, id)) = running.server
            && let Some(link) = link.upgrade()
        {
            let mut edits = Edit::new(message.text());
            edits.replace(&client_id, id.to_string());
            link.wire().reply(edits.done().into_owned());
        }
        running.cancel.send_replace(true);
    }

    fn locked(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningRequest {
    /// A server has it now, under this id.
    pub(crate) fn is_sent(&self, link: &Arc<ServerLink>, id: u64) {
        let mut running = self.all.locked();
        if let Some(own) = running.requests.get_mut(&self.client_id)
            && own.number == self.number
        {
            own.server = Some((Arc::downgrade(link), id));
        }
    }

    /// Comes when the client takes it back, else never.
    pub(crate) async fn taken_back(&self) {
        let mut is_cancelled = self.is_cancelled.clone();
        if is_cancelled.wait_for(|is_it| *is_it).await.is_err() {
            // Another request has its id.
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        let mut running = self.all.locked();
        if running.requests.get(&self.client_id).is_some_and(|own| own.number == self.number) {
            running.requests.remove(&self.client_id);
        }
    }
}
