//! One shadow request: sent, read whole, and told what it does and what it cost.

use super::asker::ShadowAsker;
use super::candidate::{ShadowCandidate, remove_identity};
use crate::relay::RequestTemplate;
use crate::telemetry::ledger_usage;
use bytes::Bytes;
use http::StatusCode;
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue};
use std::time::Duration;
use tokenforge_ledger::TokenUsage;
use tokenforge_providers::{NextAction, UsageMeter, WireFormat};
use tokenforge_proxy::blocking::find_blocking;
use tokenforge_proxy::body::{Body, BodyTimeout};
use tokenforge_proxy::coding::ContentCoding;
use tokenforge_proxy::read::BodyRead;

/// A longer reply is not compared: it would be held whole.
const LARGEST_REPLY: usize = 4 << 20;

/// How long a reply may take from its first byte on.
const LONGEST_REPLY: Duration = Duration::from_secs(10 * 60);

/// Bytes of a token for an estimated cost where no count is known: few, because the estimate must rather be too high.
pub(super) const BYTES_PER_TOKEN: usize = 3;

/// What came of a shadow request that a provider took.
pub(super) struct ShadowReply {
    /// Nothing if the reply cannot be read.
    pub(super) action: Option<NextAction>,
    /// As the provider counted, else an estimate from the bytes.
    pub(super) usage: TokenUsage,
}

/// Asks. Nothing if the provider did not take the request, which then costs nothing.
pub(super) async fn ask(
    asker: &ShadowAsker,
    candidate: &ShadowCandidate,
    template: &RequestTemplate,
    body: Bytes,
) -> Option<ShadowReply> {
    let limits = &candidate.state.settings.limits;
    let asked_bytes = body.len();
    let as_new = |headers: &mut HeaderMap| {
        remove_identity(headers);
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    };
    let mut request = template.instantiate(body, as_new).await;
    asker.telemetry.counters.shadow_requests.add(1);
    let sending = asker.client.send(&mut request, template.is_guarded, limits.first_byte_timeout);
    let (head, body) = sending.await.ok()?.into_parts();
    if head.status != StatusCode::OK {
        return None;
    }
    let estimate = |reply_bytes: usize| TokenUsage {
        input: (asked_bytes / BYTES_PER_TOKEN) as u64,
        output: (reply_bytes / BYTES_PER_TOKEN) as u64,
        ..TokenUsage::default()
    };
    let unread = ShadowReply { action: None, usage: estimate(0) };
    let timeout = BodyTimeout::within(limits.idle_timeout, LONGEST_REPLY);
    let Ok(BodyRead::Whole(reply)) = Body::passing(body, timeout).read(LARGEST_REPLY).await else {
        return Some(unread);
    };
    let content_type = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let dialect = candidate.dialect;
    let wire = WireFormat::of(dialect, content_type.unwrap_or_default(), candidate.streams);
    let (Some(wire), Ok(coding)) = (wire, ContentCoding::of(&head.headers)) else {
        return Some(unread);
    };
    let usage_unknown = estimate(reply.len());
    let reading = find_blocking(move || {
        let reply = match coding {
            Some(coding) => coding.decode(&reply, LARGEST_REPLY).ok()?,
            None => reply,
        };
        let mut meter = UsageMeter::new(dialect, wire);
        meter.push(&reply);
        let usage = ledger_usage(dialect, meter.finish().billed);
        Some((NextAction::read(dialect, wire, &reply), usage))
    });
    Some(match reading.await {
        Some((action, usage)) => ShadowReply { action, usage: usage.unwrap_or(usage_unknown) },
        None => ShadowReply { action: None, usage: usage_unknown },
    })
}
