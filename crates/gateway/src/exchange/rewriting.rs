//! Rewriting a body without holding up other requests: what was made before is spliced in at once, what is new goes to
//! threads of its own.

use super::read::Payload;
use super::redaction::Checked;
use super::{Stop, Visit, detected};
use crate::answer::Problem;
use crate::expand::Originals;
use crate::guard::forwarded;
use crate::note::{self, Note};
use crate::options::Options;
use crate::relay;
use crate::rewrite::{
    Asker, Attempt, Effort, Means, Order, Reading, Rewritten, rewrite, unchecked,
};
use crate::strategy::{self, Shortened};
use crate::subscription;
use crate::usage_tap::Metered;
use crate::workers::{Patience, Undone};
use bytes::Bytes;
use http::Uri;
use http::header::{AUTHORIZATION, CONTENT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokenforge_plugin::Exchange;
use tokenforge_providers::{Purpose, session_of_headers};
use tokenforge_proxy::blocking::run_blocking;
use tokenforge_proxy::body::Body;

/// A longer body is not looked at on the threads that move bytes.
const SHORT: usize = 512 << 10;

/// How long after the deadline the work is waited for: a store may not answer.
const GRACE: Duration = Duration::from_secs(5);

/// How long a request waits for a share of the workers. That is not counted against its deadline: how much others send
/// must not decide whether it is compressed.
pub(crate) const QUEUE_PATIENCE: Duration = Duration::from_secs(5);

/// Where the client hears how many tokens its tool results have.
const TOKENS_BEFORE: HeaderName = HeaderName::from_static("x-forge-tokens-before");
const TOKENS_AFTER: HeaderName = HeaderName::from_static("x-forge-tokens-after");

/// A request as it goes on.
pub(super) struct Rewriting {
    pub(super) body: Body,
    /// What becomes of the answer.
    pub(super) way: Way,
    /// What the client hears about it.
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
}

/// How an answer goes back.
pub(super) enum Way {
    /// As it comes. What the request saved is told when it is taken.
    Plain(Option<Box<Metered>>),
    /// Read on the way: it may hold a call that is ours.
    Relayed(Box<relay::Job>),
}

impl Way {
    /// What is told of the request when it is over.
    pub(super) fn note(&mut self) -> Option<&mut Note> {
        match self {
            Way::Plain(metered) => metered.as_deref_mut().map(|metered| &mut metered.note),
            Way::Relayed(job) => Some(&mut job.note),
        }
    }
}

impl Visit<'_> {
    /// Makes the body that goes on.
    pub(super) async fn rewrite(
        &self,
        exchange: &mut Exchange,
        checked: Checked,
        options: &Options,
        target: &Uri,
    ) -> Result<Rewriting, Stop> {
        let (body, wire) = match checked.payload {
            Payload::Passing(body) => return Ok(Rewriting::untouched(body)),
            Payload::Here(body) => (body, None),
            Payload::Coded { wire, decoded } => (decoded, Some(wire.into())),
        };
        let order = self.order(exchange, body.clone(), options, target);
        let Some(mut order) = order.filter(|_| !body.is_empty()) else {
            return self.without_forge(exchange, body, wire, options, checked.is_redacted);
        };
        order.is_redacted = checked.is_redacted;
        let rewritten = made(&order).await?;
        let headers = told(&rewritten.report);
        self.gateway.telemetry.rewritten(&rewritten.report);
        // One that was not changed is the very same bytes.
        let is_changed = rewritten.body.as_ptr() != order.body.as_ptr();
        let body = match wire.filter(|_| !is_changed) {
            Some(wire) => wire,
            None => {
                exchange.request_mut().headers.remove(CONTENT_ENCODING);
                rewritten.body.clone().into()
            }
        };
        let is_billed = order.purpose == Purpose::Generate && rewritten.report.dialect.is_some();
        let sent = rewritten.body.len();
        let note = is_billed.then(|| {
            let headers = &exchange.request().headers;
            let is_subscription = subscription::is_used(headers, target);
            let note = Note::new(self.gateway, rewritten.report, Some(sent));
            note.subscribed(is_subscription)
        });
        let (dialect, streams) = (order.dialect, rewritten.streams);
        let way = match note {
            Some(note) if rewritten.may_expand => {
                let originals = Originals {
                    tenant: order.tenant.to_string(),
                    dialect: order.dialect,
                    body: order.body.clone(),
                    results: rewritten.originals,
                    settings: rewritten.settings,
                    key: rewritten.key,
                };
                let Rewritten { replaced, is_stored, .. } = rewritten;
                let job = relay::Job::new(originals, replaced, streams, is_stored, note);
                Way::Relayed(Box::new(job))
            }
            note => Way::Plain(note.map(|note| Box::new(Metered { note, dialect, streams }))),
        };
        Ok(Rewriting { body, way, headers })
    }

    /// What is to be rewritten, if it is anything that we know.
    fn order(
        &self,
        exchange: &Exchange,
        body: Bytes,
        options: &Options,
        target: &Uri,
    ) -> Option<Order> {
        let head = exchange.request();
        let detected = detected(head).filter(|detected| !detected.is_signed)?;
        let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
        Some(Order {
            gateway: self.gateway.clone(),
            state: self.state.clone(),
            dialect: detected.dialect,
            purpose: detected.purpose,
            is_stream: detected.is_stream,
            model: detected.model.map(str::to_owned),
            tenant: exchange.tenant.clone().unwrap_or_default(),
            project: exchange.project.clone(),
            client: note::client(&head.headers),
            session: session_of_headers(header).map(str::to_owned),
            is_proxied: forwarded(&head.headers).is_some(),
            options: Arc::new(options.clone()),
            target: target.clone(),
            asker: Asker::Model,
            bearer: head.headers.get(AUTHORIZATION).cloned(),
            companions: companions(&head.headers),
            is_redacted: false,
            body,
        })
    }
}

/// What goes along with a credential: a token of a subscription is refused without the beta it belongs to, or without the
/// account that it is for.
const COMPANIONS: [&str; 5] = [
    "anthropic-beta",
    "chatgpt-account-id",
    "openai-organization",
    "openai-project",
    "x-goog-user-project",
];

fn companions(headers: &HeaderMap) -> Vec<(HeaderName, HeaderValue)> {
    let named = COMPANIONS.into_iter().map(HeaderName::from_static);
    let all = |name: HeaderName| {
        let values: Vec<HeaderValue> = headers.get_all(&name).iter().cloned().collect();
        values.into_iter().map(move |value| (name.clone(), value))
    };
    named.flat_map(all).collect()
}

impl Rewriting {
    pub(super) fn untouched(body: Body) -> Self {
        Rewriting { body, way: Way::Plain(None), headers: Vec::new() }
    }
}

/// Rewrites a body, on threads of its own if there is work.
pub(crate) async fn made(order: &Order) -> Result<Rewritten, Problem> {
    let mut reading = None;
    if order.body.len() <= SHORT {
        match attempt(order, Effort::Remembered)? {
            Attempt::Done(rewritten) => return Ok(rewritten),
            Attempt::Unfinished(read) => reading = read,
        }
    }
    Box::pin(made_anew(order, reading)).await
}

/// Rewrites a body on threads of its own.
async fn made_anew(order: &Order, reading: Option<Reading>) -> Result<Rewritten, Problem> {
    let shortened = strategy::shorten(order).await?;
    let undone = match worked(order.clone(), shortened, reading).await {
        Ok(made) => return made,
        Err(undone) => undone,
    };
    order.gateway.telemetry.gave_up();
    if order.state.settings.redact_secrets {
        return Err(match undone {
            Undone::Busy => Problem::busy(),
            _ => unchecked("the check took too long"),
        });
    }
    // On a thread that may block: hidden turns may have to be read from the store.
    let again = order.clone();
    let attempt = run_blocking(move || attempt(&again, Effort::Least)).await;
    let attempt = attempt.unwrap_or(Ok(Attempt::Unfinished(None)));
    Ok(match attempt? {
        Attempt::Done(rewritten) => rewritten,
        Attempt::Unfinished(_) => Rewritten::untouched(&order.body),
    })
}

/// Rewrites a body with an effort in which no stage begins.
fn attempt(order: &Order, effort: Effort) -> Result<Attempt, Problem> {
    let means = Means { effort, deadline: Instant::now(), shortened: &Shortened::default() };
    rewrite(order, &means, None)
}

/// Does all the work, as soon as the tenant has a thread for it.
async fn worked(
    order: Order,
    shortened: Shortened,
    reading: Option<Reading>,
) -> Result<Result<Rewritten, Problem>, Undone> {
    let (gateway, tenant) = (order.gateway.clone(), order.tenant.clone());
    let time = order.state.settings.tool_output.deadline;
    let patience = Patience { queue: QUEUE_PATIENCE, work: time + GRACE };
    let working = gateway.workers.run(&tenant, patience, move || {
        let deadline = Instant::now() + time;
        let means = Means { effort: Effort::Full, deadline, shortened: &shortened };
        rewrite(&order, &means, reading)
    });
    match working.await? {
        Ok(Attempt::Done(rewritten)) => Ok(Ok(rewritten)),
        Ok(Attempt::Unfinished(_)) => Err(Undone::Failed),
        Err(problem) => Ok(Err(problem)),
    }
}

/// How many tokens the tool results have, before and after.
fn told(report: &crate::report::Report) -> Vec<(HeaderName, HeaderValue)> {
    if report.results.is_empty() {
        return Vec::new();
    }
    let (before, after) = report.tokens();
    vec![(TOKENS_BEFORE, before.into()), (TOKENS_AFTER, after.into())]
}
