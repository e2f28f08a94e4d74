//! Calls of tools.

use super::answers::json;
use super::finish::Finish;
use super::visit::Visit;
use super::Body;
use crate::expand;
use crate::message::Message;
use crate::names::split;
use crate::policy;
use crate::rpc;
use crate::session::Scope;
use crate::work::ToolCall;
use http::{Response, StatusCode};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

impl Visit {
    pub(super) async fn call(self, message: &Message<'_>) -> Response<Body> {
        let id = message.id().unwrap_or("null");
        let Some(name) = message.text_param("name") else { return self.unknown_name(id, "tool") };
        let arguments = message.param("arguments");
        let arguments = arguments.map_or_else(|| "{}".to_owned(), |node| node.raw().to_owned());
        if name == expand::NAME && self.is_ours(&name) {
            return self.expand(id, arguments).await;
        }
        let (prefix, tool): (Arc<str>, Cow<'_, str>) = match &self.scope {
            Scope::One(prefix) => (prefix.clone(), name.clone()),
            Scope::All => match split(&name) {
                Some((prefix, tool)) => (prefix.into(), tool.into()),
                None => return self.unknown_name(id, "tool"),
            },
        };
        let Some(backend) = self.hub.backend(&prefix) else { return self.unknown_name(id, "tool") };
        let finish = Finish::Tool(Arc::new(ToolCall {
            structured: self.structured(&backend, false),
            rule: policy::rule(&self.settings.mcp, &prefix, &tool, self.wanted(message)),
            is_promised: backend.promises(&tool),
            tool: tool.clone().into_owned(),
            arguments,
            started: Instant::now(),
        }));
        let rename: Option<(&[&str], &str)> = match &self.scope {
            Scope::One(_) => None,
            Scope::All => Some((&["name"], &tool)),
        };
        self.to(&prefix, message, rename, Some(finish)).await
    }

    /// Is our own tool offered, and is it ours? One server's own may have the same name.
    pub(super) fn is_ours(&self, name: &str) -> bool {
        let is_theirs = match &self.scope {
            Scope::All => false,
            Scope::One(prefix) => self.hub.backend(prefix).is_some_and(|backend| backend.has_tool(name)),
        };
        self.settings.offers_expansion() && !is_theirs
    }

    async fn expand(self, id: &str, arguments: String) -> Response<Body> {
        let Visit { hub, tenant, era, .. } = self;
        let finding = tokio::task::spawn_blocking(move || {
            expand::result(&arguments, |id| hub.originals.find(&tenant, id))
        });
        let result = finding.await.unwrap_or_else(|_| expand::result("{}", |_| None));
        let text = super::finish::complete(rpc::result(id, &result), "tools/call", era);
        json(StatusCode::OK, text)
    }
}
