//! The rewrite of a request on its way: what goes in, and what the answer then has to go through.

use super::redaction::CheckedPayload;
use super::request_body::RequestPayload;
use super::{RequestScope, Stop};
use crate::detect::detect_api;
use crate::guard::forwarding_header;
use crate::holds::tenant_of;
use crate::outgoing_body::outgoing_body;
use crate::pending_account::PendingAccount;
use crate::relay;
use crate::rewriter::RewriteJob;
use crate::shadow::ShadowCandidate;
use crate::strategy::ClientCredentials;
use crate::subscription;
use crate::usage_tap::MeteredAnswer;
use crate::user_agent::agent_name;
use bytes::Bytes;
use http::Uri;
use http::header::{AUTHORIZATION, CONTENT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use std::sync::Arc;
use tokenforge_conversation::report::RequestReport;
use tokenforge_conversation::rewrite::{
    OriginalsReader, RequestKind, RequestSender, RewriteInput, RewrittenBody,
};
use tokenforge_conversation::{RequestOptions, RequestOriginals};
use tokenforge_plugin::Exchange;
use tokenforge_providers::{RequestPurpose, session_of_headers};
use tokenforge_proxy::body::Body;

/// Where the client hears how many tokens its tool results have.
const TOKENS_BEFORE: HeaderName = HeaderName::from_static("x-forge-tokens-before");
const TOKENS_AFTER: HeaderName = HeaderName::from_static("x-forge-tokens-after");

/// A request as it goes on.
pub(super) struct OutgoingRequest {
    pub(super) body: Body,
    /// What becomes of the answer.
    pub(super) response_path: ResponsePath,
    /// What the client hears about it.
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    /// It is asked again beside it, if the provider accepts it.
    pub(super) shadow: Option<Box<ShadowCandidate>>,
}

/// How an answer goes back.
pub(super) enum ResponsePath {
    /// As it comes. What the request saved is told when it is taken.
    Plain(Option<Box<MeteredAnswer>>),
    /// As it comes, and it says nothing of what was counted.
    Unmetered(Vec<PendingAccount>),
    /// Read on the way: it may hold a call that is ours.
    Relayed(Box<relay::RelayContext>),
}

impl ResponsePath {
    /// The provider accepted the request: what it saved is told when it is over.
    pub(super) fn accept(&mut self) {
        match self {
            ResponsePath::Plain(None) => {}
            ResponsePath::Plain(Some(metered)) => metered.account.accept(),
            ResponsePath::Unmetered(accounts) => {
                accounts.iter_mut().for_each(PendingAccount::accept);
            }
            ResponsePath::Relayed(context) => context.account.accept(),
        }
    }
}

impl RequestScope<'_> {
    /// Makes the body that goes on.
    pub(super) async fn rewrite(
        &self,
        exchange: &mut Exchange,
        checked: CheckedPayload,
        options: &RequestOptions,
        target: &Uri,
    ) -> Result<OutgoingRequest, Stop> {
        let (body, wire) = match checked.payload {
            RequestPayload::Passing(body) => return Ok(OutgoingRequest::untouched(body)),
            RequestPayload::Plain(body) => (body, None),
            RequestPayload::Coded { wire, decoded } => (decoded, Some(wire.into())),
        };
        let job = self.rewrite_job(exchange, body.clone(), options, target);
        let Some(mut job) = job.filter(|_| !body.is_empty()) else {
            return self.without_forge(exchange, body, wire, options, checked.is_redacted);
        };
        job.input.is_redacted = checked.is_redacted;
        if job.input.kind.purpose == RequestPurpose::Batch {
            self.gateway.follow_holds(&self.state);
            return Box::pin(self.rewrite_batch(exchange, job, wire, target)).await;
        }
        self.gateway.follow_holds(&self.state);
        let rewritten = self.gateway.rewriter.rewrite(&job).await?;
        let input = &job.input;
        let headers = token_headers(&rewritten.report);
        self.gateway.telemetry.count_rewritten(&rewritten.report);
        let body = match wire.filter(|_| !rewritten.body.is_changed()) {
            Some(wire) => wire,
            None => {
                exchange.request_mut().headers.remove(CONTENT_ENCODING);
                outgoing_body(rewritten.body.clone())
            }
        };
        let is_billed = input.kind.purpose.is_billed() && rewritten.report.dialect.is_some();
        let sent = rewritten.body.length();
        let is_subscription = subscription::is_used(&exchange.request().headers, target);
        let shadow = ShadowCandidate::of(&self.state, input, &rewritten, is_subscription);
        let account = is_billed.then(|| {
            let telemetry = &self.gateway.telemetry;
            let RequestReport { dialect, model, .. } = &rewritten.report;
            let counted = dialect.and_then(|dialect| {
                telemetry.count_prompt_text(&rewritten.body, dialect, model.as_deref())
            });
            let account = PendingAccount::new(telemetry, rewritten.report, Some(sent));
            account.with_subscription(is_subscription).with_count(counted)
        });
        let (dialect, streams) = (input.kind.dialect, rewritten.streams);
        let path = match account {
            Some(account) if rewritten.may_expand => {
                let originals = RequestOriginals {
                    tenant: input.sender.tenant.to_string(),
                    is_personal: input.is_personal(),
                    dialect: input.kind.dialect,
                    body: input.body.clone(),
                    results: rewritten.originals,
                    settings: rewritten.settings,
                    key: rewritten.key,
                    conversation: rewritten.conversation,
                };
                let RewrittenBody { body, is_stored, .. } = rewritten;
                let replaced = body.replaced().clone();
                let context =
                    relay::RelayContext::new(originals, replaced, streams, is_stored, account);
                ResponsePath::Relayed(Box::new(context))
            }
            account => {
                let metered = |account| Box::new(MeteredAnswer { account, dialect, streams });
                ResponsePath::Plain(account.map(metered))
            }
        };
        Ok(OutgoingRequest { body, response_path: path, headers, shadow })
    }

    /// What is to be rewritten, if it is anything that we know.
    fn rewrite_job(
        &self,
        exchange: &Exchange,
        body: Bytes,
        options: &RequestOptions,
        target: &Uri,
    ) -> Option<RewriteJob> {
        let head = exchange.request();
        let detected = detect_api(head).filter(|detected| !detected.is_signed)?;
        let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
        let tenant = exchange.tenant.clone().unwrap_or_default();
        let is_proxied = forwarding_header(&head.headers).is_some();
        let is_personal = self.state.settings.is_personal() && !is_proxied;
        let input = RewriteInput {
            shared: self.gateway.rewriter.shared.clone(),
            rules: self.state.rules.clone(),
            holds: self.state.holds.of(tenant_of(&tenant, is_personal)).clone(),
            kind: RequestKind {
                dialect: detected.dialect,
                purpose: detected.purpose,
                is_stream: detected.is_stream,
                model: detected.model.map(str::to_owned),
            },
            sender: RequestSender {
                tenant,
                project: exchange.project.clone(),
                client: agent_name(&head.headers),
                session: session_of_headers(header).map(str::to_owned),
                is_proxied,
                local_shell: self.local_shell(&head.headers),
            },
            options: Arc::new(options.clone()),
            originals_reader: OriginalsReader::Model,
            is_redacted: false,
            body,
        };
        let credentials = Arc::new(ClientCredentials {
            target: target.clone(),
            bearer: head.headers.get(AUTHORIZATION).cloned(),
            companions: companions(&head.headers),
        });
        Some(RewriteJob { input, credentials })
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

impl OutgoingRequest {
    pub(super) fn untouched(body: Body) -> Self {
        OutgoingRequest {
            body,
            response_path: ResponsePath::Plain(None),
            headers: Vec::new(),
            shadow: None,
        }
    }
}

/// How many tokens the tool results have, before and after.
pub(super) fn token_headers(report: &RequestReport) -> Vec<(HeaderName, HeaderValue)> {
    if report.results.is_empty() {
        return Vec::new();
    }
    let (before, after) = report.tokens();
    vec![(TOKENS_BEFORE, before.into()), (TOKENS_AFTER, after.into())]
}
