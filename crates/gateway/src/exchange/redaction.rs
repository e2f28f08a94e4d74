//! Secret redaction of requests, fail closed: a request whose body cannot be checked goes to no provider.
//!
//! Where `redact_secrets` is on, every body on its way to a model's provider comes through here, whatever the path, its
//! spelling and the method. In a dialect that we know, what is no text for a model is left alone; elsewhere that is
//! unknown, and every string counts. Requests to the operator's routes are no model traffic: plugins look into those.

use super::request_body::RequestPayload;
use super::{RequestScope, Stop};
use crate::answer::unchecked_problem;
use crate::detect::detect_api;
use crate::secrets::redact_request;
use http::header::CONTENT_ENCODING;
use http::request::Parts;
use tokenforge_plugin::Exchange;
use tokenforge_providers::is_signed;

/// Why a body was not read.
const UNREAD: &str = "its body is longer than limits.max_body_bytes, or in a Content-Encoding that cannot be undone \
                      (expected one of gzip, deflate, br and zstd)";

const SIGNED: &str =
    "its body holds a secret, and is signed: without the secret the signature would be wrong";

/// A body that may go on, as far as secrets are concerned.
pub(super) struct CheckedPayload {
    pub(super) payload: RequestPayload,
    /// It held secrets.
    pub(super) is_redacted: bool,
}

impl RequestScope<'_> {
    /// Are secrets looked for in what goes to this request's upstream?
    pub(super) fn redacts(&self) -> bool {
        self.state.settings.redact_secrets && self.route.is_none()
    }

    /// The body without its secrets.
    pub(super) async fn redact_payload(
        &self,
        exchange: &mut Exchange,
        payload: RequestPayload,
    ) -> Result<CheckedPayload, Stop> {
        if !self.redacts() {
            return Ok(CheckedPayload { payload, is_redacted: false });
        }
        let body = match &payload {
            RequestPayload::Plain(body) | RequestPayload::Coded { decoded: body, .. } => {
                body.clone()
            }
            RequestPayload::Passing(_) => return Err(unchecked_problem(UNREAD).into()),
        };
        let detected = detect_api(exchange.request());
        let kind = detected.map(|detected| (detected.dialect, detected.purpose));
        let tenant = exchange.tenant.clone().unwrap_or_default();
        let redacted =
            Box::pin(redact_request(&self.gateway.rewriter.workers, &tenant, body, kind)).await?;
        let Some(redacted) = redacted else {
            return Ok(CheckedPayload { payload, is_redacted: false });
        };
        if has_signed_body(exchange.request()) {
            return Err(unchecked_problem(SIGNED).into());
        }
        exchange.request_mut().headers.remove(CONTENT_ENCODING);
        Ok(CheckedPayload { payload: RequestPayload::Plain(redacted), is_redacted: true })
    }
}

/// Would the upstream refuse a body of which one byte was changed?
pub(super) fn has_signed_body(head: &Parts) -> bool {
    let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    is_signed(head.uri.path_and_query().map_or("/", |path| path.as_str()), header)
}
