//! The stream on which a client of the modern era hears that lists changed.

use super::Body;
use super::answers;
use super::visit::Visit;
use crate::era::Era;
use crate::hub::CLOSING;
use crate::message::Message;
use crate::session::Scope;
use crate::sse;
use http::Response;
use serde_json::{Map, Value, json};
use std::time::Duration;
use tokenforge_dialects::Kind;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// How often a silent stream says that it is alive.
const ALIVE: Duration = Duration::from_secs(15);

/// What can be subscribed to, and how it is told.
const FILTERS: [(&str, &str); 3] = [
    ("toolsListChanged", "notifications/tools/list_changed"),
    ("promptsListChanged", "notifications/prompts/list_changed"),
    ("resourcesListChanged", "notifications/resources/list_changed"),
];

impl Visit {
    pub(super) async fn listen(self, message: &Message<'_>) -> Response<Body> {
        if let Scope::One(prefix) = &self.scope
            && let Some(backend) = self.hub.backend(prefix)
            && let Ok(link) = self.link(&backend).await
            && link.era == Era::Modern
        {
            // It knows more than we do.
            let prefix = prefix.clone();
            return self.to(&prefix, message, None, None).await;
        }
        let wanted = message.param("notifications");
        let is_wanted = |name: &str| {
            let wanted = wanted.as_ref().and_then(|wanted| wanted.get(name));
            wanted.is_some_and(|wanted| wanted.kind() == Kind::True)
        };
        let honoured: Vec<(&str, &str)> =
            FILTERS.into_iter().filter(|(name, _)| is_wanted(name)).collect();
        let id: Value = serde_json::from_str(message.id().unwrap_or("null")).unwrap_or_default();
        let filter: Map<String, Value> =
            honoured.iter().map(|(name, _)| ((*name).to_owned(), true.into())).collect();
        let told = |method: &str, mut params: Value| {
            params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": id});
            sse::frame(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string())
        };
        let acknowledged =
            told("notifications/subscriptions/acknowledged", json!({ "notifications": filter }));
        let frames: Vec<(&str, String)> =
            honoured.iter().map(|(_, method)| (*method, told(method, json!({})))).collect();
        let (client, pieces) = mpsc::channel(16);
        let mut changes = self.hub.changes();
        let (scope, tenant) = (self.scope.clone(), self.tenant.clone());
        // The connection that servers speak on must be there to hear of changes.
        for backend in self.backends() {
            let visit = self.clone();
            tokio::spawn(async move {
                let _ = visit.link(&backend).await;
            });
        }
        tokio::spawn(async move {
            let mut piece = acknowledged;
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
                        frames.iter().map(|(_, frame)| frame.as_str()).collect()
                    }
                    Ok(Ok(change)) if change.method == CLOSING => return,
                    Ok(Ok(change)) => {
                        let is_theirs = change.tenant.as_ref().is_none_or(|own| *own == tenant);
                        let is_seen = match &scope {
                            Scope::All => true,
                            Scope::One(prefix) => {
                                change.prefix == *prefix || change.prefix.is_empty()
                            }
                        };
                        let frame = frames.iter().find(|(method, _)| change.method == *method);
                        frame
                            .filter(|_| is_theirs && is_seen)
                            .map(|(_, frame)| frame.clone())
                            .unwrap_or_default()
                    }
                };
            }
        });
        answers::stream(pieces)
    }
}
