//! The age of tool results: how many turns of the model came after each.
//!
//! A turn is an assistant message that calls tools. One that only talks is not counted: the formats have no position for it
//! in common, and results then look younger than they are, which is the safe side.

use super::Request;

impl Request<'_> {
    /// How many times the model called tools, one or several at once.
    #[must_use]
    pub fn turn_count(&self) -> usize {
        self.turn_starts().len()
    }

    /// How many turns came after each of the [results](Self::results).
    #[must_use]
    pub fn turns_since_results(&self) -> Vec<usize> {
        let starts = self.turn_starts();
        let since = |at: usize| starts.len() - starts.partition_point(|start| *start < at);
        self.results.iter().map(|result| since(result.span.start)).collect()
    }

    /// Where the calls of each turn begin: those with an answer between them are of different turns.
    fn turn_starts(&self) -> Vec<usize> {
        let mut answers = self.answers.iter().filter_map(|site| Some(site.element.as_ref()?.start));
        let mut next_answer = answers.next();
        let mut starts: Vec<usize> = Vec::new();
        for call in self.calls.iter().filter_map(|site| Some(site.element.as_ref()?.start)) {
            let mut is_answered = starts.is_empty();
            while next_answer.is_some_and(|answer| answer < call) {
                is_answered = true;
                next_answer = answers.next();
            }
            if is_answered {
                starts.push(call);
            }
        }
        starts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dialect;

    /// Three turns, of which the second calls two tools.
    fn turns(body: &str, dialect: Dialect) -> (usize, Vec<usize>) {
        let request = Request::read(body.as_bytes(), dialect).unwrap();
        (request.turn_count(), request.turns_since_results())
    }

    #[test]
    fn decision_33_calls_without_an_answer_between_them_are_of_one_turn() {
        let call = |id: &str| {
            format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"ls"}}}}"#)
        };
        let result =
            |id: &str| format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"text"}}"#);
        let says = |role: &str, blocks: &[String]| {
            format!(r#"{{"role":"{role}","content":[{}]}}"#, blocks.join(","))
        };
        let messages = [
            r#"{"role":"user","content":"go"}"#.to_owned(),
            says("assistant", &[call("a")]),
            says("user", &[result("a")]),
            says("assistant", &[call("b"), call("c")]),
            says("user", &[result("b"), result("c")]),
            says("assistant", &[call("d")]),
            says("user", &[result("d")]),
        ];
        let body = format!(r#"{{"model":"m","messages":[{}]}}"#, messages.join(","));
        assert_eq!(turns(&body, Dialect::Anthropic), (3, vec![2, 1, 1, 0]));
    }

    #[test]
    fn decision_33_the_same_in_chat_completions() {
        let call = |id: &str| {
            format!(
                r#"{{"id":"{id}","type":"function","function":{{"name":"bash","arguments":"{{}}"}}}}"#
            )
        };
        let says = |calls: &[String]| {
            format!(r#"{{"role":"assistant","content":null,"tool_calls":[{}]}}"#, calls.join(","))
        };
        let result =
            |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"text"}}"#);
        let messages = [
            says(&[call("a"), call("b")]),
            result("a"),
            result("b"),
            says(&[call("c")]),
            result("c"),
        ];
        let body = format!(r#"{{"model":"m","messages":[{}]}}"#, messages.join(","));
        assert_eq!(turns(&body, Dialect::OpenAiChat), (2, vec![1, 1, 0]));
    }
}
