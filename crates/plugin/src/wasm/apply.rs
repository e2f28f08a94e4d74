//! From a context to a message, and from a reply back to the context.

use crate::wasm::message::{Call, CalledTool, NextStep, PluginReply};
use crate::{Context, Error, Flow, Phase, is_hop_by_hop};
use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use serde_json::Value;
use std::collections::BTreeMap;

/// What the module is told.
pub(crate) fn message(context: &Context<'_>, settings: &Value) -> Vec<u8> {
    let body = match context.phase() {
        Phase::PreUpstream => context.request_body().ok(),
        Phase::PostUpstream | Phase::OnError => context.response_body().ok(),
        Phase::ToolCall => context.tool_arguments().ok(),
        Phase::ToolResult => context.tool_result().ok(),
        _ => None,
    };
    let call = Call {
        phase: context.phase().name(),
        settings,
        remote: context.remote().to_string(),
        tenant: context.tenant(),
        project: context.project(),
        method: context.method().as_str(),
        uri: context.uri().to_string(),
        request_headers: pairs(context.request_headers()),
        status: context.status().ok().map(|status| status.as_u16()),
        response_headers: context.response_headers().ok().map(pairs),
        tool: context.tool().map(|tool| CalledTool { server: &tool.server, name: &tool.name }),
        body: body.is_some(),
    };
    call.written(body.map(Bytes::as_ref).unwrap_or_default())
}

fn pairs(headers: &HeaderMap) -> Vec<(&str, &str)> {
    headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?))).collect()
}

/// Does what the module says.
pub(crate) fn apply(
    context: &mut Context<'_>,
    reply: PluginReply,
    body: Option<Vec<u8>>,
) -> Result<Flow, Error> {
    if reply.flow == NextStep::Terminate {
        let mut response = Response::new(Bytes::from(body.unwrap_or_default()));
        *response.status_mut() = reply.status.map_or(Ok(StatusCode::FORBIDDEN), status)?;
        change(response.headers_mut(), &reply.headers)?;
        return Ok(Flow::Terminate(response));
    }
    if let Some(code) = reply.status {
        context.set_status(status(code)?)?;
    }
    if !reply.headers.is_empty() {
        let headers = match context.status() {
            Ok(_) => context.response_headers_mut()?,
            Err(_) => context.request_headers_mut()?,
        };
        change(headers, &reply.headers)?;
    }
    if let Some(body) = body {
        match context.phase() {
            Phase::ToolCall => context.set_tool_arguments(body)?,
            Phase::ToolResult => context.set_tool_result(body)?,
            Phase::PostUpstream | Phase::OnError => context.set_response_body(body)?,
            _ => context.set_request_body(body)?,
        }
    }
    Ok(match reply.flow {
        NextStep::SkipRest => Flow::SkipRest,
        _ => Flow::Continue,
    })
}

fn status(code: u16) -> Result<StatusCode, Error> {
    // A plugin that answers has the last word: an interim status would leave the client waiting.
    match StatusCode::from_u16(code) {
        Ok(status) if !status.is_informational() => Ok(status),
        _ => Err("`status` is none that a response can end with".into()),
    }
}

fn change(
    headers: &mut HeaderMap,
    changes: &BTreeMap<String, Option<String>>,
) -> Result<(), Error> {
    for (name, value) in changes {
        let name: HeaderName =
            name.parse().map_err(|_| "`headers` has a name that no header can have")?;
        if is_hop_by_hop(&name) {
            return Err(format!("`headers` has `{name}`, which belongs to the connection").into());
        }
        match value {
            Some(value) => {
                let value: HeaderValue = value
                    .parse()
                    .map_err(|_| format!("`headers.{name}` has a value that no header can have"))?;
                headers.insert(name, value);
            }
            None => drop(headers.remove(name)),
        }
    }
    Ok(())
}
