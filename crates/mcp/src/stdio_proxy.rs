//! A stdio proxy between one client and one server that is a program: results in fewer tokens, all else as it is.
//!
//! [`StdioProxy`] is told every message and says what becomes of it; it does no I/O. [`run_stdio_proxy`] is the shell around it.

mod run;
mod search;

pub use run::{ProxiedProgram, run_stdio_proxy};

use crate::bounded_map::{BoundedMap, key_bytes};
use crate::endpoint::complete;
use crate::era::{CLIENT_KEY, Era, VERSION_KEY};
use crate::expand;
use crate::hub::{HubSettings, Originals};
use crate::list::{self, ListKind, ListPage, ListPart};
use crate::message::{LONGEST_MESSAGE, Message, ParsedMessage, Sort, Unreadable};
use crate::policy::{self, ToolAccess};
use crate::redaction::{redacted, redacted_answer, refusal};
use crate::result::FORMAT_KEY;
use crate::rpc::{self, CANCELLED, ErrorCode, NOTIFICATIONS};
use crate::server_link::lines::LongMessage;
use crate::tasks::{self, ResultPlace};
use crate::work::{self, ToolCall};
use search::ProxySearch;
use std::collections::HashMap;
use std::time::Instant;
use tokenforge_config::Structured;
use tokenforge_formats::negotiate::Format;
use tokenforge_json::{Edit, Node, ValueKind};

/// How many requests are remembered until they are answered, and how many bytes their ids and arguments may have together.
const REQUESTS: usize = 4096;
const REQUEST_BYTES: usize = 8 * LONGEST_MESSAGE;

/// How many tools are remembered, of which it is known whether they promise structured results.
const TOOLS: usize = 4096;

/// The refusal for a server whose question could not be checked.
const UNCHECKED: &str = "what it asks cannot be checked for secrets";

/// What becomes of a message.
#[derive(Debug)]
pub enum ProxyStep {
    /// It goes on as it is.
    Pass,
    /// This goes on in its place.
    Change(String),
    /// These go on in its place, to either side.
    Messages(ProxyMessages),
    /// It is a batch. Each of these is looked at as if it had come alone.
    Batch(Vec<String>),
    /// It asks for an original: the arguments of the call, and the id to answer under.
    Expand {
        /// How the client wrote its id.
        id: String,
        /// The arguments, as JSON.
        arguments: String,
        /// The era in which the client speaks.
        era: Era,
    },
    /// It answers this call.
    Result(Box<AnsweredCall>),
}

/// Messages to both sides.
#[derive(Debug, Default)]
pub struct ProxyMessages {
    /// To the client.
    pub to_client: Vec<String>,
    /// To the server.
    pub to_server: Vec<String>,
}

/// A call that was answered.
#[derive(Debug, Clone)]
pub struct AnsweredCall {
    call: ToolCall,
    client: String,
    /// The message with its result, as it was read.
    answer: ParsedMessage,
    place: ResultPlace,
}

/// Knows what was asked, and so what an answer is about.
pub struct StdioProxy {
    settings: HubSettings,
    client: String,
    asked: BoundedMap<String, OpenRequest>,
    tools: HashMap<String, bool>,
    /// The calls that were answered with a task, by its id.
    tasks: BoundedMap<String, ToolCall>,
    search: ProxySearch,
}

enum OpenRequest {
    /// A list: names and schemas, which calls depend on.
    Names,
    Tools(Structured),
    Call(ToolCall),
    /// About a task, which is the work on this call.
    Task(ToolCall, ResultPlace),
}

impl StdioProxy {
    /// A filter with these settings.
    #[must_use]
    pub fn new(settings: HubSettings) -> Self {
        StdioProxy {
            settings,
            client: String::new(),
            asked: BoundedMap::new(REQUESTS, REQUEST_BYTES),
            tools: HashMap::new(),
            tasks: BoundedMap::new(tasks::TASKS, tasks::TASK_BYTES),
            search: ProxySearch::default(),
        }
    }

    /// What becomes of a message of the client.
    pub fn from_client(&mut self, text: &str) -> ProxyStep {
        let step = match Message::read(text) {
            Ok(message) => self.said(&message),
            Err(unreadable) => match batch(text) {
                Some(messages) => ProxyStep::Batch(messages),
                None => self.unread_from_client(text, unreadable),
            },
        };
        // Some readers of lines end one at a carriage return, too, and would read another message than we did.
        let may_be_two = || text.trim_end().contains('\r') && self.access().is_limited();
        match step {
            ProxyStep::Pass if may_be_two() => ProxyStep::Change(text.replace('\r', " ")),
            step => step,
        }
    }

    /// What becomes of a message in a batch of the client. A batch in a batch is no message.
    pub fn from_client_in_batch(&mut self, text: &str) -> ProxyStep {
        match self.from_client(text) {
            ProxyStep::Batch(_) => {
                let why = Unreadable::NotAMessage("a batch has no batch in it");
                self.unread_from_client(text, why)
            }
            step => step,
        }
    }

    /// What becomes of what the client says that is no message. Where a client may not call all tools, none passes that
    /// its server may read in another way.
    pub(crate) fn unread_from_client(&self, text: &str, why: Unreadable) -> ProxyStep {
        if text.trim().is_empty() || !self.access().is_limited() {
            return ProxyStep::Pass;
        }
        let code = match why {
            Unreadable::NotJson => ErrorCode::Parse,
            Unreadable::NotAMessage(_) => ErrorCode::Request,
        };
        ProxyStep::Messages(ProxyMessages::answer(rpc::error(None, code, &why.to_string())))
    }

    fn said(&mut self, message: &Message<'_>) -> ProxyStep {
        if message.method() == CANCELLED && message.sort() == Sort::Notification {
            return self.cancelled(message);
        }
        // A server may do what it is asked without an id, too.
        let is_told = message.method().starts_with(NOTIFICATIONS);
        if message.sort() == Sort::Notification && !is_told && self.access().is_limited() {
            return ProxyStep::Messages(ProxyMessages::default());
        }
        let (Sort::Request, Some(id)) = (message.sort(), message.id()) else {
            return ProxyStep::Pass;
        };
        let info = message.meta(CLIENT_KEY).or_else(|| message.param("clientInfo"));
        if let Some(name) = info.and_then(|info| info.get("name")?.text()) {
            self.client = name.into_owned();
        }
        if let Some(step) = self.searched(message) {
            return step;
        }
        match message.method() {
            "tools/list" => self.remember(id, OpenRequest::Tools(self.structured())),
            "tools/call" => return self.called(message, id),
            // What tasks say about themselves may be a result, and so may an unknown list.
            "prompts/list" | "resources/list" | "resources/templates/list" => {
                self.remember(id, OpenRequest::Names);
            }
            method if tasks::is_about_task(method) => {
                let task = message.text_param("taskId");
                if let Some(call) = task.and_then(|task| self.tasks.get(&*task).cloned()) {
                    let place = ResultPlace::in_answer_to(method);
                    self.remember(id, OpenRequest::Task(call, place));
                }
            }
            _ => {}
        }
        ProxyStep::Pass
    }

    /// The client takes a request back. The server hears of it if it has the request.
    fn cancelled(&mut self, message: &Message<'_>) -> ProxyStep {
        let Some(request) = message.param("requestId") else { return ProxyStep::Pass };
        if let Some(messages) = self.search.cancel(request.raw()) {
            return ProxyStep::Messages(messages);
        }
        self.asked.remove(request.raw());
        ProxyStep::Pass
    }

    /// What becomes of the call of a tool.
    fn called(&mut self, message: &Message<'_>, id: &str) -> ProxyStep {
        let tool = message.text_param("name").filter(|_| !message.says_twice("name"));
        let Some(tool) = tool else { return self.unnamed(id) };
        if let Some(step) = self.expansion(&tool, arguments(message), message) {
            return step;
        }
        if !self.access().allows("", &tool) {
            return ProxyStep::Messages(ProxyMessages::answer(no_tool(id)));
        }
        let is_promised = self.tools.get(&*tool).copied().unwrap_or(false);
        self.remember_call(message, is_promised);
        ProxyStep::Pass
    }

    /// The step for a call that does not say which tool it calls.
    fn unnamed(&self, id: &str) -> ProxyStep {
        if self.access().is_limited() {
            ProxyStep::Messages(ProxyMessages::answer(no_tool(id)))
        } else {
            ProxyStep::Pass
        }
    }

    /// The call of our own tool, if that is what it is.
    fn expansion(&self, tool: &str, arguments: String, message: &Message<'_>) -> Option<ProxyStep> {
        if tool != expand::NAME || !self.offers_expansion() {
            return None;
        }
        let id = message.id()?.to_owned();
        Some(ProxyStep::Expand { id, arguments, era: era(message) })
    }

    /// A call goes on to the server; its answer is known as that.
    fn remember_call(&mut self, message: &Message<'_>, is_promised: bool) {
        let (Some(id), Some(tool)) = (message.id(), message.text_param("name")) else { return };
        let word = message.meta(FORMAT_KEY).and_then(|word| word.text());
        let wanted = word.and_then(|word| word.parse().ok()).unwrap_or_else(|| self.usual());
        let call = ToolCall {
            rule: policy::rule(&self.settings.mcp, "", &tool, wanted),
            // Without headers the client cannot name another.
            stc_version: policy::usual_version(&self.client),
            structured: self.structured(),
            is_promised,
            server: "server".to_owned(),
            tool: tool.into_owned(),
            arguments: arguments(message),
            started: Instant::now(),
        };
        self.remember(id, OpenRequest::Call(call));
    }

    /// What becomes of a message of the server.
    pub fn from_server(&mut self, text: &str) -> ProxyStep {
        let Ok(message) = Message::read(text) else {
            return match batch(text) {
                Some(messages) => ProxyStep::Batch(messages),
                None if text.trim().is_empty() => ProxyStep::Pass,
                None if has_batch(text) => self.batch_in_batch(),
                None => self.unread(),
            };
        };
        let (Sort::Answer, Some(id)) = (message.sort(), message.id()) else {
            return self.unsolicited(text, &message);
        };
        if self.search.is_ours(id) {
            return self.listed(&message);
        }
        match self.asked.remove(id) {
            // Whatever it answers, it must not show what the client may not see.
            None if self.access().is_limited() && is_tool_list(&message) => {
                self.tool_list(text, &message, self.structured())
            }
            None => self.redacted(text, Some(id)),
            Some(OpenRequest::Names) => ProxyStep::Pass,
            Some(OpenRequest::Call(call)) => {
                if let Some(task) = tasks::begun(&message) {
                    self.remember_task(task, call.clone());
                }
                self.answered(call, &message, ResultPlace::Whole)
            }
            Some(OpenRequest::Task(call, place)) => match place.find(&message) {
                Some(_) => self.answered(call, &message, place),
                None => self.redacted(text, Some(id)),
            },
            Some(OpenRequest::Tools(structured)) => self.tool_list(text, &message, structured),
        }
    }

    /// What becomes of a message in a batch of the server.
    pub fn from_server_in_batch(&mut self, text: &str) -> ProxyStep {
        match self.from_server(text) {
            ProxyStep::Batch(_) => self.batch_in_batch(),
            step => step,
        }
    }

    /// What becomes of a server's batch in a batch, which may hold what the client must not see.
    fn batch_in_batch(&self) -> ProxyStep {
        if self.settings.must_redact || self.access().is_limited() {
            let text = "the server's message was not passed on: a batch has no batch in it";
            ProxyStep::Change(rpc::error(None, ErrorCode::Server, text))
        } else {
            ProxyStep::Pass
        }
    }

    /// What becomes of a list of tools: the client gets those that it may call, and our own.
    fn tool_list(
        &mut self,
        text: &str,
        message: &Message<'_>,
        structured: Structured,
    ) -> ProxyStep {
        self.remember_tools(message);
        let mut edits = Edit::new(text);
        let part = ListPart {
            prefix: "",
            answer: message.clone(),
            asked: None,
            drops_schemas: structured == Structured::Drop,
            access: self.access(),
        };
        let own = self.lists_expansion().then(expand::definition);
        list::alone(ListKind::Tools, &part, own, &mut edits);
        if edits.is_empty() {
            ProxyStep::Pass
        } else {
            ProxyStep::Change(edits.done().into_owned())
        }
    }

    /// What becomes of what the server says on its own.
    fn unsolicited(&mut self, text: &str, message: &Message<'_>) -> ProxyStep {
        if let Some(step) = self.tools_changed(message) {
            return step;
        }
        if message.sort() != Sort::Answer && redacted(text.to_owned(), &self.settings).is_err() {
            // The client asked for none of it; but a server that asks the client something must not wait for ever.
            let question =
                message.id().map(|id| rpc::error(Some(id), ErrorCode::Method, UNCHECKED));
            let to_server = question.into_iter().collect();
            return ProxyStep::Messages(ProxyMessages { to_server, ..ProxyMessages::default() });
        }
        let task = tasks::announced(message).filter(|_| tasks::inner_result(message).is_some());
        match task.and_then(|task| self.tasks.get(&task).cloned()) {
            Some(call) => self.answered(call, message, ResultPlace::Inside),
            None => self.redacted(text, None),
        }
    }

    fn answered(&self, call: ToolCall, answer: &Message<'_>, place: ResultPlace) -> ProxyStep {
        let (client, answer) = (self.client.clone(), answer.parsed());
        ProxyStep::Result(Box::new(AnsweredCall { call, client, answer, place }))
    }

    /// Do requests of the client wait here?
    pub(crate) fn is_waiting(&self) -> bool {
        self.search.is_waiting()
    }

    /// What becomes of what is no message, or more than one may have.
    pub(crate) fn unread(&self) -> ProxyStep {
        if self.settings.must_redact {
            ProxyStep::Change(refusal(None, "it is no message of up to 8 MiB"))
        } else {
            ProxyStep::Pass
        }
    }

    /// Must a message that is too long to be read be kept from the client?
    pub(crate) fn holds_back(&self) -> bool {
        self.settings.must_redact || self.access().is_limited() || self.search.is_listing()
    }

    /// What becomes of such a message.
    pub(crate) fn held_back(&mut self, long: &LongMessage) -> ProxyStep {
        let text = "the server's message has more than 8 MiB";
        let told = match (&long.id, long.has_method) {
            (Some(id), false) => {
                let refused = rpc::error(Some(id), ErrorCode::Server, text);
                if let Ok(message) = Message::read(&refused)
                    && self.search.is_ours(id)
                {
                    return self.listed(&message);
                }
                self.asked.remove(id);
                ProxyMessages::answer(refused)
            }
            (Some(id), true) => {
                let to_server = vec![rpc::error(Some(id), ErrorCode::Request, text)];
                ProxyMessages { to_server, ..ProxyMessages::default() }
            }
            (None, true) => ProxyMessages::default(),
            (None, false) => ProxyMessages::answer(refusal(None, text)),
        };
        ProxyStep::Messages(told)
    }

    /// What becomes of a message that a model may read.
    fn redacted(&self, text: &str, id: Option<&str>) -> ProxyStep {
        match redacted(text.to_owned(), &self.settings) {
            Ok(redacted) if redacted == text => ProxyStep::Pass,
            Ok(redacted) => ProxyStep::Change(redacted),
            Err(why) => ProxyStep::Change(refusal(id, &why.to_string())),
        }
    }

    /// Can our own tool be called? Not if the server has one of that name, or another server lists it.
    fn offers_expansion(&self) -> bool {
        let HubSettings { lists_expand_tool, .. } = self.settings;
        let is_theirs = self.tools.contains_key(expand::NAME);
        self.settings.offers_expansion() && lists_expand_tool && !is_theirs
    }

    /// Is it listed? Not for a client that gets results whole.
    fn lists_expansion(&self) -> bool {
        policy::leaves_out(&self.settings.mcp, self.usual()) && self.offers_expansion()
    }

    fn usual(&self) -> Format {
        policy::usual_format(&self.settings.mcp, &self.client)
    }

    fn structured(&self) -> Structured {
        policy::structured(&self.settings.mcp, None, &self.client)
    }

    /// The tools that the client sees and may call.
    fn access(&self) -> ToolAccess<'_> {
        policy::tool_access(&self.settings.mcp, "", &self.client)
    }

    fn remember(&mut self, id: &str, asked: OpenRequest) {
        let bytes = match &asked {
            OpenRequest::Names | OpenRequest::Tools(_) => 0,
            OpenRequest::Call(call) | OpenRequest::Task(call, _) => call.arguments.len(),
        };
        let bytes = bytes + key_bytes(id);
        self.asked.insert(id.to_owned(), asked, bytes);
    }

    fn remember_task(&mut self, task: String, call: ToolCall) {
        let bytes = call.arguments.len() + key_bytes(&task);
        self.tasks.insert(task, call, bytes);
    }

    fn remember_tools(&mut self, message: &Message<'_>) {
        if self.tools.len() >= TOOLS {
            self.tools.clear();
        }
        self.tools.extend(list::promises(message).into_iter().take(TOOLS));
    }
}

impl ProxyMessages {
    fn answer(text: String) -> Self {
        ProxyMessages { to_client: vec![text], ..ProxyMessages::default() }
    }
}

/// The messages of a batch; `None`: it is none.
fn batch(text: &str) -> Option<Vec<String>> {
    let all = Node::read(text).ok()?.elements();
    let is_batch = all.iter().any(|element| Message::read(element.raw()).is_ok());
    is_batch.then(|| all.iter().map(|element| element.raw().to_owned()).collect())
}

/// Is this an array with arrays in it?
fn has_batch(text: &str) -> bool {
    let elements = Node::read(text).map(|node| node.elements()).unwrap_or_default();
    elements.iter().any(|element| element.kind() == ValueKind::Array)
}

fn is_tool_list(message: &Message<'_>) -> bool {
    ListPage::of(message, ListKind::Tools).is_some()
}

fn no_tool(id: &str) -> String {
    rpc::error(Some(id), ErrorCode::Params, "there is no tool of this name")
}

/// The arguments of a call, as JSON.
fn arguments(message: &Message<'_>) -> String {
    message.param("arguments").map_or_else(|| "{}".to_owned(), |node| node.raw().to_owned())
}

fn era(message: &Message<'_>) -> Era {
    if message.meta(VERSION_KEY).is_some() { Era::Modern } else { Era::Legacy }
}

/// The answer to a call in other words; `None`: as it came. Blocks.
fn filtered(
    called: &AnsweredCall,
    settings: &HubSettings,
    originals: &dyn Originals,
    tenant: &str,
) -> Option<String> {
    let AnsweredCall { call, client, answer, place } = called;
    let Ok(checked) = redacted_answer(answer.clone(), settings) else {
        return Some(refusal(answer.view().id(), "what is left of it is no message"));
    };
    let kept = settings.offers_expansion().then_some(originals);
    let message = checked.view();
    let made = work::rewrite_and_store_at(*place, &message, call, settings, kept, tenant);
    if tasks::begun(&message).is_none() {
        originals.rewrote(client, call.outcome(&made.figures), settings.is_observed());
    }
    let is_changed = checked.text() != answer.text();
    made.applied_to(checked.text()).answer.or_else(|| is_changed.then(|| checked.text().to_owned()))
}

/// The answer to a call of our own tool. Blocks.
fn expanded(
    id: &str,
    arguments: &str,
    era: Era,
    originals: &dyn Originals,
    tenant: &str,
) -> String {
    let result = expand::result(arguments, |id| originals.find(tenant, id));
    complete(rpc::result(id, &result), "tools/call", era)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use tokenforge_config::Mcp;

    fn filter() -> StdioProxy {
        let engine = Default::default();
        let settings = HubSettings {
            mcp: Mcp::default(),
            engine,
            expands: true,
            lists_expand_tool: true,
            must_redact: false,
            has_tenants: false,
        };
        StdioProxy::new(settings)
    }

    fn ask(filter: &mut StdioProxy, id: u32, method: &str, params: Value) -> ProxyStep {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        filter.from_client(&message.to_string())
    }

    #[test]
    fn m17_what_is_neither_a_list_nor_a_result_of_tools_passes() {
        let mut filter = filter();
        assert!(matches!(filter.from_client("garbage"), ProxyStep::Pass));
        assert!(matches!(ask(&mut filter, 1, "prompts/list", json!({})), ProxyStep::Pass));
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"prompts":[]}}"#;
        assert!(matches!(filter.from_server(answer), ProxyStep::Pass));
        assert!(matches!(filter.from_server("garbage"), ProxyStep::Pass));
    }

    #[test]
    fn i12_for_a_client_that_shows_the_structured_copy_schemas_and_copies_go_together() {
        let mut filter = filter();
        let client = json!({"clientInfo": {"name": "claude-code", "version": "2"}});
        ask(&mut filter, 0, "initialize", client);
        ask(&mut filter, 1, "tools/list", json!({}));
        let list =
            r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","outputSchema":{}}]}}"#;
        let ProxyStep::Change(shown) = filter.from_server(list) else { panic!("nothing changed") };
        assert!(!shown.contains("outputSchema") && shown.contains(expand::NAME), "{shown}");
        ask(&mut filter, 2, "tools/call", json!({"name": "t"}));
        let ProxyStep::Result(called) =
            filter.from_server(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#)
        else {
            panic!("it was not known what this answers")
        };
        assert_eq!(called.call.structured, Structured::Drop);
    }

    #[test]
    fn the_format_may_come_with_the_call() {
        let mut filter = filter();
        ask(&mut filter, 2, "tools/call", json!({"name": "t", "_meta": {FORMAT_KEY: "TOON"}}));
        let ProxyStep::Result(called) =
            filter.from_server(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#)
        else {
            panic!("it was not known what this answers")
        };
        assert_eq!(called.call.rule.unwrap().format, Format::Toon);
    }

    #[test]
    fn l4_a_call_of_our_own_tool_does_not_reach_the_server() {
        let mut filter = filter();
        let call = json!({"name": expand::NAME, "arguments": {"id": "shadow_x"}});
        let step = ask(&mut filter, 3, "tools/call", call);
        assert!(matches!(step, ProxyStep::Expand { id, .. } if id == "3"));
    }
}
