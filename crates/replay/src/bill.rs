//! What a provider with a prompt cache charges for the requests of a conversation.

use std::collections::HashMap;
use std::rc::Rc;
use tokenforge_tokens::Counter;

/// What a token costs that was in the request before, as a part of the full price.
const CACHED: f64 = 0.1;

/// What a token costs that is new and is written to the cache.
const WRITTEN: f64 = 1.25;

/// The requests of one conversation, billed one after the other.
#[derive(Debug, Default)]
pub struct Bill {
    cost: f64,
    stability: f64,
    previous: Option<Request>,
}

#[derive(Debug, Default)]
struct Request {
    texts: Vec<Rc<str>>,
    tokens: usize,
}

impl Bill {
    /// Adds a request, given as the texts it consists of.
    pub fn add(&mut self, texts: Vec<Rc<str>>, tally: &mut Tally) {
        let tokens = texts.iter().map(|text| tally.count(text)).sum();
        let cached = match &self.previous {
            Some(previous) => common_prefix(&previous.texts, &texts, tally),
            None => 0,
        };
        let part_kept = match &self.previous {
            Some(previous) if previous.tokens > 0 => cached as f64 / previous.tokens as f64,
            _ => 1.0,
        };
        self.stability = if self.previous.is_some() { self.stability.min(part_kept) } else { 1.0 };
        self.cost += cached as f64 * CACHED + (tokens - cached) as f64 * WRITTEN;
        self.previous = Some(Request { texts, tokens });
    }

    /// The bill so far, in tokens of full price.
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// How much of a request the next one left as it was, at worst.
    pub fn prefix_stability(&self) -> f64 {
        if self.previous.is_some() { self.stability } else { 1.0 }
    }
}

/// The tokens of what two requests begin with.
fn common_prefix(previous: &[Rc<str>], next: &[Rc<str>], tally: &mut Tally) -> usize {
    let same = previous.iter().zip(next).take_while(|(a, b)| a == b).count();
    let whole: usize = next[..same].iter().map(|text| tally.count(text)).sum();
    let part = match (previous.get(same), next.get(same)) {
        (Some(a), Some(b)) => tally.count(common_start(a, b)),
        _ => 0,
    };
    whole + part
}

fn common_start<'a>(a: &'a str, b: &str) -> &'a str {
    let same = a.char_indices().zip(b.chars()).take_while(|((_, a), b)| a == b);
    let end = same.last().map_or(0, |((at, char), _)| at + char.len_utf8());
    &a[..end]
}

/// Counts tokens, each text once: a conversation repeats all it said with every request.
#[derive(Debug, Default)]
pub struct Tally {
    counter: Counter,
    known: HashMap<Box<str>, usize>,
}

impl Tally {
    /// Counts with this counter.
    pub fn new(counter: Counter) -> Self {
        Tally { counter, known: HashMap::new() }
    }

    /// The tokens of a text.
    pub fn count(&mut self, text: &str) -> usize {
        if let Some(tokens) = self.known.get(text) {
            return *tokens;
        }
        let tokens = self.counter.count(text);
        self.known.insert(text.into(), tokens);
        tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<Rc<str>> {
        texts.iter().map(|text| Rc::from(*text)).collect()
    }

    #[test]
    fn what_was_sent_before_costs_a_tenth() {
        let mut tally = Tally::default();
        let mut bill = Bill::default();
        bill.add(texts(&["one two three four"]), &mut tally);
        assert_eq!(bill.cost(), 4.0 * WRITTEN);
        bill.add(texts(&["one two three four", "five"]), &mut tally);
        assert_eq!(bill.cost(), 4.0 * WRITTEN + 4.0 * CACHED + 1.0 * WRITTEN);
        assert_eq!(bill.prefix_stability(), 1.0);
    }

    #[test]
    fn a_change_in_the_middle_is_paid_from_there_on() {
        let mut tally = Tally::default();
        let mut bill = Bill::default();
        bill.add(texts(&["one two", "three four"]), &mut tally);
        bill.add(texts(&["one two", "other four"]), &mut tally);
        assert_eq!(bill.prefix_stability(), 0.5);
    }
}
