//! Unused declarations: tools that requests declare and no conversation calls, and what that costs.
//!
//! A declaration is paid for with every request: written to the provider's cache with the first, read from it with the
//! others. Who calls a tool in one conversation declares it in all, so what counts is whether any did.

use crate::account::EntryAccount;
use crate::declared::DeclaredTool;
use crate::share::round_to;
use crate::{BoundedName, LedgerEntry};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use tokenforge_agents::mcp_tool;

/// Tools beyond this many are only added up: clients choose how many there are.
const TOOLS: usize = 1000;

/// So many lists are held at a time.
const LISTS: usize = 1000;

/// The cost of tool declarations, and the unused ones.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DeclarationReport {
    /// Requests whose list of tools is known.
    pub requests: u64,
    /// Those whose list has no names in what was read.
    pub unnamed: u64,
    /// Tokens of all declarations of all these requests.
    pub tokens: u64,
    /// Those of them that tools have which were never called.
    pub unused_tokens: u64,
    /// What all declarations cost, in dollars, where the price is known.
    pub cost: Option<f64>,
    /// What those of tools cost that were never called.
    pub unused_cost: Option<f64>,
    /// Tokens that schema compression took away.
    pub shortened: u64,
    /// What these would have cost.
    pub shortened_cost: Option<f64>,
    /// The same by agent and MCP server, the dearest first.
    pub servers: Vec<DeclaringServer>,
    /// The tools that were never called, the dearest first.
    pub unused: Vec<UnusedTool>,
}

/// The tools of an MCP server, or those of an agent that are no server's, as far as their names tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeclaringServer {
    /// The agent, as it calls itself.
    pub client: String,
    /// The server.
    pub server: Option<String>,
    /// How many tools it declares.
    pub tools: u64,
    /// How many of them were never called.
    pub unused: u64,
    /// Tokens of all declarations, over all requests.
    pub tokens: u64,
    /// Those of tools that were never called.
    pub unused_tokens: u64,
    /// What those cost, in dollars.
    pub unused_cost: Option<f64>,
}

/// A tool that was declared and never called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnusedTool {
    /// The agent that declares it.
    pub client: String,
    /// The MCP server that it belongs to.
    pub server: Option<String>,
    /// Its name.
    pub tool: String,
    /// Tokens of its declaration, when it was last seen.
    pub declaration: u64,
    /// Requests that declare it.
    pub requests: u64,
    /// The tokens over all these.
    pub tokens: u64,
    /// What they cost, in dollars.
    pub cost: Option<f64>,
}

/// The sums so far.
#[derive(Debug, Default)]
pub(crate) struct DeclarationSums {
    lists: HashMap<BoundedName, Vec<DeclaredTool>>,
    clients: BTreeMap<Option<BoundedName>, BTreeMap<BoundedName, ToolSums>>,
    /// How many tools all clients have.
    tools: usize,
    report: DeclarationReport,
}

#[derive(Debug, Default)]
struct ToolSums {
    declaration: u64,
    requests: u64,
    tokens: u64,
    cost: Option<f64>,
    is_called: bool,
}

impl DeclarationSums {
    /// Remembers the names of a list, which stand in one entry for all of its day: whether that is asked about or not.
    pub(crate) fn learn(&mut self, entry: &LedgerEntry) {
        let Some(tools) = entry.tools.as_ref().filter(|tools| !tools.declared.is_empty()) else {
            return;
        };
        if self.lists.len() >= LISTS {
            self.lists.clear();
        }
        self.lists.insert(tools.list.clone(), tools.declared.clone());
    }

    /// Adds an entry of which this is the account.
    pub(crate) fn add(&mut self, entry: &LedgerEntry, account: &EntryAccount<'_>) {
        let Some(tools) = &entry.tools else { return };
        let report = &mut self.report;
        report.requests += 1;
        report.shortened = report.shortened.saturating_add(tools.shortened);
        add_dollars(&mut report.shortened_cost, account.dollars_declared(tools.shortened));
        let Some(list) = self.lists.get(&tools.list) else {
            report.unnamed += 1;
            return;
        };
        let client = self.clients.entry(entry.client.clone()).or_default();
        for (at, tool) in list.iter().enumerate() {
            let cost = account.dollars_declared(tool.tokens);
            report.tokens = report.tokens.saturating_add(tool.tokens);
            add_dollars(&mut report.cost, cost);
            if tool.is_others() || (self.tools >= TOOLS && !client.contains_key(&tool.name)) {
                continue;
            }
            let sums = client.entry(tool.name.clone()).or_insert_with(|| {
                self.tools += 1;
                ToolSums::default()
            });
            sums.declaration = tool.tokens;
            sums.requests += 1;
            sums.tokens = sums.tokens.saturating_add(tool.tokens);
            add_dollars(&mut sums.cost, cost);
            sums.is_called |= tools.called.iter().any(|called| usize::from(*called) == at);
        }
    }

    /// What it comes to; nothing if no request said what it declares.
    pub(crate) fn report(&self) -> Option<DeclarationReport> {
        if self.report.requests == 0 {
            return None;
        }
        let mut report = self.report.clone();
        let mut servers: BTreeMap<(String, Option<String>), DeclaringServer> = BTreeMap::new();
        for (client, tools) in &self.clients {
            let named = client.as_ref().map(BoundedName::as_str);
            let client = named.unwrap_or("(unknown)");
            for (tool, sums) in tools {
                let server = mcp_tool(named, tool.as_str()).map(|(server, _)| server.to_owned());
                let key = (client.to_owned(), server.clone());
                let group = servers.entry(key).or_insert_with(|| DeclaringServer {
                    client: client.to_owned(),
                    server: server.clone(),
                    tools: 0,
                    unused: 0,
                    tokens: 0,
                    unused_tokens: 0,
                    unused_cost: None,
                });
                group.tools += 1;
                group.tokens = group.tokens.saturating_add(sums.tokens);
                if sums.is_called {
                    continue;
                }
                group.unused += 1;
                group.unused_tokens = group.unused_tokens.saturating_add(sums.tokens);
                add_dollars(&mut group.unused_cost, sums.cost);
                report.unused_tokens = report.unused_tokens.saturating_add(sums.tokens);
                add_dollars(&mut report.unused_cost, sums.cost);
                report.unused.push(UnusedTool {
                    client: client.to_owned(),
                    server,
                    tool: tool.to_string(),
                    declaration: sums.declaration,
                    requests: sums.requests,
                    tokens: sums.tokens,
                    cost: sums.cost.map(round),
                });
            }
        }
        report.unused.sort_by_key(|tool| std::cmp::Reverse(tool.tokens));
        report.servers = servers.into_values().collect();
        report.servers.sort_by_key(|server| std::cmp::Reverse(server.unused_tokens));
        report.servers.iter_mut().for_each(|it| it.unused_cost = it.unused_cost.map(round));
        for cost in [&mut report.cost, &mut report.unused_cost, &mut report.shortened_cost] {
            *cost = cost.map(round);
        }
        Some(report)
    }
}

fn add_dollars(sum: &mut Option<f64>, more: Option<f64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0.0) + more);
    }
}

fn round(dollars: f64) -> f64 {
    round_to(dollars, 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeclaredTools, EntrySource, ModelPrices, TokenUsage};

    const MILLION: u64 = 1_000_000;

    /// A request of Claude Code; its tools have a million tokens each.
    fn entry(called: &[&str], usage: Option<TokenUsage>) -> LedgerEntry {
        let mut entry = LedgerEntry::new(EntrySource::Gateway, 100);
        entry.client = Some("claude-cli".into());
        entry.model = Some("gpt-5.4".into());
        entry.usage = usage;
        let names = ["Bash", "mcp__files__read", "mcp__files__write", "mcp__web__fetch"];
        let tools = DeclaredTools::new(names.map(|name| (name.into(), MILLION)));
        let places = (0..).zip(names).filter(|(_, name)| called.contains(name));
        entry.tools = Some(DeclaredTools { called: places.map(|(at, _)| at).collect(), ..tools });
        entry
    }

    fn report(entries: &[LedgerEntry]) -> Option<DeclarationReport> {
        let (mut sums, prices) = (DeclarationSums::default(), ModelPrices::default());
        for entry in entries {
            sums.learn(entry);
            sums.add(entry, &EntryAccount::new(entry, &prices));
        }
        sums.report()
    }

    #[test]
    fn u2_tools_never_called_are_named_by_client_and_server_with_their_price() {
        let read = Some(TokenUsage { cache_read: Some(9), ..TokenUsage::default() });
        let first = entry(
            &["Bash"],
            Some(TokenUsage { input: 9, cache_read: Some(0), ..TokenUsage::default() }),
        );
        let mut second = entry(&["Bash", "mcp__files__read"], read);
        second.tools.as_mut().unwrap().declared.clear();
        let found = report(&[first, second]).unwrap();
        assert_eq!((found.requests, found.unnamed), (2, 0));
        assert_eq!((found.tokens, found.unused_tokens), (8 * MILLION, 4 * MILLION));
        let unused: Vec<_> =
            found.unused.iter().map(|tool| (&*tool.tool, tool.server.as_deref())).collect();
        assert_eq!(
            unused,
            [("mcp__files__write", Some("files")), ("mcp__web__fetch", Some("web"))]
        );
        // In full at first, from the cache afterwards: 2.50 and 0.25 dollars a million.
        assert_eq!(found.unused[0].cost, Some(2.75));
        assert_eq!((found.unused[0].requests, found.unused[0].declaration), (2, MILLION));
        assert_eq!((found.cost, found.unused_cost), (Some(11.0), Some(5.5)));
        let servers: Vec<_> =
            found.servers.iter().map(|it| (it.server.as_deref(), it.tools, it.unused)).collect();
        assert_eq!(servers, [(Some("files"), 2, 1), (Some("web"), 1, 1), (None, 1, 0)]);
    }

    #[test]
    fn u2_what_was_not_recorded_is_not_guessed() {
        let mut silent = entry(&[], None);
        silent.tools = None;
        assert_eq!(report(&[silent]), None);
        // The names were in an entry that is gone.
        let mut named = entry(&["Bash"], None);
        named.tools.as_mut().unwrap().declared.clear();
        let found = report(&[named]).unwrap();
        assert_eq!((found.requests, found.unnamed, found.unused.len()), (1, 1, 0));
    }

    #[test]
    fn u2_a_subscription_has_tokens_and_no_price() {
        let mut entry = entry(&[], None);
        entry.subscription = true;
        let found = report(&[entry]).unwrap();
        assert_eq!((found.unused_tokens, found.unused_cost), (4 * MILLION, None));
    }
}
