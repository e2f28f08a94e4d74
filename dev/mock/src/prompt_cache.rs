//! A provider's prompt cache: what a request has in common with an earlier one, from its beginning on, is read from it.

use crate::answer::Usage;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// Counts the tokens of a text.
pub(crate) type Count = dyn Fn(&str) -> u64 + Send + Sync;

/// The beginnings of requests, and how their tokens are counted.
pub(crate) struct PromptCache {
    count: Arc<Count>,
    seen: Vec<Vec<String>>,
}

impl fmt::Debug for PromptCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptCache").field("seen", &self.seen.len()).finish_non_exhaustive()
    }
}

impl PromptCache {
    pub(crate) fn new(count: Arc<Count>) -> Self {
        PromptCache { count, seen: Vec::new() }
    }

    /// What is charged for the input of a request: all that is not read is written, as for a client that marks the last
    /// block of every request.
    pub(crate) fn charge(&mut self, request: &Value, usage: Usage) -> Usage {
        let pieces = prompt_pieces(request);
        let cached = self.seen.iter().map(|seen| common(seen, &pieces)).max().unwrap_or(0);
        let tokens =
            |pieces: &[String]| pieces.iter().map(|piece| (self.count)(piece)).sum::<u64>();
        let (read, written) = pieces.split_at(cached);
        let (cache_read, cache_write) = (tokens(read), tokens(written));
        self.seen.push(pieces);
        Usage { input: cache_read + cache_write, cache_read, cache_write, ..usage }
    }
}

/// A request in the order in which a provider reads it: tools, system, the blocks of every message. What a model reads of
/// a block is its text, not how JSON spells it.
#[must_use]
pub fn prompt_pieces(request: &Value) -> Vec<String> {
    let mut pieces = vec![request["tools"].to_string(), request["system"].to_string()];
    for message in request["messages"].as_array().into_iter().flatten() {
        match &message["content"] {
            Value::Array(blocks) => pieces.extend(blocks.iter().map(read)),
            text => pieces.push(text.as_str().unwrap_or_default().to_owned()),
        }
    }
    pieces
}

fn read(block: &Value) -> String {
    match (&block["text"], &block["content"]) {
        (Value::String(text), _) | (_, Value::String(text)) => text.clone(),
        (_, Value::Array(blocks)) => blocks.iter().map(read).collect(),
        _ => block.to_string(),
    }
}

fn common(one: &[String], other: &[String]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_sent_before_is_read_and_the_rest_is_written() {
        let request = |texts: &[&str]| {
            let messages: Vec<_> =
                texts.iter().map(|text| json!({"role": "user", "content": text})).collect();
            json!({"tools": [], "system": "s", "messages": messages})
        };
        let mut cache = PromptCache::new(Arc::new(|text| text.len() as u64));
        let mut charge = |texts: &[&str]| {
            let usage = cache.charge(&request(texts), Usage::default());
            (usage.cache_read, usage.cache_write)
        };
        let (none, first) = charge(&["one"]);
        assert_eq!(none, 0);
        assert_eq!(charge(&["one", "two"]), (first, 3));
        let (read, written) = charge(&["other", "two"]);
        assert!(read < first && written == 8, "{read} {written}");
    }
}
