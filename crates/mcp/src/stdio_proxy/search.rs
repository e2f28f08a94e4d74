//! Tool search between a client and one program: the list that the client gets is constant, and the server's is asked for
//! when the client searches.

use super::{ProxyMessages, ProxyStep, StdioProxy, arguments, era};
use crate::endpoint::complete;
use crate::era::{CAPABILITIES_KEY, CLIENT_KEY, Era, VERSION_KEY};
use crate::expand;
use crate::hub::TOOLS_CHANGED;
use crate::list::{self, ListKind, ListPage};
use crate::message::Message;
use crate::policy;
use crate::redaction::{redacted, refusal};
use crate::rpc::{self, CANCELLED, ErrorCode};
use crate::tool_search::{
    CALL_TOOL, DeclaredTool, FIND_TOOLS, FindQuery, FoundCall, ToolIndex, definitions, found,
    inner_message, searched, unknown_tool, wants_all,
};
use serde_json::json;
use std::sync::Arc;
use tokenforge_config::Structured;
use tokenforge_json::{Node, quote};

/// How many pages of the server's list are read.
const PAGES: usize = 100;

/// How many requests may wait for the list.
const WAITING: usize = 256;

/// The ids of our own requests begin with this.
const OWN: &str = "tokenforge-tools-";

/// The tools that can be searched, once they were listed.
#[derive(Default)]
pub(super) struct ProxySearch {
    known: Option<Arc<ToolIndex>>,
    listing: Option<Listing>,
    /// The client's requests that are answered when the list is there.
    waiting: Vec<String>,
    requests: u64,
}

/// A list that is being read.
struct Listing {
    tools: Vec<DeclaredTool>,
    pages: usize,
    /// What each of our requests says in `_meta`.
    meta: Option<String>,
    /// The list changed meanwhile.
    is_outdated: bool,
}

impl ProxySearch {
    /// Is this the id of a request of our own? Its answer may come when no request waits for it any more.
    pub(super) fn is_ours(&self, id: &str) -> bool {
        let number = id.strip_prefix('"').and_then(|id| id.strip_prefix(OWN)?.strip_suffix('"'));
        number.is_some_and(|number| {
            number.parse().is_ok_and(|number| (1..=self.requests).contains(&number))
        })
    }

    /// Is the list being read?
    pub(super) fn is_listing(&self) -> bool {
        self.listing.is_some()
    }

    /// The client takes back a request that waits here: it is not answered, and does not go on. `None`: none has this id.
    pub(super) fn cancel(&mut self, id: &str) -> Option<ProxyMessages> {
        let is_it = |text: &String| Message::read(text).is_ok_and(|asked| asked.id() == Some(id));
        let at = self.waiting.iter().position(is_it)?;
        self.waiting.remove(at);
        let mut to = ProxyMessages::default();
        if self.waiting.is_empty() && self.listing.take().is_some() {
            // No request waits for the list any more.
            let own = format!(r#"{{"requestId":"{OWN}{}"}}"#, self.requests);
            to.to_server.push(rpc::notification(CANCELLED, Some(&own)));
        }
        Some(to)
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The request for a page.
    fn request(&mut self, cursor: Option<&str>) -> String {
        self.requests += 1;
        let meta = self.listing.as_ref().and_then(|listing| listing.meta.as_deref());
        let cursor = cursor.map(|cursor| format!("\"cursor\":{}", quote(cursor)));
        let meta = meta.map(|meta| format!("\"_meta\":{meta}"));
        let params: Vec<String> = [cursor, meta].into_iter().flatten().collect();
        format!(
            r#"{{"jsonrpc":"2.0","id":"{OWN}{}","method":"tools/list","params":{{{}}}}}"#,
            self.requests,
            params.join(",")
        )
    }
}

impl StdioProxy {
    /// What becomes of a client's message that the search answers; `None`: it does not.
    pub(super) fn searched(&mut self, message: &Message<'_>) -> Option<ProxyStep> {
        let name = message.text_param("name").filter(|_| message.method() == "tools/call");
        let is_call = matches!(name.as_deref(), Some(FIND_TOOLS | CALL_TOOL));
        let is_list = message.method() == "tools/list" && !wants_all(message);
        if !self.settings.searches() || !(is_call || is_list) {
            return None;
        }
        if is_call && message.says_twice("name") {
            return Some(self.unnamed(message.id()?));
        }
        if name.as_deref() == Some(CALL_TOOL)
            && let Ok(call) = FoundCall::read(&arguments(message))
            && let Some(step) = self.expansion(&call.name, call.arguments, message)
        {
            return Some(step);
        }
        let mut messages = ProxyMessages::default();
        self.answer_search(message, true, &mut messages);
        Some(ProxyStep::Messages(messages))
    }

    /// Answers a request, or has the tools listed first.
    fn answer_search(&mut self, message: &Message<'_>, may_wait: bool, to: &mut ProxyMessages) {
        let id = message.id().unwrap_or("null");
        let is_list = message.method() == "tools/list";
        let needs_none = is_list && self.settings.mcp.pinned_tools.is_empty();
        let index = match &self.search.known {
            Some(index) => index.clone(),
            None if needs_none => Arc::default(),
            None => return self.wait(message, to),
        };
        if is_list {
            let answer = rpc::result(id, &self.constant_list(&index));
            to.to_client.push(complete(answer, "tools/list", era(message)));
            return;
        }
        let is_search = message.text_param("name").is_some_and(|name| name == FIND_TOOLS);
        let arguments = arguments(message);
        let told = if is_search {
            FindQuery::read(&arguments)
                .map(|query| found(&index, &query, |tool| self.sees(tool), &[]))
        } else {
            match FoundCall::read(&arguments) {
                Err(text) => Err(text),
                Ok(call) if index.get(&call.name).is_some_and(|tool| self.sees(tool)) => {
                    let text = inner_message(message, &call.name, &call.arguments);
                    if let Ok(inner) = Message::read(&text) {
                        self.remember_call(&inner, false);
                    }
                    to.to_server.push(text);
                    return;
                }
                // It may be new, on a server that does not say so.
                Ok(call) if may_wait && index.get(&call.name).is_none() => {
                    self.search.known = None;
                    return self.wait(message, to);
                }
                Ok(call) => Err(unknown_tool(&index, &call.name, |tool| self.sees(tool))),
            }
        };
        let result = told.map_or_else(|text| rpc::failed_tool(&text), |text| rpc::tool_text(&text));
        // What the server declares is now something that a tool says.
        let answer = redacted(rpc::result(id, &result), &self.settings)
            .unwrap_or_else(|why| refusal(Some(id), &why.to_string()));
        to.to_client.push(complete(answer, "tools/call", era(message)));
    }

    /// The tools of the search, those that are pinned, and our own.
    fn constant_list(&self, index: &ToolIndex) -> String {
        let mut tools: Vec<String> = definitions().map(str::to_owned).to_vec();
        let drops_schema = self.structured() == Structured::Drop;
        let is_pinned = |tool: &&DeclaredTool| {
            policy::is_pinned(&self.settings.mcp, "", &tool.own) && self.sees(tool)
        };
        let pinned = index.tools().iter().filter(is_pinned).filter_map(|tool| {
            Some(list::shown(&Node::read(&tool.text).ok()?, None, drops_schema))
        });
        tools.extend(pinned);
        if self.lists_expansion() {
            tools.push(expand::definition().to_owned());
        }
        format!(r#"{{"tools":[{}]}}"#, tools.join(","))
    }

    fn sees(&self, tool: &DeclaredTool) -> bool {
        self.access().allows("", &tool.own)
    }

    /// The request waits until the server has listed its tools.
    fn wait(&mut self, message: &Message<'_>, to: &mut ProxyMessages) {
        if self.search.waiting.len() >= WAITING {
            let text = "too many requests wait for the server's list of tools";
            to.to_client.push(rpc::error(message.id(), ErrorCode::Internal, text));
            return;
        }
        self.search.waiting.push(message.text().to_owned());
        if self.search.listing.is_none() {
            let meta = introduction(message);
            self.search.listing =
                Some(Listing { tools: Vec::new(), pages: 0, meta, is_outdated: false });
            to.to_server.push(self.search.request(None));
        }
    }

    /// The server listed tools: the next page is asked for, or the waiting requests are answered.
    pub(super) fn listed(&mut self, message: &Message<'_>) -> ProxyStep {
        let mut to = ProxyMessages::default();
        let current = quote(&format!("{OWN}{}", self.search.requests));
        if message.id() != Some(&*current) {
            return ProxyStep::Messages(to);
        }
        let Some(mut listing) = self.search.listing.take() else {
            return ProxyStep::Messages(to);
        };
        let page = ListPage::of(message, ListKind::Tools);
        let is_list = page.is_some();
        if let Some(page) = page {
            self.remember_tools(message);
            let no_server: Arc<str> = "".into();
            listing.tools.extend(
                page.items.iter().filter_map(|item| DeclaredTool::read(item, &no_server, false)),
            );
            listing.pages += 1;
            let goes_on = listing.pages < PAGES && searched(&listing.tools) == listing.tools.len();
            if let Some(next) = page.next.filter(|_| goes_on) {
                self.search.listing = Some(listing);
                to.to_server.push(self.search.request(Some(&*next)));
                return ProxyStep::Messages(to);
            }
        }
        self.search.known = Some(Arc::new(ToolIndex::new(listing.tools)));
        for text in std::mem::take(&mut self.search.waiting) {
            let Ok(asked) = Message::read(&text) else { continue };
            if is_list {
                self.answer_search(&asked, false, &mut to);
            } else {
                to.to_client.push(unlisted(&asked));
            }
        }
        if listing.is_outdated || !is_list {
            self.search.known = None;
        }
        ProxyStep::Messages(to)
    }

    /// What becomes of the word that the tools are others now; `None`: it is no such word, or goes on.
    pub(super) fn tools_changed(&mut self, message: &Message<'_>) -> Option<ProxyStep> {
        if message.method() != TOOLS_CHANGED {
            return None;
        }
        self.search.known = None;
        if let Some(listing) = &mut self.search.listing {
            listing.is_outdated = true;
        }
        // The list that the client has stays the same.
        (!self.settings.lists_change()).then(|| ProxyStep::Messages(ProxyMessages::default()))
    }
}

/// What a request of the modern era says about its client.
fn introduction(message: &Message<'_>) -> Option<String> {
    if era(message) == Era::Legacy {
        return None;
    }
    let said = [VERSION_KEY, CLIENT_KEY, CAPABILITIES_KEY]
        .into_iter()
        .filter_map(|key| Some(format!("{}:{}", json!(key), message.meta(key)?.raw())));
    Some(format!("{{{}}}", said.collect::<Vec<String>>().join(",")))
}

/// The answer to a request that waited for a list which did not come.
fn unlisted(asked: &Message<'_>) -> String {
    let text = "the server did not list its tools";
    let id = asked.id().unwrap_or("null");
    match asked.method() {
        "tools/list" => rpc::error(Some(id), ErrorCode::Server, text),
        _ => complete(rpc::result(id, &rpc::failed_tool(text)), "tools/call", era(asked)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::HubSettings;
    use serde_json::Value;
    use tokenforge_config::{Mcp, McpClient, ToolList};

    fn proxy(set: impl FnOnce(&mut Mcp)) -> StdioProxy {
        let mut mcp = Mcp { tool_list: ToolList::Search, ..Mcp::default() };
        set(&mut mcp);
        StdioProxy::new(HubSettings {
            mcp,
            engine: Default::default(),
            expands: true,
            lists_expand_tool: true,
            must_redact: false,
            has_tenants: false,
        })
    }

    fn ask(proxy: &mut StdioProxy, id: u32, method: &str, params: Value) -> ProxyMessages {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        messages(proxy.from_client(&message.to_string()))
    }

    fn call(proxy: &mut StdioProxy, id: u32, name: &str, arguments: Value) -> ProxyMessages {
        ask(proxy, id, "tools/call", json!({"name": name, "arguments": arguments}))
    }

    fn messages(step: ProxyStep) -> ProxyMessages {
        match step {
            ProxyStep::Messages(messages) => messages,
            other => panic!("{other:?}"),
        }
    }

    /// The server answers its two pages.
    fn list(proxy: &mut StdioProxy, request: &str) -> ProxyMessages {
        let id = |text: &str| serde_json::from_str::<Value>(text).unwrap()["id"].clone();
        let page = |id: Value, tools: Value, next: Value| {
            json!({"jsonrpc": "2.0", "id": id, "result": {"tools": tools, "nextCursor": next}})
                .to_string()
        };
        let first = json!([{"name": "log", "description": "Shows the commits"}]);
        let more = messages(proxy.from_server(&page(id(request), first, json!("2"))));
        assert!(more.to_client.is_empty() && more.to_server[0].contains(r#""cursor":"2""#));
        let second = json!([{"name": "push", "description": "Sends commits", "outputSchema": {}}]);
        let last =
            page(id(&more.to_server[0]), second, json!(null)).replace(",\"nextCursor\":null", "");
        messages(proxy.from_server(&last))
    }

    fn said(messages: &ProxyMessages) -> Value {
        assert_eq!(messages.to_client.len(), 1, "{messages:?}");
        serde_json::from_str(&messages.to_client[0]).unwrap()
    }

    #[test]
    fn m21_the_list_is_constant_and_a_search_asks_the_server() {
        let mut proxy = proxy(|_| {});
        let listed = said(&ask(&mut proxy, 1, "tools/list", json!({})));
        let names: Vec<&Value> = listed["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| &tool["name"])
            .collect();
        assert_eq!(names, ["find_tools", "call_tool"]);
        let asked = call(&mut proxy, 2, FIND_TOOLS, json!({"query": "show commits"}));
        assert!(asked.to_client.is_empty());
        let answer = said(&list(&mut proxy, &asked.to_server[0]));
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(r#"{"name":"log""#), "{text}");
        // Now it is known.
        let again = call(&mut proxy, 3, FIND_TOOLS, json!({"query": "send commits"}));
        assert!(again.to_server.is_empty() && said(&again)["id"] == 3);
        // Until the server says that it changed, of which the client need not hear.
        let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
        let told = messages(proxy.from_server(changed));
        assert!(told.to_client.is_empty() && told.to_server.is_empty());
        assert_eq!(call(&mut proxy, 4, FIND_TOOLS, json!({"query": "x"})).to_server.len(), 1);
    }

    #[test]
    fn m22_a_tool_that_was_found_is_called_under_its_name_and_id() {
        let mut proxy = proxy(|_| {});
        let wanted = json!({"name": "push", "arguments": {"to": "origin"}});
        let asked = call(&mut proxy, 7, CALL_TOOL, wanted);
        let sent = list(&mut proxy, &asked.to_server[0]);
        let sent: Value = serde_json::from_str(&sent.to_server[0]).unwrap();
        assert_eq!(sent["params"], json!({"name": "push", "arguments": {"to": "origin"}}));
        let answer = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#;
        assert!(
            matches!(proxy.from_server(answer), ProxyStep::Result(_)),
            "its result is one of a tool"
        );
    }

    #[test]
    fn m22_an_unknown_name_is_looked_for_once_more_and_then_answered_with_similar_ones() {
        let mut proxy = proxy(|_| {});
        let asked = call(&mut proxy, 1, FIND_TOOLS, json!({"query": "log"}));
        list(&mut proxy, &asked.to_server[0]);
        let asked = call(&mut proxy, 2, CALL_TOOL, json!({"name": "logs", "arguments": {}}));
        assert!(asked.to_client.is_empty(), "it may be new");
        let answer = said(&list(&mut proxy, &asked.to_server[0]));
        assert_eq!(answer["result"]["isError"], true);
        assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("log"));
    }

    #[test]
    fn m23_what_a_client_may_not_call_it_can_neither_find_nor_call() {
        let only = McpClient { tools: Some(vec!["log".to_owned()]), ..McpClient::default() };
        let mut proxy = proxy(|mcp| {
            mcp.clients.insert("*".to_owned(), only);
        });
        let asked = call(&mut proxy, 1, CALL_TOOL, json!({"name": "push", "arguments": {}}));
        let answer = list(&mut proxy, &asked.to_server[0]);
        assert!(answer.to_server.is_empty() && said(&answer)["result"]["isError"] == true);
        let found = said(&call(&mut proxy, 2, FIND_TOOLS, json!({"query": "push commits"})));
        assert!(!found.to_string().contains("Sends"), "{found}");
        assert_eq!(said(&call(&mut proxy, 3, "push", json!({})))["error"]["code"], -32602);
    }

    #[test]
    fn m21_pinned_tools_are_listed_beside_the_search() {
        let mut proxy = proxy(|mcp| mcp.pinned_tools = vec!["push".to_owned()]);
        let asked = ask(&mut proxy, 1, "tools/list", json!({}));
        let listed = said(&list(&mut proxy, &asked.to_server[0]));
        let tools = listed["result"]["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 3);
        assert_eq!(
            tools[2],
            json!({"name": "push", "description": "Sends commits", "outputSchema": {}})
        );
        // Then the client hears of changes.
        let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
        assert!(matches!(proxy.from_server(changed), ProxyStep::Pass));
    }

    #[test]
    fn m21_a_server_that_lists_nothing_leaves_no_request_waiting() {
        let mut proxy = proxy(|_| {});
        let asked = call(&mut proxy, 1, FIND_TOOLS, json!({"query": "x"}));
        let id = serde_json::from_str::<Value>(&asked.to_server[0]).unwrap()["id"].clone();
        let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}});
        let answer = said(&messages(proxy.from_server(&error.to_string())));
        assert_eq!(answer["result"]["isError"], true);
        // And it is asked again.
        assert_eq!(call(&mut proxy, 2, FIND_TOOLS, json!({"query": "x"})).to_server.len(), 1);
    }

    #[test]
    fn m21_in_the_modern_era_our_own_request_says_who_asks() {
        let mut proxy = proxy(|_| {});
        let meta = json!({VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}, CLIENT_KEY: {"name": "t"}, "progressToken": 1});
        let params = json!({"name": FIND_TOOLS, "arguments": {"query": "x"}, "_meta": meta});
        let asked = ask(&mut proxy, 1, "tools/call", params);
        let sent: Value = serde_json::from_str(&asked.to_server[0]).unwrap();
        assert_eq!(
            sent["params"]["_meta"],
            json!({VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}, CLIENT_KEY: {"name": "t"}})
        );
        let answer = said(&list(&mut proxy, &asked.to_server[0]));
        assert_eq!(answer["result"]["resultType"], "complete");
    }
}
