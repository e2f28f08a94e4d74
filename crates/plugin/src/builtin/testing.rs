//! Plugins as the gateway runs them: made from settings, in a chain.

use crate::builtin::{DefaultFormat, register};
use crate::{Chain, ErrorPolicy, Exchange, Outcome, Phase, Placement, Registry, ToolId};
use bytes::Bytes;
use http::{Request, Response};
use serde_json::Value;
use std::net::SocketAddr;

/// A chain of one plugin, which must not fail.
pub(crate) fn chain(name: &str, config: Value) -> Chain {
    let placement = Placement { on_error: ErrorPolicy::Closed, ..Placement::default() };
    Chain::new(vec![(registry().build(name, &config).unwrap(), placement)])
}

/// Why these settings are refused.
pub(crate) fn refused(name: &str, config: Value) -> String {
    registry().build(name, &config).err().unwrap().to_string()
}

fn registry() -> Registry {
    let mut registry = Registry::default();
    register(&mut registry).unwrap();
    registry
}

/// A request, its response and a tool call, all with this text.
pub(crate) fn exchange(text: &str) -> Exchange {
    from(([192, 0, 2, 7], 50_000).into(), text)
}

/// The same, from somewhere else.
pub(crate) fn from(remote: SocketAddr, text: &str) -> Exchange {
    let request =
        Request::post("/").header("content-type", "application/json").header("x-old", "1");
    let (head, ()) = request.body(()).unwrap().into_parts();
    let mut exchange = Exchange::new(head, remote).of_tool(ToolId::new("files", "read"));
    let response =
        Response::builder().header("etag", "\"1\"").header("x-old", "1").body(()).unwrap();
    exchange.set_response(response.into_parts().0);
    exchange.set_request_body(text.to_owned().into());
    exchange.set_response_body(text.to_owned().into());
    exchange.set_tool_arguments(text.to_owned().into());
    exchange.set_tool_result(text.to_owned().into());
    exchange
}

/// What became of the text in a phase, or the response that ended it.
pub(crate) async fn run(
    chain: &Chain,
    phase: Phase,
    exchange: &mut Exchange,
) -> Result<Bytes, Response<Bytes>> {
    match chain.run(phase, exchange).await {
        Outcome::Terminate(response) => Err(response),
        Outcome::Continue => Ok(match phase {
            Phase::ToolCall => exchange.take_tool_arguments(),
            Phase::ToolResult => exchange.take_tool_result(),
            Phase::PreUpstream => exchange.take_request_body(),
            _ => exchange.take_response_body(),
        }
        .unwrap()),
    }
}

/// The same, to and from an API behind a route.
pub(crate) fn routed(text: &str) -> Exchange {
    let mut exchange = exchange(text);
    exchange.extensions_mut().insert(DefaultFormat::default());
    exchange
}
