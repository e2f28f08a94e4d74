//! Whether the expand tool pays for itself in a conversation.
//!
//! Its definition stands in every request. That is nothing beside the prompt and the tools of a coding agent, and it is
//! what makes a chat with three small tools dearer than without us: measured on 209 recorded sessions, 90 were. So it is
//! offered where a tool runs commands, whose outputs are what can be shortened with a reference, and where the prompt is
//! so large that the definition is at most a hundredth of it. Both are the same in every request of a conversation, so
//! that the list of tools, and with it the provider's cache, stays as it is.

use crate::memo::{Memo, SeededDigest};
use quick_cache::sync::Cache;
use tokenforge_engine::tool::ToolKind;
use tokenforge_providers::{Dialect, Request, ToolList, expand_tool};
use tokenforge_tokens::Counter;

/// How many times the tokens of the definition tools and system prompt must have.
const TIMES: usize = 100;

/// How many prompts are known: an agent has a handful.
const PROMPTS: usize = 1_000;

/// Whether tools and prompts are large enough, so that they are counted once.
pub(crate) struct PromptSizes(Cache<u128, bool>);

impl Default for PromptSizes {
    fn default() -> Self {
        PromptSizes(Cache::new(PROMPTS))
    }
}

/// A request, as far as the size of its prompt is concerned.
pub(crate) struct PromptOf<'r> {
    pub(crate) request: &'r Request<'r>,
    pub(crate) body: &'r [u8],
    pub(crate) dialect: Dialect,
}

impl PromptSizes {
    /// Does the tool pay for itself in the conversation of this request?
    pub(crate) fn expand_tool_pays(
        &self,
        memo: &Memo,
        asked: &PromptOf<'_>,
        counter: Counter,
    ) -> bool {
        let PromptOf { request, body, dialect } = *asked;
        let lists = || request.tools.iter().chain(&request.further_tools);
        let has_shell = lists().any(|tools| tools.callable.iter().any(|name| runs_commands(name)));
        let is_prompt_large = |times: usize| {
            let mut tools: Vec<&str> = Vec::new();
            lists().for_each(|list| tools.extend(loaded_parts(list, body)));
            let counted = TokenThreshold { sizes: self, memo, counter, dialect, times };
            counted.have_enough(&tools) || {
                let spans = request.system_prompt(body, dialect).into_iter();
                let prompt = spans.filter_map(|span| text(body, span));
                let all: Vec<&str> = tools.iter().copied().chain(prompt).collect();
                all.len() > tools.len() && counted.have_enough(&all)
            }
        };
        expand_tool_pays(has_shell, is_prompt_large)
    }
}

/// Does a tool of this name run commands?
#[must_use]
pub fn runs_commands(tool: &str) -> bool {
    ToolKind::canonical(tool) == ToolKind::Shell
}

/// Does the expand tool pay for itself in a conversation? `has_shell`: a tool runs commands. `is_prompt_large`: tools and
/// system prompt have at least so many times the tokens of the definition.
pub fn expand_tool_pays(has_shell: bool, is_prompt_large: impl FnOnce(usize) -> bool) -> bool {
    has_shell && is_prompt_large(TIMES)
}

/// How texts are counted.
struct TokenThreshold<'o> {
    sizes: &'o PromptSizes,
    memo: &'o Memo,
    counter: Counter,
    dialect: Dialect,
    /// So many times the tokens of the definition are enough.
    times: usize,
}

impl TokenThreshold<'_> {
    fn have_enough(&self, texts: &[&str]) -> bool {
        let PromptSizes(known) = self.sizes;
        let mut digest = SeededDigest::new(self.memo);
        digest.add(format!("{:?} {:?}", self.counter, self.dialect).as_bytes());
        texts.iter().for_each(|text| digest.add(text.as_bytes()));
        let key = digest.finish();
        if let Some(is_enough) = known.get(&key) {
            return is_enough;
        }
        let definition = self.counter.count(expand_tool(self.dialect));
        let mut missing = definition.saturating_mul(self.times);
        let is_enough = texts.iter().any(|text| {
            // Counted no further than needed.
            match missing.checked_sub(1).and_then(|limit| self.counter.count_within(text, limit)) {
                Some(tokens) => {
                    missing -= tokens;
                    false
                }
                None => true,
            }
        });
        known.insert(key, is_enough);
        is_enough
    }
}

/// The parts of a list of tools that the model is told from the start: those that are deferred do not count.
fn loaded_parts<'b>(tools: &ToolList<'_>, body: &'b [u8]) -> Vec<&'b str> {
    let mut parts = Vec::new();
    let mut from = tools.list.start;
    for deferred in &tools.deferred {
        parts.extend(text(body, from..deferred.start));
        from = deferred.end;
    }
    parts.extend(text(body, from..tools.list.end));
    parts
}

fn text(body: &[u8], span: std::ops::Range<usize>) -> Option<&str> {
    str::from_utf8(body.get(span)?).ok()
}
