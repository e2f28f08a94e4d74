//! What filters of text share: where they work, what they are shown there, and how they put it back.

use crate::builtin::encoding::DefaultFormat;
use crate::{Context, Error, Phase, Phases};
use bytes::Bytes;
use http::header::{ACCEPT_RANGES, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use tokenforge_redact::{TextFinder, replace_found};

/// What is larger is looked at on a thread of its own.
const LARGE: usize = 32 << 10;

/// The largest body that a filter looks at, unless it is told otherwise.
pub(crate) const MAX_BYTES: usize = 32 << 20;

/// Where a filter works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RedactedPart {
    /// What a model is asked. What it says is left alone: it may be an argument, or a file that is written.
    Request,
    /// What a tool, or an API behind a route, is called with.
    ToolCall,
    /// What a tool, or an API behind a route, answers. Streams of events pass by unseen.
    ToolResult,
}

impl RedactedPart {
    /// Where models hear of something. A tool gets what it is called with, unless settings say otherwise.
    pub(crate) const USUAL: [Self; 2] = [Self::Request, Self::ToolResult];

    /// The phases that show these places.
    pub(crate) fn phases(places: &[Self]) -> Phases {
        places.iter().fold(Phases::NONE, |phases, place| match place {
            Self::Request => phases | Phase::PreUpstream,
            Self::ToolCall => phases | Phase::PreUpstream | Phase::ToolCall,
            Self::ToolResult => phases | Phase::PostUpstream | Phase::ToolResult,
        })
    }

    /// The place that is shown.
    fn of(context: &Context<'_>) -> Option<Self> {
        let is_routed = context.extensions().get::<DefaultFormat>().is_some();
        match context.phase() {
            Phase::ToolCall => Some(Self::ToolCall),
            Phase::ToolResult => Some(Self::ToolResult),
            Phase::PreUpstream => Some(if is_routed { Self::ToolCall } else { Self::Request }),
            Phase::PostUpstream => is_routed.then_some(Self::ToolResult),
            _ => None,
        }
    }
}

/// Is one of these places shown, and may it be text?
pub(crate) fn shows_text(context: &Context<'_>, places: &[RedactedPart]) -> bool {
    let is_text = match context.phase() {
        Phase::PreUpstream => may_be_text(context.request_headers()),
        Phase::PostUpstream => context.response_headers().is_ok_and(may_be_text),
        _ => true,
    };
    is_text && RedactedPart::of(context).is_some_and(|place| places.contains(&place))
}

/// What the phase shows of these places, if it is text.
///
/// # Errors
/// It is there and cannot be read: whether it may pass unseen is for the plugin's `on_error` to say.
pub(crate) fn shown(
    context: &Context<'_>,
    places: &[RedactedPart],
) -> Result<Option<Bytes>, Error> {
    if !shows_text(context, places) {
        return Ok(None);
    }
    let (body, headers) = match context.phase() {
        Phase::ToolCall => return Ok(Some(context.tool_arguments()?.clone())),
        Phase::ToolResult => return Ok(Some(context.tool_result()?.clone())),
        Phase::PreUpstream => (context.request_body(), context.request_headers()),
        _ => (context.response_body(), context.response_headers()?),
    };
    let is_coded = headers.get(CONTENT_ENCODING).is_some_and(|coding| coding != "identity");
    // A request was decoded before it was shown.
    if is_coded && context.phase() != Phase::PreUpstream {
        return Err("the response body is compressed, so it cannot be checked".into());
    }
    Ok(Some(body?.clone()))
}

/// Puts something else in the place of what the phase shows.
pub(crate) fn replace(context: &mut Context<'_>, body: Bytes) -> Result<(), Error> {
    match context.phase() {
        Phase::ToolCall => context.set_tool_arguments(body)?,
        Phase::ToolResult => context.set_tool_result(body)?,
        Phase::PreUpstream => context.set_request_body(body)?,
        _ => {
            context.set_response_body(body)?;
            let headers = context.response_headers_mut()?;
            // They speak of the bytes that the upstream sent.
            for name in [
                ETAG.as_str(),
                ACCEPT_RANGES.as_str(),
                "content-md5",
                "digest",
                "content-digest",
                "repr-digest",
            ] {
                headers.remove(name);
            }
        }
    }
    Ok(())
}

/// The body with everything replaced that is found, if anything is.
pub(crate) async fn redacted<F: TextFinder + 'static>(
    finder: &Arc<F>,
    body: Bytes,
) -> Result<Option<Bytes>, Error> {
    if body.len() <= LARGE {
        return Ok(replace_found(&**finder, &body).map(Bytes::from));
    }
    let finder = Arc::clone(finder);
    let replaced = tokio::task::spawn_blocking(move || replace_found(&*finder, &body)).await?;
    Ok(replaced.map(Bytes::from))
}

/// Is it not said to be something else? A stream of events is text, but it never ends.
fn may_be_text(headers: &HeaderMap) -> bool {
    const OTHERS: &[&str] = &[
        "image/",
        "audio/",
        "video/",
        "font/",
        "multipart/",
        "application/octet-stream",
        "application/pdf",
        "application/zip",
        "application/gzip",
        "application/wasm",
        "text/event-stream",
        "application/vnd.amazon.eventstream",
    ];
    let value = headers.get(CONTENT_TYPE).map(|value| value.as_bytes()).unwrap_or_default();
    !OTHERS.iter().any(|other| {
        value.get(..other.len()).is_some_and(|start| start.eq_ignore_ascii_case(other.as_bytes()))
    })
}
