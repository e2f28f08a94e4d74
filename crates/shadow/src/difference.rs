//! Action comparison: whether two replies to one request do the same thing next.
//!
//! The measure, in the order in which it is asked:
//!
//! - *tool*: the same tools are called, as often, in any order; or none is called by either.
//! - *arguments*, where the tools are the same: equal after JSON is normalised (the order of members, the spelling of numbers
//!   and strings, white space around and inside of strings). Strings of at least [`FREE_TEXT`] words, such as a file's new
//!   content, are the same if they are at least [`ALIKE_ARGUMENT`] alike. Members that say why and not what
//!   ([`REASONS`]) are not looked at.
//! - *text*, where neither calls a tool: at least [`ALIKE_TEXT`] alike.
//!
//! How alike is [`similarity`]: shared words by all words. What is said beside a call is not looked at: the call is
//! what happens next. Where a bound is drawn matters little for harm, since A' is measured by the same bound as B.

use crate::similarity::{similarity, words};
use serde_json::Value;
use tokenforge_providers::{NextAction, ToolCall};

/// A string in arguments with so many words is a text, and not a name or a command.
pub(crate) const FREE_TEXT: usize = 12;

/// How alike texts in arguments are at least, to be the same.
pub(crate) const ALIKE_ARGUMENT: f64 = 0.8;

/// How alike replies in words are at least, to be the same: asked twice, a model says about half of it in other words.
pub(crate) const ALIKE_TEXT: f64 = 0.5;

/// Members of arguments in which agents have a model say why it makes a call.
pub(crate) const REASONS: [&str; 5] =
    ["description", "explanation", "justification", "reasoning", "thought"];

/// In what two next actions differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Difference {
    /// Other tools are called.
    pub tool: bool,
    /// The same tools are called with other arguments.
    pub arguments: bool,
    /// No tool is called, and something else is said.
    pub text: bool,
}

impl Difference {
    /// Compares two actions: which of them comes first does not matter.
    #[must_use]
    pub fn of(one: &NextAction, other: &NextAction) -> Self {
        let (one_calls, other_calls) = (sorted(&one.calls), sorted(&other.calls));
        if !one_calls.iter().map(|call| call.tool).eq(other_calls.iter().map(|call| call.tool)) {
            return Difference { tool: true, ..Difference::default() };
        }
        if one_calls.is_empty() {
            let text = similarity(&one.text, &other.text) < ALIKE_TEXT;
            return Difference { text, ..Difference::default() };
        }
        let pairs = || one_calls.iter().zip(&other_calls);
        let arguments = pairs().any(|(one, other)| !is_same(&one.arguments, &other.arguments));
        Difference { arguments, ..Difference::default() }
    }

    /// Is it another action?
    #[must_use]
    pub fn is_another_action(self) -> bool {
        self.tool || self.arguments || self.text
    }
}

/// A call in an order that does not depend on who made it first.
struct CallInOrder<'c> {
    tool: &'c str,
    arguments: Value,
    spelling: String,
}

fn sorted(calls: &[ToolCall]) -> Vec<CallInOrder<'_>> {
    let mut sorted: Vec<CallInOrder<'_>> = calls.iter().map(CallInOrder::of).collect();
    sorted.sort_by(|one, other| (one.tool, &one.spelling).cmp(&(other.tool, &other.spelling)));
    sorted
}

impl<'c> CallInOrder<'c> {
    fn of(call: &'c ToolCall) -> Self {
        let arguments = arguments(&call.arguments);
        let spelling = arguments.to_string();
        CallInOrder { tool: &call.tool, arguments, spelling }
    }
}

/// Arguments as JSON; those that are none, as some tools take them, are a text. A call without any has no members.
fn arguments(text: &str) -> Value {
    match text.trim() {
        "" => Value::Object(serde_json::Map::new()),
        text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
    }
}

fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64().is_some_and(|number| other.as_f64() == Some(number))
        }
        (Value::String(one), Value::String(other)) => is_same_text(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |name: &&String| !REASONS.contains(&name.as_str());
            let names = one.keys().filter(has);
            names.clone().count() == other.keys().filter(has).count()
                && names.clone().all(|name| {
                    other.get(name).is_some_and(|value| is_same(&one[name.as_str()], value))
                })
        }
        (one, other) => one == other,
    }
}

fn is_same_text(one: &str, other: &str) -> bool {
    if one.split_whitespace().eq(other.split_whitespace()) {
        return true;
    }
    let is_free = |text: &str| words(text).nth(FREE_TEXT - 1).is_some();
    is_free(one) && is_free(other) && similarity(one, other) >= ALIKE_ARGUMENT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(calls: &[(&str, &str)]) -> NextAction {
        let call = |(tool, arguments): &(&str, &str)| ToolCall {
            tool: (*tool).to_owned(),
            arguments: (*arguments).to_owned(),
        };
        NextAction { calls: calls.iter().map(call).collect(), ..NextAction::default() }
    }

    fn says(text: &str) -> NextAction {
        NextAction { text: text.to_owned(), ..NextAction::default() }
    }

    #[track_caller]
    fn differ(one: &NextAction, other: &NextAction) -> (bool, bool, bool) {
        let difference = Difference::of(one, other);
        assert_eq!(difference, Difference::of(other, one), "the order must not matter");
        (difference.tool, difference.arguments, difference.text)
    }

    #[test]
    fn v2_the_same_call_in_another_spelling_is_the_same_action() {
        for (one, other) in [
            (r#"{"path":"a.rs","limit":10}"#, r#"{ "limit": 10.0, "path": "a.rs" }"#),
            (r#"{"command":"cargo  test\n"}"#, r#"{"command":"cargo test"}"#),
            (
                r#"{"command":"ls","description":"List files"}"#,
                r#"{"command":"ls","description":"Show what is there"}"#,
            ),
            (r#"{"command":"ls","description":"List files"}"#, r#"{"command":"ls"}"#),
            ("", "{}"),
            ("not json", " not  json "),
            (r#"{"s":"\u0041"}"#, r#"{"s":"A"}"#),
        ] {
            let pair = (calls(&[("Bash", one)]), calls(&[("Bash", other)]));
            assert_eq!(differ(&pair.0, &pair.1), (false, false, false), "{one} / {other}");
        }
        let (one, other) = (("Read", r#"{"path":"a"}"#), ("Grep", r#"{"pattern":"x"}"#));
        assert_eq!(
            differ(&calls(&[one, other]), &calls(&[other, one])),
            (false, false, false),
            "calls made together have no order"
        );
    }

    #[test]
    fn v2_another_tool_other_arguments_and_another_text_are_told_apart() {
        let read = calls(&[("Read", r#"{"path":"a.rs"}"#)]);
        assert_eq!(differ(&read, &calls(&[("Grep", r#"{"path":"a.rs"}"#)])), (true, false, false));
        assert_eq!(differ(&read, &says("It is done.")), (true, false, false));
        assert_eq!(differ(&read, &calls(&[])), (true, false, false));
        for other in
            [r#"{"path":"b.rs"}"#, r#"{"path":"a.rs","limit":1}"#, "{}", r#"{"path":null}"#]
        {
            assert_eq!(differ(&read, &calls(&[("Read", other)])), (false, true, false), "{other}");
        }
        let twice = calls(&[("Read", r#"{"path":"a.rs"}"#), ("Read", r#"{"path":"a.rs"}"#)]);
        assert_eq!(differ(&read, &twice), (true, false, false));
        assert_eq!(
            differ(&says("All tests pass now."), &says("The build is broken: E0308.")),
            (false, false, true)
        );
        assert_eq!(
            differ(&says("All tests pass now."), &says("Now all the tests pass.")),
            (false, false, false)
        );
    }

    #[test]
    fn v2_a_long_text_in_arguments_may_be_said_in_some_other_words() {
        let text = |last: &str| {
            let body = "fn main prints the sum of all the numbers that stand in the file and";
            calls(&[("Write", &format!(r#"{{"path":"a","content":"{body} {last}"}}"#))])
        };
        assert_eq!(differ(&text("ends"), &text("stops")), (false, false, false));
        let other = calls(&[("Write", r#"{"path":"a","content":"ends"}"#)]);
        assert_eq!(differ(&text("ends"), &other), (false, true, false));
    }
}
