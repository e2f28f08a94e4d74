//! Batches: many requests in one body, each rewritten as a request of its own.
//!
//! No answer to one comes back this way, so no call of our tool could be answered: nothing is left out of results. What
//! cannot be read or takes too long goes on as it came, alone; the other requests are not held up by it.

use super::rewriting::{OutgoingRequest, ResponsePath, token_headers};
use super::{RequestScope, Stop};
use crate::answer::{Problem, unchecked_problem};
use crate::outgoing_body::outgoing_body;
use crate::pending_account::PendingAccount;
use crate::rewriter::RewriteJob;
use crate::subscription;
use bytes::Bytes;
use http::Uri;
use http::header::CONTENT_ENCODING;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use tokenforge_conversation::report::RequestReport;
use tokenforge_conversation::rewrite::{RewriteInput, RewrittenBody};
use tokenforge_conversation::{Replacement, SplicedBody};
use tokenforge_plugin::Exchange;
use tokenforge_providers::{BatchedRequest, ForgeMember, Refusal, batched_requests};
use tokenforge_proxy::body::Body;

/// A longer batch is refused by every provider.
const MOST_REQUESTS: usize = 100_000;

/// The requests of a batch together may take so many times as long as one. Those behind go on as they came.
const DEADLINES: u32 = 12;

/// Of so many models it is told apart what was saved.
const MOST_MODELS: usize = 16;

impl RequestScope<'_> {
    /// Makes the body of a batch that goes on. `wire` is how it came, if coded.
    pub(super) async fn rewrite_batch(
        &self,
        exchange: &mut Exchange,
        job: RewriteJob,
        wire: Option<Body>,
        target: &Uri,
    ) -> Result<OutgoingRequest, Stop> {
        let mut job = job;
        let batch = job.input.body.clone();
        let Some(requests) = self.requests_of(&batch, &job.input)? else {
            let RewriteInput { options, is_redacted, .. } = job.input;
            return self.without_forge(exchange, batch, wire, &options, is_redacted);
        };
        let mut replaced = self.take_options(&mut job.input)?;
        // Its requests are of many conversations.
        job.input.sender.session = None;
        let end = Instant::now() + self.state.settings.tool_output.deadline * DEADLINES;
        let mut reports = Vec::new();
        for BatchedRequest { number, body: range } in requests {
            if Instant::now() > end {
                self.gave_up(number)?;
                break;
            }
            job.input.body = batch.slice(range.clone());
            let rewritten = self.gateway.rewriter.rewrite(&job).await;
            let rewritten = rewritten.map_err(|problem| in_request(number, problem))?;
            self.gateway.telemetry.count_rewritten(&rewritten.report);
            replaced.extend(within_batch(&rewritten, &range));
            add_report(&mut reports, rewritten);
            // Others wait for this thread.
            tokio::task::yield_now().await;
        }
        let Some(body) = SplicedBody::new(batch, replaced) else {
            return Err(unchecked_problem("what was made of it does not fit together").into());
        };
        let is_subscription = subscription::is_used(&exchange.request().headers, target);
        let all: RequestReport = RequestReport {
            results: reports.iter().flat_map(|(report, _)| report.results.clone()).collect(),
            ..RequestReport::default()
        };
        let telemetry = &self.gateway.telemetry;
        let accounts = reports.into_iter().map(|(report, bytes)| {
            let account = PendingAccount::new(telemetry, report, Some(bytes));
            account.with_subscription(is_subscription).in_batch()
        });
        let response_path = ResponsePath::Unmetered(accounts.collect());
        let body = match wire.filter(|_| !body.is_changed()) {
            Some(wire) => wire,
            None => {
                exchange.request_mut().headers.remove(CONTENT_ENCODING);
                outgoing_body(body)
            }
        };
        Ok(OutgoingRequest { body, response_path, headers: token_headers(&all), shadow: None })
    }

    /// Where the requests of a batch stand; nothing if it is to be left as it is.
    fn requests_of(
        &self,
        batch: &Bytes,
        input: &RewriteInput,
    ) -> Result<Option<Vec<BatchedRequest>>, Stop> {
        match batched_requests(batch, input.kind.dialect) {
            Ok(requests) if requests.len() <= MOST_REQUESTS => Ok(Some(requests)),
            Err(_) if self.state.settings.redact_secrets => {
                Err(unchecked_problem("its JSON can be understood in two ways").into())
            }
            _ => Ok(None),
        }
    }

    /// What the batch as a whole asks of us counts for each request in it, and does not go on.
    fn take_options(&self, input: &mut RewriteInput) -> Result<Vec<Replacement>, Stop> {
        let forge = match ForgeMember::find(&input.body) {
            Ok(Some(forge)) => forge,
            Err(Refusal::Ambiguous { .. }) => {
                return Err(Problem::bad_request("_forge occurs twice; expected once").into());
            }
            Ok(None) | Err(_) => return Ok(Vec::new()),
        };
        let member = input.body.get(forge.value.clone()).map(String::from_utf8_lossy);
        let options = (*input.options)
            .clone()
            .with_member(&member.unwrap_or_default())
            .map_err(Problem::from)?;
        input.options = Arc::new(options);
        let removal = forge.removal();
        Ok(vec![(removal.range, Arc::from(&*removal.with))])
    }

    /// There is no time for the requests from this one on.
    fn gave_up(&self, number: usize) -> Result<(), Stop> {
        self.gateway.telemetry.gave_up();
        if self.state.settings.redact_secrets {
            Err(in_request(number, unchecked_problem("the check took too long")).into())
        } else {
            Ok(())
        }
    }
}

/// What is wrong with one request of a batch.
fn in_request(number: usize, problem: Problem) -> Problem {
    Problem { message: format!("requests[{number}].params: {}", problem.message), ..problem }
}

/// What is replaced in a request, by its place in the batch.
fn within_batch(rewritten: &RewrittenBody, request: &Range<usize>) -> Vec<Replacement> {
    let start = request.start;
    let moved =
        |(range, with): &Replacement| (range.start + start..range.end + start, with.clone());
    rewritten.body.replaced().iter().map(moved).collect()
}

/// Adds what became of a request to those of the same model, with the length of its body.
fn add_report(reports: &mut Vec<(RequestReport, usize)>, rewritten: RewrittenBody) {
    let RewrittenBody { mut report, body, .. } = rewritten;
    if report.dialect.is_none() {
        return;
    }
    let is_full = reports.len() == MOST_MODELS;
    match reports.iter_mut().find(|(known, _)| known.model == report.model || is_full) {
        Some((known, bytes)) => {
            known.results.append(&mut report.results);
            *bytes += body.length();
        }
        // The conversations are many, and so are their tools.
        None => {
            (report.session, report.tools) = (None, None);
            reports.push((report, body.length()));
        }
    }
}
