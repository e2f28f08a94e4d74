//! The figures of a usage object: read, summed over the replies of a turn, and put right where the client reads them.
//!
//! The client's meter shows how full the context is, so that the figures of the input are those of the last reply. What
//! the model wrote was paid for each time and is summed.

use super::edit::Edit;
use super::usage::{TokenCounts, TurnUsage};
use crate::json::{Kind, Node};

/// What a dialect calls its figures. A member of a member is called `outer.inner`.
pub(crate) struct UsageNames {
    pub(crate) input: &'static str,
    /// Those whose sum is what the model wrote.
    pub(crate) output: &'static [&'static str],
    pub(crate) cache_read: &'static str,
    pub(crate) cache_write: &'static str,
    /// Input and output together.
    pub(crate) total: &'static str,
    /// What else is summed: what is called so, and what is in it.
    pub(crate) also: &'static [&'static str],
}

/// The figures of a turn.
pub(crate) struct UsageFigures {
    names: &'static UsageNames,
    /// Of the reply that is being read.
    last: Vec<(String, u64)>,
    /// The sums over the replies before it.
    earlier: Vec<(String, u64)>,
    usage: TurnUsage,
}

impl UsageFigures {
    pub(crate) fn new(names: &'static UsageNames) -> Self {
        UsageFigures { names, last: Vec::new(), earlier: Vec::new(), usage: TurnUsage::default() }
    }

    pub(crate) fn usage(&self) -> &TurnUsage {
        &self.usage
    }

    /// Takes note of a usage object. A later one of the same reply replaces it: it counts from the reply's start.
    pub(crate) fn note(&mut self, object: &Node<'_>) {
        self.last = read(object).into_iter().map(|(name, _, value)| (name, value)).collect();
        let of = |name: &str| find(&self.last, name);
        let output: Vec<u64> = self.names.output.iter().filter_map(|name| of(name)).collect();
        let tokens = TokenCounts {
            input: of(self.names.input),
            output: (!output.is_empty()).then(|| total(output)),
            cache_read: of(self.names.cache_read),
            cache_write: of(self.names.cache_write),
            cache_write_1h: None,
        };
        self.usage.note(tokens);
    }

    /// The reply is over and another begins.
    pub(crate) fn next_reply(&mut self) {
        self.usage.begin();
        for (name, value) in std::mem::take(&mut self.last) {
            if !self.is_summed(&name) {
                continue;
            }
            match self.earlier.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum = sum.saturating_add(value),
                None => self.earlier.push((name, value)),
            }
        }
    }

    /// Makes a usage object tell of the whole turn.
    pub(crate) fn put_right(&self, object: &Node<'_>, edit: &mut Edit<'_>) {
        if self.earlier.is_empty() {
            return;
        }
        let figures = read(object);
        let own = |name: &str| {
            figures.iter().find(|(known, ..)| known == name).map(|(_, _, value)| *value)
        };
        let outputs = self.names.output;
        let own_output = total(outputs.iter().filter_map(|name| own(name)));
        let output = total(outputs.iter().map(|name| self.sum(name)));
        for (name, node, value) in &figures {
            let right = if name == self.names.total {
                value.saturating_sub(own_output).saturating_add(output)
            } else if self.is_summed(name) {
                self.sum(name)
            } else {
                continue;
            };
            if right != *value {
                edit.replace(node, right.to_string());
            }
        }
        // What only an earlier reply had.
        for name in outputs.iter().filter(|name| own(name).is_none() && self.sum(name) > 0) {
            edit.set(object, name, self.sum(name).to_string());
        }
    }

    fn sum(&self, name: &str) -> u64 {
        let [earlier, last] = [&self.earlier, &self.last].map(|figures| find(figures, name));
        earlier.unwrap_or(0).saturating_add(last.unwrap_or(0))
    }

    fn is_summed(&self, name: &str) -> bool {
        let outer = name.split_once('.').map_or(name, |(outer, _)| outer);
        self.names.output.contains(&name)
            || self.names.also.iter().any(|also| *also == name || *also == outer)
    }
}

fn find(figures: &[(String, u64)], name: &str) -> Option<u64> {
    figures.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
}

fn total(figures: impl IntoIterator<Item = u64>) -> u64 {
    figures.into_iter().fold(0, u64::saturating_add)
}

/// How many figures are read: more than any provider has.
const MOST: usize = 64;

/// The whole numbers of an object and of the objects in it.
fn read<'a>(object: &Node<'a>) -> Vec<(String, Node<'a>, u64)> {
    let mut figures = Vec::new();
    for (outer, node) in object.members() {
        if node.kind() != Kind::Object {
            figures.extend(node.number().map(|value| (outer.into_owned(), node, value)));
            continue;
        }
        for (inner, node) in node.members() {
            figures.extend(node.number().map(|value| (format!("{outer}.{inner}"), node, value)));
        }
    }
    figures.truncate(MOST);
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: UsageNames = UsageNames {
        input: "prompt_tokens",
        output: &["completion_tokens"],
        cache_read: "prompt_tokens_details.cached_tokens",
        cache_write: "",
        total: "total_tokens",
        also: &["completion_tokens_details"],
    };

    fn usage(input: u64, output: u64, reasoning: u64) -> String {
        format!(
            r#"{{"prompt_tokens":{input},"completion_tokens": {output},"total_tokens":{},"prompt_tokens_details":{{"cached_tokens":7}},"completion_tokens_details":{{"reasoning_tokens":{reasoning}}}}}"#,
            input + output
        )
    }

    fn note(figures: &mut UsageFigures, json: &str) -> String {
        let object = Node::read(json).unwrap();
        figures.note(&object);
        let mut edit = Edit::new(json);
        figures.put_right(&object, &mut edit);
        edit.done().into_owned()
    }

    #[test]
    fn g33_what_was_written_is_summed_and_what_was_read_is_of_the_last_reply() {
        let mut figures = UsageFigures::new(&NAMES);
        assert_eq!(note(&mut figures, &usage(100, 5, 3)), usage(100, 5, 3));
        figures.next_reply();
        note(&mut figures, &usage(150, 1, 0));
        let last = note(&mut figures, &usage(150, 20, 4));
        assert_eq!(last, usage(150, 25, 7));
        let TurnUsage { last, sum, .. } = figures.usage();
        assert_eq!((last.input, last.output, last.cache_read), (Some(150), Some(20), Some(7)));
        assert_eq!((sum.input, sum.output, sum.cache_read), (Some(250), Some(25), Some(14)));
    }

    #[test]
    fn a_figure_that_only_an_earlier_reply_had_is_added() {
        let mut figures = UsageFigures::new(&NAMES);
        note(&mut figures, r#"{"completion_tokens":5}"#);
        figures.next_reply();
        let last = note(&mut figures, r#"{"prompt_tokens":9,"total_tokens":9}"#);
        assert_eq!(last, r#"{"prompt_tokens":9,"total_tokens":14,"completion_tokens":5}"#);
    }
}
