//! Header validation: what a request of the modern era must say, in its headers and in its message.

use super::{Body, EndpointRequest, VERSION, responses};
use crate::era::{CAPABILITIES_KEY, MODERN, VERSION_KEY, versions};
use crate::message::Message;
use crate::rpc::{self, ErrorCode};
use crate::server_link::read_header;
use http::{Response, StatusCode};
use tokenforge_json::quote;

/// What is wrong with a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HeaderMismatch(String);

impl From<HeaderMismatch> for Response<Body> {
    fn from(wrong: HeaderMismatch) -> Self {
        responses::json(StatusCode::BAD_REQUEST, wrong.0)
    }
}

/// Checks that the headers name the same request as the message, because a proxy may look at the headers alone.
pub(super) fn headers(ask: &EndpointRequest, message: &Message<'_>) -> Result<(), HeaderMismatch> {
    let wrong = |code, text: &str| Err(HeaderMismatch(rpc::error(message.id(), code, text)));
    let Some(version) = message.meta(VERSION_KEY).and_then(|version| version.text()) else {
        return wrong(ErrorCode::Params, &format!("_meta has no {VERSION_KEY}"));
    };
    if ask.text(VERSION) != Some(&version) {
        return wrong(
            ErrorCode::HeaderMismatch,
            "MCP-Protocol-Version is missing, or is not what _meta says",
        );
    }
    if version != MODERN {
        let data = format!(r#"{{"supported":{},"requested":{}}}"#, versions(), quote(&version));
        let text = "this version of the protocol is not spoken here";
        return Err(HeaderMismatch(rpc::error_with(
            message.id(),
            ErrorCode::Version,
            text,
            Some(&data),
        )));
    }
    if message.meta(CAPABILITIES_KEY).is_none() {
        return wrong(ErrorCode::Params, &format!("_meta has no {CAPABILITIES_KEY}"));
    }
    if ask.text("mcp-method") != Some(message.method()) {
        return wrong(
            ErrorCode::HeaderMismatch,
            "Mcp-Method is missing, or is not the method of the message",
        );
    }
    let named = match message.method() {
        "tools/call" | "prompts/get" => message.text_param("name"),
        "resources/read" => message.text_param("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => message.text_param("taskId"),
        _ => return Ok(()),
    };
    let shown = ask.headers.get("mcp-name").and_then(read_header);
    match (named, shown) {
        (Some(named), Some(shown)) if named == shown => Ok(()),
        _ => wrong(
            ErrorCode::HeaderMismatch,
            "Mcp-Name is missing, or is not what the message names",
        ),
    }
}
