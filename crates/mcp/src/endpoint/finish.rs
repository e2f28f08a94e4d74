//! A server's answer as its client is to see it.

use super::request_context::RequestContext;
use crate::backend::Backend;
use crate::era::Era;
use crate::expand;
use crate::failure::Failure;
use crate::hook::Hook;
use crate::list::{self, ListKind, ListPart};
use crate::message::{Message, ParsedMessage};
use crate::outgoing::write_id;
use crate::redaction::{redacted_answer, refusal};
use crate::result::{ResultEdits, ResultFigures};
use crate::rpc::{self, ErrorCode};
use crate::session::ServerScope;
use crate::tasks::{self, ResultPlace};
use crate::work::{self, ToolCall};
use bytes::Bytes;
use http::StatusCode;
use std::sync::{Arc, Mutex, PoisonError};
use tokenforge_config::Structured;
use tokenforge_json::{Edit, Node, Splice, ValueKind};

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

/// An answer on its way: the message as it was read, and what is to be changed in it at the end.
pub(super) struct AnswerDraft {
    message: ParsedMessage,
    splices: Vec<Splice<'static>>,
    /// The form of its texts, if it holds the result of a tool.
    format: Option<&'static str>,
}

impl From<ParsedMessage> for AnswerDraft {
    fn from(message: ParsedMessage) -> Self {
        AnswerDraft { message, splices: Vec::new(), format: None }
    }
}

impl AnswerDraft {
    /// The message with its changes.
    pub(super) fn done(self) -> String {
        let mut edits = Edit::new(self.message.text());
        edits.extend(self.splices);
        edits.done().into_owned()
    }
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
        answer: Result<ParsedMessage, Failure>,
    ) -> FinishedAnswer {
        let draft = match answer {
            Ok(answer) => self.draft(visit, backend, answer).await,
            Err(failure) => Err(failure),
        };
        let draft = match draft {
            Ok(draft) => draft,
            Err(failure) => return self.failed(visit, backend, id, &failure),
        };
        let message = draft.message.view();
        if visit.era == Era::Legacy && wants_input(&message) {
            let text = "the server asks for input in a way that this client does not know";
            return FinishedAnswer {
                text: rpc::error(Some(id), ErrorCode::Internal, text),
                format: None,
                status: StatusCode::OK,
            };
        }
        let mut edits = Edit::new(message.text());
        write_id(&message, id, &mut edits);
        // Before what the draft writes in front of the result's members, because it has always stood there.
        write_completion(&message, self.method(), visit.era, &mut edits);
        let is_state = matches!(self, AnswerKind::Task(..));
        if visit.scope == ServerScope::All && (is_state || matches!(self, AnswerKind::Tool(..))) {
            tasks::write_outward(&message, &backend.prefix, is_state, &mut edits);
        }
        edits.extend(draft.splices);
        let text = edits.done().into_owned();
        FinishedAnswer { text, format: draft.format, status: status(&message, visit.era) }
    }

    /// The answer with what its kind asks for.
    async fn draft(
        &self,
        visit: &Arc<RequestContext>,
        backend: &Arc<Backend>,
        answer: ParsedMessage,
    ) -> Result<AnswerDraft, Failure> {
        match self {
            AnswerKind::Plain | AnswerKind::Resource => Ok(visit.checked(answer).await?.into()),
            AnswerKind::Subscription(address, is_wanted) => {
                visit.subscribed(&backend.prefix, address, *is_wanted, &answer.view());
                Ok(visit.checked(answer).await?.into())
            }
            // What tasks say about themselves may be a result.
            AnswerKind::List(ListKind::Tasks) => {
                let checked = visit.checked(answer).await?;
                Ok(visit.own_tasks(&backend.prefix, checked).await?.into())
            }
            // Names and schemas, which calls depend on, hold no results.
            AnswerKind::List(listed) => {
                let splices = listing(visit, backend, *listed, answer.view());
                Ok(AnswerDraft { splices, ..answer.into() })
            }
            AnswerKind::Tool(call, hook) => {
                let hook = hook.lock().unwrap_or_else(PoisonError::into_inner).take();
                let place = ResultPlace::Whole;
                let answer = visit.checked(looked_at(hook, answer, place).await?).await?;
                let edits = rewritten(visit, call, &answer, place).await;
                let message = answer.view();
                let begun = tasks::begun(&message);
                if let Some(id) = &begun {
                    visit.task_kept(&backend.prefix, id).await;
                }
                let is_error = is_failure(&message);
                let took = call.started.elapsed();
                let stats = &visit.hub.stats;
                stats.called(&backend.prefix, &call.tool, took, is_error, &edits.figures);
                if !is_error && begun.is_none() {
                    visit.rewrote(call, &edits.figures);
                }
                let (splices, format) = (edits.splices, Some(edits.figures.format));
                Ok(AnswerDraft { message: answer, splices, format })
            }
            AnswerKind::Task(call, place) => {
                visit.task_answer(backend, call.as_ref(), *place, answer).await
            }
        }
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
    pub(super) async fn checked(&self, answer: ParsedMessage) -> Result<ParsedMessage, Failure> {
        if answer.text().len() <= SHORT || !self.settings.redacts() {
            return redacted_answer(answer, &self.settings).map_err(|_| Failure::Garbage);
        }
        let settings = self.settings.clone();
        let working = tokio::task::spawn_blocking(move || redacted_answer(answer, &settings));
        // A defect must not let it pass.
        let refused = |_| ParsedMessage::read(refusal(None, "the check itself failed"));
        working.await.unwrap_or_else(refused).map_err(|_| Failure::Garbage)
    }
}

impl RequestContext {
    /// The same for an answer of our own, which repeats what servers say of themselves.
    pub(super) async fn checked_own(&self, text: String) -> Result<ParsedMessage, Failure> {
        match ParsedMessage::read(text) {
            Ok(answer) => self.checked(answer).await,
            Err(_) => Err(Failure::Garbage),
        }
    }

    /// The text of such an answer, or of an error in its place.
    pub(super) async fn checked_text(&self, text: String, id: &str) -> String {
        match self.checked_own(text).await {
            Ok(answer) => answer.text().to_owned(),
            Err(failure) => failure.answer(id, ""),
        }
    }

    /// A message about a task, with the result that it may hold as that of a call.
    pub(super) async fn task_answer(
        self: &Arc<Self>,
        backend: &Backend,
        call: Option<&Arc<ToolCall>>,
        place: ResultPlace,
        answer: ParsedMessage,
    ) -> Result<AnswerDraft, Failure> {
        let tool = call.map_or("", |call| call.tool.as_str());
        let hook = self.hooks.as_ref().filter(|_| place.find(&answer.view()).is_some());
        let hook = hook.map(|hooks| hooks.begin(&backend.prefix, tool));
        let answer = self.checked(looked_at(hook, answer, place).await?).await?;
        let Some(call) = call.filter(|_| place.find(&answer.view()).is_some()) else {
            return Ok(answer.into());
        };
        let edits = rewritten(self, call, &answer, place).await;
        self.rewrote(call, &edits.figures);
        let (splices, format) = (edits.splices, Some(edits.figures.format));
        Ok(AnswerDraft { message: answer, splices, format })
    }

    /// A client gets a result: what became of it is written down.
    fn rewrote(&self, call: &ToolCall, figures: &ResultFigures) {
        let is_observed = self.settings.is_observed();
        self.hub.originals.rewrote(&self.client.name, call.outcome(figures), is_observed);
    }
}

/// What is to be changed in the list of one server.
fn listing(
    visit: &RequestContext,
    backend: &Backend,
    listed: ListKind,
    answer: Message<'_>,
) -> Vec<Splice<'static>> {
    let mut part = ListPart {
        prefix: &backend.prefix,
        answer,
        asked: None,
        drops_schemas: false,
        access: visit.access(),
    };
    let mut own = None;
    if listed == ListKind::Tools {
        backend.remember_tools(list::promises(&part.answer));
        part.drops_schemas = visit.structured(backend, true) == Structured::Drop;
        own = visit.lists_expand_tool().then(expand::definition);
    }
    let mut edits = Edit::new(part.answer.text());
    list::alone(listed, &part, own, &mut edits);
    edits.into_splices().into_iter().map(Splice::into_owned).collect()
}

/// The answer with the result as plugins left it, read anew if they changed it.
async fn looked_at(
    hook: Option<Box<dyn Hook>>,
    answer: ParsedMessage,
    place: ResultPlace,
) -> Result<ParsedMessage, Failure> {
    let Some(mut hook) = hook else { return Ok(answer) };
    let found = place.find(&answer.view()).map(|result| (result.span(), result.raw().to_owned()));
    let Some((range, result)) = found else { return Ok(answer) };
    let new = match hook.result(Bytes::from(result.clone())).await {
        Ok(new) if *new == *result.as_bytes() => return Ok(answer),
        Ok(new) => String::from_utf8(new.into()).ok().filter(|text| Node::read(text).is_ok()),
        Err(text) => Some(rpc::failed_tool(&text)),
    };
    let mut edits = Edit::new(answer.text());
    // What is no JSON cannot go on, and what it was before may not.
    edits.splice(range, new.unwrap_or_else(|| rpc::failed_tool("a plugin left no result")));
    ParsedMessage::read(edits.done()).map_err(|_| Failure::Garbage)
}

/// What is to be changed in the result of a tool, found out on a thread where that may take its time.
async fn rewritten(
    visit: &Arc<RequestContext>,
    call: &Arc<ToolCall>,
    answer: &ParsedMessage,
    place: ResultPlace,
) -> ResultEdits {
    let Ok(_permit) = visit.hub.rewriting.acquire().await else { return ResultEdits::default() };
    let (visit, call, answer) = (visit.clone(), call.clone(), answer.clone());
    let working = tokio::task::spawn_blocking(move || {
        let hub = &visit.hub;
        let originals = visit.is_ours(expand::NAME).then_some(&*hub.originals);
        let (settings, tenant) = (&visit.settings, &visit.tenant);
        work::rewrite_and_store_at(place, &answer.view(), &call, settings, originals, tenant)
    });
    // A defect leaves the result as it came.
    working.await.unwrap_or_default()
}

/// Says in a result what the modern era wants said. Other answers stay as they are.
pub(crate) fn complete(answer: String, method: &str, era: Era) -> String {
    if era == Era::Legacy {
        return answer;
    }
    let Ok(message) = Message::read(&answer) else { return answer };
    let mut edits = Edit::new(&answer);
    write_completion(&message, method, era, &mut edits);
    edits.done().into_owned()
}

/// Writes into a result what the modern era wants said.
fn write_completion(message: &Message<'_>, method: &str, era: Era, edits: &mut Edit<'_>) {
    let Some(result) = message.result().filter(|_| era == Era::Modern) else { return };
    let is_cacheable = ListKind::by(method).is_some() || method == "resources/read";
    let mut said = Vec::new();
    for (name, value, is_wanted) in [
        ("resultType", "\"complete\"", true),
        ("ttlMs", "0", is_cacheable),
        ("cacheScope", "\"private\"", is_cacheable),
    ] {
        if is_wanted && message.result_member(name).is_none() {
            said.push(format!("\"{name}\":{value}"));
        }
    }
    if message.has_empty_result() {
        edits.replace(result, format!("{{{}}}", said.join(",")));
    } else if !said.is_empty() {
        let start = result.span().start + 1;
        edits.splice(start..start, format!("{},", said.join(",")));
    }
}

fn wants_input(message: &Message<'_>) -> bool {
    let kind = message.result_member("resultType");
    kind.is_some_and(|kind| kind.is("input_required"))
}

fn is_failure(answer: &Message<'_>) -> bool {
    let says_so =
        || answer.result_member("isError").is_some_and(|flag| flag.kind() == ValueKind::True);
    answer.result().is_none() || says_so()
}

/// The modern era says some errors twice.
fn status(message: &Message<'_>, era: Era) -> StatusCode {
    let code = message.error().and_then(|error| error.get("code"));
    match (era, code.as_ref().map(Node::raw)) {
        (Era::Modern, Some("-32601")) => StatusCode::NOT_FOUND,
        (Era::Modern, Some("-32020" | "-32021" | "-32022")) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}
