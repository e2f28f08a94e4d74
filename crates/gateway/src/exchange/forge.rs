//! `_forge` in bodies that are not rewritten: the upstream must not see it on any path.

use super::redaction::has_signed_body;
use super::rewriting::OutgoingRequest;
use super::{RequestScope, Stop};
use crate::answer::Problem;
use crate::outgoing_body::outgoing_body;
use bytes::Bytes;
use http::header::CONTENT_ENCODING;
use tokenforge_conversation::RequestOptions;
use tokenforge_conversation::report::RequestReport;
use tokenforge_conversation::{SplicedBody, forge_removal};
use tokenforge_plugin::Exchange;
use tokenforge_proxy::body::Body;

impl RequestScope<'_> {
    /// A body in no dialect that is rewritten: as it came, but for our own member. `wire` is how it came, if coded.
    pub(super) fn without_forge(
        &self,
        exchange: &mut Exchange,
        body: Bytes,
        wire: Option<Body>,
        options: &RequestOptions,
        is_redacted: bool,
    ) -> Result<OutgoingRequest, Stop> {
        let removal = forge_removal(&body, options).map_err(Problem::from)?;
        let rest = removal.and_then(|removal| SplicedBody::new(body.clone(), vec![removal]));
        self.announce(is_redacted, rest.is_some());
        let Some(rest) = rest else {
            return Ok(OutgoingRequest::untouched(wire.unwrap_or_else(|| body.into())));
        };
        if has_signed_body(exchange.request()) {
            let message = "_forge is in a body that is signed, and cannot be taken out; use the headers \
                           X-Forge-Mode and X-Forge-Session instead";
            return Err(Problem::bad_request(message).into());
        }
        exchange.request_mut().headers.remove(CONTENT_ENCODING);
        Ok(OutgoingRequest::untouched(outgoing_body(rest)))
    }

    /// Tells the telemetry what was changed, if anything was.
    fn announce(&self, is_redacted: bool, is_cut: bool) {
        let changes = [(is_redacted, "input_redacted"), (is_cut, "forge_removed")];
        let changes = changes.iter().filter(|(is_made, _)| *is_made).map(|(_, change)| *change);
        let report = RequestReport { changes: changes.collect(), ..RequestReport::default() };
        if !report.changes.is_empty() {
            self.gateway.telemetry.count_rewritten(&report);
        }
    }
}
