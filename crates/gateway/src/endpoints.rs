//! The gateway's own endpoints.
//!
//! | path | for |
//! |---|---|
//! | `GET /_forge/healthz`, `/_forge/readyz` | health checks |
//! | `GET /_forge/metrics` | Prometheus |
//! | `GET /_forge/ui/` | the operator, in a browser |
//! | `GET /_forge/api/stats`, `GET /_forge/api/events` | the operator |
//! | `GET /_forge/api/gain`, `/_forge/api/history`, `/_forge/api/sessions`, `/_forge/api/fetches` | the operator, from the ledger |
//! | `GET`, `PATCH /_forge/api/config`, `GET /_forge/api/settings` | the operator |
//! | `GET /_forge/api/contents`, `/_forge/api/contents/ID` | the operator, for texts of tool results |
//! | `POST /_forge/api/playground` | the operator, to try things out |
//! | `POST /_forge/api/link`, `/_forge/api/session` | the operator, to sign a browser in |
//! | `GET /_forge/api/expand?id=…` | a client, for its own originals |
//! | `/_forge/api/mcp…` | the operator, for tool servers |
//! | `/mcp`, `/mcp/PREFIX` | a client, for its tools |
//! | `POST /v1/compress`, `GET /v1/retrieve/HASH` | other gateways |
//!
//! Who may ask for what is decided before, by [`guard`](crate::guard).

mod config;
mod contents;
mod dropin;
mod events;
mod expand;
mod ledger;
mod ledger_query;
mod mcp;
mod playground;
mod sign_in;
mod steps;
mod ui;

use crate::answer::{self, Problem};
use crate::gateway::Gateway;
use crate::guard::Proofs;
use crate::limits::request_body_timeout;
use crate::paths;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, HeaderMap, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use http::{Method, Response, StatusCode};
use hyper::body::Incoming;
use std::sync::Arc;
use tokenforge_plugin::Exchange;
use tokenforge_proxy::body::Body;
use tokenforge_proxy::read::{BodyRead, read_whole};

/// Answers the operator, or a health check.
pub(crate) async fn answer_operator(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    body: Incoming,
) -> Response<Body> {
    let head = exchange.request();
    let (method, path) = (&head.method, head.uri.path());
    let is_get = matches!(*method, Method::GET | Method::HEAD);
    match path {
        paths::HEALTH if is_get => return health(gateway, &head.headers),
        paths::READY if is_get => {
            let is_ready = gateway.is_warm() && !gateway.is_draining();
            return answer::empty(if is_ready {
                StatusCode::OK
            } else {
                StatusCode::SERVICE_UNAVAILABLE
            });
        }
        path if paths::is_page(path) => return ui::answer(head),
        _ => {}
    }
    let settings = &gateway.state().settings;
    let mut answer = match path {
        paths::METRICS if is_get => {
            let mut text = gateway.telemetry.metrics(gateway.state().chains.metrics());
            text += &gateway.mcp.stats().metrics();
            answer::text(StatusCode::OK, "text/plain; version=0.0.4", text)
        }
        path if paths::is_mcp_admin(path) => mcp::admin::answer(gateway, exchange, body).await,
        paths::STATS if is_get => stats(gateway).await,
        path if paths::is_ledger(path) && is_get => {
            ledger::answer(gateway, path, head.uri.query()).await
        }
        paths::EVENTS if is_get => events::stream(gateway, head.uri.query()),
        paths::SETTINGS if is_get => config::all_settings(gateway),
        paths::PLAYGROUND if *method == Method::POST => playground::answer(gateway, body).await,
        paths::SIGN_IN_LINK if *method == Method::POST => sign_in::issue_link(gateway),
        paths::SIGN_IN_SESSION if *method == Method::POST => {
            sign_in::open_session(gateway, head, body).await
        }
        path if paths::is_contents(path) && is_get => contents::answer(gateway, path),
        paths::CONFIG if is_get => answer::json(StatusCode::OK, &settings.to_json()),
        paths::CONFIG if *method == Method::PATCH => config::patch(gateway, body).await,
        _ => {
            Problem::new(StatusCode::NOT_FOUND, format!("there is no {method} {path}")).answer(None)
        }
    };
    let headers = answer.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer
}

/// Answers a client.
pub(crate) async fn answer_tenant(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    body: Incoming,
) -> Response<Body> {
    let answer = match exchange.request().uri.path() {
        paths::EXPAND => expand::answer(gateway, exchange).await,
        path if paths::is_tools(path) => mcp::answer(gateway, exchange, body).await,
        _ => dropin::answer(gateway, exchange, body).await,
    };
    answer.unwrap_or_else(|problem| problem.answer(None))
}

/// A body of up to `limit` bytes, which has to arrive in time.
async fn read_body(gateway: &Gateway, body: Incoming, limit: usize) -> Result<Bytes, Problem> {
    let timeout = request_body_timeout(&gateway.state().settings.limits);
    match read_whole(body, limit, timeout).await {
        Ok(BodyRead::Whole(body)) => Ok(body),
        Ok(BodyRead::TooLong(_)) => {
            let message = format!("the body has more than {limit} bytes");
            Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message))
        }
        Err(error) => Err(Problem::unread(&error)),
    }
}

/// Alive, which version, whether it asks for a key, and whose it is: who would use a gateway that runs must know whether
/// it is one like himself, whether it would let him in, and whether it may see his login.
fn health(gateway: &Gateway, asked: &HeaderMap) -> Response<Body> {
    let state = gateway.state();
    let mut answer = answer::empty(StatusCode::OK);
    let version = HeaderValue::from_static(env!("CARGO_PKG_VERSION"));
    answer.headers_mut().insert("x-forge-version", version);
    if !state.keys.is_open() {
        answer.headers_mut().insert("x-forge-asks", HeaderValue::from_static("key"));
    }
    let proofs = gateway.credentials.admin.proofs(asked, &state.settings);
    for (name, proof) in proofs.iter().flat_map(Proofs::headers) {
        if let Ok(proof) = HeaderValue::from_str(&proof) {
            answer.headers_mut().insert(name, proof);
        }
    }
    answer
}

async fn stats(gateway: &Arc<Gateway>) -> Response<Body> {
    let store = gateway.operator.store_figures.stats().await;
    answer::json(StatusCode::OK, &gateway.telemetry.stats(store))
}
