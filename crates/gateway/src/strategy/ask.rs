//! Calls of a strategy's service, behind the rate limit and the circuit breaker.

use super::{ClientCredentials, StrategyShared, external, service};
use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Limited};
use serde_json::Value;
use std::time::{Duration, Instant};
use tokenforge_config::Strategy;
use tokenforge_conversation::rewrite::RewriteInput;
use tokenforge_conversation::strategy::StrategyCandidate;
use tokenforge_redact::redact_text;

/// The longest answer that is read.
const LONGEST_ANSWER: usize = 8 << 20;

/// Asks for one request.
pub(crate) struct StrategyClient<'a> {
    pub(crate) shared: &'a StrategyShared,
    pub(crate) input: &'a RewriteInput,
    pub(crate) credentials: &'a ClientCredentials,
}

/// Why a strategy has no answer. Says nothing of what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AskError {
    #[error("{0} is not set")]
    Unset(&'static str),
    #[error("there is no key for it: {0}")]
    NoKey(&'static str),
    #[error("it failed several times and is left alone for a while")]
    LeftAlone,
    #[error("it did not answer within {} seconds", .0.as_secs())]
    Silent(Duration),
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    #[error("it answered with status {0}")]
    Status(StatusCode),
    #[error("its answer has another shape than expected")]
    Shape,
}

impl StrategyClient<'_> {
    /// The shorter text of a service or a model.
    pub(crate) async fn ask(&self, candidate: &StrategyCandidate) -> Result<String, AskError> {
        let limits = &self.shared.limits;
        if !limits.breaker.is_closed(Instant::now()) {
            return Err(AskError::LeftAlone);
        }
        let _turn = limits.acquire().await.ok_or(AskError::LeftAlone)?;
        let answer = match self.input.rules.settings.tool_output.strategy {
            Strategy::ExternalProvider => external::ask(self, candidate).await,
            _ => service::ask(self, candidate).await,
        };
        let is_our_fault = matches!(answer, Err(AskError::Unset(_) | AskError::NoKey(_)));
        if !is_our_fault {
            limits.breaker.record(answer.is_ok(), Instant::now());
        }
        answer
    }

    /// Posts a document and reads the one that comes back.
    pub(super) async fn post(
        &self,
        request: http::request::Builder,
        document: &Value,
    ) -> Result<Value, AskError> {
        let timeout = self.input.rules.settings.tool_output.api.timeout;
        let body = Bytes::from(document.to_string());
        let mut request: Request<_> = request
            .method("POST")
            .header("content-type", "application/json")
            .body(body.into())
            .map_err(|error| AskError::Unreachable(error.to_string()))?;
        let asking = async {
            let sent = self.shared.client.send(&mut request, false, timeout).await;
            let answer = sent.map_err(|error| AskError::Unreachable(error.to_string()))?;
            if answer.status() != StatusCode::OK {
                return Err(AskError::Status(answer.status()));
            }
            let body = Limited::new(answer.into_body(), LONGEST_ANSWER).collect().await;
            let body = body.map_err(|_| AskError::Shape)?.to_bytes();
            serde_json::from_slice(&body).map_err(|_| AskError::Shape)
        };
        tokio::time::timeout(timeout, asking).await.map_err(|_| AskError::Silent(timeout))?
    }

    /// What the result is for, as far as the call says.
    pub(super) fn query(&self, candidate: &StrategyCandidate) -> String {
        if candidate.tool.is_empty() {
            return String::new();
        }
        let query = format!("{} {}", candidate.tool, candidate.arguments);
        if !self.input.rules.settings.redact_secrets {
            return query;
        }
        // The model that wrote the arguments gets them back as they are. This request goes to another service.
        match redact_text(&query) {
            Ok(redacted) => redacted.unwrap_or(query),
            Err(_) => String::new(),
        }
    }
}
