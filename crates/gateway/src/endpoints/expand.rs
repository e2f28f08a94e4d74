//! An original, for the client it belongs to.

use crate::answer::{self, Problem};
use crate::gateway::Gateway;
use crate::guard::forwarding_header;
use http::{Response, StatusCode};
use std::sync::Arc;
use tokenforge_conversation::ExpandQuery;
use tokenforge_plugin::Exchange;
use tokenforge_proxy::blocking::run_blocking;
use tokenforge_proxy::body::Body;

/// `?id=shadow_…`, and optionally `lines`, `grep` and `path`.
pub(super) async fn answer(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
) -> Result<Response<Body>, Problem> {
    let query = exchange.request().uri.query().unwrap_or_default();
    let mut wanted = ExpandQuery::default();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let value = value.into_owned();
        match &*name {
            "id" => wanted.id = value,
            "lines" => wanted.lines = Some(value),
            "grep" => wanted.grep = Some(value),
            "path" => wanted.path = Some(value),
            // Where Google's clients show who they are.
            "key" => {}
            _ => return Err(Problem::bad_request("expected id, lines, grep or path")),
        }
    }
    let (originals, tenant) =
        (gateway.rewriter.shared.originals.clone(), exchange.tenant.clone().unwrap_or_default());
    let is_proxied = forwarding_header(&exchange.request().headers).is_some();
    let is_personal = gateway.state().settings.is_personal() && !is_proxied;
    let finding = run_blocking(move || {
        let text = originals.find_own(&tenant, is_personal, &wanted.id)?;
        wanted.select_part(&text)
    });
    match finding.await.unwrap_or_else(|| Err("the store does not answer".to_owned())) {
        Ok(text) => Ok(answer::text(StatusCode::OK, "text/plain; charset=utf-8", text)),
        Err(message) => Err(Problem::new(StatusCode::NOT_FOUND, message)),
    }
}
