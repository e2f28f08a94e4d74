//! A scripted model provider on a loopback socket: whom `demo` and `doctor` ask without a key and without a network.
//!
//! It speaks Anthropic's messages and OpenAI's chat completions, and replies to each request at once and whole with what a
//! [`ScriptedModel`] says. It checks nothing: a provider as strict as the real ones is for tests, and not part of the program.

mod reply;
mod wire;

pub(crate) use reply::ModelReply;

use anyhow::Context;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::mem;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};
use wire::WireApi;

/// More than any request of these commands has.
const MAX_BODY_BYTES: usize = 64 << 20;

/// What is behind the provider: a script in place of a model.
pub(crate) trait ScriptedModel: Send {
    /// What it says to a request.
    fn reply(&mut self, request: &Value) -> ModelReply;

    /// What its provider charges for the input of a request of so many bytes.
    fn charge(&mut self, _request: &Value, bytes: usize) -> InputTokens {
        InputTokens { fresh: reply::estimated_tokens(bytes), ..InputTokens::default() }
    }
}

impl<F: FnMut(&Value) -> ModelReply + Send> ScriptedModel for F {
    fn reply(&mut self, request: &Value) -> ModelReply {
        self(request)
    }
}

/// The input tokens of a request, by what they cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct InputTokens {
    /// Neither read from the prompt cache nor written to it.
    pub(crate) fresh: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
}

/// A provider that listens on a free port of this machine until it is dropped.
pub(crate) struct ScriptedProvider {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    serving: JoinHandle<()>,
}

struct State {
    model: Box<dyn ScriptedModel>,
    /// Requests that the caller has not taken yet.
    requests: Vec<Value>,
    /// How many replies there were.
    replies: u64,
}

impl ScriptedProvider {
    /// Starts one whose model says "ok" to everything.
    pub(crate) async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.context("cannot start the provider")?;
        let address = listener.local_addr().context("cannot start the provider")?;
        let model = Box::new(|_: &Value| ModelReply::from("ok"));
        let state = Arc::new(Mutex::new(State { model, requests: Vec::new(), replies: 0 }));
        let serving = tokio::spawn(serve(listener, Arc::clone(&state)));
        Ok(Self { address, state, serving })
    }

    /// Its base URL, without a slash at the end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Puts a model behind it, in place of the one before.
    pub(crate) fn set_model(&self, model: impl ScriptedModel + 'static) {
        lock(&self.state).model = Box::new(model);
    }

    /// The requests that came since they were last taken, in their order.
    pub(crate) fn take_requests(&self) -> Vec<Value> {
        mem::take(&mut lock(&self.state).requests)
    }
}

impl Drop for ScriptedProvider {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Accepts connections; they end together with it.
async fn serve(listener: TcpListener, state: Arc<Mutex<State>>) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        // Nagle's algorithm would hold small replies back.
        let _ = stream.set_nodelay(true);
        let state = Arc::clone(&state);
        let service = service_fn(move |request| respond(request, Arc::clone(&state)));
        connections.spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        while connections.try_join_next().is_some() {}
    }
}

async fn respond(
    request: Request<Incoming>,
    state: Arc<Mutex<State>>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let api = WireApi::of(request.uri().path()).filter(|_| request.method() == Method::POST);
    let body = Limited::new(request.into_body(), MAX_BODY_BYTES).collect().await;
    let body = body.map(|body| body.to_bytes()).unwrap_or_default();
    let (status, reply) = match (api, serde_json::from_slice(&body)) {
        (None, _) => (StatusCode::NOT_FOUND, error("there is no model behind this path")),
        (_, Err(why)) => (StatusCode::BAD_REQUEST, error(&format!("the body is not JSON: {why}"))),
        (Some(api), Ok(request)) => (StatusCode::OK, lock(&state).reply(api, request, body.len())),
    };
    let mut response = Response::new(Full::new(Bytes::from(reply.to_string())));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}

impl State {
    fn reply(&mut self, api: WireApi, request: Value, bytes: usize) -> Value {
        let reply = self.model.reply(&request);
        let input = self.model.charge(&request, bytes);
        let written = api.write(&reply, &request["model"], input, self.replies);
        self.replies += 1;
        self.requests.push(request);
        written
    }
}

/// What a provider answers at a path with a reply of its model: the type of the content, and that, as a stream where the
/// request asks for one. `None`: the API of this path is not spoken here, or not as a stream.
pub(crate) fn answer(
    path: &str,
    request: &Value,
    reply: &ModelReply,
    number: u64,
) -> Option<(&'static str, String)> {
    let api = WireApi::of(path)?;
    let written = api.write(reply, &request["model"], InputTokens::default(), number);
    if request["stream"] == true {
        return Some(("text/event-stream", api.stream(&written)?));
    }
    Some(("application/json", written.to_string()))
}

/// An error, in a shape that the clients of both APIs read.
fn error(message: &str) -> Value {
    json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::GatewayClient;
    use http::HeaderMap;

    async fn ask(provider: &ScriptedProvider, path: &str, body: &str) -> (StatusCode, Value) {
        let client = GatewayClient::new(&provider.url(), None).unwrap();
        let answer = client.send(Method::POST, path, HeaderMap::new(), body.to_owned()).await;
        let answer = answer.unwrap();
        (answer.status, serde_json::from_slice(&answer.body).unwrap())
    }

    #[tokio::test]
    async fn a_call_is_written_as_each_api_has_it_and_its_request_is_kept() {
        let provider = ScriptedProvider::start().await.unwrap();
        provider.set_model(|_: &Value| ModelReply::from("Look.").call("ls", json!({"a": 1})));
        let (_, reply) = ask(&provider, "/v1/messages", r#"{"model":"m"}"#).await;
        assert_eq!(reply["content"][1]["input"], json!({"a": 1}), "{reply}");
        assert_eq!((&reply["stop_reason"], &reply["model"]), (&json!("tool_use"), &json!("m")));
        let (_, reply) = ask(&provider, "/v1/chat/completions", r#"{"model":"n"}"#).await;
        let message = &reply["choices"][0]["message"];
        assert_eq!(message["tool_calls"][0]["function"]["arguments"], r#"{"a":1}"#, "{reply}");
        assert_eq!(message["content"], "Look.");
        assert_eq!(provider.take_requests(), [json!({"model": "m"}), json!({"model": "n"})]);
        assert!(provider.take_requests().is_empty());
    }

    #[test]
    fn a_stream_says_what_the_whole_reply_says() {
        let reply = ModelReply::from("Look.").call("ls", json!({"a": 1}));
        let request = json!({"model": "m", "stream": true});
        let (kind, text) = answer("/v1/messages", &request, &reply, 7).unwrap();
        assert_eq!(kind, "text/event-stream");
        let events = text.split("\n\n").filter(|event| !event.is_empty());
        let events: Vec<(&str, Value)> = events
            .map(|event| {
                let (name, data) = event.split_once('\n').unwrap();
                let data = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
                (name.strip_prefix("event: ").unwrap(), data)
            })
            .collect();
        assert!(events.iter().all(|(name, data)| data["type"] == *name), "{text}");
        let deltas: Vec<_> =
            events.iter().filter(|(name, _)| *name == "content_block_delta").collect();
        assert_eq!(deltas[0].1["delta"]["text"], "Look.");
        assert_eq!(deltas[1].1["delta"]["partial_json"], r#"{"a":1}"#);
        assert_eq!(events[events.len() - 2].1["delta"]["stop_reason"], "tool_use");
        let whole = answer("/v1/messages", &json!({"model": "m"}), &reply, 7).unwrap();
        let whole: Value = serde_json::from_str(&whole.1).unwrap();
        assert_eq!(events[0].1["message"]["id"], whole["id"]);
        assert_eq!(answer("/v1/responses", &request, &reply, 7), None);
        assert_eq!(answer("/v1/chat/completions", &request, &reply, 7), None);
    }

    #[tokio::test]
    async fn what_is_no_question_to_a_model_is_an_error() {
        let provider = ScriptedProvider::start().await.unwrap();
        assert_eq!(ask(&provider, "/v1/models", "{}").await.0, StatusCode::NOT_FOUND);
        let (status, reply) = ask(&provider, "/v1/messages", "{").await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert!(reply["error"]["message"].as_str().unwrap().contains("not JSON"), "{reply}");
    }
}
