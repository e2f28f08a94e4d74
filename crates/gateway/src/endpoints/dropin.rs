//! The interface that other gateways call to have messages compressed: messages in, as many out, and originals by hash.
//!
//! It fails open: what cannot be read, has no tool results or takes too long comes back as it came. Only secrets that are
//! to be taken out, and cannot be, are an error.

mod call;

use crate::answer::{self, Problem, unchecked_problem};
use crate::gateway::Gateway;
use crate::guard::forwarding_header;
use crate::holds::tenant_of;
use crate::paths::RETRIEVE;
use crate::pending_account::PendingAccount;
use crate::rewriter::RewriteJob;
use crate::secrets::redact_request;
use crate::user_agent::agent_name;
use crate::workers::{QUEUE_PATIENCE, WorkPatience};
use call::{GuardrailCall, conversation_in, has_call_ids};
use http::{Response, StatusCode};
use http_body::Body as _;
use hyper::body::Incoming;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_conversation::report::RequestReport;
use tokenforge_conversation::rewrite::{OriginalsReader, RequestKind, RequestSender, RewriteInput};
use tokenforge_engine::reference::Reference;
use tokenforge_plugin::Exchange;
use tokenforge_providers::{Dialect, RequestPurpose};
use tokenforge_proxy::blocking::{find_blocking, run_blocking};
use tokenforge_proxy::body::Body;
use tokenforge_proxy::byte_budget::ByteBudget;
use tokenforge_store::EntryKind;

/// How long the name of an original is.
const HASH_DIGITS: usize = 24;

const JSON: &str = "application/json";

/// A longer conversation is not looked at on the threads that move bytes.
const SHORT: usize = 64 << 10;

/// How long it may take to find out what the longest conversation is.
const DETECTION_PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn answer(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    body: Incoming,
) -> Result<Response<Body>, Problem> {
    let head = exchange.request();
    let tenant = exchange.tenant.clone().unwrap_or_default();
    match (head.method.as_str(), head.uri.path().strip_prefix(RETRIEVE)) {
        ("GET", Some(hash)) => retrieve(gateway, tenant, hash.to_owned()).await,
        ("POST", None) => compress(gateway, tenant, exchange, body).await,
        (method, _) => {
            let message = format!("{method} is not for this path");
            Err(Problem::new(StatusCode::METHOD_NOT_ALLOWED, message))
        }
    }
}

async fn compress(
    gateway: &Arc<Gateway>,
    tenant: Arc<str>,
    exchange: &Exchange,
    body: Incoming,
) -> Result<Response<Body>, Problem> {
    let state = gateway.state();
    let limit = state.settings.limits.max_body_bytes;
    let length = body.size_hint().upper().and_then(|length| usize::try_from(length).ok());
    let length = length.unwrap_or(limit);
    let _room = if ByteBudget::is_small(length) || length > limit {
        None
    } else {
        let room = gateway.rewriter.bodies.acquire(&tenant, length, QUEUE_PATIENCE).await;
        Some(room.ok_or_else(Problem::busy)?)
    };
    let body = super::read_body(gateway, body, limit).await?;
    let mut call = GuardrailCall::read(&body)?;
    let mut options = crate::options::of_headers(&exchange.request().headers)?;
    if let Some(member) = &call.options {
        options = options.with_member(member)?;
    }
    let found = detect(gateway, &tenant, &call).await;
    let keeps_calls = found.is_none_or(|found| found.keeps_calls);
    // Of what has no tool results it does not matter: secrets are looked for in the same members.
    let dialect = found.map_or(Dialect::OpenAiChat, |found| found.dialect);
    if state.settings.redact_secrets {
        let (document, shape) = call.checked_document(dialect);
        let shape = shape.map(|dialect| (dialect, RequestPurpose::Generate));
        if let Some(redacted) =
            redact_request(&gateway.rewriter.workers, &tenant, document, shape).await?
        {
            if !keeps_calls {
                return Err(unchecked_problem(
                    "it holds a secret, and tool results without the ids of their calls; \
                     expected messages as the provider has them (agentgateway: messageFormat: raw)",
                ));
            }
            call = call.redacted(redacted, dialect)?;
        }
    }
    let (Some(_), Some(list)) = (found.filter(|_| keeps_calls), call.list()) else {
        let figures = Compressed::default().figures();
        return Ok(answer::text(StatusCode::OK, JSON, call.answer(None, &figures)));
    };
    let is_proxied = forwarding_header(&exchange.request().headers).is_some();
    let is_personal = state.settings.is_personal() && !is_proxied;
    let input = RewriteInput {
        shared: gateway.rewriter.shared.clone(),
        rules: state.rules.clone(),
        holds: state.holds.of(tenant_of(&tenant, is_personal)).clone(),
        kind: RequestKind {
            dialect,
            purpose: RequestPurpose::Generate,
            is_stream: Some(false),
            model: call.model.clone(),
        },
        sender: RequestSender {
            tenant: tenant.clone(),
            project: exchange.project.clone(),
            client: agent_name(&exchange.request().headers),
            session: None,
            is_proxied,
            local_shell: None,
        },
        options: Arc::new(options),
        // A model that is shown no tool of ours is one for which nothing is left out.
        originals_reader: if call.can_fetch {
            OriginalsReader::Caller
        } else {
            OriginalsReader::Model
        },
        is_redacted: call.is_redacted,
        body: dialect.conversation_body(list).into(),
    };
    let job = RewriteJob { input, credentials: Arc::default() };
    let rewritten = gateway.rewriter.rewrite(&job).await?;
    gateway.telemetry.count_rewritten(&rewritten.report);
    let (tokens_before, tokens_after) = rewritten.report.tokens();
    let stages = applied_stages(&rewritten.report);
    PendingAccount::new(&gateway.telemetry, rewritten.report, None).accept();
    let made = conversation_in(&rewritten.body.to_bytes(), dialect);
    let names = name_originals(gateway, tenant, rewritten.originals.into_keys().collect()).await;
    let made =
        rewritten.body.is_changed().then(|| with_names(&String::from_utf8_lossy(&made), &names));
    let mut hashes: Vec<String> = names.into_values().collect();
    hashes.sort_unstable();
    let compressed = Compressed { tokens_before, tokens_after, stages, hashes };
    let text = call.answer(made.as_deref(), &compressed.figures());
    Ok(answer::text(StatusCode::OK, JSON, text))
}

/// What a conversation is.
#[derive(Clone, Copy)]
struct DetectedConversation {
    dialect: Dialect,
    /// It can be given back, and its results are still known by their calls.
    keeps_calls: bool,
}

/// What the conversation of a call is. Nothing if it has no results, or there is no time to look.
async fn detect(
    gateway: &Arc<Gateway>,
    tenant: &Arc<str>,
    call: &GuardrailCall,
) -> Option<DetectedConversation> {
    let list = call.list()?;
    let needs_call_ids = call.needs_call_ids();
    let look = move |list: &str| {
        let dialect = Dialect::detect_conversation(list)?;
        let keeps_calls = !needs_call_ids || has_call_ids(list, dialect);
        Some(DetectedConversation { dialect, keeps_calls })
    };
    if list.len() <= SHORT {
        return look(list);
    }
    let list = list.to_owned();
    let patience = WorkPatience { queue: QUEUE_PATIENCE, work: DETECTION_PATIENCE };
    gateway.rewriter.workers.run(tenant, patience, move || look(&list)).await.unwrap_or_default()
}

/// What became of a conversation.
#[derive(Default)]
struct Compressed {
    tokens_before: usize,
    tokens_after: usize,
    stages: Vec<&'static str>,
    hashes: Vec<String>,
}

impl Compressed {
    /// In the names that callers know.
    fn figures(&self) -> Value {
        let (before, after) = (self.tokens_before, self.tokens_after);
        let ratio = if before == 0 { 1.0 } else { after as f64 / before as f64 };
        json!({
            "tokens_before": before,
            "tokens_after": after,
            "tokens_saved": before as i64 - after as i64,
            "compression_ratio": ratio,
            "transforms_applied": self.stages,
            "hashes": self.hashes,
            "ccr_hashes": self.hashes,
        })
    }
}

/// Gives originals the names that callers can use: they take up to 24 hexadecimal digits for a hash, and nothing else.
async fn name_originals(
    gateway: &Arc<Gateway>,
    tenant: Arc<str>,
    references: Vec<Reference>,
) -> HashMap<Reference, String> {
    let gateway = gateway.clone();
    let naming = run_blocking(move || {
        let named = |reference: Reference| {
            let id = reference.to_string();
            let hash = blake3::hash(id.as_bytes()).to_hex();
            let hash: String = hash.chars().take(HASH_DIGITS).collect();
            // Without it the reference itself stays, which is a name too.
            gateway
                .rewriter
                .shared
                .store
                .put(EntryKind::Result, &tenant, &hash, id.as_bytes())
                .ok()?;
            Some((reference, hash))
        };
        references.into_iter().filter_map(named).collect()
    });
    naming.await.unwrap_or_default()
}

/// The messages with these names in the place of references.
fn with_names(messages: &str, names: &HashMap<Reference, String>) -> String {
    let (mut text, mut rest) = (String::with_capacity(messages.len()), messages);
    for reference in Reference::find_all(messages) {
        let marker = reference.marker();
        let Some((before, behind)) = rest.split_once(&marker) else { break };
        text += before;
        match names.get(&reference) {
            Some(hash) => text += &format!("[Forge original: hash={hash}]"),
            None => text += &marker,
        }
        rest = behind;
    }
    text + rest
}

fn applied_stages(report: &RequestReport) -> Vec<&'static str> {
    let mut stages: Vec<&'static str> =
        report.results.iter().flat_map(|result| result.figures.stages.iter().copied()).collect();
    stages.sort_unstable();
    stages.dedup();
    stages
}

async fn retrieve(
    gateway: &Arc<Gateway>,
    tenant: Arc<str>,
    hash: String,
) -> Result<Response<Body>, Problem> {
    let (gateway, id) = (gateway.clone(), hash.clone());
    let finding = find_blocking(move || {
        let get = |kind, id: &str| {
            gateway.rewriter.shared.store.get(kind, &tenant, id).unwrap_or_default()
        };
        let id = if id.len() == HASH_DIGITS {
            String::from_utf8(get(EntryKind::Result, &id)?).ok()?
        } else {
            id
        };
        get(EntryKind::Original, &id)
    });
    let found = finding.await.and_then(|bytes| String::from_utf8(bytes).ok());
    match found {
        Some(text) => Ok(answer::json(
            StatusCode::OK,
            &json!({
                "hash": hash, "content": text, "original_content": text,
            }),
        )),
        None => {
            let unknown =
                json!({"error": {"message": "nothing is kept under this hash", "hash": hash}});
            Ok(answer::json(StatusCode::NOT_FOUND, &unknown))
        }
    }
}
