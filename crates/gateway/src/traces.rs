//! Traces: one span for each request, sent to a collector in OTLP's JSON. Off unless the settings name one.

use crate::detect::detect_api;
use crate::route::ApiRoute;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use http::{Method, Request, StatusCode, Uri};
use serde_json::{Value, json};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokenforge_proxy::upstream::UpstreamClient;
use tokio::sync::mpsc;

/// How many spans may wait; more are dropped.
const WAITING: usize = 2048;

/// How many are sent at once, and how long a collector may take.
const BATCH: usize = 256;
const PATIENCE: Duration = Duration::from_secs(5);

const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// Spans on their way to a collector.
pub(crate) struct TraceExporter {
    endpoint: Uri,
    spans: mpsc::Sender<RequestSpan>,
    waiting: Mutex<Option<mpsc::Receiver<RequestSpan>>>,
}

/// One request, while it is served and after that.
pub(crate) struct RequestSpan {
    trace: String,
    parent: Option<String>,
    id: String,
    name: String,
    start: SystemTime,
    end: SystemTime,
    attributes: Vec<Value>,
    is_error: bool,
}

impl TraceExporter {
    pub(crate) fn new(endpoint: &Uri) -> Self {
        let (spans, waiting) = mpsc::channel(WAITING);
        TraceExporter { endpoint: endpoint.clone(), spans, waiting: Mutex::new(Some(waiting)) }
    }

    /// A request came. It belongs to the client's trace, if that names one.
    pub(crate) fn begin(&self, head: &Parts, route: Option<&ApiRoute>) -> RequestSpan {
        let (trace, parent) = parse_traceparent(&head.headers);
        let now = SystemTime::now();
        RequestSpan {
            trace: trace.unwrap_or_else(|| format!("{:016x}{:016x}", random(), random())),
            parent,
            id: format!("{:016x}", random()),
            name: format!(
                "{} {}",
                known_method(&head.method).unwrap_or("HTTP"),
                template(head, route)
            ),
            start: now,
            end: now,
            attributes: vec![attribute(
                "http.request.method",
                known_method(&head.method).unwrap_or("_OTHER"),
            )],
            is_error: false,
        }
    }

    /// The head of its answer is on its way.
    pub(crate) fn end(&self, mut span: RequestSpan, status: StatusCode, headers: &HeaderMap) {
        span.end = SystemTime::now();
        span.is_error = status.is_server_error();
        span.attributes.push(attribute("http.response.status_code", status.as_str()));
        for name in ["x-forge-tokens-before", "x-forge-tokens-after"] {
            let value = headers.get(name).and_then(|value| value.to_str().ok());
            span.attributes.extend(value.map(|value| attribute(name, value)));
        }
        let _ = self.spans.try_send(span);
    }
}

/// Sends spans to the collector until the gateway makes no more. A collector that is away loses what it misses, and a
/// redirect is not followed.
pub(crate) async fn export(traces: Arc<TraceExporter>, client: Arc<UpstreamClient>) {
    let waiting = traces.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(mut waiting) = waiting else { return };
    let mut batch = Vec::with_capacity(BATCH);
    while waiting.recv_many(&mut batch, BATCH).await > 0 {
        let spans: Vec<Value> = batch.drain(..).map(|span| span.document()).collect();
        let service = json!({"attributes": [attribute("service.name", "tokenforge")]});
        let scope = json!({"scope": {"name": "tokenforge"}, "spans": spans});
        let document = json!({"resourceSpans": [{"resource": service, "scopeSpans": [scope]}]});
        let mut request = Request::new(document.to_string().into());
        *request.method_mut() = http::Method::POST;
        *request.uri_mut() = address(&traces.endpoint);
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if client.send(&mut request, false, PATIENCE).await.is_err() {
            tracing::debug!("the collector of traces does not answer");
        }
    }
}

impl RequestSpan {
    fn document(&self) -> Value {
        let nanoseconds = |time: SystemTime| {
            time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
        };
        json!({
            "traceId": self.trace,
            "spanId": self.id,
            "parentSpanId": self.parent,
            "name": self.name,
            "kind": 2,
            "startTimeUnixNano": nanoseconds(self.start),
            "endTimeUnixNano": nanoseconds(self.end),
            "attributes": self.attributes,
            "status": {"code": if self.is_error { 2 } else { 0 }},
        })
    }
}

/// The paths of our own, without what follows them.
const OWN_PATHS: [&str; 4] = ["/_forge", "/mcp", "/v1/compress", "/v1/retrieve"];

/// What kind of request it is. Of its path only what the operator chose: clients write ids, names and keys into theirs.
fn template<'r>(head: &Parts, route: Option<&'r ApiRoute>) -> &'r str {
    if let Some(route) = route {
        return route.path();
    }
    let path = head.uri.path();
    let is_below = |own: &&&str| {
        path.strip_prefix(**own).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match (OWN_PATHS.iter().find(is_below), detect_api(head)) {
        (Some(own), _) => own,
        (None, Some(detected)) => detected.dialect.name(),
        (None, None) => "other",
    }
}

/// A method that clients did not make up.
fn known_method(method: &Method) -> Option<&str> {
    let is_known = matches!(
        *method,
        Method::GET
            | Method::HEAD
            | Method::POST
            | Method::PUT
            | Method::PATCH
            | Method::DELETE
            | Method::OPTIONS
            | Method::CONNECT
            | Method::TRACE
    );
    is_known.then(|| method.as_str())
}

/// Collectors are named with and without the path of their traces.
fn address(endpoint: &Uri) -> Uri {
    let text = endpoint.to_string();
    let text = text.trim_end_matches('/');
    let whole =
        if text.ends_with("/v1/traces") { text.to_owned() } else { format!("{text}/v1/traces") };
    whole.parse().unwrap_or_else(|_| endpoint.clone())
}

/// The trace and the span that a request says it belongs to: `00-TRACE-SPAN-FLAGS`.
fn parse_traceparent(headers: &HeaderMap) -> (Option<String>, Option<String>) {
    let value = headers.get(TRACE_PARENT).and_then(|value| value.to_str().ok());
    let mut parts = value.unwrap_or_default().split('-').skip(1);
    let mut hex = |length: usize| {
        let part = parts.next()?;
        let is_id = part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then(|| part.to_ascii_lowercase())
    };
    match (hex(32), hex(16)) {
        (Some(trace), Some(span)) => (Some(trace), Some(span)),
        _ => (None, None),
    }
}

fn attribute(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

/// A random number that tells spans apart. It is no secret, so it need not be unpredictable.
fn random() -> u64 {
    RandomState::new().hash_one(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_joins_the_trace_it_names() {
        let mut headers = HeaderMap::new();
        assert_eq!(parse_traceparent(&headers), (None, None));
        let (trace, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
        let value = format!("00-{trace}-{span}-01").parse().unwrap();
        headers.insert(TRACE_PARENT, value);
        assert_eq!(parse_traceparent(&headers), (Some(trace.to_owned()), Some(span.to_owned())));
    }

    #[test]
    fn a_collector_is_named_with_and_without_its_path() {
        for endpoint in ["http://c:4318", "http://c:4318/", "http://c:4318/v1/traces"] {
            assert_eq!(address(&endpoint.parse().unwrap()), "http://c:4318/v1/traces");
        }
    }
}
