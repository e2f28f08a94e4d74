//! Dialect detection without a request line: in whose shape the elements of a conversation are.
//!
//! Every dialect reads the conversation, and the one that finds most tool results has it: no list of signs beside the
//! readers can say something else than they do.

use crate::dialect::Dialect;
use crate::request::Request;

impl Dialect {
    /// Detects the dialect of a conversation by the tool results in it: `list` is the JSON of a list of messages, items
    /// or contents. Nothing where no dialect finds a result.
    ///
    /// ```
    /// use tokenforge_providers::Dialect;
    ///
    /// let items = r#"[{"type": "function_call_output", "call_id": "c1", "output": "ok"}]"#;
    /// assert_eq!(Dialect::detect_conversation(items), Some(Dialect::OpenAiResponses));
    /// assert_eq!(Dialect::detect_conversation(r#"[{"role": "user", "content": "hi"}]"#), None);
    /// ```
    #[must_use]
    pub fn detect_conversation(list: &str) -> Option<Dialect> {
        let mut best = None;
        let mut most = 0;
        for dialect in Self::ALL.iter().copied() {
            let body = dialect.conversation_body(list);
            let Ok(request) = Request::read(body.as_bytes(), dialect) else { continue };
            if request.answers.len() > most {
                most = request.answers.len();
                // Both are read the same way, so that the first of them would have it always.
                let is_ollama = dialect == Dialect::OpenAiChat && has_plain_arguments(&request);
                best = Some(if is_ollama { Dialect::Ollama } else { dialect });
            }
        }
        best
    }

    /// A body that holds this conversation, a JSON value, and nothing else.
    #[must_use]
    pub fn conversation_body(self, list: &str) -> String {
        format!("{{\"{}\":{list}}}", self.profile().conversation.member)
    }
}

/// OpenAI's calls have their arguments in a string, Ollama's as they are.
fn has_plain_arguments(request: &Request<'_>) -> bool {
    let mut arguments = request.calls.iter().filter_map(|call| call.arguments.as_ref());
    arguments.any(|arguments| !arguments.is_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A conversation with one result in each dialect.
    const CONVERSATIONS: &[(&str, Dialect)] = &[
        (
            r#"[{"role":"user","content":"Go."},
                {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"ls","input":{}}]},
                {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}]"#,
            Dialect::Anthropic,
        ),
        (
            r#"[{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{}"}}]},
                {"role":"tool","tool_call_id":"c1","content":"a"}]"#,
            Dialect::OpenAiChat,
        ),
        (r#"[{"role":"tool","tool_call_id":"c1","content":"a"}]"#, Dialect::OpenAiChat),
        (
            r#"[{"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"},
                {"type":"function_call_output","call_id":"c1","output":"a"}]"#,
            Dialect::OpenAiResponses,
        ),
        (
            r#"[{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}}]},
                {"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"output":"a"}}}]}]"#,
            Dialect::Gemini,
        ),
        (
            r#"[{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"ls","input":{}}}]},
                {"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":[{"text":"a"}]}}]}]"#,
            Dialect::BedrockConverse,
        ),
        (
            r#"[{"role":"assistant","tool_calls":[{"function":{"name":"ls","arguments":{"path":"."}}}]},
                {"role":"tool","tool_name":"ls","content":"a"}]"#,
            Dialect::Ollama,
        ),
    ];

    #[test]
    fn g11_every_conversation_is_known_by_its_results() {
        for (list, dialect) in CONVERSATIONS {
            assert_eq!(Dialect::detect_conversation(list), Some(*dialect), "{list}");
        }
    }

    #[test]
    fn without_results_or_a_list_there_is_no_dialect() {
        let twice = r#"[{"role":"tool","tool_call_id":"c1","content":"a","content":"b"}]"#;
        for list in ["", "[", "[]", "1", r#""text""#, r#"[1,"a",null]"#, twice] {
            assert_eq!(Dialect::detect_conversation(list), None, "{list}");
        }
    }
}
