//! A request and its response on their way through the gateway, as the gateway sees them.

use crate::failure::{Failure, FailureCause};
use crate::tool::ToolId;
use bytes::Bytes;
use http::{Extensions, request, response};
use serde::de::IgnoredAny;
use std::net::SocketAddr;
use std::sync::Arc;

/// A request and, later, its response: what the gateway hands to the [`Chain`](crate::Chain) at every phase.
///
/// Plugins see it through a [`Context`](crate::Context), which shows each phase what belongs to it.
///
/// A plugin that changes a body leaves its length to the gateway, which sends the `Content-Length` that fits.
pub struct Exchange {
    /// Where the request came from.
    pub remote: SocketAddr,
    /// Whose request it is, once that is known.
    pub tenant: Option<Arc<str>>,
    /// What the request is counted under, if the client said so.
    pub project: Option<Arc<str>>,
    pub(crate) tool: Option<ToolId>,
    pub(crate) state: ExchangeState,
    failures: Vec<Failure>,
}

/// What plugins can change. A copy shares all of it, so that the state before a call costs next to nothing to keep.
#[derive(Clone)]
pub(crate) struct ExchangeState {
    pub(crate) request: Arc<request::Parts>,
    pub(crate) request_body: Option<Bytes>,
    pub(crate) response: Option<Arc<response::Parts>>,
    pub(crate) response_body: Option<Bytes>,
    /// The response is a stream.
    pub(crate) is_streamed: bool,
    pub(crate) tool_arguments: Option<Bytes>,
    pub(crate) tool_result: Option<Bytes>,
    pub(crate) extensions: Arc<Extensions>,
}

impl Exchange {
    /// A request that has just arrived.
    pub fn new(request: request::Parts, remote: SocketAddr) -> Self {
        let state = ExchangeState {
            request: Arc::new(request),
            request_body: None,
            response: None,
            response_body: None,
            is_streamed: false,
            tool_arguments: None,
            tool_result: None,
            extensions: Arc::default(),
        };
        Self { remote, tenant: None, project: None, tool: None, state, failures: Vec::new() }
    }

    /// One of the tool calls that the request asks for: what the chain is handed in
    /// [`ToolCall`](crate::Phase::ToolCall) and [`ToolResult`](crate::Phase::ToolResult).
    ///
    /// It knows what the plugins remembered so far. Calls of one request go their ways at the same time and do not see
    /// each other.
    #[must_use]
    pub fn of_tool(&self, tool: ToolId) -> Self {
        let state = ExchangeState {
            request: Arc::clone(&self.state.request),
            request_body: None,
            response: None,
            response_body: None,
            is_streamed: false,
            tool_arguments: None,
            tool_result: None,
            extensions: Arc::clone(&self.state.extensions),
        };
        let (tenant, project) = (self.tenant.clone(), self.project.clone());
        Self { remote: self.remote, tenant, project, tool: Some(tool), state, failures: Vec::new() }
    }

    /// The head of the request.
    pub fn request(&self) -> &request::Parts {
        &self.state.request
    }

    /// The head of the request, to be changed.
    pub fn request_mut(&mut self) -> &mut request::Parts {
        Arc::make_mut(&mut self.state.request)
    }

    /// The head of the request, when no later phase has to see it.
    pub fn into_request(self) -> request::Parts {
        Arc::unwrap_or_clone(self.state.request)
    }

    /// Shows the body of the request to the plugins that asked for one of its size. Without this it streams by.
    pub fn set_request_body(&mut self, body: Bytes) {
        self.state.request_body = Some(body);
    }

    /// The body of the request as the plugins left it, if they were shown it.
    pub fn take_request_body(&mut self) -> Option<Bytes> {
        self.state.request_body.take()
    }

    /// The head of the response: needed from [`PostUpstream`](crate::Phase::PostUpstream) on.
    pub fn set_response(&mut self, response: response::Parts) {
        self.state.response = Some(Arc::new(response));
    }

    /// The head of the response, if there is one by now.
    pub fn response(&self) -> Option<&response::Parts> {
        self.state.response.as_deref()
    }

    /// The head of the response as the plugins left it.
    pub fn take_response(&mut self) -> Option<response::Parts> {
        self.state.response.take().map(Arc::unwrap_or_clone)
    }

    /// The response is a stream: plugins that ask for its body hear that.
    pub fn set_response_streamed(&mut self) {
        self.state.is_streamed = true;
    }

    /// Shows the body of the response to the plugins that asked for one of its size. Without this it streams by.
    pub fn set_response_body(&mut self, body: Bytes) {
        self.state.response_body = Some(body);
    }

    /// The body of the response as the plugins left it, if they were shown it.
    pub fn take_response_body(&mut self) -> Option<Bytes> {
        self.state.response_body.take()
    }

    /// Shows the arguments of a tool call, as JSON text, to the plugins that asked for a body of their size.
    pub fn set_tool_arguments(&mut self, arguments: Bytes) {
        self.state.tool_arguments = Some(arguments);
    }

    /// The arguments of a tool call as the plugins left them: JSON, if they were before.
    pub fn take_tool_arguments(&mut self) -> Option<Bytes> {
        self.state.tool_arguments.take()
    }

    /// Shows the result of a tool call, as JSON text, to the plugins that asked for a body of its size.
    pub fn set_tool_result(&mut self, result: Bytes) {
        self.state.tool_result = Some(result);
    }

    /// The result of a tool call as the plugins left it: JSON, if it was before.
    pub fn take_tool_result(&mut self) -> Option<Bytes> {
        self.state.tool_result.take()
    }

    /// What plugins, and the gateway, remember for each other during this request.
    pub fn extensions(&self) -> &Extensions {
        &self.state.extensions
    }

    /// The same, to be changed.
    pub fn extensions_mut(&mut self) -> &mut Extensions {
        Arc::make_mut(&mut self.state.extensions)
    }

    /// Replaces the extensions by those that many requests have in common. They are shared until a plugin changes them.
    pub fn set_extensions(&mut self, extensions: Arc<Extensions>) {
        self.state.extensions = extensions;
    }

    /// The calls that failed since this was last asked, for the log.
    pub fn take_failures(&mut self) -> Vec<Failure> {
        std::mem::take(&mut self.failures)
    }

    /// Is what a call left of a tool's arguments and result still JSON? Their envelope would break otherwise.
    pub(crate) fn checked_since(&self, before: &ExchangeState) -> Result<(), FailureCause> {
        let now = &self.state;
        check(now.tool_arguments.as_ref(), before.tool_arguments.as_ref(), "arguments")?;
        check(now.tool_result.as_ref(), before.tool_result.as_ref(), "result")
    }

    /// Puts everything back as it was before a call that failed, and remembers why.
    pub(crate) fn undo(&mut self, before: ExchangeState, failure: Failure) {
        self.state = before;
        self.failures.push(failure);
    }
}

fn check(now: Option<&Bytes>, before: Option<&Bytes>, what: &str) -> Result<(), FailureCause> {
    let place = |text: &Bytes| (text.as_ptr(), text.len());
    match now {
        Some(text) if before.map(place) != Some(place(text)) && !is_json(text) => {
            Err(FailureCause::Error(format!("it left no JSON as the tool's {what}").into()))
        }
        _ => Ok(()),
    }
}

fn is_json(text: &[u8]) -> bool {
    str::from_utf8(text).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}
