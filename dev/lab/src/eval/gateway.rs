//! A gateway of its own, in front of the endpoint, for as long as the evaluation takes.

use super::api::Api;
use anyhow::{Context, bail};
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::{ExpandInjection, Overrides, Settings};
use tokenforge_engine::DictionaryMethod as Dictionary;
use tokenforge_engine::Mode;
use tokenforge_gateway::Gateway;
use tokenforge_mcp::Transport;
use tokenforge_store::{MemoryStore, StoreOptions as Bounds};
use tokio::net::TcpListener;

/// How often, and with what pause, the gateway is asked for the figures of an answer that it has just passed on.
const ASKED: (usize, Duration) = (10, Duration::from_millis(20));

/// A gateway that runs.
pub(super) struct EvalGateway {
    url: String,
    transport: Arc<dyn Transport>,
}

/// What the gateway counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Figures {
    /// Input tokens as the provider reported them, expansions included.
    input: u64,
    cache_read: u64,
    cache_write: u64,
    /// Tokens of tool results as they came and as they went on, by our own count.
    pub(super) results_before: u64,
    pub(super) results_after: u64,
    /// How many originals the model asked for, and their tokens.
    pub(super) expansions: u64,
    pub(super) expansion_tokens: u64,
}

impl EvalGateway {
    /// Starts one in front of an endpoint. It keeps nothing, and writes nothing down but events, if a file is named for them.
    pub(super) async fn start(
        endpoint: &str,
        mode: Mode,
        method: Dictionary,
        events: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let flags = Overrides {
            listen: Some("127.0.0.1:0".to_owned()),
            backend_url: Some(endpoint.to_owned()),
            tool_output_compression: Some(mode.to_string()),
            tool_output_compression_method: Some(method.to_string()),
            ..Overrides::default()
        };
        let mut settings = Settings::load(None, &|_| None, &flags).context("--base-url")?;
        // Scenarios are short, and many are about what is left out and fetched back.
        settings.tool_output.expand_injection = ExpandInjection::FromStart;
        settings.monitoring.compression_log = events.map(Path::to_owned);
        let store = Arc::new(MemoryStore::new(Bounds::MEMORY));
        let listener = TcpListener::bind(settings.listen).await.context("cannot listen")?;
        let url = format!("http://{}", listener.local_addr().context("cannot listen")?);
        let transport = tokenforge_gateway::transport(&settings.limits);
        let gateway = Gateway::new(settings, store)?;
        tokio::spawn(tokenforge_gateway::serve(gateway, listener, std::future::pending()));
        Ok(EvalGateway { url, transport })
    }

    /// Asks a model.
    pub(super) async fn ask(
        &self,
        path: &str,
        headers: HeaderMap,
        question: &Value,
    ) -> anyhow::Result<Value> {
        let (status, reply) = self.send(Method::POST, path, headers, question.to_string()).await?;
        if status.is_success() {
            return Ok(reply);
        }
        let message = reply["error"]["message"].as_str().or_else(|| reply["error"].as_str());
        bail!("the endpoint answers {status}: {}", message.unwrap_or("no reason given"))
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: String,
    ) -> anyhow::Result<(StatusCode, Value)> {
        let mut request = Request::new(body.into());
        *request.method_mut() = method;
        *request.uri_mut() = format!("{}{path}", self.url).parse().context("--base-url")?;
        *request.headers_mut() = headers;
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let answer = self.transport.send(request).await.map_err(anyhow::Error::msg)?;
        let status = answer.status();
        let body = answer.into_body().collect().await.context("the answer broke off")?.to_bytes();
        Ok((status, serde_json::from_slice(&body).unwrap_or_default()))
    }

    /// What it counted so far.
    pub(super) async fn figures(&self) -> anyhow::Result<Figures> {
        let path = "/_forge/api/stats";
        let (_, stats) = self.send(Method::GET, path, HeaderMap::new(), String::new()).await?;
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

    /// What it counted since. An answer is counted when it is over, which may be after the agent has all of it: the
    /// provider's input is at least what the agent was told.
    pub(super) async fn counted_since(
        &self,
        before: &Figures,
        api: Api,
        told: u64,
    ) -> anyhow::Result<Figures> {
        let (times, pause) = ASKED;
        for _ in 1..times {
            let figures = self.figures().await?.since(before);
            if figures.provider_input(api) >= told {
                return Ok(figures);
            }
            tokio::time::sleep(pause).await;
        }
        Ok(self.figures().await?.since(before))
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

    fn since(self, before: &Figures) -> Figures {
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
