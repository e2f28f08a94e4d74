//! From a request to the bytes of its answer: read, checked, and said in its dialect.

use crate::memory::Memory;
use crate::record::Recorded;
use crate::refusal::{Asked, Broken, ProviderRefusal};
use crate::route::{AsksFor, Dialect, Route};
use crate::script::{Part, Reply, Says, resolved};
use crate::{anthropic, chat, converse, gemini, interactions, invoke, ollama, responses};
use bytes::Bytes;
use serde_json::{Value, json};

/// A response, before it is sent.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    /// The body: its events, or all of it as one.
    pub(crate) events: Vec<Bytes>,
    /// Sent without a length, as it comes.
    pub(crate) streams: bool,
}

impl Answer {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::whole(status, "application/json", body.to_string().into())
    }

    pub(crate) fn whole(status: u16, content_type: &str, body: Bytes) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Self { status, headers, events: vec![body], streams: false }
    }

    pub(crate) fn stream(content_type: &str, events: Vec<Bytes>) -> Self {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let headers =
            vec![header("content-type", content_type), header("cache-control", "no-cache")];
        Self { status: 200, headers, events, streams: true }
    }

    fn raw(status: u16, headers: &[(String, String)], body: &Bytes) -> Self {
        Self { status, headers: headers.to_vec(), events: vec![body.clone()], streams: false }
    }
}

/// What a model says, and all that a dialect needs to say it.
pub(crate) struct Turn<'a> {
    /// The request.
    pub(crate) body: &'a Value,
    pub(crate) model: &'a str,
    pub(crate) parts: &'a [Part],
    /// Spelled as the dialect has it; nothing for the usual one.
    pub(crate) stop: Option<&'a str>,
    /// Counts the replies of this mock.
    pub(crate) serial: u64,
    pub(crate) usage: Usage,
    /// Gemini: events, not an array that grows.
    pub(crate) sse: bool,
    pub(crate) memory: &'a Memory,
}

impl Turn<'_> {
    /// The model thought before it called.
    pub(crate) fn thought(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Thinking(_) | Part::Redacted(_)))
    }

    pub(crate) fn calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Call { .. }))
    }
}

/// Tokens, made up from sizes: the same request has the same figures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// All input, cached or not.
    pub(crate) input: u64,
    pub(crate) output: u64,
    /// Of the output.
    pub(crate) reasoning: u64,
    /// Of the input.
    pub(crate) cache_read: u64,
    /// Of the input.
    pub(crate) cache_write: u64,
}

impl Usage {
    fn of(body: &[u8], parts: &[Part]) -> Self {
        let tokens = |bytes: usize| bytes as u64 / 4 + 1;
        let said = |part: &Part| match part {
            Part::Thinking(text) | Part::Redacted(text) | Part::Text(text) => tokens(text.len()),
            Part::Call { name, arguments } => tokens(name.len() + arguments.len()) + 8,
            Part::ExpandFirst => 0,
        };
        let input = tokens(body.len());
        Self {
            input,
            output: parts.iter().map(said).sum(),
            reasoning: parts
                .iter()
                .filter(|part| matches!(part, Part::Thinking(_)))
                .map(said)
                .sum(),
            cache_read: input / 2,
            cache_write: input / 4,
        }
    }
}

/// A request that was refused, and why in one line.
pub(crate) struct Refused {
    pub(crate) reason: String,
    pub(crate) answer: Answer,
}

/// The body as JSON, if the provider would accept it.
pub(crate) fn checked(route: &Route, body: &[u8], memory: &Memory) -> Result<Value, Refused> {
    let check = |body: &Value, model: &str| {
        let asked = Asked { body, model, memory };
        match route.dialect {
            Dialect::Anthropic => anthropic::check(&asked, route.asks),
            Dialect::Invoke => anthropic::check_invoke(&asked),
            Dialect::Chat => chat::check(&asked),
            Dialect::Responses => responses::check(&asked, route.asks),
            Dialect::Gemini => gemini::check(&asked),
            Dialect::Interactions => interactions::check(&asked),
            Dialect::Converse => converse::check(&asked),
            Dialect::Ollama => ollama::check(&asked),
        }
    };
    let refusal = match serde_json::from_slice::<Value>(body) {
        Ok(body) => match check(&body, model(route, &body)) {
            Ok(()) => return Ok(body),
            Err(refusal) => refusal,
        },
        Err(error) => ProviderRefusal {
            rule: "the body is JSON",
            broken: Broken { message: not_json(route.dialect, &error), ..Broken::default() },
        },
    };
    let reason = format!("{}: {}", refusal.rule, refusal.broken.message);
    Err(Refused { reason, answer: refused(route.dialect, &refusal.broken) })
}

/// A refusal as the provider words it.
fn refused(dialect: Dialect, broken: &Broken) -> Answer {
    let body = match dialect {
        Dialect::Anthropic => anthropic::error(broken),
        Dialect::Chat | Dialect::Responses => chat::error(broken),
        Dialect::Gemini => gemini::error(broken),
        Dialect::Interactions => interactions::error(broken),
        Dialect::Converse | Dialect::Invoke => converse::error(broken),
        Dialect::Ollama => ollama::error(broken),
    };
    let mut answer = Answer::json(400, &body);
    if matches!(dialect, Dialect::Converse | Dialect::Invoke) {
        answer.headers.push(("x-amzn-errortype".to_owned(), "ValidationException".to_owned()));
    }
    answer
}

/// What the reply is in the dialect of the request.
pub(crate) fn to(
    route: &Route,
    body: &Value,
    raw: &[u8],
    reply: &Reply,
    serial: u64,
    memory: &Memory,
) -> Answer {
    let parts = match &reply.says {
        Says::Raw { status, headers, body } => return Answer::raw(*status, headers, body),
        Says::Parts(parts) => resolved(parts, raw),
    };
    let usage = memory.charged(body, Usage::of(raw, &parts));
    let turn = Turn {
        body,
        model: model(route, body),
        parts: &parts,
        stop: reply.stop.as_deref(),
        serial,
        usage,
        sse: route.events,
        memory,
    };
    let streams = route.streams.or(body["stream"].as_bool());
    said(route, &turn, streams)
}

/// The same for a body that is not checked, for benchmarks.
pub(crate) fn unchecked(route: &Route, raw: &[u8], reply: &Reply, serial: u64) -> Answer {
    let streams = memchr::memmem::find(raw, br#""stream":true"#)
        .or_else(|| memchr::memmem::find(raw, br#""stream": true"#))
        .is_some();
    let body = json!({ "model": "mock-model", "stream": streams });
    to(route, &body, raw, reply, serial, &Memory::default())
}

/// What a path that no model is behind answers.
pub(crate) fn of_no_model(request: &Recorded, reply: &Reply) -> Answer {
    match &reply.says {
        Says::Raw { status, headers, body } => Answer::raw(*status, headers, body),
        Says::Parts(_) => {
            let path = request.path_and_query.split('?').next().unwrap_or_default();
            let message = format!("Not found: {} {path}", request.method);
            Answer::json(
                404,
                &json!({ "error": { "type": "not_found_error", "message": message } }),
            )
        }
    }
}

fn said(route: &Route, turn: &Turn<'_>, streams: Option<bool>) -> Answer {
    let dialect = route.dialect;
    match route.asks {
        AsksFor::Answer => {}
        AsksFor::Count => return Answer::json(200, &counted(dialect, turn)),
        AsksFor::Compaction => return Answer::json(200, &responses::compacted(turn)),
        AsksFor::Batch => return Answer::json(200, &anthropic::batch(turn)),
    }
    match dialect {
        Dialect::Responses => responses::remember(turn),
        Dialect::Interactions => interactions::remember(turn),
        Dialect::Anthropic | Dialect::Invoke => anthropic::remember(turn),
        _ => {}
    }
    if !streams.unwrap_or(dialect == Dialect::Ollama) {
        return Answer::json(200, &whole(dialect, turn));
    }
    const SSE: &str = "text/event-stream; charset=utf-8";
    const AMAZON: &str = "application/vnd.amazon.eventstream";
    match dialect {
        Dialect::Anthropic => Answer::stream(SSE, anthropic::events(turn)),
        Dialect::Chat => Answer::stream(SSE, chat::events(turn)),
        Dialect::Responses => Answer::stream(SSE, responses::events(turn)),
        Dialect::Gemini if turn.sse => Answer::stream("text/event-stream", gemini::events(turn)),
        Dialect::Gemini => Answer::stream("application/json; charset=UTF-8", gemini::array(turn)),
        Dialect::Interactions => Answer::stream("text/event-stream", interactions::events(turn)),
        Dialect::Converse => Answer::stream(AMAZON, converse::events(turn)),
        Dialect::Invoke => {
            let mut answer = Answer::stream(AMAZON, invoke::events(turn));
            let header = ("x-amzn-bedrock-content-type".to_owned(), "application/json".to_owned());
            answer.headers.push(header);
            answer
        }
        Dialect::Ollama => Answer::stream("application/x-ndjson", ollama::lines(turn)),
    }
}

fn whole(dialect: Dialect, turn: &Turn<'_>) -> Value {
    match dialect {
        Dialect::Anthropic | Dialect::Invoke => anthropic::whole(turn),
        Dialect::Chat => chat::whole(turn),
        Dialect::Responses => responses::whole(turn),
        Dialect::Gemini => gemini::whole(turn),
        Dialect::Interactions => interactions::whole(turn),
        Dialect::Converse => converse::whole(turn),
        Dialect::Ollama => ollama::whole(turn),
    }
}

/// The number of tokens, as the dialect says it.
fn counted(dialect: Dialect, turn: &Turn<'_>) -> Value {
    let input = turn.usage.input;
    match dialect {
        Dialect::Gemini => json!({ "totalTokens": input }),
        Dialect::Responses => json!({ "object": "response.input_tokens", "input_tokens": input }),
        _ => json!({ "input_tokens": input }),
    }
}

fn model<'a>(route: &'a Route, body: &'a Value) -> &'a str {
    route.model.as_deref().or(body["model"].as_str()).unwrap_or("mock-model")
}

fn not_json(dialect: Dialect, error: &serde_json::Error) -> String {
    match dialect {
        Dialect::Anthropic => format!("The request body is not valid JSON: {error}"),
        Dialect::Chat | Dialect::Responses => {
            "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP \
             library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)"
                .to_owned()
        }
        Dialect::Gemini | Dialect::Interactions => {
            format!("Invalid JSON payload received. Unexpected token.\n{error}")
        }
        Dialect::Converse | Dialect::Invoke => {
            "Malformed input request, please reformat your input and try again.".to_owned()
        }
        Dialect::Ollama => format!("invalid character in request body: {error}"),
    }
}
