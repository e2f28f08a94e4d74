//! A provider's prompt cache: what it charges for the requests of a session, of which each begins like the one before.

use super::session::MODEL;
use serde_json::Value;
use std::collections::HashMap;
use tokenforge_tokens::{Counter, for_model};

/// The tokens of a text as the provider of the session's model counts them: more than its public stand-in.
fn provider_tokens(text: &str) -> u64 {
    let model = for_model(MODEL);
    (Counter::from(model.vocabulary).count(text) as f64 * model.cost_factor).round() as u64
}

/// The requests of one session, billed one after the other.
#[derive(Default)]
pub(super) struct Bill {
    token_counts: HashMap<String, usize>,
    /// The pieces of every request so far: what the cache has.
    cached: Vec<Vec<String>>,
    /// Tokens that a request had in common with an earlier one, from its beginning on.
    pub(super) read: usize,
    /// All other tokens.
    pub(super) written: usize,
}

impl Bill {
    pub(super) fn of<'r>(requests: impl IntoIterator<Item = &'r Value>) -> Self {
        let mut bill = Bill::default();
        for request in requests {
            bill.add(request);
        }
        bill
    }

    /// Bills one more request: the tokens that are read from the cache for it, and those that are written. All that is not
    /// read is written, as for a client that marks the last block of every request.
    pub(super) fn add(&mut self, request: &Value) -> (usize, usize) {
        let pieces = prompt_pieces(request);
        let longest = self.cached.iter().map(|cached| common(cached, &pieces)).max().unwrap_or(0);
        let tokens: Vec<usize> = pieces.iter().map(|piece| self.tokens(piece)).collect();
        let (read, written) = tokens.split_at(longest);
        let (read, written) = (read.iter().sum(), written.iter().sum());
        self.read += read;
        self.written += written;
        self.cached.push(pieces);
        (read, written)
    }

    /// A session says everything again with every request: it is counted once.
    fn tokens(&mut self, piece: &str) -> usize {
        if let Some(tokens) = self.token_counts.get(piece) {
            return *tokens;
        }
        let tokens = provider_tokens(piece) as usize;
        self.token_counts.insert(piece.to_owned(), tokens);
        tokens
    }
}

/// How much of a request comes again at the beginning of the next: the worst of a session, 1 if it is always all of it.
pub(super) fn stability<'r>(requests: impl IntoIterator<Item = &'r Value>) -> f64 {
    let requests: Vec<_> = requests.into_iter().map(pieces).collect();
    let length = |pieces: &[String]| pieces.iter().map(String::len).sum::<usize>();
    let kept = |pair: &[Vec<String>]| match pair {
        [previous, next] => {
            let kept = &previous[..common(previous, next)];
            length(kept) as f64 / length(previous).max(1) as f64
        }
        _ => 1.0,
    };
    requests.windows(2).map(kept).fold(1.0, f64::min)
}

/// A request as it is written, in the order in which a provider reads it: tools, system, the blocks of every message.
fn pieces(request: &Value) -> Vec<String> {
    let mut pieces = vec![request["tools"].to_string(), request["system"].to_string()];
    for message in request["messages"].as_array().into_iter().flatten() {
        match &message["content"] {
            Value::Array(blocks) => pieces.extend(blocks.iter().map(Value::to_string)),
            text => pieces.push(text.to_string()),
        }
    }
    pieces
}

/// A request in the order in which a provider reads it, as its model does: of a block its text, not how JSON spells it.
fn prompt_pieces(request: &Value) -> Vec<String> {
    let mut pieces = vec![request["tools"].to_string(), request["system"].to_string()];
    for message in request["messages"].as_array().into_iter().flatten() {
        match &message["content"] {
            Value::Array(blocks) => pieces.extend(blocks.iter().map(block_text)),
            text => pieces.push(text.as_str().unwrap_or_default().to_owned()),
        }
    }
    pieces
}

fn block_text(block: &Value) -> String {
    match (&block["text"], &block["content"]) {
        (Value::String(text), _) | (_, Value::String(text)) => text.clone(),
        (_, Value::Array(blocks)) => blocks.iter().map(block_text).collect(),
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

    fn request(texts: &[&str]) -> Value {
        let messages: Vec<_> =
            texts.iter().map(|text| json!({"role": "user", "content": text})).collect();
        json!({"tools": [], "system": "s", "messages": messages})
    }

    #[test]
    fn what_was_sent_before_is_read_from_the_cache() {
        let bill = Bill::of(&[request(&["one two"]), request(&["one two", "three"])]);
        let first = Bill::of(&[request(&["one two"])]);
        assert_eq!((first.read, bill.read), (0, first.written));
        assert!(bill.written > first.written);
    }

    #[test]
    fn a_change_in_the_middle_is_written_again_and_seen() {
        let requests = [request(&["one", "two"]), request(&["other", "two"])];
        assert!(stability(&requests) < 1.0);
        assert!(Bill::of(&requests).written > Bill::of(&requests[..1]).written + 1);
        assert_eq!(stability(&[request(&["one"]), request(&["one", "two"])]), 1.0);
    }
}
