//! The interface that other gateways call to have messages compressed: messages in, as many out, and originals by hash.

use crate::answer::{self, Problem};
use crate::gateway::Gateway;
use crate::guard::forwarding_header;
use crate::options::RequestOptions;
use crate::paths::RETRIEVE;
use crate::pending_account::PendingAccount;
use crate::rewrite::{OriginalsReader, RewriteInput, redact_request};
use crate::user_agent::agent_name;
use crate::workers::QUEUE_PATIENCE;
use http::{Response, StatusCode, Uri};
use http_body::Body as _;
use hyper::body::Incoming;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::Arc;
use tokenforge_engine::reference::Reference;
use tokenforge_plugin::Exchange;
use tokenforge_providers::{Dialect, RequestPurpose};
use tokenforge_proxy::blocking::run_blocking;
use tokenforge_proxy::body::Body;
use tokenforge_proxy::byte_budget::ByteBudget;
use tokenforge_store::EntryKind;

/// How long the name of an original is.
const HASH_DIGITS: usize = 24;

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

/// What the caller sends. More may be there: whatever it is comes through `messages` only.
#[derive(serde::Deserialize)]
struct CompressMessages<'a> {
    #[serde(borrow)]
    messages: &'a RawValue,
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
    let _room = match ByteBudget::is_small(length) || length > limit {
        true => None,
        false => {
            let room = gateway.bodies.acquire(&tenant, length, QUEUE_PATIENCE).await;
            Some(room.ok_or_else(Problem::busy)?)
        }
    };
    let body = super::read_body(gateway, body, limit).await?;
    let unreadable =
        |error| Problem::bad_request(format!("expected {{\"messages\": […]}}: {error}"));
    let asked: CompressMessages<'_> = serde_json::from_slice(&body).map_err(unreadable)?;
    // Anthropic's results are blocks of user messages, OpenAI's are messages.
    let is_anthropic = asked.messages.get().contains("\"tool_result\"");
    let dialect = if is_anthropic { Dialect::Anthropic } else { Dialect::OpenAiChat };
    let redacted = match state.settings.redact_secrets {
        true => {
            let kind = Some((dialect, RequestPurpose::Generate));
            redact_request(&gateway.workers, &tenant, body.clone(), kind).await?
        }
        false => None,
    };
    let input = RewriteInput {
        shared: gateway.rewriter.shared.clone(),
        state,
        dialect,
        purpose: RequestPurpose::Generate,
        is_stream: Some(false),
        model: None,
        tenant: tenant.clone(),
        project: exchange.project.clone(),
        client: agent_name(&exchange.request().headers),
        session: None,
        is_proxied: forwarding_header(&exchange.request().headers).is_some(),
        local_shell: None,
        options: Arc::new(RequestOptions::of_headers(&exchange.request().headers)?),
        target: Uri::default(),
        bearer: None,
        companions: Vec::new(),
        originals_reader: OriginalsReader::Caller,
        is_redacted: redacted.is_some(),
        body: redacted.unwrap_or(body),
    };
    let rewritten = gateway.rewriter.rewrite(&input).await?;
    gateway.telemetry.count_rewritten(&rewritten.report);
    let (before, after) = rewritten.report.tokens();
    let stages = applied_stages(&rewritten.report);
    PendingAccount::new(&gateway.telemetry, rewritten.report, None).accept();
    let made: CompressMessages<'_> = serde_json::from_slice(&rewritten.body).map_err(unreadable)?;
    let names = name_originals(gateway, tenant, rewritten.originals.into_keys().collect()).await;
    let messages = with_names(made.messages.get(), &names);
    let mut hashes: Vec<&String> = names.values().collect();
    hashes.sort_unstable();
    let ratio = if before == 0 { 1.0 } else { after as f64 / before as f64 };
    let document = json!({
        "tokens_before": before,
        "tokens_after": after,
        "tokens_saved": before as i64 - after as i64,
        "compression_ratio": ratio,
        "transforms_applied": stages,
        "hashes": hashes,
        "ccr_hashes": hashes,
    });
    // The messages are put in as they are written: nothing in them may be spelled anew.
    let text = document.to_string();
    let text = format!("{{\"messages\":{messages},{}", &text[1..]);
    Ok(answer::text(StatusCode::OK, "application/json", text))
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
            gateway.store.put(EntryKind::Result, &tenant, &hash, id.as_bytes()).ok()?;
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

fn applied_stages(report: &crate::report::RequestReport) -> Vec<&'static str> {
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
    let finding = run_blocking(move || {
        let get = |kind, id: &str| gateway.store.get(kind, &tenant, id).ok().flatten();
        let id = match id.len() == HASH_DIGITS {
            true => String::from_utf8(get(EntryKind::Result, &id)?).ok()?,
            false => id,
        };
        get(EntryKind::Original, &id)
    });
    let found = finding.await.flatten().and_then(|bytes| String::from_utf8(bytes).ok());
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
