//! A stdio proxy between one client and one server that is a program: results in fewer tokens, all else as it is.
//!
//! [`StdioProxy`] is told every message and says what becomes of it; it does no I/O. [`run_stdio_proxy`] is the shell around it.

mod run;

pub use run::{ProxiedProgram, run_stdio_proxy};

use crate::endpoint::complete;
use crate::era::{CLIENT_KEY, Era, VERSION_KEY};
use crate::expand;
use crate::hub::{HubSettings, Originals};
use crate::list::{self, ListKind};
use crate::message::{Message, Sort};
use crate::policy;
use crate::redaction::{redacted, redacted_answer, refusal};
use crate::result::FORMAT_KEY;
use crate::rpc;
use crate::work::{self, ToolCall};
use std::collections::HashMap;
use std::time::Instant;
use tokenforge_config::Structured;
use tokenforge_formats::negotiate::Format;
use tokenforge_json::Edit;

/// How many requests are remembered until they are answered.
const REQUESTS: usize = 4096;

/// What becomes of a message.
#[derive(Debug)]
pub enum ProxyStep {
    /// It goes on as it is.
    Pass,
    /// This goes on in its place.
    Change(String),
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

/// A call that was answered, and whose it was.
#[derive(Debug, Clone)]
pub struct AnsweredCall(ToolCall, String);

/// Knows what was asked, and so what an answer is about.
pub struct StdioProxy {
    settings: HubSettings,
    client: String,
    asked: HashMap<String, OpenRequest>,
    tools: HashMap<String, bool>,
}

enum OpenRequest {
    /// A greeting, or a list: names and schemas, which calls depend on.
    Names,
    Tools(Structured),
    Call(ToolCall),
}

impl StdioProxy {
    /// A filter with these settings.
    #[must_use]
    pub fn new(settings: HubSettings) -> Self {
        StdioProxy { settings, client: String::new(), asked: HashMap::new(), tools: HashMap::new() }
    }

    /// What becomes of a message of the client.
    pub fn from_client(&mut self, text: &str) -> ProxyStep {
        let Ok(message) = Message::read(text) else { return ProxyStep::Pass };
        let (Sort::Request, Some(id)) = (message.sort(), message.id()) else {
            return ProxyStep::Pass;
        };
        let info = message.meta(CLIENT_KEY).or_else(|| message.param("clientInfo"));
        if let Some(name) = info.and_then(|info| info.get("name")?.text()) {
            self.client = name.into_owned();
        }
        let structured = policy::structured(&self.settings.mcp, None, &self.client);
        match message.method() {
            "tools/list" => self.remember(id, OpenRequest::Tools(structured)),
            "tools/call" => {
                let Some(tool) = message.text_param("name") else { return ProxyStep::Pass };
                let arguments = message.param("arguments");
                let arguments =
                    arguments.map_or_else(|| "{}".to_owned(), |node| node.raw().to_owned());
                if tool == expand::NAME && self.offers_expansion() {
                    let is_modern = message.meta(VERSION_KEY).is_some();
                    let era = if is_modern { Era::Modern } else { Era::Legacy };
                    return ProxyStep::Expand { id: id.to_owned(), arguments, era };
                }
                let word = message.meta(FORMAT_KEY).and_then(|word| word.text());
                let wanted =
                    word.and_then(|word| word.parse().ok()).unwrap_or_else(|| self.usual());
                let call = ToolCall {
                    rule: policy::rule(&self.settings.mcp, "", &tool, wanted),
                    // Without headers nobody can name another.
                    stc_version: policy::usual_version(&self.client),
                    structured,
                    is_promised: self.tools.get(&*tool).copied().unwrap_or(false),
                    server: "server".to_owned(),
                    tool: tool.into_owned(),
                    arguments,
                    started: Instant::now(),
                };
                self.remember(id, OpenRequest::Call(call));
            }
            "initialize" | "server/discover" => self.remember(id, OpenRequest::Names),
            method if method.ends_with("/list") => self.remember(id, OpenRequest::Names),
            _ => {}
        }
        ProxyStep::Pass
    }

    /// What becomes of a message of the server.
    pub fn from_server(&mut self, text: &str) -> ProxyStep {
        let Ok(message) = Message::read(text) else { return self.unread() };
        let (Sort::Answer, Some(id)) = (message.sort(), message.id()) else {
            return self.redacted(text, None);
        };
        match self.asked.remove(id) {
            None => self.redacted(text, Some(id)),
            Some(OpenRequest::Names) => ProxyStep::Pass,
            Some(OpenRequest::Call(call)) => {
                ProxyStep::Result(Box::new(AnsweredCall(call, self.client.clone())))
            }
            Some(OpenRequest::Tools(structured)) => {
                self.tools.extend(list::promises(&message).into_iter().take(REQUESTS));
                let mut edits = Edit::new(text);
                let is_listed = policy::leaves_out(&self.settings.mcp, self.usual());
                let own = (is_listed && self.offers_expansion()).then(expand::definition);
                list::alone(
                    &message,
                    ListKind::Tools,
                    structured == Structured::Drop,
                    own,
                    &mut edits,
                );
                if edits.is_empty() {
                    ProxyStep::Pass
                } else {
                    ProxyStep::Change(edits.done().into_owned())
                }
            }
        }
    }

    /// What becomes of what is no message, or more than one may have.
    pub(crate) fn unread(&self) -> ProxyStep {
        match self.settings.must_redact {
            true => ProxyStep::Change(refusal(None, "it is no message of up to 8 MiB")),
            false => ProxyStep::Pass,
        }
    }

    /// What becomes of a message that a model may read.
    fn redacted(&self, text: &str, id: Option<&str>) -> ProxyStep {
        match redacted(text.to_owned(), &self.settings) {
            Ok(redacted) if redacted == text => ProxyStep::Pass,
            Ok(redacted) => ProxyStep::Change(redacted),
            Err(why) => ProxyStep::Change(refusal(id, &why.to_string())),
        }
    }

    /// Is our own tool listed? Not if the server has one of that name, or another server lists it.
    fn offers_expansion(&self) -> bool {
        let HubSettings { lists_expand_tool, .. } = self.settings;
        let is_theirs = self.tools.contains_key(expand::NAME);
        self.settings.offers_expansion() && lists_expand_tool && !is_theirs
    }

    fn usual(&self) -> Format {
        policy::usual_format(&self.settings.mcp, &self.client)
    }

    fn remember(&mut self, id: &str, asked: OpenRequest) {
        if self.asked.len() >= REQUESTS {
            self.asked.clear();
        }
        self.asked.insert(id.to_owned(), asked);
    }
}

/// The answer to a call in other words; `None`: as it came. Blocks.
fn filtered(
    answer: &str,
    called: &AnsweredCall,
    settings: &HubSettings,
    originals: &dyn Originals,
    tenant: &str,
) -> Option<String> {
    let AnsweredCall(call, client) = called;
    let checked = redacted_answer(answer.to_owned(), settings);
    let kept = settings.offers_expansion().then_some(originals);
    let made = work::rewrite_and_store(&checked, call, settings, kept, tenant);
    originals.rewrote(client, call.outcome(&made.figures), settings.is_observed());
    made.answer.or_else(|| (checked != answer).then_some(checked))
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
        assert_eq!(called.0.structured, Structured::Drop);
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
        assert_eq!(called.0.rule.unwrap().format, Format::Toon);
    }

    #[test]
    fn l4_a_call_of_our_own_tool_does_not_reach_the_server() {
        let mut filter = filter();
        let call = json!({"name": expand::NAME, "arguments": {"id": "shadow_x"}});
        let step = ask(&mut filter, 3, "tools/call", call);
        assert!(matches!(step, ProxyStep::Expand { id, .. } if id == "3"));
    }
}
