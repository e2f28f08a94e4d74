//! Rewriting a body without holding up other requests: what was made before is spliced in at once, what is new goes to
//! threads of its own.

use super::read::Payload;
use super::{Stop, Visit, detected};
use crate::answer::Problem;
use crate::expand::Originals;
use crate::gateway::{Gateway, State};
use crate::http::body::Body;
use crate::options::Options;
use crate::relay;
use crate::rewrite::{Effort, Job, Rewritten, rewrite};
use crate::strategy::{self, Shortened};
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, HeaderName, HeaderValue};
use http::StatusCode;
use std::sync::Arc;
use std::time::Instant;
use tokenforge_dialects::{Dialect, Purpose};
use tokenforge_plugin::Exchange;

/// A longer body is not looked at on the threads that move bytes.
const SHORT: usize = 512 << 10;

/// A request as it goes on.
pub(super) struct Rewriting {
    pub(super) body: Body,
    /// The answer may hold a call that is ours.
    pub(super) relay: Option<relay::Job>,
    /// What the client hears about it.
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
}

impl Visit {
    /// Makes the body that goes on.
    pub(super) async fn rewrite(
        &self,
        exchange: &mut Exchange,
        payload: Payload,
        options: &Options,
    ) -> Result<Rewriting, Stop> {
        let (body, wire) = match payload {
            Payload::Passing(body) => return Ok(Rewriting::untouched(body)),
            Payload::Here(body) => (body, None),
            Payload::Coded { wire, decoded } => (decoded, Some(Body::Pieces(wire))),
        };
        let Some(order) = self.order(exchange, body.clone(), options) else {
            return Ok(Rewriting::untouched(wire.unwrap_or_else(|| body.into())));
        };
        let rewritten = order.clone().made().await?;
        let mut report = rewritten.report;
        report.project = exchange.project.as_deref().map(str::to_owned);
        self.gateway.telemetry.rewritten(&report);
        let is_changed = rewritten.body != order.body;
        let body = match wire.filter(|_| !is_changed) {
            Some(wire) => wire,
            None => {
                exchange.request_mut().headers.remove(CONTENT_ENCODING);
                rewritten.body.clone().into()
            }
        };
        let relay = (rewritten.offers_expansion && order.purpose == Purpose::Generate).then(|| {
            let originals = Originals {
                tenant: order.tenant.to_string(),
                dialect: order.dialect,
                body: order.body.clone(),
                results: rewritten.originals,
                settings: rewritten.settings,
            };
            let streams = order.is_stream.unwrap_or(rewritten.streams);
            relay::Job { body: rewritten.body, originals, streams }
        });
        Ok(Rewriting { body, relay, headers: told(&report) })
    }

    /// What is to be rewritten, if it is anything that we know.
    fn order(&self, exchange: &Exchange, body: Bytes, options: &Options) -> Option<Order> {
        let detected = detected(exchange.request()).filter(|detected| !detected.is_signed)?;
        Some(Order {
            gateway: self.gateway.clone(),
            state: self.state.clone(),
            dialect: detected.dialect,
            purpose: detected.purpose,
            is_stream: detected.is_stream,
            model: detected.model.map(str::to_owned),
            tenant: exchange.tenant.clone().unwrap_or_default(),
            options: Arc::new(options.clone()),
            body,
        })
    }
}

impl Rewriting {
    fn untouched(body: Body) -> Self {
        Rewriting { body, relay: None, headers: Vec::new() }
    }
}

/// A body, and all that decides what becomes of it.
#[derive(Clone)]
pub(crate) struct Order {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) state: Arc<State>,
    pub(crate) dialect: Dialect,
    pub(crate) purpose: Purpose,
    pub(crate) is_stream: Option<bool>,
    pub(crate) model: Option<String>,
    pub(crate) tenant: Arc<str>,
    pub(crate) options: Arc<Options>,
    pub(crate) body: Bytes,
}

impl Order {
    async fn made(self) -> Result<Rewritten, Problem> {
        if self.body.len() <= SHORT
            && let Some(rewritten) = self.rewrite(Effort::Remembered, &Shortened::default())?
        {
            return Ok(rewritten);
        }
        let shortened = strategy::shorten(&self).await?;
        let permit = self.gateway.compression.clone().acquire_owned().await;
        let body = self.body.clone();
        let working = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            self.rewrite(Effort::Full, &shortened)
        });
        match working.await {
            Ok(rewritten) => Ok(rewritten?.unwrap_or_else(|| Rewritten::untouched(&body))),
            // A defect of ours is no reason for the request to fail, unless it was to be checked for secrets.
            Err(_) => Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "a defect in the gateway")),
        }
    }

    fn rewrite(&self, effort: Effort, shortened: &Shortened) -> Result<Option<Rewritten>, Problem> {
        let job = Job {
            gateway: &self.gateway,
            state: &self.state,
            dialect: self.dialect,
            purpose: self.purpose,
            model: self.model.as_deref(),
            tenant: &self.tenant,
            options: &self.options,
            deadline: Instant::now() + self.state.settings.tool_output.deadline,
            shortened,
        };
        rewrite(&job, &self.body, effort)
    }
}

/// How many tokens the tool results have, before and after.
fn told(report: &crate::report::Report) -> Vec<(HeaderName, HeaderValue)> {
    if report.results.is_empty() {
        return Vec::new();
    }
    let (before, after) = report.tokens();
    let header = |name, tokens: usize| (HeaderName::from_static(name), HeaderValue::from(tokens));
    vec![header("x-forge-tokens-before", before), header("x-forge-tokens-after", after)]
}
