//! Lists: of one server as it gives them, of all as one.

use super::Body;
use super::finish::AnswerKind;
use super::request_context::RequestContext;
use super::responses::{json, problem};
use crate::backend::Backend;
use crate::cursor::ListCursor;
use crate::expand;
use crate::failure::Failure;
use crate::list::{self, ListKind, ListPart, merge_lists};
use crate::message::{Message, ParsedMessage};
use crate::rpc::{self, ErrorCode};
use crate::session::ServerScope;
use crate::tool_search::wants_all;
use http::{Response, StatusCode};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::Structured;
use tokio::time::{Instant, timeout_at};

/// How long a server may take to list its tools before the others' are listed without them.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// A page of every server that was asked for one.
#[derive(Default)]
pub(super) struct ListedPages {
    /// Of which server, from where it was asked to list, and what it answered.
    pub(super) pages: Vec<(Arc<Backend>, Option<String>, ParsedMessage)>,
    /// The servers that did not answer.
    pub(super) missing: Vec<String>,
}

impl RequestContext {
    pub(super) async fn list(self, listed: ListKind, message: &Message<'_>) -> Response<Body> {
        if listed == ListKind::Tools && self.settings.searches() && !wants_all(message) {
            return self.list_search_tools(message).await;
        }
        if let ServerScope::One(prefix) = &self.scope {
            let prefix = prefix.clone();
            return self.to(&prefix, message, None, Some(AnswerKind::List(listed))).await;
        }
        let id = message.id().unwrap_or("null");
        let cursor = match message.text_param("cursor").map(|text| ListCursor::read(&text)) {
            None => None,
            Some(Some(cursor)) => Some(cursor),
            Some(None) => {
                let text = "the cursor is none that was given here";
                return problem(StatusCode::OK, Some(id), ErrorCode::Params, text);
            }
        };
        let ListedPages { mut pages, .. } = self.pages(listed, cursor).await;
        if listed == ListKind::Tasks {
            let mut own = Vec::new();
            for (backend, asked, answer) in pages {
                let Ok(checked) = self.checked(answer).await else { continue };
                let Ok(answer) = self.own_tasks(&backend.prefix, checked).await else { continue };
                own.push((backend, asked, answer));
            }
            pages = own;
        }
        for (backend, _, answer) in &pages {
            for address in list::addresses(listed, &answer.view()) {
                self.hub.remember_holder(&address, &backend.prefix);
            }
        }
        let mut parts = Vec::new();
        for (backend, asked, answer) in &pages {
            let is_tools = listed == ListKind::Tools;
            let answer = answer.view();
            if is_tools {
                backend.remember_tools(list::promises(&answer));
            }
            let drops_schemas = is_tools && self.structured(backend, true) == Structured::Drop;
            parts.push(ListPart {
                prefix: &backend.prefix,
                answer,
                asked: asked.clone(),
                drops_schemas,
                access: self.access(),
            });
        }
        let is_offered = listed == ListKind::Tools && self.lists_expand_tool();
        let own = is_offered.then(expand::definition);
        let result = merge_lists(listed, &parts, ListCursor::default(), own, self.era);
        json(StatusCode::OK, rpc::result(id, &result))
    }

    /// The next page of every server that has one. Who does not answer is left out.
    pub(super) async fn pages(&self, listed: ListKind, cursor: Option<ListCursor>) -> ListedPages {
        let deadline = Instant::now() + PATIENCE;
        let mut asking = Vec::new();
        for backend in self.backends() {
            let asked = match &cursor {
                None => None,
                Some(cursor) => match cursor.0.get(&*backend.prefix) {
                    Some(asked) => asked.clone(),
                    None => continue,
                },
            };
            let (visit, from, of) = (self.clone(), asked.clone(), backend.clone());
            let is_new = backend.conversations() == 0;
            // A task of its own: a server that starts slowly goes on starting when no request waits any more, and
            // clients hear when it has.
            let page = tokio::spawn(async move {
                let page = visit.page(&of, listed, from).await;
                if is_new && matches!(page, Ok(Some(_))) && Instant::now() > deadline {
                    visit.hub.lists_changed(Some(&of.prefix));
                }
                page
            });
            asking.push((backend, asked, page));
        }
        let mut listed = ListedPages::default();
        for (backend, asked, page) in asking {
            match timeout_at(deadline, page).await {
                Ok(Ok(Ok(Some(answer)))) => listed.pages.push((backend, asked, answer)),
                Ok(Ok(Ok(None))) => {}
                _ => listed.missing.push(backend.prefix.to_string()),
            }
        }
        listed
    }

    /// A page of one server; `None`: it has no such list.
    async fn page(
        &self,
        backend: &Arc<Backend>,
        listed: ListKind,
        from: Option<String>,
    ) -> Result<Option<ParsedMessage>, Failure> {
        let link = self.link(backend).await?;
        if !link.server.can(listed.capability()) {
            return Ok(None);
        }
        let params =
            from.map_or_else(|| "{}".to_owned(), |cursor| json!({ "cursor": cursor }).to_string());
        match link.ask_ourselves(listed.method(), &params).await {
            Err(Failure::SessionGone) => {
                let link = self.link(backend).await?;
                link.ask_ourselves(listed.method(), &params).await.map(Some)
            }
            answer => answer.map(Some),
        }
    }
}
