//! Conversations as agents send them, made up from a seed: calls of several tools and what they returned.

use super::results::{STAMP, ToolResult};
use bytes::Bytes;
use fastrand::Rng;
use serde_json::{Value, json};

/// So many results take turns as the newest one, so that none is counted or compressed by heart.
const VARIANTS: u64 = 16;

/// The newest result has this many bytes, or half of a smaller conversation.
pub(crate) const NEWEST: usize = 20_000;

/// A conversation of at least so many bytes begins with a prompt as coding agents send it.
const AGENT: usize = 50_000;

/// The prompts of coding agents have 20 to 60 KB, with the tools that they describe. With a small one the expand tool is not
/// offered, nothing is left out, and what is measured is the way of `lossless`.
const PROMPT: usize = 40_000;

/// Whose words a request is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Chat,
    Anthropic,
}

impl Dialect {
    pub(crate) const ALL: [Dialect; 2] = [Dialect::Chat, Dialect::Anthropic];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Dialect::Chat => "OpenAI chat",
            Dialect::Anthropic => "Anthropic",
        }
    }

    pub(crate) fn path(self) -> &'static str {
        match self {
            Dialect::Chat => "/v1/chat/completions",
            Dialect::Anthropic => "/v1/messages",
        }
    }
}

/// What is new in a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    /// Nothing: the same bytes again.
    Nothing,
    /// The newest result, after a history that was seen before.
    Newest,
    /// Every result.
    All,
}

/// A conversation whose results can be made new ones.
pub(crate) struct SyntheticConversation {
    pub(crate) dialect: Dialect,
    /// The same history, and another newest result in each.
    variants: Vec<BodyTemplate>,
}

/// A body with a place in each result that makes it a new one.
struct BodyTemplate {
    body: Bytes,
    stamps: Vec<usize>,
}

impl SyntheticConversation {
    /// About `bytes` in all, the newest result made by `newest`.
    pub(crate) fn new(
        dialect: Dialect,
        bytes: usize,
        newest: fn(&mut Rng, usize) -> ToolResult,
    ) -> Self {
        let variants = newest_results(newest, NEWEST.min(bytes / 2)).map(|newest| {
            let prompt = if bytes < AGENT { String::new() } else { agent_prompt(PROMPT) };
            let around = write_body(dialect, &prompt, &[]).len() + newest.written_len();
            let mut rng = Rng::with_seed(bytes as u64);
            let mut results = history(&mut rng, bytes.saturating_sub(around));
            results.push(newest);
            BodyTemplate::new(dialect, &prompt, &results)
        });
        Self { dialect, variants: variants.collect() }
    }

    /// With these results.
    pub(crate) fn of(dialect: Dialect, results: &[ToolResult]) -> Self {
        Self { dialect, variants: vec![BodyTemplate::new(dialect, "", results)] }
    }

    /// The same, asking for a stream.
    pub(crate) fn into_streaming(mut self) -> Self {
        self.variants.iter_mut().for_each(BodyTemplate::ask_for_stream);
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.variants[0].body.len()
    }

    /// The body of a request; `number` makes what is new in it another every time.
    pub(crate) fn body(&self, news: News, number: u64) -> Bytes {
        let variant = &self.variants[number as usize % self.variants.len()];
        match news {
            News::Nothing => self.variants[0].body.clone(),
            News::Newest => variant.stamp(variant.stamps.len() - 1, number),
            News::All => variant.stamp(0, number),
        }
    }
}

impl BodyTemplate {
    fn new(dialect: Dialect, prompt: &str, results: &[ToolResult]) -> Self {
        let body = write_body(dialect, prompt, results);
        let stamps = body.match_indices(STAMP).map(|(at, _)| at).collect();
        Self { body: body.into(), stamps }
    }

    fn ask_for_stream(&mut self) {
        let start = br#"{"stream":true,"#;
        self.body = [start, &self.body[1..]].concat().into();
        self.stamps.iter_mut().for_each(|at| *at += start.len() - 1);
    }

    /// With the results from the `first` on made new.
    fn stamp(&self, first: usize, number: u64) -> Bytes {
        let mut body = self.body.to_vec();
        let stamp = stamp(number);
        for at in &self.stamps[first..] {
            body[*at..*at + stamp.len()].copy_from_slice(stamp.as_bytes());
        }
        body.into()
    }
}

/// The results that take turns as the newest one.
pub(crate) fn newest_results(
    newest: fn(&mut Rng, usize) -> ToolResult,
    bytes: usize,
) -> impl Iterator<Item = ToolResult> {
    (0..VARIANTS).map(move |seed| newest(&mut Rng::with_seed(seed), bytes))
}

/// As long as [`STAMP`], and another for every number.
pub(crate) fn stamp(number: u64) -> String {
    format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Results of all kinds and of many sizes, about `bytes` together.
fn history(rng: &mut Rng, bytes: usize) -> Vec<ToolResult> {
    let mut results: Vec<ToolResult> = Vec::new();
    let mut left = bytes;
    for kind in ToolResult::KINDS.into_iter().cycle() {
        if left < 400 {
            break;
        }
        let bytes = rng.usize(1_000..12_000).min(left);
        let result = kind(rng, bytes);
        left = left.saturating_sub(result.written_len());
        results.push(result);
    }
    results
}

/// Instructions of about `bytes`, the same every time.
fn agent_prompt(bytes: usize) -> String {
    const WORDS: [&str; 16] = [
        "the", "tool", "reads", "a", "file", "before", "each", "change", "and", "never", "guesses",
        "what", "tests", "have", "to", "say",
    ];
    let mut rng = Rng::with_seed(bytes as u64);
    let mut prompt = String::with_capacity(bytes + 16);
    while prompt.len() < bytes {
        prompt.push_str(WORDS[rng.usize(..WORDS.len())]);
        prompt.push(if rng.u8(..12) == 0 { '\n' } else { ' ' });
    }
    prompt
}

fn write_body(dialect: Dialect, prompt: &str, results: &[ToolResult]) -> String {
    let ask = "Find out why the nightly import fails, and mend it.";
    let mut messages = vec![json!({ "role": "user", "content": ask })];
    if dialect == Dialect::Chat && !prompt.is_empty() {
        messages.insert(0, json!({ "role": "system", "content": prompt }));
    }
    for (index, result) in results.iter().enumerate() {
        let id = format!("call_{index:05}");
        match dialect {
            Dialect::Chat => messages.extend([
                json!({ "role": "assistant", "content": null, "tool_calls": [{
                    "id": id, "type": "function",
                    "function": { "name": result.tool, "arguments": result.arguments.to_string() } }] }),
                json!({ "role": "tool", "tool_call_id": id, "content": result.text }),
            ]),
            Dialect::Anthropic => messages.extend([
                json!({ "role": "assistant", "content": [
                    { "type": "tool_use", "id": id, "name": result.tool, "input": result.arguments }] }),
                json!({ "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": id, "content": result.text }] }),
            ]),
        }
    }
    let tools = ["Bash", "Read", "query"].map(|name| tool(dialect, name));
    match dialect {
        Dialect::Chat => json!({ "model": "gpt-5", "messages": messages, "tools": tools }),
        Dialect::Anthropic => json!({ "model": "claude-sonnet-5", "max_tokens": 4096, "system": prompt, "tools": tools,
            "messages": messages }),
    }
    .to_string()
}

fn tool(dialect: Dialect, name: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { "input": { "type": "string" } } });
    match dialect {
        Dialect::Chat => {
            json!({ "type": "function", "function": { "name": name, "parameters": schema } })
        }
        Dialect::Anthropic => json!({ "name": name, "input_schema": schema }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_about_as_large_as_asked_for() {
        for dialect in Dialect::ALL {
            for bytes in [2_000, 100_000, 1_000_000] {
                let length = SyntheticConversation::new(dialect, bytes, ToolResult::rows).len();
                assert!(length.abs_diff(bytes) < bytes / 5, "{length} bytes for {bytes}");
            }
        }
    }

    #[test]
    fn only_what_is_new_differs() {
        for dialect in Dialect::ALL {
            let conversation =
                SyntheticConversation::new(dialect, 100_000, ToolResult::test_run).into_streaming();
            let differing = |news: News| {
                let (one, other) =
                    (conversation.body(news, VARIANTS), conversation.body(news, 2 * VARIANTS));
                let (one, other) = (contents(dialect, &one), contents(dialect, &other));
                one.iter().zip(&other).filter(|(one, other)| one != other).count()
            };
            assert_eq!(differing(News::Nothing), 0);
            assert_eq!(differing(News::Newest), 1);
            assert!(differing(News::All) > 10);
            assert_eq!(differing(News::All), conversation.variants[0].stamps.len());
        }
    }

    fn contents(dialect: Dialect, body: &[u8]) -> Vec<Value> {
        let body: Value = serde_json::from_slice(body).unwrap();
        let messages = body["messages"].as_array().unwrap().iter().skip(2).step_by(2);
        match dialect {
            Dialect::Chat => messages.map(|message| message["content"].clone()).collect(),
            Dialect::Anthropic => {
                messages.map(|message| message["content"][0]["content"].clone()).collect()
            }
        }
    }
}
