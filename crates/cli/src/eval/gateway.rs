//! A gateway of its own, in front of the endpoint, for as long as the evaluation takes.

use super::api::Api;
use anyhow::{Context, bail};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt, Limited};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use tokenforge_compress::Mode;
use tokenforge_config::{Limits, Overrides, Settings};
use tokenforge_mcp::Transport;
use tokenforge_store::{Memory, Settings as Bounds};
use tokio::net::TcpListener;

/// The longest reply.
const LONGEST: usize = 64 << 20;

/// A gateway that runs.
pub(super) struct Gateway {
    address: SocketAddr,
    transport: Arc<dyn Transport>,
}

/// What the gateway counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Figures {
    /// Input tokens as the provider reported them, expansions included.
    pub(super) input: u64,
    pub(super) cache_read: u64,
    pub(super) cache_write: u64,
    /// Tokens of tool results as they came and as they went on, by our own count.
    pub(super) results_before: u64,
    pub(super) results_after: u64,
    /// How many originals the model asked for, and their tokens.
    pub(super) expansions: u64,
    pub(super) expansion_tokens: u64,
}

impl Gateway {
    /// Starts one in front of an endpoint.
    pub(super) async fn start(endpoint: &str, mode: Mode) -> anyhow::Result<Self> {
        let flags = Overrides {
            backend_url: Some(endpoint.to_owned()),
            tool_output_compression: Some(mode.to_string()),
            ..Overrides::default()
        };
        let settings = Settings::load(None, &|_| None, &flags).context("--base-url")?;
        let store = Arc::new(Memory::new(Bounds::MEMORY));
        let gateway = tokenforge_gateway::Gateway::new(settings, store)?;
        let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0))
            .await
            .context("no free port on this machine")?;
        let address = listener.local_addr().context("cannot listen")?;
        tokio::spawn(tokenforge_gateway::serve(gateway, listener, std::future::pending()));
        Ok(Gateway { address, transport: tokenforge_gateway::transport(&Limits::default()) })
    }

    /// Asks a model.
    pub(super) async fn ask(
        &self,
        path: &str,
        headers: Vec<(HeaderName, HeaderValue)>,
        question: &Value,
    ) -> anyhow::Result<Value> {
        let (status, reply) = self.send(Method::POST, path, headers, question.to_string()).await?;
        if status.is_success() {
            return Ok(reply);
        }
        let message = reply["error"]["message"].as_str().or_else(|| reply["error"].as_str());
        bail!("the endpoint answers {status}: {}", message.unwrap_or("no reason given"))
    }

    /// What it counted so far.
    pub(super) async fn figures(&self) -> anyhow::Result<Figures> {
        let (_, stats) =
            self.send(Method::GET, "/_forge/api/stats", Vec::new(), String::new()).await?;
        let counter = |name: &str| stats["counters"][name].as_u64().unwrap_or_default();
        let both = |when: &str| {
            counter(&format!("fresh_tokens_{when}")) + counter(&format!("repeated_tokens_{when}"))
        };
        Ok(Figures {
            input: counter("input_tokens"),
            cache_read: counter("cache_read_tokens"),
            cache_write: counter("cache_write_tokens"),
            results_before: both("before"),
            results_after: both("after"),
            expansions: counter("expansions"),
            expansion_tokens: counter("expansion_tokens"),
        })
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: String,
    ) -> anyhow::Result<(StatusCode, Value)> {
        let mut request = Request::new(Bytes::from(body));
        *request.method_mut() = method;
        *request.uri_mut() = format!("http://{}{path}", self.address).parse()?;
        request.headers_mut().extend(headers);
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let sent = self.transport.send(request).await;
        let (head, received) = sent.map_err(|error| anyhow::anyhow!(error))?.into_parts();
        let body = Limited::new(received.body, LONGEST).collect().await;
        let body = body.map_err(|_| anyhow::anyhow!("the reply broke off"))?.to_bytes();
        Ok((head.status, serde_json::from_slice(&body).unwrap_or_default()))
    }
}

impl Figures {
    /// All input as the provider reported it. Anthropic counts what is cached beside the rest, OpenAI as a part of it.
    pub(super) fn provider_input(&self, api: Api) -> u64 {
        match api {
            Api::Openai => self.input,
            Api::Anthropic => self.input + self.cache_read + self.cache_write,
        }
    }

    /// What was counted since.
    pub(super) fn since(self, before: &Figures) -> Figures {
        Figures {
            input: self.input.saturating_sub(before.input),
            cache_read: self.cache_read.saturating_sub(before.cache_read),
            cache_write: self.cache_write.saturating_sub(before.cache_write),
            results_before: self.results_before.saturating_sub(before.results_before),
            results_after: self.results_after.saturating_sub(before.results_after),
            expansions: self.expansions.saturating_sub(before.expansions),
            expansion_tokens: self.expansion_tokens.saturating_sub(before.expansion_tokens),
        }
    }
}
