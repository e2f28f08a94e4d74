//! Asking the upstream again: the turn that called our tool, and the answers.

mod conversation;

use super::edit::joined;
use crate::dialect::Dialect;
use crate::splice::splice;

/// What comes after a reply of the upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextStep {
    /// The client has its reply.
    Done,
    /// The upstream is to be asked again; its next reply goes on with the client's.
    Ask(HiddenTurn),
}

/// The model's turn that called our tool and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenTurn {
    /// The calls, in order. Each is to be answered.
    pub calls: Vec<InternalCall>,
    dialect: Dialect,
    /// The turn as the provider wrote it: one or more elements of the conversation's list, with commas between.
    said: String,
    /// Where the turn is to be put back into the client's conversation, if it must be.
    pub anchor: Option<ThoughtAnchor>,
    /// The id of the reply, if the provider keeps it and goes on from there.
    kept_reply: Option<String>,
}

/// A thought that the provider sealed, in a turn that called our tool. The client gets the thought without the calls, and
/// the provider may refuse it so: see [`put_back`](crate::put_back).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThoughtAnchor {
    /// What the thought is known by: see [`ThoughtSite`](crate::ThoughtSite).
    pub seal: String,
    /// How many elements of the same reply the client gets behind it.
    pub behind: usize,
    /// The calls as the provider made them, in the order of [`HiddenTurn::calls`].
    pub calls: Vec<String>,
}

/// A call of our own tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InternalCall {
    /// Its id; empty where the dialect has none.
    pub id: String,
    /// What it asks for, as the model wrote it: JSON, maybe invalid.
    pub arguments: String,
}

/// The answer to a call of our own tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpandAnswer {
    /// What the model reads.
    pub text: String,
    /// Whether it says why there is no answer.
    pub is_error: bool,
}

impl HiddenTurn {
    pub(crate) fn new(dialect: Dialect, said: String, calls: Vec<InternalCall>) -> Self {
        HiddenTurn { calls, dialect, said, anchor: None, kept_reply: None }
    }

    pub(crate) fn with_anchor(self, anchor: Option<ThoughtAnchor>) -> Self {
        HiddenTurn { anchor, ..self }
    }

    pub(crate) fn with_kept_reply(self, kept_reply: Option<String>) -> Self {
        HiddenTurn { kept_reply, ..self }
    }

    /// The body to ask again with: the one that was sent, and behind its conversation the turn and the answers, one for
    /// each call in order. Every other byte is the same, so the provider's prompt cache stays warm. Where the provider
    /// keeps the conversation it has the turn already, and the answers alone are said.
    ///
    /// Nothing if the body has no conversation, or the answers are not as many as the calls.
    #[must_use]
    pub fn follow_up(&self, body: &[u8], answers: &[ExpandAnswer]) -> Option<Vec<u8>> {
        if answers.len() != self.calls.len() {
            return None;
        }
        let (api, answers) = (self.dialect.api(), self.answers(answers));
        if let Some(reply) = &self.kept_reply {
            let list = &api.profile().conversation;
            return conversation::continue_from(body, list, reply, &answers);
        }
        splice(body, &[conversation::go_on(body, api, &self.said, &answers)?])
    }

    /// The answers as elements of the conversation's list.
    fn answers(&self, answers: &[ExpandAnswer]) -> String {
        let api = self.dialect.api();
        let results = self.calls.iter().zip(answers);
        let results = results
            .map(|(call, answer)| api.follow_up_result(&call.id, &answer.text, answer.is_error));
        api.follow_up_turn(joined(results))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn turn(dialect: Dialect, ids: &[&str]) -> HiddenTurn {
        let call = |id: &&str| InternalCall { id: (*id).to_owned(), arguments: "{}".to_owned() };
        HiddenTurn::new(dialect, r#"{"said":1}"#.to_owned(), ids.iter().map(call).collect())
    }

    fn answers() -> [ExpandAnswer; 2] {
        let answer = |text: &str, is_error| ExpandAnswer { text: text.to_owned(), is_error };
        [answer("a\"b\n", false), answer("gone", true)]
    }

    #[track_caller]
    fn asked(turn: &HiddenTurn, body: &str) -> Value {
        serde_json::from_slice(&turn.follow_up(body.as_bytes(), &answers()).unwrap()).unwrap()
    }

    #[test]
    fn every_dialect_gets_the_answers_in_its_own_shape() {
        let said = json!({"said": 1});
        let tool = "expand_context";
        for (dialect, ids, list, expected) in [
            (
                Dialect::Anthropic,
                ["1", "2"],
                "messages",
                json!([said, {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "1", "content": "a\"b\n"},
                    {"type": "tool_result", "tool_use_id": "2", "content": "gone", "is_error": true},
                ]}]),
            ),
            (
                Dialect::BedrockConverse,
                ["1", "2"],
                "messages",
                json!([said, {"role": "user", "content": [
                    {"toolResult": {"toolUseId": "1", "content": [{"text": "a\"b\n"}], "status": "success"}},
                    {"toolResult": {"toolUseId": "2", "content": [{"text": "gone"}], "status": "error"}},
                ]}]),
            ),
            (
                Dialect::OpenAiChat,
                ["1", "2"],
                "messages",
                json!([
                    said,
                    {"role": "tool", "tool_call_id": "1", "content": "a\"b\n"},
                    {"role": "tool", "tool_call_id": "2", "content": "gone"},
                ]),
            ),
            (
                Dialect::OpenAiResponses,
                ["1", "2"],
                "input",
                json!([
                    said,
                    {"type": "function_call_output", "call_id": "1", "output": "a\"b\n"},
                    {"type": "function_call_output", "call_id": "2", "output": "gone"},
                ]),
            ),
            (
                Dialect::GeminiInteractions,
                ["1", "2"],
                "input",
                json!([
                    said,
                    {"type": "function_result", "call_id": "1", "name": tool, "result": "a\"b\n"},
                    {"type": "function_result", "call_id": "2", "name": tool, "result": "gone", "is_error": true},
                ]),
            ),
            (
                Dialect::Gemini,
                ["1", ""],
                "contents",
                json!([said, {"role": "user", "parts": [
                    {"functionResponse": {"id": "1", "name": tool, "response": {"output": "a\"b\n"}}},
                    {"functionResponse": {"name": tool, "response": {"error": "gone"}}},
                ]}]),
            ),
            (
                Dialect::Ollama,
                ["1", ""],
                "messages",
                json!([
                    said,
                    {"role": "tool", "tool_call_id": "1", "tool_name": tool, "content": "a\"b\n"},
                    {"role": "tool", "tool_name": tool, "content": "gone"},
                ]),
            ),
        ] {
            let body = format!(r#"{{"{list}":[],"model":"m"}}"#);
            assert_eq!(asked(&turn(dialect, &ids), &body), json!({list: expected, "model": "m"}));
        }
    }

    #[test]
    fn a_text_alone_becomes_the_first_item() {
        let turn = turn(Dialect::OpenAiResponses, &["1", "2"]);
        let body = asked(&turn, r#"{"input":"h\u00e9\n"}"#);
        assert_eq!(body["input"][0], json!({"role": "user", "content": "hé\n"}));
        assert_eq!(body["input"].as_array().unwrap().len(), 4);
    }

    #[test]
    fn what_is_said_in_place_of_steps_becomes_the_first_step() {
        let turn = turn(Dialect::GeminiInteractions, &["1", "2"]);
        let text = |text: &str| json!({"type": "text", "text": text});
        for (sent, contents) in [
            (r#""h\u00e9""#, json!([text("hé")])),
            (r#"{"type":"text","text":"a"}"#, json!([text("a")])),
            (
                r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#,
                json!([text("a"), text("b")]),
            ),
        ] {
            let body = asked(&turn, &format!(r#"{{"input":{sent}}}"#));
            assert_eq!(body["input"][0], json!({"type": "user_input", "content": contents}));
            assert_eq!(body["input"].as_array().unwrap().len(), 4);
        }
        let body = asked(&turn, r#"{"input":{"type":"function_result","call_id":"0"}}"#);
        assert_eq!(body["input"][0], json!({"type": "function_result", "call_id": "0"}));
    }

    #[test]
    fn a_reply_that_the_provider_keeps_is_gone_on_from() {
        let turn = turn(Dialect::GeminiInteractions, &["1", "2"]);
        let turn = turn.with_kept_reply(Some("v1_b".to_owned()));
        for (body, before) in [
            (r#"{"model":"m","input":"hi"}"#, json!({})),
            (r#"{"previous_interaction_id":"v1_a","input":[],"model":"m"}"#, json!({})),
            (r#"{"continuation_token":"t","model":"m"}"#, json!({"continuation_token": null})),
        ] {
            let mut expected = json!({"model": "m", "previous_interaction_id": "v1_b", "input": [
                {"type": "function_result", "call_id": "1", "name": "expand_context", "result": "a\"b\n"},
                {"type": "function_result", "call_id": "2", "name": "expand_context", "result": "gone", "is_error": true},
            ]});
            expected.as_object_mut().unwrap().extend(before.as_object().unwrap().clone());
            assert_eq!(asked(&turn, body), expected, "{body}");
        }
    }

    #[test]
    fn g37_all_other_bytes_of_the_body_stay() {
        let turn = turn(Dialect::Anthropic, &["1", "2"]);
        let body = "{ \"messages\" : [ {\"role\":\"user\"}\n ] , \"tools\":[{\"messages\":[]}] }";
        let asked = turn.follow_up(body.as_bytes(), &answers()).unwrap();
        let asked = String::from_utf8(asked).unwrap();
        let added = asked.replace("{ \"messages\" : [ {\"role\":\"user\"}\n ", "");
        assert!(added.starts_with(",{\"said\":1},"), "{added}");
        assert!(added.ends_with("] , \"tools\":[{\"messages\":[]}] }"), "{added}");
    }

    #[test]
    fn what_has_no_conversation_is_not_asked_again() {
        let turn = turn(Dialect::Anthropic, &["1", "2"]);
        for body in ["", "{}", "{\"messages\":\"hi\"}", "{\"messages\":[]", "[]"] {
            assert_eq!(turn.follow_up(body.as_bytes(), &answers()), None, "{body}");
        }
        assert_eq!(turn.follow_up(b"{\"messages\":[]}", &answers()[..1]), None);
    }
}
