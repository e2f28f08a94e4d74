//! The fake tool server behind an address.

use crate::behaviour::{Act, Server};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, combinators::BoxBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{broadcast, mpsc};

/// A fake server on a port of its own.
pub(crate) struct Remote {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

/// The only event of a stream that ends before the answer.
const LATER: &str = "later";

/// How it behaves beside its tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// With sessions and a stream.
    Legacy,
    /// Without, and strict about headers.
    Modern,
    /// Answers whatever comes with this.
    Always(&'static str),
    /// Accepts and says nothing.
    Silent,
}

struct State {
    manner: Manner,
    server: Mutex<Server>,
    seen: Mutex<Vec<Seen>>,
    announcements: broadcast::Sender<String>,
    /// Where the answer to a question of the server's is said.
    open: Mutex<Option<mpsc::UnboundedSender<String>>>,
    /// What is said when the stream is asked for that ended before.
    later: Mutex<Vec<String>>,
    sessions: Mutex<u32>,
    /// How many clients that want to listen are told to come later.
    refused: Mutex<u32>,
    known: Mutex<Vec<String>>,
}

/// A request that came.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) headers: HeaderMap,
    pub(crate) message: Value,
}

impl Remote {
    pub(crate) async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State {
            manner,
            server: Mutex::default(),
            seen: Mutex::default(),
            announcements: broadcast::Sender::new(64),
            open: Mutex::default(),
            later: Mutex::default(),
            sessions: Mutex::default(),
            refused: Mutex::default(),
            known: Mutex::default(),
        });
        let serving = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // As the gateway's sockets: what is small does not wait for the acknowledgement of what was before.
                stream.set_nodelay(true).unwrap();
                let state = serving.clone();
                let service = service_fn(move |request| {
                    let state = state.clone();
                    async move { Ok::<_, Infallible>(state.answer(request).await) }
                });
                tokio::spawn(async move {
                    let builder =
                        hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
                    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Remote { address, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state.seen.lock().unwrap().clone()
    }

    /// The last request with this method of MCP.
    pub(crate) fn last(&self, method: &str) -> Seen {
        self.seen().into_iter().rev().find(|seen| seen.message["method"] == method).unwrap()
    }

    /// Forgets its sessions, as over a restart.
    pub(crate) fn forget(&self) {
        self.state.known.lock().unwrap().clear();
    }

    /// Tells so many clients that want to listen to come later.
    pub(crate) fn refuse(&self, clients: u32) {
        *self.state.refused.lock().unwrap() = clients;
    }

    /// How many clients listen.
    pub(crate) fn listeners(&self) -> usize {
        self.state.announcements.receiver_count()
    }
}

type Answer = Response<BoxBody<Bytes, Infallible>>;

impl State {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let (head, body) = request.into_parts();
        let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let seen = Seen { headers: head.headers.clone(), message: message.clone() };
        self.seen.lock().unwrap().push(seen);
        match self.manner {
            Manner::Always(text) => {
                return whole(StatusCode::OK, "application/json", text.to_owned());
            }
            Manner::Silent => std::future::pending().await,
            Manner::Modern => {
                if head.method != Method::POST {
                    return whole(StatusCode::METHOD_NOT_ALLOWED, "text/plain", String::new());
                }
                let method = head.headers.get("mcp-method").and_then(|value| value.to_str().ok());
                let name = head.headers.get("mcp-name").and_then(|value| value.to_str().ok());
                let named = match method {
                    Some("tools/call" | "prompts/get") => message["params"]["name"].as_str(),
                    Some("resources/read") => message["params"]["uri"].as_str(),
                    Some(method) if method.starts_with("tasks/") => {
                        message["params"]["taskId"].as_str()
                    }
                    _ => name,
                };
                if method != message["method"].as_str() || name != named {
                    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32020, "message": "headers"}});
                    return whole(StatusCode::BAD_REQUEST, "application/json", error.to_string());
                }
            }
            Manner::Legacy => {
                if let Some(answer) = self.session(&head, &message) {
                    return answer;
                }
            }
        }
        self.served(&message)
    }

    /// The answer that the session decides about; `None`: the message decides.
    fn session(&self, head: &http::request::Parts, message: &Value) -> Option<Answer> {
        let session = head.headers.get("mcp-session-id").and_then(|value| value.to_str().ok());
        if message["method"] == "initialize" {
            let mut count = self.sessions.lock().unwrap();
            *count += 1;
            let id = format!("fake-{count}");
            self.known.lock().unwrap().push(id.clone());
            let mut answer = self.served(message);
            answer.headers_mut().insert("mcp-session-id", id.parse().unwrap());
            return Some(answer);
        }
        let is_known =
            session.is_some_and(|id| self.known.lock().unwrap().iter().any(|known| known == id));
        if !is_known {
            let status =
                if session.is_some() { StatusCode::NOT_FOUND } else { StatusCode::BAD_REQUEST };
            return Some(whole(status, "text/plain", "no session".to_owned()));
        }
        match head.method {
            Method::GET if head.headers.get("last-event-id").is_some_and(|id| id == LATER) => {
                let said = std::mem::take(&mut *self.later.lock().unwrap());
                let frames = said.iter().map(|text| tokenforge_mcp::sse::frame(text)).collect();
                Some(whole(StatusCode::OK, "text/event-stream", frames))
            }
            Method::GET if *self.refused.lock().unwrap() > 0 => {
                *self.refused.lock().unwrap() -= 1;
                Some(whole(StatusCode::SERVICE_UNAVAILABLE, "text/plain", String::new()))
            }
            Method::GET => {
                let mut announcements = self.announcements.subscribe();
                let (sender, receiver) = mpsc::unbounded_channel();
                tokio::spawn(async move {
                    while let Ok(text) = announcements.recv().await {
                        if sender.send(text).is_err() {
                            return;
                        }
                    }
                });
                Some(stream(receiver))
            }
            Method::DELETE => Some(whole(StatusCode::OK, "text/plain", String::new())),
            _ => None,
        }
    }

    fn served(&self, message: &Value) -> Answer {
        let acts = self.server.lock().unwrap().react(message);
        let is_request = message["method"].is_string() && !message["id"].is_null();
        let mut said = Vec::new();
        for act in acts {
            match act {
                Act::Say(message) => said.push(message.to_string()),
                Act::Announce(message) => {
                    let _ = self.announcements.send(message.to_string());
                }
                Act::Write(text) => said.push(text),
                Act::Exit => {
                    return whole(
                        StatusCode::INTERNAL_SERVER_ERROR,
                        "text/plain",
                        "gone".to_owned(),
                    );
                }
            }
        }
        if !is_request {
            if let Some(open) = self.open.lock().unwrap().take() {
                said.into_iter().for_each(|text| {
                    let _ = open.send(text);
                });
            }
            return whole(StatusCode::ACCEPTED, "text/plain", String::new());
        }
        if matches!(message["params"]["name"].as_str(), Some("later" | "broken")) {
            let mut primer = tokenforge_mcp::sse::primer(LATER, Duration::from_millis(1));
            if message["params"]["name"] == "broken" {
                let event = tokenforge_mcp::sse::numbered("lost", &said[0]);
                primer += &event[..event.len() / 2];
            }
            *self.later.lock().unwrap() = said;
            return whole(StatusCode::OK, "text/event-stream", primer);
        }
        if let [only] = &said[..]
            && message["params"]["name"] != "ask"
        {
            return whole(StatusCode::OK, "application/json", only.clone());
        }
        let is_silent = said.is_empty();
        let (sender, receiver) = mpsc::unbounded_channel();
        for text in said {
            let _ = sender.send(text);
        }
        let name = message["params"]["name"].as_str().unwrap_or_default();
        if is_silent || name == "ask" || message["method"] == "subscriptions/listen" {
            *self.open.lock().unwrap() = Some(sender);
        }
        stream(receiver)
    }
}

fn whole(status: StatusCode, kind: &'static str, text: String) -> Answer {
    let body = http_body_util::Full::new(Bytes::from(text)).boxed();
    Response::builder().status(status).header("content-type", kind).body(body).unwrap()
}

fn stream(texts: mpsc::UnboundedReceiver<String>) -> Answer {
    Response::builder()
        .header("content-type", "text/event-stream")
        .body(Texts(texts).boxed())
        .unwrap()
}

struct Texts(mpsc::UnboundedReceiver<String>);

impl hyper::body::Body for Texts {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let text = self.0.poll_recv(context);
        text.map(|text| text.map(|text| Ok(Frame::data(tokenforge_mcp::sse::frame(&text).into()))))
    }
}
