//! Tool search at the endpoint: the constant list, `find_tools` and `call_tool`.

use super::Body;
use super::finish::complete;
use super::lists::ListedPages;
use super::request_context::RequestContext;
use super::responses::{json, problem};
use super::tools::SchemaHolder;
use crate::cursor::ListCursor;
use crate::expand;
use crate::hub::{CatalogueKey, ToolCatalogue};
use crate::list::{self, ListKind, ListPage};
use crate::message::Message;
use crate::policy;
use crate::rpc::{self, ErrorCode};
use crate::server_link::declared_parameters;
use crate::session::ServerScope;
use crate::tool_search::{
    DeclaredTool, FindQuery, FoundCall, ToolIndex, definitions, found, inner_message, searched,
    unknown_tool,
};
use http::{Response, StatusCode};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokenforge_config::Structured;
use tokenforge_json::Node;

/// How many pages of the servers' lists are read, and for how long new ones are asked for.
const PAGES: usize = 100;
const LISTING: Duration = Duration::from_secs(20);

impl RequestContext {
    /// The list of tools: those of the search, those that are pinned, and our own.
    pub(super) async fn list_search_tools(self, message: &Message<'_>) -> Response<Body> {
        let id = message.id().unwrap_or("null");
        if message.param("cursor").is_some() {
            let text = "the cursor is none that was given here";
            return problem(StatusCode::OK, Some(id), ErrorCode::Params, text);
        }
        let mut tools: Vec<String> = definitions().map(str::to_owned).to_vec();
        if !self.settings.mcp.pinned_tools.is_empty() {
            let catalogue = self.catalogue(None).await;
            tools.extend(catalogue.index.tools().iter().filter_map(|tool| self.pinned(tool)));
        }
        if self.lists_expand_tool() {
            tools.push(expand::definition().to_owned());
        }
        let result = format!(r#"{{"tools":[{}]}}"#, tools.join(","));
        json(StatusCode::OK, complete(rpc::result(id, &result), "tools/list", self.era))
    }

    /// A tool as it is listed; `None`: it is not pinned, or not for this client.
    fn pinned(&self, tool: &DeclaredTool) -> Option<String> {
        let is_it = policy::is_pinned(&self.settings.mcp, &tool.prefix, &tool.own)
            && self.access().allows(&tool.prefix, &tool.own);
        let backend = self.hub.backend(&tool.prefix).filter(|_| is_it)?;
        let drops_schema = self.structured(&backend, true) == Structured::Drop;
        let item = Node::read(&tool.text).ok()?;
        let name = self.is_prefixed().then_some(("name", &*tool.prefix));
        Some(list::shown(&item, name, drops_schema))
    }

    /// Answers a call of `find_tools`.
    pub(super) async fn find_tools(self, id: &str, arguments: &str) -> Response<Body> {
        let result = match FindQuery::read(arguments) {
            Err(text) => rpc::failed_tool(&text),
            Ok(query) => {
                let catalogue = self.catalogue(None).await;
                let access = self.access();
                let is_seen = |tool: &DeclaredTool| access.allows(&tool.prefix, &tool.own);
                rpc::tool_text(&found(&catalogue.index, &query, is_seen, &catalogue.missing))
            }
        };
        // What servers declare is now something that a tool says.
        let answer = self.checked_text(rpc::result(id, &result), id).await;
        json(StatusCode::OK, complete(answer, "tools/call", self.era))
    }

    /// Calls a tool that was found, as if the client had called it itself.
    pub(super) async fn call_found(
        mut self,
        message: &Message<'_>,
        arguments: &str,
    ) -> Response<Body> {
        let failed = |text: String, visit: &Self| {
            let id = message.id().unwrap_or("null");
            let answer = rpc::result(id, &rpc::failed_tool(&text));
            json(StatusCode::OK, complete(answer, "tools/call", visit.era))
        };
        let FoundCall { name, arguments } = match FoundCall::read(arguments) {
            Ok(call) => call,
            Err(text) => return failed(text, &self),
        };
        if !(name == expand::NAME && self.is_ours(&name)) {
            let mut catalogue = self.catalogue(None).await;
            if catalogue.index.get(&name).is_none() {
                // It may be new, on a server that does not say so.
                catalogue = self.catalogue(Some(catalogue)).await;
            }
            let access = self.access();
            let is_seen = |tool: &DeclaredTool| access.allows(&tool.prefix, &tool.own);
            let Some(tool) = catalogue.index.get(&name).filter(|tool| is_seen(tool)) else {
                return failed(unknown_tool(&catalogue.index, &name, is_seen), &self);
            };
            if let (Ok(tool), Ok(given)) = (Node::read(&tool.text), Node::read(&arguments)) {
                let parameters = declared_parameters(&tool, &given);
                self.headers.extend(parameters);
            }
        }
        let text = inner_message(message, &name, &arguments);
        match Message::read(&text) {
            Ok(inner) => self.call_server(&inner, SchemaHolder::GatewayOnly).await,
            Err(_) => self.unknown_name(message.id().unwrap_or("null"), "tool"),
        }
    }

    /// The tools of all servers that this client sees, or newer ones than those.
    async fn catalogue(&self, outdated: Option<Arc<ToolCatalogue>>) -> Arc<ToolCatalogue> {
        let own = self.session.as_ref().filter(|session| session.client.can_be_asked());
        let key = CatalogueKey {
            tenant: self.tenant.clone(),
            scope: self.scope.clone(),
            era: self.era,
            session: own.map(|session| session.id.clone()),
        };
        let now = Instant::now();
        let known = self.hub.catalogues.find(&key, now);
        let is_new = |known: &Arc<ToolCatalogue>| {
            outdated.as_ref().is_none_or(|outdated| {
                !Arc::ptr_eq(known, outdated) || now.duration_since(known.since) < JUST_LISTED
            })
        };
        if let Some(known) = known.filter(is_new) {
            return known;
        }
        let generation = self.hub.catalogues.generation();
        let (tools, missing) = self.listed_tools(now).await;
        let indexing = tokio::task::spawn_blocking(move || ToolIndex::new(tools));
        let index = indexing.await.unwrap_or_default();
        let since = Instant::now();
        let catalogue = Arc::new(ToolCatalogue { index, missing, generation, since });
        self.hub.catalogues.keep(key, catalogue.clone());
        catalogue
    }

    /// The tools of all servers, page by page, in the order of the servers, and the servers that did not answer.
    async fn listed_tools(&self, began: Instant) -> (Vec<DeclaredTool>, Vec<String>) {
        let (mut tools, mut missing): (Vec<DeclaredTool>, Vec<String>) = Default::default();
        let mut cursor = None;
        for _ in 0..PAGES {
            let listed: ListedPages = self.pages(ListKind::Tools, cursor.take()).await;
            missing.extend(listed.missing);
            let mut more = ListCursor::default();
            for (backend, _, answer) in &listed.pages {
                let message = answer.view();
                let Some(page) = ListPage::of(&message, ListKind::Tools) else { continue };
                backend.remember_tools(list::promises(&message));
                let read = |item| DeclaredTool::read(item, &backend.prefix, self.is_prefixed());
                tools.extend(page.items.iter().filter_map(read));
                if let Some(next) = page.next {
                    more.0.insert(backend.prefix.to_string(), Some(next.into_owned()));
                }
            }
            if more.0.is_empty() || searched(&tools) < tools.len() || began.elapsed() > LISTING {
                break;
            }
            cursor = Some(more);
        }
        // The order of a server's tools is its own; that of the servers is ours, however their pages came.
        tools.sort_by(|one, other| one.prefix.cmp(&other.prefix));
        (tools, missing)
    }

    fn is_prefixed(&self) -> bool {
        self.scope == ServerScope::All
    }
}

/// Tools that were listed so recently are not listed again for a name that none of them has.
const JUST_LISTED: Duration = Duration::from_secs(2);
