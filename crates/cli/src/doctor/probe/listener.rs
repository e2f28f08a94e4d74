//! What a probed agent talks to: its provider with a scripted model, its proxy, and whom its tool server tells what it is
//! asked. Nothing goes any further.

use crate::output::printable;
use crate::scripted_provider::{self, ModelReply};
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

/// Where the tool server tells what it is asked.
pub(super) const TOLD_PATH: &str = "/tokenforge-probe/tool-server";

/// How many events may wait to be looked at, and how many connections there are at a time.
const WAITING: usize = 64;
const CONNECTIONS: usize = 256;

/// Longer requests are not read.
const MAX_BODY_BYTES: usize = 16 << 20;

/// How often a model calls the tool: an agent that takes it for another conversation each time is not answered for ever.
const CALLS: u64 = 3;

/// What an agent did.
#[derive(Debug)]
pub(super) enum ProbeEvent {
    /// It asked its model.
    Model(ModelRequest),
    /// It asked for something of another host.
    Elsewhere(String),
    /// Its tool server was asked.
    ToolServer { method: String, client: Option<String> },
}

/// What an agent asked its model.
#[derive(Debug, Default)]
pub(super) struct ModelRequest {
    pub(super) path: String,
    /// The header that names the session, and what it says.
    pub(super) session: Option<(&'static str, String)>,
    /// What the model is shown of tools' results.
    pub(super) result: Option<String>,
    /// Was a tool called in reply?
    pub(super) is_called: bool,
}

/// What the model does.
#[derive(Debug, Default)]
pub(super) struct ProbeScript {
    /// It calls this tool with these arguments, if it is offered, and once it has a result it is content. Without,
    /// everything is refused.
    pub(super) call: Option<(String, Value)>,
    /// How long it thinks before it says anything: time for an agent to start its tool servers.
    pub(super) pause: Duration,
}

/// A listener on a free port of this machine, until it is dropped.
pub(super) struct ProbeListener {
    pub(super) address: SocketAddr,
    listener: TcpListener,
}

/// It answers until it is dropped.
pub(super) struct AnsweringListener {
    pub(super) events: mpsc::Receiver<ProbeEvent>,
    serving: JoinHandle<()>,
}

/// What is needed to answer.
struct ProbeState {
    script: ProbeScript,
    session_headers: &'static [String],
    events: mpsc::Sender<ProbeEvent>,
    calls: AtomicU64,
}

impl ProbeListener {
    pub(super) async fn bind() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        Ok(ProbeListener { address: listener.local_addr()?, listener })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers as the script says, and notes what is asked.
    pub(super) fn answer(
        self,
        script: ProbeScript,
        session_headers: &'static [String],
    ) -> AnsweringListener {
        let (sender, events) = mpsc::channel(WAITING);
        let calls = AtomicU64::new(0);
        let state = Arc::new(ProbeState { script, session_headers, events: sender, calls });
        AnsweringListener { events, serving: tokio::spawn(listen(self.listener, state)) }
    }
}

impl Drop for AnsweringListener {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn listen(listener: TcpListener, state: Arc<ProbeState>) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        while connections.try_join_next().is_some() {}
        if connections.len() >= CONNECTIONS {
            continue;
        }
        let state = Arc::clone(&state);
        let service = service_fn(move |request| respond(request, Arc::clone(&state)));
        connections.spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn respond(
    request: Request<Incoming>,
    state: Arc<ProbeState>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    if let Some(host) = request.uri().authority() {
        state.note(ProbeEvent::Elsewhere(short(host.as_str())));
        return Ok(refusal());
    }
    // Clients look around before they ask: is there a WebSocket, is anybody there.
    if request.method() != Method::POST {
        return Ok(refusal());
    }
    let (head, body) = request.into_parts();
    let body = Limited::new(body, MAX_BODY_BYTES).collect().await;
    let body = body.map(|body| body.to_bytes()).unwrap_or_default();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    if head.uri.path() == TOLD_PATH {
        let text = |name: &str| body[name].as_str().map(short);
        let method = text("method").unwrap_or_default();
        state.note(ProbeEvent::ToolServer { method, client: text("client") });
        return Ok(Response::default());
    }
    let (asked, reply) = state.reply(head.uri.path(), &head.headers, &body);
    state.note(ProbeEvent::Model(asked));
    sleep(state.script.pause).await;
    Ok(reply.unwrap_or_else(refusal))
}

impl ProbeState {
    fn note(&self, event: ProbeEvent) {
        let _ = self.events.try_send(event);
    }

    fn reply(
        &self,
        path: &str,
        headers: &HeaderMap,
        body: &Value,
    ) -> (ModelRequest, Option<Response<Full<Bytes>>>) {
        let result = results(body);
        let called = self.script.call.as_ref().filter(|(tool, _)| {
            result.is_none()
                && offers(body, tool)
                && self.calls.fetch_add(1, Ordering::Relaxed) < CALLS
        });
        let said = match called {
            Some((tool, arguments)) => ModelReply::default().call(tool, arguments.clone()),
            None => ModelReply::from("ok"),
        };
        let number = self.calls.load(Ordering::Relaxed);
        let answer = self.script.call.as_ref().and_then(|_| {
            let (kind, text) = scripted_provider::answer(path, body, &said, number)?;
            let mut answer = Response::new(Full::new(Bytes::from(text)));
            answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
            Some(answer)
        });
        let is_called = called.is_some() && answer.is_some();
        let session = self.session(headers);
        (ModelRequest { path: short(path), session, result, is_called }, answer)
    }

    /// The session that a request names, as a gateway reads it.
    fn session(&self, headers: &HeaderMap) -> Option<(&'static str, String)> {
        self.session_headers.iter().find_map(|name| {
            let value = headers.get(name)?.to_str().ok()?.trim();
            (!value.is_empty()).then(|| (name.as_str(), value.to_owned()))
        })
    }
}

/// Does a request offer its model this tool?
fn offers(body: &Value, tool: &str) -> bool {
    body["tools"].as_array().into_iter().flatten().any(|offered| offered["name"] == tool)
}

/// The texts of all results of tools in a request to Anthropic, if there are any.
fn results(body: &Value) -> Option<String> {
    let messages = body["messages"].as_array()?;
    let blocks = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
    let results = blocks.filter(|block| block["type"] == "tool_result");
    let texts: Vec<String> = results.map(|block| text(&block["content"])).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn refusal() -> Response<Full<Bytes>> {
    let mut refusal = Response::new(Full::new(Bytes::from_static(
        b"{\"error\":{\"message\":\"tokenforge doctor\"}}",
    )));
    *refusal.status_mut() = StatusCode::FORBIDDEN;
    refusal
}

/// A text of an agent's, for a line of ours.
pub(super) fn short(text: &str) -> String {
    printable(&text.chars().take(80).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn state() -> ProbeState {
        let (events, _) = mpsc::channel(1);
        let script = ProbeScript {
            call: Some(("Bash".to_owned(), json!({"command": "ls"}))),
            ..ProbeScript::default()
        };
        let claude = tokenforge_agents::find("claude").unwrap();
        let session_headers = &claude.session_headers;
        ProbeState { script, session_headers, events, calls: AtomicU64::new(0) }
    }

    #[test]
    fn the_tool_is_called_where_it_is_offered_until_there_is_a_result_and_not_for_ever() {
        let state = state();
        let ask = |body: Value| state.reply("/v1/messages", &HeaderMap::new(), &body).0;
        let offered = json!({"tools": [{"name": "Bash"}], "messages": []});
        assert!(!ask(json!({"messages": []})).is_called);
        let result = json!({"type": "tool_result", "content": [{"type": "text", "text": "a"}]});
        let mut answered = offered.clone();
        answered["messages"] = json!([{"role": "user", "content": [result]}]);
        assert!(ask(offered.clone()).is_called);
        let asked = ask(answered);
        assert_eq!((asked.is_called, asked.result.as_deref()), (false, Some("a")));
        let called = (0..10).filter(|_| ask(offered.clone()).is_called).count();
        assert_eq!(called as u64, CALLS - 1);
    }

    #[test]
    fn an_api_that_is_not_spoken_is_refused_and_the_session_is_read_from_its_header() {
        let mut headers = HeaderMap::new();
        headers.insert("x-claude-code-session-id", HeaderValue::from_static(" s1 "));
        let offered = json!({"tools": [{"name": "Bash"}]});
        let (asked, answer) = state().reply("/v1/responses", &headers, &offered);
        assert!(answer.is_none() && !asked.is_called);
        assert_eq!(asked.session, Some(("x-claude-code-session-id", "s1".to_owned())));
        assert_eq!(state().session(&HeaderMap::new()), None);
    }
}
