//! A hub on a port of its own, and clients that speak to it.

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body as HttpBody, Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;
use tokenforge_config::{Mcp, McpBackend};
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_formats::negotiate::Format;
use tokenforge_mcp::{
    Body, BodyError, EndpointRequest, FORMAT_KEY, Hook, HookFuture, Hooks, Hub, HubSettings,
    LONGEST_MESSAGE, Original, Originals, Received, Sending, Transport, sse,
};
use tokio::net::TcpListener;

/// How long a test waits for what must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A hub on a port of its own.
pub(crate) struct World {
    pub(crate) hub: Arc<Hub>,
    pub(crate) address: SocketAddr,
    http: Arc<Plain>,
}

/// A hub with these servers.
pub(crate) async fn world(backends: &[(&str, Value)]) -> World {
    world_with(backends, |_| {}).await
}

/// A hub with these servers and settings.
pub(crate) async fn world_with(backends: &[(&str, Value)], set: impl FnOnce(&mut Mcp)) -> World {
    world_that(backends, false, set).await
}

/// A hub with these servers and settings, that may have promised to pass nothing unchecked.
pub(crate) async fn world_that(
    backends: &[(&str, Value)],
    must_redact: bool,
    set: impl FnOnce(&mut Mcp),
) -> World {
    world_keeping(backends, must_redact, Arc::default(), set).await
}

/// The same, with what is kept from another hub.
pub(crate) async fn world_keeping(
    backends: &[(&str, Value)],
    must_redact: bool,
    kept: Arc<Kept>,
    set: impl FnOnce(&mut Mcp),
) -> World {
    world_of(backends, kept, |settings| {
        settings.must_redact = must_redact;
        set(&mut settings.mcp);
    })
    .await
}

/// A hub that tells tenants apart by their keys, with what is kept from another hub.
pub(crate) async fn world_of_tenants(backends: &[(&str, Value)], kept: Arc<Kept>) -> World {
    world_of(backends, kept, |settings| settings.has_tenants = true).await
}

async fn world_of(
    backends: &[(&str, Value)],
    kept: Arc<Kept>,
    set: impl FnOnce(&mut HubSettings),
) -> World {
    let mut mcp = Mcp { format: Some(Format::Auto), ..Mcp::default() };
    for (prefix, definition) in backends {
        mcp.backends
            .insert((*prefix).to_owned(), McpBackend::from_json(prefix, definition).unwrap());
    }
    let mut settings = HubSettings {
        mcp,
        engine: Default::default(),
        expands: true,
        lists_expand_tool: true,
        must_redact: false,
        has_tenants: false,
    };
    set(&mut settings);
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let http = Arc::new(Plain(HttpClient::builder(TokioExecutor::new()).build(connector)));
    let hub = Hub::new(settings, None, http.clone(), kept);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = hub.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // As the gateway's sockets: what is small does not wait for the acknowledgement of what was before.
            stream.set_nodelay(true).unwrap();
            let hub = serving.clone();
            let service = service_fn(move |request| answer(hub.clone(), request));
            tokio::spawn(async move {
                let builder = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
                let _ = builder.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    World { hub, address, http }
}

async fn answer(hub: Arc<Hub>, request: Request<Incoming>) -> Result<Response<Served>, Infallible> {
    let (head, body) = request.into_parts();
    let body = http_body_util::Limited::new(body, LONGEST_MESSAGE).collect().await;
    let is_hooked = head.headers.contains_key("x-broken-plugins");
    let hooks = is_hooked.then(|| Arc::new(BrokenPlugins) as Arc<dyn Hooks>);
    let ask = EndpointRequest {
        method: head.method,
        prefix: head.uri.path().strip_prefix("/mcp/").map(str::to_owned),
        tenant: head.headers.get("x-tenant").map_or("t", |value| value.to_str().unwrap()).into(),
        headers: head.headers,
        hooks,
        body: body.map(|body| body.to_bytes()).unwrap_or_default(),
    };
    Ok(hub.answer(ask).await.map(Served))
}

struct Served(Body);

impl HttpBody for Served {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match &mut self.0 {
            Body::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Body::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Body::Stream(pieces) => {
                pieces.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
            }
        }
    }
}

/// Connections without TLS.
struct Plain(HttpClient<HttpConnector, Full<Bytes>>);

impl Transport for Plain {
    fn send(&self, request: Request<Bytes>) -> Sending<'_> {
        Box::pin(async move {
            let answer = self.0.request(request.map(Full::new)).await;
            let answer = answer.map_err(|error| error.to_string())?;
            Ok(answer.map(Received::new))
        })
    }
}

/// Originals in memory.
#[derive(Default)]
pub(crate) struct Kept(Mutex<HashMap<(String, String), String>>);

impl Originals for Kept {
    fn key(&self) -> Option<Arc<ReferenceSecret>> {
        Some(Arc::new(ReferenceSecret::from_secret("for tests")))
    }

    fn keep(&self, tenant: &str, original: &Original) -> bool {
        let key = (tenant.to_owned(), original.reference.to_string());
        self.0.lock().unwrap().insert(key, original.text.clone());
        true
    }

    fn find(&self, tenant: &str, id: &str) -> Option<String> {
        self.0.lock().unwrap().get(&(tenant.to_owned(), id.to_owned())).cloned()
    }

    fn keep_task(&self, tenant: &str, server: &str, task: &str, call: &str) {
        let key = (tenant.to_owned(), format!("{server} {task}"));
        self.0.lock().unwrap().insert(key, call.to_owned());
    }

    fn find_task(&self, tenant: &str, server: &str, task: &str) -> Option<String> {
        self.find(tenant, &format!("{server} {task}"))
    }
}

impl Kept {
    /// Was something kept of this task?
    pub(crate) fn has_task(&self, server: &str, task: &str) -> bool {
        self.find_task("t", server, task).is_some()
    }
}

/// Plugins that leave arguments which are no JSON.
struct BrokenPlugins;

impl Hooks for BrokenPlugins {
    fn begin(&self, _: &str, _: &str) -> Box<dyn Hook> {
        Box::new(BrokenPlugins)
    }
}

impl Hook for BrokenPlugins {
    fn arguments(&mut self, _: Bytes) -> HookFuture<'_> {
        Box::pin(async { Ok(Bytes::from_static(b"{")) })
    }

    fn result(&mut self, result: Bytes) -> HookFuture<'_> {
        Box::pin(async { Ok(result) })
    }
}

/// A server that is a program.
pub(crate) fn program() -> Value {
    json!({"command": env!("CARGO_BIN_EXE_fake-tool-server")})
}

/// An answer, with the messages it holds.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) messages: Vec<Value>,
}

impl Reply {
    /// The last message: the answer to the request.
    pub(crate) fn answer(&self) -> &Value {
        self.messages.last().expect("an answer")
    }

    pub(crate) fn result(&self) -> &Value {
        let answer = self.answer();
        answer.get("result").unwrap_or_else(|| panic!("no result: {answer}"))
    }

    pub(crate) fn error_code(&self) -> i64 {
        self.answer()["error"]["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("no error: {}", self.answer()))
    }

    /// The first text of a result.
    pub(crate) fn text(&self) -> &str {
        self.result()["content"][0]["text"].as_str().unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }
}

/// An answer that is read message by message.
pub(crate) struct AnswerStream {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Received,
    reader: sse::SseReader,
    read: std::collections::VecDeque<Value>,
    is_stream: bool,
    whole: Vec<u8>,
}

impl AnswerStream {
    /// The next message; `None`: there is none.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(message) = self.read.pop_front() {
                return Some(message);
            }
            let frame =
                tokio::time::timeout(PATIENCE, self.body.frame()).await.expect("a message in time");
            let Some(Ok(frame)) = frame else {
                let whole = std::mem::take(&mut self.whole);
                return (!whole.is_empty()).then(|| serde_json::from_slice(&whole).unwrap());
            };
            let piece = frame.into_data().unwrap();
            if self.is_stream {
                let events = self.reader.push(&piece).unwrap();
                self.read.extend(
                    events.iter().map(|event| serde_json::from_str::<Value>(&event.data).unwrap()),
                );
            } else {
                self.whole.extend_from_slice(&piece);
            }
        }
    }

    /// The id of the last event that came.
    pub(crate) fn last_event(&self) -> &str {
        self.reader.last_id.as_deref().expect("an event with an id")
    }

    pub(crate) async fn reply(mut self) -> Reply {
        let mut messages = Vec::new();
        while let Some(message) = self.next().await {
            messages.push(message);
        }
        Reply { status: self.status, headers: self.headers, messages }
    }
}

impl World {
    pub(crate) async fn open(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> AnswerStream {
        let mut request =
            Request::builder().method(method).uri(format!("http://{}{path}", self.address));
        let usual = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        for (name, value) in usual.iter().chain(headers) {
            request = request.header(*name, *value);
        }
        let request = request.body(Bytes::from(body.to_owned())).unwrap();
        let sent = tokio::time::timeout(PATIENCE, self.http.send(request)).await;
        let (head, body) = sent.expect("an answer in time").unwrap().into_parts();
        let is_stream =
            head.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream");
        AnswerStream {
            status: head.status,
            headers: head.headers,
            body,
            reader: sse::SseReader::default(),
            read: Default::default(),
            is_stream,
            whole: Vec::new(),
        }
    }

    pub(crate) async fn post(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        message: &Value,
    ) -> Reply {
        self.open(Method::POST, path, headers, &message.to_string()).await.reply().await
    }

    /// Sends a request as it is.
    pub(crate) async fn raw(&self, request: Request<Bytes>) -> Reply {
        let (head, body) = self.http.send(request).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let messages = serde_json::from_slice(&body).into_iter().collect();
        Reply { status: head.status, headers: head.headers, messages }
    }

    /// Begins a session of a client that cannot be asked anything.
    pub(crate) async fn client(&self, path: &'static str) -> Client<'_> {
        self.client_named(path, "test", json!({})).await
    }

    pub(crate) async fn client_named(
        &self,
        path: &'static str,
        name: &str,
        capabilities: Value,
    ) -> Client<'_> {
        self.client_of("2025-06-18", path, name, capabilities).await
    }

    /// Begins a session of a client that speaks this version.
    pub(crate) async fn client_of(
        &self,
        version: &str,
        path: &'static str,
        name: &str,
        capabilities: Value,
    ) -> Client<'_> {
        self.client_of_tenant("t", version, path, name, capabilities).await
    }

    /// Begins a session of a client of this tenant.
    pub(crate) async fn client_of_tenant(
        &self,
        tenant: &'static str,
        version: &str,
        path: &'static str,
        name: &str,
        capabilities: Value,
    ) -> Client<'_> {
        let params = json!({
            "protocolVersion": version, "capabilities": capabilities,
            "clientInfo": {"name": name, "version": "1"},
        });
        let own = [("x-tenant", tenant)];
        let reply = self.post(path, &own, &request(0, "initialize", params)).await;
        assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
        let session =
            reply.header("mcp-session-id").unwrap_or_else(|| panic!("{reply:?}")).to_owned();
        let welcome = reply.result().clone();
        let client = Client { world: self, tenant, path, session, welcome };
        let told =
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        assert_eq!((told.status, told.messages.len()), (StatusCode::ACCEPTED, 0));
        client
    }
}

/// A client with a session.
pub(crate) struct Client<'w> {
    world: &'w World,
    tenant: &'static str,
    path: &'static str,
    pub(crate) session: String,
    pub(crate) welcome: Value,
}

impl Client<'_> {
    pub(crate) async fn send(&self, message: &Value) -> Reply {
        self.open(&[], message).await.reply().await
    }

    pub(crate) async fn open(&self, headers: &[(&str, &str)], message: &Value) -> AnswerStream {
        let mut all = vec![
            ("mcp-session-id", self.session.as_str()),
            ("mcp-protocol-version", "2025-06-18"),
            ("x-tenant", self.tenant),
        ];
        all.extend_from_slice(headers);
        self.world.open(Method::POST, self.path, &all, &message.to_string()).await
    }

    /// Tells something that wants no answer.
    pub(crate) async fn tell(&self, method: &str, params: Value) {
        let told = json!({"jsonrpc": "2.0", "method": method, "params": params});
        assert_eq!(self.send(&told).await.status, StatusCode::ACCEPTED);
    }

    /// What a tool says that it has, as JSON.
    pub(crate) async fn state(&self, tool: &str) -> Value {
        let reply =
            self.ask("tools/call", json!({"name": tool, "_meta": {FORMAT_KEY: "json"}})).await;
        serde_json::from_str(reply.text()).unwrap()
    }

    pub(crate) async fn ask(&self, method: &str, params: Value) -> Reply {
        self.send(&request("client-1", method, params)).await
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Calls a tool and asks for a form.
    pub(crate) async fn call_with(&self, headers: &[(&str, &str)], tool: &str) -> Reply {
        self.call_with_arguments(headers, tool, json!({})).await
    }

    /// The same with arguments.
    pub(crate) async fn call_with_arguments(
        &self,
        headers: &[(&str, &str)],
        tool: &str,
        arguments: Value,
    ) -> Reply {
        let params = json!({"name": tool, "arguments": arguments});
        let message = request("client-1", "tools/call", params);
        self.open(headers, &message).await.reply().await
    }

    /// Calls a tool whose answer is read bit by bit.
    pub(crate) async fn begin(&self, id: &str, params: Value) -> AnswerStream {
        self.open(&[], &request(id, "tools/call", params)).await
    }

    pub(crate) async fn listen(&self) -> AnswerStream {
        let session = [("mcp-session-id", self.session.as_str()), ("x-tenant", self.tenant)];
        self.world.open(Method::GET, self.path, &session, "").await
    }

    /// Takes up a stream again after this event.
    pub(crate) async fn resume(&self, event: &str) -> AnswerStream {
        let headers = [("mcp-session-id", self.session.as_str()), ("last-event-id", event)];
        self.world.open(Method::GET, self.path, &headers, "").await
    }

    pub(crate) async fn leave(&self) -> StatusCode {
        let session = [("mcp-session-id", self.session.as_str())];
        self.world.open(Method::DELETE, self.path, &session, "").await.status
    }

    /// The names of all tools, over all pages.
    pub(crate) async fn tools(&self) -> Vec<Value> {
        let (mut tools, mut params) = (Vec::new(), json!({}));
        loop {
            let reply = self.ask("tools/list", params).await;
            tools.extend(reply.result()["tools"].as_array().unwrap().iter().cloned());
            match reply.result().get("nextCursor") {
                Some(next) => params = json!({ "cursor": next }),
                None => return tools,
            }
        }
    }
}

pub(crate) fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

pub(crate) fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}
