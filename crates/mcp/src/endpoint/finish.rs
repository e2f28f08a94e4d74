//! A server's answer as its client is to see it.

use super::request_context::RequestContext;
use crate::backend::Backend;
use crate::era::Era;
use crate::expand;
use crate::failure::Failure;
use crate::hook::Hook;
use crate::list::{self, ListKind, ListPart};
use crate::message::Message;
use crate::outgoing::under_id;
use crate::redaction::{redacted_answer, refusal};
use crate::result::ResultFigures;
use crate::rpc::{self, ErrorCode};
use crate::session::ServerScope;
use crate::tasks::{self, ResultPlace};
use crate::work::{self, ToolCall};
use bytes::Bytes;
use http::StatusCode;
use std::sync::{Arc, Mutex, PoisonError};
use tokenforge_config::Structured;
use tokenforge_json::{Edit, Node, ValueKind};

/// A longer answer is not looked at on the threads that move messages.
const SHORT: usize = 64 << 10;

/// What is to be done to an answer.
#[derive(Clone)]
pub(super) enum AnswerKind {
    /// Nothing.
    Plain,
    /// It is a resource.
    Resource,
    /// The client subscribed to this resource, or did so no longer.
    Subscription(String, IsWanted),
    /// It is a list of one server.
    List(ListKind),
    /// It is the result of a tool.
    Tool(Arc<ToolCall>, Arc<Mutex<Option<Box<dyn Hook>>>>),
    /// It is about a task, which is the work on this call, if that is known.
    Task(Option<Arc<ToolCall>>, ResultPlace),
}

/// Does a client want to hear of a resource?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IsWanted {
    Yes,
    No,
}

/// An answer as its client is to see it.
pub(super) struct FinishedAnswer {
    pub(super) text: String,
    /// The form of its texts, if it is the result of a tool.
    pub(super) format: Option<&'static str>,
    /// For an answer that is no stream.
    pub(super) status: StatusCode,
}

impl AnswerKind {
    pub(super) async fn finish(
        &self,
        visit: &Arc<RequestContext>,
        backend: &Arc<Backend>,
        id: &str,
        answer: Result<String, Failure>,
    ) -> FinishedAnswer {
        let answer = match answer {
            Ok(answer) => answer,
            Err(failure) => return self.failed(visit, backend, id, &failure),
        };
        let method = self.method();
        let (text, format) = match self {
            AnswerKind::Plain | AnswerKind::Resource => (visit.checked(answer).await, None),
            AnswerKind::Subscription(address, is_wanted) => {
                visit.subscribed(&backend.prefix, address, *is_wanted, &answer);
                (visit.checked(answer).await, None)
            }
            // What tasks say about themselves may be a result.
            AnswerKind::List(ListKind::Tasks) => {
                let checked = visit.checked(answer).await;
                (visit.own_tasks(&backend.prefix, checked).await, None)
            }
            // Names and schemas, which calls depend on, hold no results.
            AnswerKind::List(listed) => (listing(visit, backend, *listed, answer), None),
            AnswerKind::Tool(call, hook) => {
                let hook = hook.lock().unwrap_or_else(PoisonError::into_inner).take();
                let place = ResultPlace::Whole;
                let answer = visit.checked(looked_at(hook, answer, place).await).await;
                let (answer, figures) = rewritten(visit, call, answer, place).await;
                let begun = Message::read(&answer).ok().and_then(|said| tasks::begun(&said));
                if let Some(id) = &begun {
                    visit.task_kept(&backend.prefix, id).await;
                }
                let is_error = is_failure(&answer);
                visit.hub.stats.called(
                    &backend.prefix,
                    &call.tool,
                    call.started.elapsed(),
                    is_error,
                    &figures,
                );
                if !is_error && begun.is_none() {
                    visit.rewrote(call, &figures);
                }
                (answer, Some(figures.format))
            }
            AnswerKind::Task(call, place) => {
                visit.task_answer(backend, call.as_ref(), *place, answer).await
            }
        };
        let Ok(message) = Message::read(&text) else {
            return self.failed(visit, backend, id, &Failure::Garbage);
        };
        if visit.era == Era::Legacy && wants_input(&message) {
            let text = "the server asks for input in a way that this client does not know";
            return FinishedAnswer {
                text: rpc::error(Some(id), ErrorCode::Internal, text),
                format: None,
                status: StatusCode::OK,
            };
        }
        let status = status(&message, visit.era);
        let text = complete(under_id(&message, id), method, visit.era);
        FinishedAnswer { text: self.with_task_ids(visit, backend, text), format, status }
    }

    /// The answer with the ids of tasks as the client knows them.
    fn with_task_ids(&self, visit: &RequestContext, backend: &Backend, text: String) -> String {
        let is_state = matches!(self, AnswerKind::Task(..));
        let names_tasks = is_state || matches!(self, AnswerKind::Tool(..));
        if visit.scope != ServerScope::All || !names_tasks {
            return text;
        }
        let message = Message::read(&text).ok();
        let named = message.and_then(|message| tasks::outward(&message, &backend.prefix, is_state));
        named.unwrap_or(text)
    }

    fn failed(
        &self,
        visit: &RequestContext,
        backend: &Backend,
        id: &str,
        failure: &Failure,
    ) -> FinishedAnswer {
        if let AnswerKind::Tool(call, _) = self {
            let took = call.started.elapsed();
            visit.hub.stats.called(
                &backend.prefix,
                &call.tool,
                took,
                true,
                &ResultFigures::default(),
            );
        }
        FinishedAnswer {
            text: failure.answer(id, &backend.prefix),
            format: None,
            status: StatusCode::OK,
        }
    }

    fn method(&self) -> &'static str {
        match self {
            AnswerKind::Plain | AnswerKind::Subscription(..) | AnswerKind::Task(..) => "",
            AnswerKind::Resource => "resources/read",
            AnswerKind::List(listed) => listed.method(),
            AnswerKind::Tool(..) => "tools/call",
        }
    }
}

impl RequestContext {
    /// A server's answer without its secrets: a long one is looked at on a thread where that may take its time.
    pub(super) async fn checked(&self, answer: String) -> String {
        if answer.len() <= SHORT || !self.settings.redacts() {
            return redacted_answer(answer, &self.settings);
        }
        let settings = self.settings.clone();
        let working = tokio::task::spawn_blocking(move || redacted_answer(answer, &settings));
        // A defect must not let it pass.
        working.await.unwrap_or_else(|_| refusal(None, "the check itself failed"))
    }
}

impl RequestContext {
    /// A message about a task, with the result that it may hold as that of a call.
    pub(super) async fn task_answer(
        self: &Arc<Self>,
        backend: &Backend,
        call: Option<&Arc<ToolCall>>,
        place: ResultPlace,
        answer: String,
    ) -> (String, Option<&'static str>) {
        let has_result =
            |text: &str| Message::read(text).is_ok_and(|message| place.find(&message).is_some());
        let tool = call.map_or("", |call| call.tool.as_str());
        let hook = self.hooks.as_ref().filter(|_| has_result(&answer));
        let hook = hook.map(|hooks| hooks.begin(&backend.prefix, tool));
        let answer = self.checked(looked_at(hook, answer, place).await).await;
        let Some(call) = call.filter(|_| has_result(&answer)) else { return (answer, None) };
        let (answer, figures) = rewritten(self, call, answer, place).await;
        self.rewrote(call, &figures);
        (answer, Some(figures.format))
    }

    /// A client gets a result: what became of it is written down.
    fn rewrote(&self, call: &ToolCall, figures: &ResultFigures) {
        let is_observed = self.settings.is_observed();
        self.hub.originals.rewrote(&self.client.name, call.outcome(figures), is_observed);
    }
}

/// The list of one server.
fn listing(visit: &RequestContext, backend: &Backend, listed: ListKind, answer: String) -> String {
    let Ok(message) = Message::read(&answer) else { return answer };
    let mut edits = Edit::new(&answer);
    let mut part = ListPart {
        prefix: &backend.prefix,
        answer: &answer,
        asked: None,
        drops_schemas: false,
        access: visit.access(),
    };
    let mut own = None;
    if listed == ListKind::Tools {
        backend.remember_tools(list::promises(&message));
        part.drops_schemas = visit.structured(backend, true) == Structured::Drop;
        own = visit.lists_expand_tool().then(expand::definition);
    }
    list::alone(&message, listed, &part, own, &mut edits);
    let changed = (!edits.is_empty()).then(|| edits.done().into_owned());
    changed.unwrap_or(answer)
}

/// The answer with the result as plugins left it.
async fn looked_at(hook: Option<Box<dyn Hook>>, answer: String, place: ResultPlace) -> String {
    let Some(mut hook) = hook else { return answer };
    let Ok(message) = Message::read(&answer) else { return answer };
    let Some(result) = place.find(&message) else { return answer };
    let new = match hook.result(Bytes::copy_from_slice(result.raw().as_bytes())).await {
        Ok(new) if *new == *result.raw().as_bytes() => return answer,
        Ok(new) => String::from_utf8(new.into()).ok().filter(|text| Node::read(text).is_ok()),
        Err(text) => Some(rpc::failed_tool(&text)),
    };
    let mut edits = Edit::new(&answer);
    // What is no JSON cannot go on, and what it was before may not.
    edits.replace(&result, new.unwrap_or_else(|| rpc::failed_tool("a plugin left no result")));
    edits.done().into_owned()
}

/// The result of a tool, rewritten on a thread where that may take its time.
async fn rewritten(
    visit: &Arc<RequestContext>,
    call: &Arc<ToolCall>,
    answer: String,
    place: ResultPlace,
) -> (String, ResultFigures) {
    let Ok(_permit) = visit.hub.rewriting.acquire().await else {
        return (answer, ResultFigures::default());
    };
    let (visit, call) = (visit.clone(), call.clone());
    let answer = Arc::new(answer);
    let original = answer.clone();
    let working = tokio::task::spawn_blocking(move || {
        let hub = &visit.hub;
        let originals = visit.is_ours(expand::NAME).then_some(&*hub.originals);
        let made = work::rewrite_and_store_at(
            place,
            &original,
            &call,
            &visit.settings,
            originals,
            &visit.tenant,
        );
        (made.answer, made.figures)
    });
    // A defect leaves the result as it came.
    let (new, figures) = working.await.unwrap_or_default();
    (new.unwrap_or_else(|| Arc::unwrap_or_clone(answer)), figures)
}

/// Says in a result what the modern era wants said. Other answers stay as they are.
pub(crate) fn complete(answer: String, method: &str, era: Era) -> String {
    completion(&answer, method, era).unwrap_or(answer)
}

fn completion(answer: &str, method: &str, era: Era) -> Option<String> {
    if era == Era::Legacy {
        return None;
    }
    let message = Message::read(answer).ok()?;
    let result = message.result()?;
    let mut edits = Edit::new(answer);
    let is_empty = result.members().is_empty();
    let is_cacheable = ListKind::by(method).is_some() || method == "resources/read";
    let mut said = Vec::new();
    for (name, value, is_wanted) in [
        ("resultType", "\"complete\"", true),
        ("ttlMs", "0", is_cacheable),
        ("cacheScope", "\"private\"", is_cacheable),
    ] {
        if is_wanted && result.get(name).is_none() {
            said.push(format!("\"{name}\":{value}"));
        }
    }
    if is_empty {
        edits.replace(result, format!("{{{}}}", said.join(",")));
    } else if !said.is_empty() {
        edits.prepend(result, &said.join(","));
    }
    (!edits.is_empty()).then(|| edits.done().into_owned())
}

fn wants_input(message: &Message<'_>) -> bool {
    let kind = message.result().and_then(|result| result.get("resultType"));
    kind.is_some_and(|kind| kind.is("input_required"))
}

fn is_failure(answer: &str) -> bool {
    let Ok(message) = Message::read(answer) else { return true };
    let flag = message.result().map(|result| result.get("isError"));
    flag.is_none_or(|flag| flag.is_some_and(|flag| flag.kind() == ValueKind::True))
}

/// The modern era says some errors twice.
fn status(message: &Message<'_>, era: Era) -> StatusCode {
    let code = message.root().get("error").and_then(|error| error.get("code"));
    match (era, code.as_ref().map(Node::raw)) {
        (Era::Modern, Some("-32601")) => StatusCode::NOT_FOUND,
        (Era::Modern, Some("-32020" | "-32021" | "-32022")) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}
