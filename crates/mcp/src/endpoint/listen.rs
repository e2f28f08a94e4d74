//! The stream on which a client of the modern era hears that lists changed.

use super::Body;
use super::request_context::RequestContext;
use super::responses::{self, BodyError};
use super::tasks::wanted_tasks;
use crate::era::{Era, SUBSCRIPTION_KEY};
use crate::hub::{CLOSING, ListChange};
use crate::message::Message;
use crate::rpc::{self, ErrorCode};
use crate::session::ServerScope;
use crate::sse;
use crate::tasks::{knows_tasks, required_capability};
use bytes::Bytes;
use http::{Response, StatusCode};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokenforge_json::ValueKind;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};
use tokio::time::timeout;

/// How often a silent stream says that it is alive.
const ALIVE: Duration = Duration::from_secs(15);

/// What can be subscribed to, and how it is told.
const FILTERS: [(&str, &str); 3] = [
    ("toolsListChanged", "notifications/tools/list_changed"),
    ("promptsListChanged", "notifications/prompts/list_changed"),
    ("resourcesListChanged", "notifications/resources/list_changed"),
];

impl RequestContext {
    pub(super) async fn listen(self, message: &Message<'_>) -> Response<Body> {
        if let ServerScope::One(prefix) = &self.scope
            && let Some(backend) = self.hub.backend(prefix)
            && let Ok(link) = self.link(&backend).await
            && link.era == Era::Modern
        {
            // It knows more than we do.
            let prefix = prefix.clone();
            let seen = self.with_seen_tasks(message, &prefix).await;
            return match seen.as_deref().map(Message::read) {
                Some(Ok(message)) => self.to(&prefix, &message, None, None).await,
                _ => self.unknown_name(message.id().unwrap_or("null"), "task"),
            };
        }
        let (client, pieces) = mpsc::channel(16);
        let wants_tasks = self.scope == ServerScope::All && !wanted_tasks(message).is_empty();
        if wants_tasks && !knows_tasks(message) {
            let (text, code) = ("missing required client capability", ErrorCode::Capability);
            let text = rpc::error_with(message.id(), code, text, Some(&required_capability()));
            return responses::json(StatusCode::BAD_REQUEST, text);
        }
        // From here on no change is missed.
        let changes = self.hub.changes();
        let visit = Arc::new(self.clone());
        let subscriptions =
            if wants_tasks { visit.subscribe_to_tasks(message).await } else { Vec::new() };
        let tasks = subscriptions.iter().flat_map(|subscription| &subscription.tasks);
        let (acknowledged, frames) = agreed(message, tasks);
        // What was agreed is heard before anything else.
        let _ = client.try_send(Ok(acknowledged.into()));
        for subscription in subscriptions {
            let id = message.id().unwrap_or("null").to_owned();
            tokio::spawn(visit.clone().tell_of_tasks(subscription, id, client.clone()));
        }
        let listener = Listener { scope: self.scope.clone(), tenant: self.tenant.clone(), frames };
        // The connection that servers speak on must be there to hear of changes.
        for backend in self.backends() {
            let visit = self.clone();
            tokio::spawn(async move {
                let _ = visit.link(&backend).await;
            });
        }
        tokio::spawn(listener.tell(changes, client));
        responses::stream(pieces)
    }
}

/// What a client is told first, and what it is told of each change that it wants to hear of.
fn agreed<'t>(
    message: &Message<'_>,
    tasks: impl Iterator<Item = &'t String>,
) -> (String, Vec<(&'static str, String)>) {
    let wanted = message.param("notifications");
    let is_wanted = |name: &str| {
        let wanted = wanted.as_ref().and_then(|wanted| wanted.get(name));
        wanted.is_some_and(|wanted| wanted.kind() == ValueKind::True)
    };
    let id: Value = serde_json::from_str(message.id().unwrap_or("null")).unwrap_or_default();
    let told = |method: &str, mut params: Value| {
        params["_meta"] = json!({ SUBSCRIPTION_KEY: id });
        sse::frame(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string())
    };
    let (mut filter, mut frames) = (Map::new(), Vec::new());
    for (name, method) in FILTERS.into_iter().filter(|(name, _)| is_wanted(name)) {
        filter.insert(name.to_owned(), true.into());
        frames.push((method, told(method, json!({}))));
    }
    let tasks: Vec<&String> = tasks.collect();
    if !tasks.is_empty() {
        filter.insert("taskIds".to_owned(), json!(tasks));
    }
    let acknowledged =
        told("notifications/subscriptions/acknowledged", json!({ "notifications": filter }));
    (acknowledged, frames)
}

/// A client that listens.
struct Listener {
    scope: ServerScope,
    tenant: Arc<str>,
    frames: Vec<(&'static str, String)>,
}

impl Listener {
    async fn tell(
        self,
        mut changes: broadcast::Receiver<ListChange>,
        client: mpsc::Sender<Result<Bytes, BodyError>>,
    ) {
        let mut piece = String::new();
        loop {
            if !piece.is_empty() && client.send(Ok(piece.into())).await.is_err() {
                return;
            }
            let change = tokio::select! {
                change = timeout(ALIVE, changes.recv()) => change,
                () = client.closed() => return,
            };
            piece = match change {
                Err(_) => sse::ALIVE.to_owned(),
                Ok(Err(RecvError::Closed)) => return,
                // Whatever was missed, lists may have changed.
                Ok(Err(RecvError::Lagged(_))) => {
                    self.frames.iter().map(|(_, frame)| frame.as_str()).collect()
                }
                Ok(Ok(change)) if change.method == CLOSING => return,
                Ok(Ok(change)) => self.heard(&change).unwrap_or_default().to_owned(),
            };
        }
    }

    /// What the client hears of a change; `None`: nothing.
    fn heard(&self, change: &ListChange) -> Option<&str> {
        let is_theirs = change.tenant.as_ref().is_none_or(|own| *own == self.tenant);
        let is_seen = match &self.scope {
            ServerScope::All => true,
            ServerScope::One(prefix) => change.prefix == *prefix || change.prefix.is_empty(),
        };
        let frame = self.frames.iter().find(|(method, _)| change.method == *method);
        frame.filter(|_| is_theirs && is_seen).map(|(_, frame)| frame.as_str())
    }
}
