//! Tool declarations of a request, for the ledger: which tools there are, with their tokens, and which were called.
//!
//! Counting the tokens of a list takes milliseconds and an agent has a handful of lists, so those that were counted are
//! remembered. Nothing here decides a byte.

use crate::memo::{Memo, SeededDigest};
use crate::request_tools::{CountedTools, RequestTools};
use crate::schemas::SchemaShortening;
use quick_cache::sync::Cache;
use std::sync::Arc;
use tokenforge_ledger::{BoundedName, DeclaredTools};
use tokenforge_providers::{Dialect, Request, ToolDeclaration, ToolList};
use tokenforge_tokens::Counter;

/// How many lists are remembered.
const LISTS: usize = 500;

/// Lists of tools that were counted.
pub(crate) struct CountedLists(Cache<u128, Arc<CountedTools>>);

impl Default for CountedLists {
    fn default() -> Self {
        CountedLists(Cache::new(LISTS))
    }
}

/// The declarations of a request, and how they are counted.
pub(crate) struct DeclaredLists<'r> {
    pub(crate) request: &'r Request<'r>,
    pub(crate) body: &'r [u8],
    pub(crate) dialect: Dialect,
    pub(crate) counter: Counter,
    pub(crate) shortening: SchemaShortening,
}

impl DeclaredLists<'_> {
    /// Does the request declare any tool?
    pub(crate) fn have_tools(&self) -> bool {
        self.lists().any(|list| !list.declared.is_empty())
    }

    /// The tools, if their lists were counted before.
    pub(crate) fn known(&self, counted: &CountedLists, memo: &Memo) -> Option<RequestTools> {
        counted.0.get(&self.key(memo)).map(|list| self.with_calls(list))
    }

    /// The tools, counted now if they were not before.
    pub(crate) fn count(&self, counted: &CountedLists, memo: &Memo) -> RequestTools {
        let key = self.key(memo);
        let list = counted.0.get(&key).unwrap_or_else(|| {
            let list = Arc::new(self.count_anew());
            counted.0.insert(key, list.clone());
            list
        });
        self.with_calls(list)
    }

    fn lists(&self) -> impl Iterator<Item = &ToolList<'_>> {
        self.request.tools.iter().chain(&self.request.further_tools)
    }

    fn key(&self, memo: &Memo) -> u128 {
        let DeclaredLists { counter, dialect, shortening, .. } = self;
        let mut digest = SeededDigest::new(memo);
        digest.add(format!("{counter:?} {dialect:?} {shortening:?}").as_bytes());
        for list in self.lists() {
            digest.add(self.body.get(list.list.clone()).unwrap_or_default());
        }
        digest.finish()
    }

    fn count_anew(&self) -> CountedTools {
        let text = |span| self.body.get(span).map(String::from_utf8_lossy).unwrap_or_default();
        let tokens = |text: &str| self.counter.count(text) as u64;
        let declared = || self.lists().flat_map(|list| &list.declared);
        let tools = declared().map(|tool| (full_name(tool), tokens(&text(tool.span.clone()))));
        let shortened = self.lists().filter_map(|list| {
            let bytes = self.body.get(list.list.clone()).unwrap_or_default();
            let shorter = self.shortening.apply(bytes)?;
            Some(tokens(&String::from_utf8_lossy(bytes)).saturating_sub(tokens(&shorter)))
        });
        CountedTools {
            tools: DeclaredTools { shortened: shortened.sum(), ..DeclaredTools::new(tools) },
            call_names: declared().map(|tool| tool.name.as_ref().into()).collect(),
        }
    }

    fn with_calls(&self, list: Arc<CountedTools>) -> RequestTools {
        let called = list.called(self.request, self.body);
        RequestTools { list, called }
    }
}

/// A tool's name with its namespace, as Codex joins them elsewhere.
fn full_name(tool: &ToolDeclaration<'_>) -> BoundedName {
    match &tool.namespace {
        Some(namespace) => BoundedName::from(&*format!("{namespace}__{}", tool.name)),
        None => BoundedName::from(&*tool.name),
    }
}
