//! Putting a call that the client never saw, and its answer, back into the conversation.
//!
//! A model may call one of our tools beside tools of the client. The client gets its own calls only; when it answers
//! them, ours joins them again, so that the model finds every call it made, with an answer.

use super::Request;
use super::sites::{AnswerSite, CallSite};
use super::tools::NAME;
use crate::dialect::Dialect;
use crate::json::canonical;
use crate::json::text::escape_into;
use crate::splice::Splice;
use std::borrow::Cow;

/// A call of ours, and its answer.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'a> {
    /// The client's calls of the same turn: their ids, or their [keys](call_key) where there are none.
    pub siblings: &'a [String],
    /// The call as the model made it: a block, an element of `tool_calls`, an item or a part.
    pub call: &'a str,
    /// The id in it; empty if it has none.
    pub id: &'a str,
    /// The answer.
    pub answer: &'a str,
    /// The answer says what went wrong.
    pub is_error: bool,
}

/// Inserts the call beside the first of its siblings that is in the body, and the answer behind that sibling's answer.
///
/// Nothing if no sibling is there with its answer, or the call is there already.
///
/// ```
/// use tokenforge_dialects::{Dialect, Exchange, Request, rejoin, splice};
///
/// let body = br#"{"input":[{"type":"function_call","call_id":"a","name":"ls","arguments":"{}"},
///   {"type":"function_call_output","call_id":"a","output":"x"}]}"#;
/// let request = Request::read(body, Dialect::OpenAiResponses)?;
/// let call = r#"{"type":"function_call","call_id":"b","name":"expand_context","arguments":"{}"}"#;
/// let siblings = ["a".to_owned()];
/// let exchange = Exchange { siblings: &siblings, call, id: "b", answer: "y", is_error: false };
/// let splices = rejoin(body, Dialect::OpenAiResponses, &request, &exchange).unwrap();
/// let joined = splice(body, &splices).unwrap();
/// assert_eq!(Request::read(&joined, Dialect::OpenAiResponses)?.calls.len(), 2);
/// # Ok::<(), tokenforge_dialects::Refusal>(())
/// ```
#[must_use]
pub fn rejoin(
    body: &[u8],
    dialect: Dialect,
    request: &Request<'_>,
    exchange: &Exchange<'_>,
) -> Option<[Splice<'static>; 2]> {
    let is_ours = |call: &CallSite<'_>| call.id.as_deref() == Some(exchange.id);
    if !exchange.id.is_empty() && request.calls.iter().any(is_ours) {
        return None;
    }
    let is_named = |call: &CallSite<'_>, sibling: &str| call.id.as_deref() == Some(sibling);
    let has_key = |call: &CallSite<'_>, sibling: &str| {
        // Most names tell already; then nothing needs to be spelled anew.
        call.name.as_deref().is_some_and(|name| sibling.starts_with(name))
            && call.key(body).as_deref() == Some(sibling)
    };
    let (call, answer) =
        site(request, exchange, is_named).or_else(|| site(request, exchange, has_key))?;

    let (call, answer) = (call.element.clone()?, answer.element.clone()?.end);
    let with = |json: &str| Cow::Owned(format!(",{json}"));
    // Google wants the signature of a thought on the first call of a turn.
    let is_signed = ["\"thoughtSignature\"", "\"thought_signature\""]
        .iter()
        .any(|member| exchange.call.contains(member));
    let call = if dialect == Dialect::Gemini && is_signed {
        Splice { range: call.start..call.start, with: Cow::Owned(format!("{},", exchange.call)) }
    } else {
        Splice { range: call.end..call.end, with: with(exchange.call) }
    };
    let answer = Splice { range: answer..answer, with: with(&exchange.answered(dialect)) };
    Some([call, answer])
}

/// What tells a call from others where there are no ids: its name and its arguments, however they are spelled.
///
/// ```
/// use tokenforge_dialects::call_key;
///
/// assert_eq!(call_key("f", r#"{"b":1,"a":"\u0062"}"#), call_key("f", r#"{ "a": "b", "b": 1.0 }"#));
/// ```
#[must_use]
pub fn call_key(name: &str, arguments: &str) -> String {
    match arguments.trim() {
        // Nothing is as good as nothing inside.
        "" | "null" => format!("{name}({{}})"),
        arguments => match canonical(arguments) {
            Some(canonical) => format!("{name}({canonical})"),
            None => format!("{name}({arguments})"),
        },
    }
}

/// The first sibling that is found with its answer, each where it was called last.
fn site<'r, 'a>(
    request: &'r Request<'a>,
    exchange: &Exchange<'_>,
    is_sibling: impl Fn(&CallSite<'_>, &str) -> bool,
) -> Option<(&'r CallSite<'a>, &'r AnswerSite<'a>)> {
    exchange.siblings.iter().find_map(|sibling| {
        let index = request.calls.iter().rposition(|call| is_sibling(call, sibling))?;
        let answer = request.answers.iter().find(|answer| answer.call == Some(index))?;
        Some((request.calls.get(index)?, answer))
    })
}

impl Exchange<'_> {
    /// The answer as an element of the list that its sibling's answer stands in.
    fn answered(&self, dialect: Dialect) -> String {
        let (id, text) = (quoted(self.id), quoted(self.answer));
        let of_id = |member: &str| match self.id {
            "" => String::new(),
            _ => format!(r#""{member}":{id},"#),
        };
        match dialect {
            Dialect::Anthropic | Dialect::BedrockInvoke => {
                let is_error = if self.is_error { r#","is_error":true"# } else { "" };
                format!(r#"{{"type":"tool_result","tool_use_id":{id},"content":{text}{is_error}}}"#)
            }
            Dialect::OpenAiChat => {
                format!(r#"{{"role":"tool","tool_call_id":{id},"content":{text}}}"#)
            }
            Dialect::Ollama => {
                let id = of_id("tool_call_id");
                format!(r#"{{"role":"tool",{id}"tool_name":"{NAME}","content":{text}}}"#)
            }
            Dialect::OpenAiResponses => {
                format!(r#"{{"type":"function_call_output","call_id":{id},"output":{text}}}"#)
            }
            Dialect::Gemini => {
                let (id, member) = (of_id("id"), if self.is_error { "error" } else { "output" });
                format!(
                    r#"{{"functionResponse":{{{id}"name":"{NAME}","response":{{"{member}":{text}}}}}}}"#
                )
            }
            Dialect::BedrockConverse => {
                let status = if self.is_error { r#","status":"error""# } else { "" };
                format!(
                    r#"{{"toolResult":{{"toolUseId":{id},"content":[{{"text":{text}}}]{status}}}}}"#
                )
            }
        }
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    escape_into(text, &mut quoted);
    quoted.push('"');
    quoted
}
