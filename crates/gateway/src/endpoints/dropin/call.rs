//! Guardrail calls: in which shapes other gateways send a conversation, and in which each takes it back.
//!
//! | caller | sends | takes |
//! |---|---|---|
//! | LiteLLM's `headroom`, agentgateway's webhook with `messageFormat: raw`, programs | `messages`, `input` or `contents` | the same member, and figures |
//! | Portkey's `default.webhook` | `{"eventType", "request": {"json": {…}}}` | `{"verdict", "transformedData": {"request": {"json": {…}}}}` |
//! | agentgateway's webhook | `{"body": {"messages": […]}}` | `{"action": {…}}`: with a `body` to take, else nothing to do |
//!
//! More may be in it: whatever it is comes through the conversation only.

use crate::answer::{Problem, unchecked_problem};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::ops::Range;
use tokenforge_providers::{Dialect, Request};

const EXPECTED: &str = "expected {\"messages\": […]}, or \"input\" or \"contents\" in its place";

/// What a caller says when it can fetch originals. Headroom's callers do; without it nothing may be left out.
const CAN_FETCH: &str = "ccr";

/// The hook of Portkey's in which a request can be changed.
const BEFORE_REQUEST: &str = "beforeRequestHook";

/// A call of another gateway.
pub(super) struct GuardrailCall {
    protocol: GuardrailProtocol,
    /// What is given back: the conversation, or the request that it stands in. A JSON document, or empty.
    document: Bytes,
    /// Where the conversation stands in it, a JSON list, or an element of one alone. Nothing if there is none: then there is nothing to do.
    list: Option<Range<usize>>,
    pub(super) model: Option<String>,
    /// What it asks of us in a member of our own.
    pub(super) options: Option<String>,
    /// It can fetch what is left out, and says so.
    pub(super) can_fetch: bool,
    /// Secrets were taken out of it.
    pub(super) is_redacted: bool,
}

/// How a caller takes a conversation back.
enum GuardrailProtocol {
    /// Under this name.
    Member(&'static str),
    /// In the request that it stood in.
    Portkey,
    /// As an action.
    Agentgateway,
}

#[derive(Deserialize)]
struct CallBody<'a> {
    #[serde(borrow)]
    messages: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    contents: Option<&'a RawValue>,
    #[serde(borrow)]
    model: Option<&'a RawValue>,
    #[serde(borrow)]
    config: Option<&'a RawValue>,
    #[serde(borrow, rename = "_forge")]
    forge: Option<&'a RawValue>,
    #[serde(borrow)]
    request: Option<&'a RawValue>,
    #[serde(borrow, rename = "eventType")]
    event: Option<&'a RawValue>,
    #[serde(borrow)]
    body: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct CallConfig {
    mode: String,
}

#[derive(Deserialize)]
struct HookRequest<'a> {
    #[serde(borrow)]
    json: Option<&'a RawValue>,
}

impl GuardrailCall {
    /// Reads the body of a call.
    pub(super) fn read(body: &Bytes) -> Result<Self, Problem> {
        let wrong = |why: String| Problem::bad_request(format!("{EXPECTED}: {why}"));
        let call: CallBody<'_> =
            serde_json::from_slice(body).map_err(|error| wrong(error.to_string()))?;
        if let Some((member, conversation)) = call.conversation() {
            // Google's Interactions take a text or a step alone.
            let may_be_alone = member == "input" && conversation.get().starts_with('{');
            if !conversation.get().starts_with(['[', '"']) && !may_be_alone {
                return Err(wrong(format!("{member} is no list")));
            }
            let document = body.slice_ref(conversation.get().as_bytes());
            let read = call.over(GuardrailProtocol::Member(member), document);
            return Ok(read.with_list(conversation));
        }
        if let Some(request) = call.request {
            let hook: HookRequest<'_> =
                serde_json::from_str(request.get()).map_err(|error| wrong(error.to_string()))?;
            let is_before = call.event.and_then(text).is_some_and(|event| event == BEFORE_REQUEST);
            let Some(json) = hook.json.filter(|_| is_before) else {
                return Ok(call.over(GuardrailProtocol::Portkey, Bytes::new()));
            };
            let document = body.slice_ref(json.get().as_bytes());
            // What is no object has no conversation, and only the provider may complain about it.
            let Ok(asked) = serde_json::from_str::<CallBody<'_>>(json.get()) else {
                return Ok(call.over(GuardrailProtocol::Portkey, document));
            };
            let read = call.over(GuardrailProtocol::Portkey, document);
            let read = GuardrailCall { model: asked.model.and_then(text), ..read };
            return Ok(match asked.conversation() {
                Some((_, conversation)) => read.with_list(conversation),
                None => read,
            });
        }
        let Some(inner) = call.body else { return Err(wrong("it has none of them".to_owned())) };
        let inner = serde_json::from_str::<CallBody<'_>>(inner.get()).ok();
        let Some(messages) = inner.and_then(|inner| inner.messages) else {
            return Ok(call.over(GuardrailProtocol::Agentgateway, Bytes::new()));
        };
        let document = body.slice_ref(messages.get().as_bytes());
        Ok(call.over(GuardrailProtocol::Agentgateway, document).with_list(messages))
    }

    /// With the conversation at this place of its document.
    fn with_list(self, conversation: &RawValue) -> Self {
        let is_list = conversation.get().starts_with(['[', '{']);
        let list = range_in(&self.document, conversation).filter(|_| is_list);
        GuardrailCall { list, ..self }
    }

    /// The conversation, if it is a list, or an element of one alone.
    pub(super) fn list(&self) -> Option<&str> {
        let list = self.document.get(self.list.clone()?)?;
        str::from_utf8(list).ok()
    }

    /// What is to be looked through for secrets: all that is given back. In no dialect every string counts.
    pub(super) fn checked_document(&self, dialect: Dialect) -> (Bytes, Option<Dialect>) {
        match (&self.protocol, self.list()) {
            (_, None) => (self.document.clone(), None),
            (GuardrailProtocol::Portkey, _) => (self.document.clone(), Some(dialect)),
            (_, Some(list)) => (dialect.conversation_body(list).into(), Some(dialect)),
        }
    }

    /// The same call without secrets: with this in place of what was looked through.
    pub(super) fn redacted(self, checked: Bytes, dialect: Dialect) -> Result<Self, Problem> {
        let is_redacted = true;
        if self.list.is_none() {
            return Ok(GuardrailCall { document: checked, is_redacted, ..self });
        }
        if let GuardrailProtocol::Portkey = self.protocol {
            let asked: CallBody<'_> = serde_json::from_slice(&checked)
                .map_err(|error| unchecked_problem(&error.to_string()))?;
            let list = asked.conversation().and_then(|(_, list)| range_in(&checked, list));
            return Ok(GuardrailCall { document: checked, list, is_redacted, ..self });
        }
        let document = conversation_in(&checked, dialect);
        Ok(GuardrailCall { list: Some(0..document.len()), document, is_redacted, ..self })
    }

    /// Does each result have to name its call, or else be left as it is? In agentgateway's usual format a message has a
    /// role and a text and no more, and what is given back takes the place of the whole.
    pub(super) fn needs_call_ids(&self) -> bool {
        matches!(self.protocol, GuardrailProtocol::Agentgateway)
    }

    /// The conversation given back, as it was made or as it came, with figures about it.
    pub(super) fn answer(&self, made: Option<&str>, figures: &Value) -> String {
        let is_changed = made.is_some() || self.is_redacted;
        let document = str::from_utf8(&self.document).unwrap_or_default();
        let list = self.list.clone().unwrap_or_default();
        // Conversations are put in as they are written: nothing in them may be spelled anew.
        match self.protocol {
            GuardrailProtocol::Member(member) => {
                let (list, figures) = (made.unwrap_or(document), figures.to_string());
                format!("{{\"{member}\":{list},{}", figures.get(1..).unwrap_or_default())
            }
            GuardrailProtocol::Portkey if is_changed => {
                let before = document.get(..list.start).unwrap_or_default();
                let behind = document.get(list.end..).unwrap_or_default();
                let list = made.or(document.get(list)).unwrap_or_default();
                format!(
                    "{{\"verdict\":true,\"transformedData\":{{\"request\":{{\"json\":{before}{list}{behind}}}}},\"data\":{figures}}}"
                )
            }
            GuardrailProtocol::Portkey => json!({"verdict": true, "data": figures}).to_string(),
            GuardrailProtocol::Agentgateway if is_changed => {
                let (list, reason) = (made.unwrap_or(document), reason(figures));
                format!("{{\"action\":{{\"body\":{{\"messages\":{list}}},\"reason\":{reason}}}}}")
            }
            GuardrailProtocol::Agentgateway => {
                json!({"action": {"reason": "nothing to make smaller"}}).to_string()
            }
        }
    }
}

/// Does each result of a conversation name its call?
pub(super) fn has_call_ids(list: &str, dialect: Dialect) -> bool {
    let body = dialect.conversation_body(list);
    let request = Request::read(body.as_bytes(), dialect);
    request.is_ok_and(|request| request.answers.iter().all(|answer| answer.call_id.is_some()))
}

/// The conversation in a [body](Dialect::conversation_body) that holds nothing else.
pub(super) fn conversation_in(body: &Bytes, dialect: Dialect) -> Bytes {
    let before = dialect.conversation_body("").len() - 1;
    let end = body.len().saturating_sub(1);
    body.slice(before.min(end)..end)
}

/// Why a conversation is to be taken back, as a JSON string.
fn reason(figures: &Value) -> Value {
    let figure = |name| figures.get(name).and_then(Value::as_u64).unwrap_or_default();
    format!("{} tokens of tool results became {}", figure("tokens_before"), figure("tokens_after"))
        .into()
}

impl<'a> CallBody<'a> {
    /// The conversation, and the member it stands in.
    fn conversation(&self) -> Option<(&'static str, &'a RawValue)> {
        let named =
            [("messages", self.messages), ("input", self.input), ("contents", self.contents)];
        named.into_iter().find_map(|(name, list)| Some((name, list?)))
    }

    /// This call, of which this is given back.
    fn over(&self, protocol: GuardrailProtocol, document: Bytes) -> GuardrailCall {
        let config = |config: &RawValue| serde_json::from_str::<CallConfig>(config.get()).ok();
        GuardrailCall {
            protocol,
            document,
            list: None,
            model: self.model.and_then(text),
            options: self.forge.map(|forge| forge.get().to_owned()),
            can_fetch: self.config.and_then(config).is_some_and(|config| config.mode == CAN_FETCH),
            is_redacted: false,
        }
    }
}

/// Where a value that was read from a document stands in it.
fn range_in(document: &[u8], value: &RawValue) -> Option<Range<usize>> {
    let value = value.get();
    let start = value.as_ptr().addr().checked_sub(document.as_ptr().addr())?;
    let range = start..start + value.len();
    (document.get(range.clone()) == Some(value.as_bytes())).then_some(range)
}

fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}
