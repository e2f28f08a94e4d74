//! Tool declarations of a request, for the ledger: which tools there are, with their tokens, and which were called.
//!
//! Counting the tokens of a list takes milliseconds and an agent has a handful of lists, so those that were counted are
//! remembered. Nothing here decides a byte.

use super::{RewriteInput, RewritePlan, SchemaShortening};
use crate::memo::SeededDigest;
use quick_cache::sync::Cache;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use tokenforge_ledger::{BoundedName, DeclaredTools};
use tokenforge_providers::{Request, ToolDeclaration, ToolList};
use tokenforge_tokens::Counter;

/// How many lists are remembered.
const LISTS: usize = 500;

/// Lists of tools that were counted.
pub(crate) struct CountedLists(Cache<u128, Arc<CountedTools>>);

/// The tools of a request.
#[derive(Debug, Clone)]
pub(crate) struct RequestTools {
    list: Arc<CountedTools>,
    /// Which of them were called, by their places.
    called: Vec<u16>,
}

#[derive(Debug)]
struct CountedTools {
    tools: DeclaredTools,
    /// What calls name, tool by tool: a namespace is no part of it.
    call_names: Vec<Box<str>>,
}

impl Default for CountedLists {
    fn default() -> Self {
        CountedLists(Cache::new(LISTS))
    }
}

impl RequestTools {
    /// As they are written down.
    pub(crate) fn entry(&self) -> DeclaredTools {
        DeclaredTools { called: self.called.clone(), ..self.list.tools.clone() }
    }
}

/// The tokens of a list have to be counted, and there is no time for it.
pub(super) struct NotCounted;

/// The tools of a request, where somebody wants to know.
pub(super) fn declared_tools(
    input: &RewriteInput,
    plan: &RewritePlan<'_>,
    is_quick: bool,
) -> Result<Option<RequestTools>, NotCounted> {
    let lists: Vec<&ToolList<'_>> = lists(&plan.request).collect();
    let has_tools = lists.iter().any(|list| !list.declared.is_empty());
    let is_billed = input.purpose.is_answered();
    if !has_tools || !is_billed || !input.shared.telemetry.has_ledger() {
        return Ok(None);
    }
    let shortening = SchemaShortening::of(input, plan);
    let CountedLists(known) = &input.shared.counted_lists;
    let key = key(input, &lists, plan.counter(), &shortening);
    let list = match known.get(&key) {
        Some(list) => list,
        None if is_quick => return Err(NotCounted),
        None => {
            let counted = Arc::new(CountedTools::count(input, &lists, plan.counter(), &shortening));
            known.insert(key, counted.clone());
            counted
        }
    };
    let called = list.called(&plan.request, &input.body);
    Ok(Some(RequestTools { list, called }))
}

fn lists<'r, 'a>(request: &'r Request<'a>) -> impl Iterator<Item = &'r ToolList<'a>> {
    request.tools.iter().chain(&request.further_tools)
}

fn key(
    input: &RewriteInput,
    lists: &[&ToolList<'_>],
    counter: Counter,
    shortening: &SchemaShortening,
) -> u128 {
    let mut digest = SeededDigest::new(&input.shared.memo);
    digest.add(format!("{counter:?} {:?} {shortening:?}", input.dialect).as_bytes());
    for list in lists {
        digest.add(input.body.get(list.list.clone()).unwrap_or_default());
    }
    digest.finish()
}

impl CountedTools {
    fn count(
        input: &RewriteInput,
        lists: &[&ToolList<'_>],
        counter: Counter,
        shortening: &SchemaShortening,
    ) -> Self {
        let text = |span| input.body.get(span).map(String::from_utf8_lossy).unwrap_or_default();
        let tokens = |text: &str| counter.count(text) as u64;
        let declared = || lists.iter().flat_map(|list| &list.declared);
        let tools = declared().map(|tool| (full_name(tool), tokens(&text(tool.span.clone()))));
        let shortened = lists.iter().filter_map(|list| {
            let bytes = input.body.get(list.list.clone()).unwrap_or_default();
            let shorter = shortening.apply(bytes)?;
            Some(tokens(&String::from_utf8_lossy(bytes)).saturating_sub(tokens(&shorter)))
        });
        CountedTools {
            tools: DeclaredTools { shortened: shortened.sum(), ..DeclaredTools::new(tools) },
            call_names: declared().map(|tool| tool.name.as_ref().into()).collect(),
        }
    }

    /// Which of them the conversation has called so far.
    fn called(&self, request: &Request<'_>, body: &[u8]) -> Vec<u16> {
        let names = request.calls.iter().filter_map(|call| call.name.as_ref());
        let names: HashSet<Cow<'_, str>> = names.map(|name| name.text(body)).collect();
        let is_called =
            |at: usize| self.call_names.get(at).is_some_and(|name| names.contains(name.as_ref()));
        let places = 0..self.tools.declared.len();
        places.filter(|at| is_called(*at)).filter_map(|at| u16::try_from(at).ok()).collect()
    }
}

/// A tool's name with its namespace, as Codex joins them elsewhere.
fn full_name(tool: &ToolDeclaration<'_>) -> BoundedName {
    match &tool.namespace {
        Some(namespace) => BoundedName::from(&*format!("{namespace}__{}", tool.name)),
        None => BoundedName::from(&*tool.name),
    }
}
