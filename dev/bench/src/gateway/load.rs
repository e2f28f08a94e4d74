//! A closed loop of requests: every connection sends its next when it has its answer.

use super::conversation::{News, SyntheticConversation};
use super::upstream;
use anyhow::{Context, bail};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// When a round of requests is over.
#[derive(Clone, Copy)]
pub(crate) enum Until {
    /// After this time, and one request of each connection.
    Elapsed(Duration),
    /// So many requests, over all connections.
    Sent(usize),
}

/// What a round of requests showed.
pub(crate) struct LoadRound {
    pub(crate) elapsed: Duration,
    /// Of every request, from the smallest.
    pub(crate) latencies: Vec<Duration>,
    /// How much of what was sent arrived upstream.
    pub(crate) arrived: f64,
}

impl LoadRound {
    pub(crate) fn requests(&self) -> usize {
        self.latencies.len()
    }

    pub(crate) fn rate(&self) -> f64 {
        self.requests() as f64 / self.elapsed.as_secs_f64()
    }

    /// The latency that this part of the requests stayed within.
    pub(crate) fn latency(&self, part: f64) -> Duration {
        let last = self.requests().saturating_sub(1);
        self.latencies[(last as f64 * part).round() as usize]
    }
}

/// Where requests go, and with which headers besides or instead of the usual ones.
#[derive(Clone)]
pub(crate) struct LoadTarget {
    pub(crate) address: SocketAddr,
    pub(crate) headers: HeaderMap,
}

impl From<SocketAddr> for LoadTarget {
    fn from(address: SocketAddr) -> Self {
        Self { address, headers: HeaderMap::new() }
    }
}

/// Sends requests over so many connections at once.
pub(crate) async fn round(
    target: &LoadTarget,
    conversation: &Arc<SyntheticConversation>,
    news: News,
    connections: usize,
    until: Until,
) -> anyhow::Result<LoadRound> {
    let mut workers = JoinSet::new();
    let start = Instant::now();
    for worker in 0..connections {
        let (target, conversation) = (target.clone(), conversation.clone());
        workers.spawn(async move {
            let mut client = LoadClient::connect(&target).await?;
            let (mut latencies, mut arrived) = (Vec::new(), 0);
            while match until {
                Until::Elapsed(time) => latencies.is_empty() || start.elapsed() < time,
                Until::Sent(requests) => latencies.len() * connections + worker < requests,
            } {
                let body = conversation.body(news, next_number());
                let sent = Instant::now();
                let reply = client.post(conversation.dialect.path(), body).await?;
                arrived += upstream::number(reply.headers(), upstream::RECEIVED).unwrap_or(0);
                reply.into_body().collect().await?;
                latencies.push(sent.elapsed());
            }
            anyhow::Ok((latencies, arrived))
        });
    }
    let (mut latencies, mut arrived) = (Vec::new(), 0);
    while let Some(done) = workers.join_next().await {
        let (of_worker, bytes) = done??;
        latencies.extend(of_worker);
        arrived += bytes;
    }
    let elapsed = start.elapsed();
    latencies.sort();
    let arrived = arrived as f64 / (latencies.len() * conversation.len()) as f64;
    Ok(LoadRound { elapsed, latencies, arrived })
}

/// No two requests of a run have the same.
pub(crate) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A connection to a server.
pub(crate) struct LoadClient {
    sender: SendRequest<Full<Bytes>>,
    headers: HeaderMap,
}

impl LoadClient {
    pub(crate) async fn connect(target: &LoadTarget) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(target.address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::try_from(target.address.to_string())?);
        for (name, value) in HEADERS {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers.extend(target.headers.clone());
        Ok(Self { sender, headers })
    }

    /// With a header that tells the upstream what to do.
    pub(crate) fn with(mut self, name: &'static str, value: usize) -> Self {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from(value));
        self
    }

    /// Sends a body; an answer other than 200 is an error.
    pub(crate) async fn post(
        &mut self,
        path: &str,
        body: Bytes,
    ) -> anyhow::Result<Response<Incoming>> {
        let mut request = Request::post(path).body(Full::new(body))?;
        *request.headers_mut() = self.headers.clone();
        self.sender.ready().await.context("the server closed a connection")?;
        let reply = self.sender.send_request(request).await?;
        let status = reply.status();
        if status == StatusCode::OK {
            return Ok(reply);
        }
        let text = reply.into_body().collect().await?.to_bytes();
        bail!("{path} was answered {status}: {}", String::from_utf8_lossy(&text))
    }
}

const HEADERS: [(HeaderName, &str); 5] = [
    (hyper::header::CONTENT_TYPE, "application/json"),
    (hyper::header::AUTHORIZATION, "Bearer sk-bench"),
    (hyper::header::USER_AGENT, "tokenforge-bench"),
    (HeaderName::from_static("x-api-key"), "sk-bench"),
    (HeaderName::from_static("anthropic-version"), "2023-06-01"),
];
