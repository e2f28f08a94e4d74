//! Calls of tools.

use super::Body;
use super::finish::{AnswerKind, complete};
use super::request_context::RequestContext;
use super::responses::json;
use crate::backend::Backend;
use crate::expand;
use crate::message::Message;
use crate::names::split;
use crate::policy;
use crate::rpc;
use crate::session::ServerScope;
use crate::tool_search::{CALL_TOOL, FIND_TOOLS};
use crate::work::ToolCall;
use bytes::Bytes;
use http::{Response, StatusCode};
use std::borrow::Cow;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokenforge_formats::negotiate::Format;
use tokenforge_json::{Edit, Node};

/// Which side knows the schema of a tool's structured results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaHolder {
    /// The client, which was shown the tool in a list.
    Client,
    /// Only the gateway: the client found the tool by a search, not in a list.
    GatewayOnly,
}

impl RequestContext {
    pub(super) async fn call(self, message: &Message<'_>) -> Response<Body> {
        let id = message.id().unwrap_or("null");
        // Servers may read another one of two names than we do.
        let name = message.text_param("name").filter(|_| !message.says_twice("name"));
        let Some(name) = name else { return self.unknown_name(id, "tool") };
        let arguments = message.param("arguments");
        let arguments = arguments.map_or_else(|| "{}".to_owned(), |node| node.raw().to_owned());
        match &*name {
            FIND_TOOLS if self.settings.searches() => return self.find_tools(id, &arguments).await,
            CALL_TOOL if self.settings.searches() => {
                return self.call_found(message, &arguments).await;
            }
            _ => {}
        }
        self.call_server(message, SchemaHolder::Client).await
    }

    /// Calls a tool of a server, or our own that fetches originals.
    pub(super) async fn call_server(
        self,
        message: &Message<'_>,
        holder: SchemaHolder,
    ) -> Response<Body> {
        let id = message.id().unwrap_or("null");
        let Some(name) = message.text_param("name") else { return self.unknown_name(id, "tool") };
        let arguments = message.param("arguments");
        let arguments = arguments.map_or_else(|| "{}".to_owned(), |node| node.raw().to_owned());
        if name == expand::NAME && self.is_ours(&name) {
            return self.expand(id, arguments).await;
        }
        let (prefix, tool): (Arc<str>, Cow<'_, str>) = match &self.scope {
            ServerScope::One(prefix) => (prefix.clone(), name.clone()),
            ServerScope::All => match split(&name) {
                Some((prefix, tool)) => (prefix.into(), tool.into()),
                None => return self.unknown_name(id, "tool"),
            },
        };
        let backend = self.hub.backend(&prefix).filter(|_| self.access().allows(&prefix, &tool));
        let Some(backend) = backend else { return self.unknown_name(id, "tool") };
        let mut hook = self.hooks.as_ref().map(|hooks| hooks.begin(&prefix, &tool));
        let mut edited = None;
        if let Some(hook) = &mut hook {
            match hook.arguments(Bytes::from(arguments.clone())).await {
                Ok(new) if *new == *arguments.as_bytes() => {}
                Ok(new) => match with_arguments(message, &new) {
                    Some(new) => edited = Some(new),
                    // What they were before may not go on.
                    None => return self.refused(id, "a plugin left no arguments"),
                },
                Err(text) => return self.refused(id, &text),
            }
        }
        let edited = edited.as_deref().and_then(|text| Message::read(text).ok());
        let message = edited.as_ref().unwrap_or(message);
        let call = self.tool_call(&backend, &tool, arguments, self.wanted(message), holder);
        let finish = AnswerKind::Tool(Arc::new(call), Arc::new(Mutex::new(hook)));
        let rename: Option<(&[&str], &str)> = match &self.scope {
            ServerScope::One(_) => None,
            ServerScope::All => Some((&["name"], &tool)),
        };
        self.to(&prefix, message, rename, Some(finish)).await
    }

    /// What is to be done to the result of a call.
    pub(super) fn tool_call(
        &self,
        backend: &Backend,
        tool: &str,
        arguments: String,
        wanted: Format,
        holder: SchemaHolder,
    ) -> ToolCall {
        ToolCall {
            structured: self.structured(backend, false),
            rule: policy::rule(&self.settings.mcp, &backend.prefix, tool, wanted),
            stc_version: self.stc_version(),
            is_promised: holder == SchemaHolder::Client && backend.promises(tool),
            server: backend.prefix.to_string(),
            tool: tool.to_owned(),
            arguments,
            started: Instant::now(),
        }
    }

    /// The answer to a call that a plugin keeps from its server.
    fn refused(&self, id: &str, text: &str) -> Response<Body> {
        let result = rpc::result(id, &rpc::failed_tool(text));
        json(StatusCode::OK, complete(result, "tools/call", self.era))
    }

    /// Is our own tool offered, and is it ours? One server's own may have the same name.
    pub(super) fn is_ours(&self, name: &str) -> bool {
        let is_theirs = match &self.scope {
            ServerScope::All => false,
            ServerScope::One(prefix) => {
                self.hub.backend(prefix).is_some_and(|backend| backend.has_tool(name))
            }
        };
        self.settings.offers_expansion() && !is_theirs
    }

    async fn expand(self, id: &str, arguments: String) -> Response<Body> {
        let RequestContext { hub, tenant, era, .. } = self;
        let finding = tokio::task::spawn_blocking(move || {
            expand::result(&arguments, |id| hub.originals.find(&tenant, id))
        });
        let result = finding.await.unwrap_or_else(|_| expand::result("{}", |_| None));
        let text = complete(rpc::result(id, &result), "tools/call", era);
        json(StatusCode::OK, text)
    }
}

/// The call with other arguments; `None`: they are no JSON.
fn with_arguments(message: &Message<'_>, arguments: &[u8]) -> Option<String> {
    let arguments = str::from_utf8(arguments).ok().filter(|text| Node::read(text).is_ok())?;
    let mut edits = Edit::new(message.text());
    edits.set_in_front(message.params()?, "arguments", arguments);
    Some(edits.done().into_owned())
}
