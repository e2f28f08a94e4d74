//! What a plugin sees of a request and its response, and may change.

use crate::exchange::{Exchange, ExchangeState};
use crate::phase::Phase;
use crate::plugin::BodyNeed;
use crate::tool::ToolId;
use crate::unavailable::Unavailable;
use bytes::Bytes;
use http::{Extensions, HeaderMap, Method, StatusCode, Uri};
use std::net::SocketAddr;
use std::sync::Arc;

/// One call's view of a request and its response.
///
/// | | PreAuth | PostAuth | PreUpstream | PostUpstream | OnError |
/// |---|---|---|---|---|---|
/// | request: method, address, headers | read | read | read | read | read |
/// | request: change headers | yes | yes | yes | | |
/// | request: body | | | read, change | | |
/// | response: status, headers, body | | | | read, change | read, change |
///
/// Where a request asks for tools, these phases take the place of the two around the upstream:
///
/// | | ToolCall | ToolResult |
/// |---|---|---|
/// | request: method, address, headers | read | read |
/// | tool: server, name | read | read |
/// | tool: arguments | read, change | |
/// | tool: result | | read, change |
///
/// A body, arguments or a result is shown to a plugin that declared a need for one of its size ([`Plugin::body`](crate::Plugin::body)),
/// whatever its neighbours declared. What may not be seen may not be replaced. Arguments and results are JSON text; a call
/// that leaves anything else there has failed.
pub struct Context<'a> {
    phase: Phase,
    need: BodyNeed,
    exchange: &'a mut Exchange,
}

impl<'a> Context<'a> {
    pub(crate) fn new(phase: Phase, need: BodyNeed, exchange: &'a mut Exchange) -> Self {
        Self { phase, need, exchange }
    }

    /// When the plugin is called.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Where the request came from.
    pub fn remote(&self) -> SocketAddr {
        self.exchange.remote
    }

    /// Whose request it is: known from [`Phase::PostAuth`] on, if the gateway asks for keys.
    pub fn tenant(&self) -> Option<&str> {
        self.exchange.tenant.as_deref()
    }

    /// What the request is counted under, if the client said so.
    pub fn project(&self) -> Option<&str> {
        self.exchange.project.as_deref()
    }

    /// The method of the request.
    pub fn method(&self) -> &Method {
        &self.exchange.request().method
    }

    /// The address of the request.
    pub fn uri(&self) -> &Uri {
        &self.exchange.request().uri
    }

    /// The headers of the request.
    pub fn request_headers(&self) -> &HeaderMap {
        &self.exchange.request().headers
    }

    /// The headers of the request, to be changed before it goes upstream.
    ///
    /// # Errors
    /// When it has gone.
    pub fn request_headers_mut(&mut self) -> Result<&mut HeaderMap, Unavailable> {
        self.only_if(self.phase.is_before_upstream(), "changes to the request's headers are")?;
        Ok(&mut self.exchange.request_mut().headers)
    }

    /// The body of the request.
    ///
    /// # Errors
    /// In every phase but [`Phase::PreUpstream`], and when it is not a body of the size that the plugin declared.
    pub fn request_body(&self) -> Result<&Bytes, Unavailable> {
        self.only_if(self.phase.shows_request_body(), REQUEST_BODY)?;
        self.declared(self.exchange.state.request_body.as_ref(), REQUEST_BODY)
    }

    /// Replaces the body of the request.
    ///
    /// # Errors
    /// When it cannot be [seen](Self::request_body).
    pub fn set_request_body(&mut self, body: impl Into<Bytes>) -> Result<(), Unavailable> {
        self.request_body()?;
        self.exchange.set_request_body(body.into());
        Ok(())
    }

    /// The status of the response.
    ///
    /// # Errors
    /// Before there is a response.
    pub fn status(&self) -> Result<StatusCode, Unavailable> {
        Ok(self.response()?.status)
    }

    /// Replaces the status of the response.
    ///
    /// # Errors
    /// Before there is a response.
    pub fn set_status(&mut self, status: StatusCode) -> Result<(), Unavailable> {
        self.response_mut()?.status = status;
        Ok(())
    }

    /// The headers of the response.
    ///
    /// # Errors
    /// Before there is a response.
    pub fn response_headers(&self) -> Result<&HeaderMap, Unavailable> {
        Ok(&self.response()?.headers)
    }

    /// The headers of the response, to be changed.
    ///
    /// # Errors
    /// Before there is a response.
    pub fn response_headers_mut(&mut self) -> Result<&mut HeaderMap, Unavailable> {
        Ok(&mut self.response_mut()?.headers)
    }

    /// The body of the response.
    ///
    /// # Errors
    /// In every phase but [`Phase::PostUpstream`] and [`Phase::OnError`], and when it is not a body of the size that
    /// the plugin declared.
    pub fn response_body(&self) -> Result<&Bytes, Unavailable> {
        self.only_if(self.phase.shows_response(), RESPONSE_BODY)?;
        let ExchangeState { response_body, is_streamed, .. } = &self.exchange.state;
        self.declared(response_body.as_ref(), RESPONSE_BODY).map_err(|error| match error {
            Unavailable::NotBuffered { part, .. } if *is_streamed => Unavailable::Streamed { part },
            error => error,
        })
    }

    /// Replaces the body of the response.
    ///
    /// # Errors
    /// When it cannot be [seen](Self::response_body).
    pub fn set_response_body(&mut self, body: impl Into<Bytes>) -> Result<(), Unavailable> {
        self.response_body()?;
        self.exchange.set_response_body(body.into());
        Ok(())
    }

    /// Which tool is called: in [`Phase::ToolCall`] and [`Phase::ToolResult`].
    pub fn tool(&self) -> Option<&ToolId> {
        self.exchange.tool.as_ref()
    }

    /// The arguments of a tool call, as JSON text: what the client wrote into `arguments` of `tools/call`.
    ///
    /// # Errors
    /// In every phase but [`Phase::ToolCall`], and when they are not of the size that the plugin declared.
    pub fn tool_arguments(&self) -> Result<&Bytes, Unavailable> {
        self.only_if(self.phase.shows_tool_arguments(), TOOL_ARGUMENTS)?;
        self.declared(self.exchange.state.tool_arguments.as_ref(), TOOL_ARGUMENTS)
    }

    /// Replaces the arguments of a tool call.
    ///
    /// # Errors
    /// When they cannot be [seen](Self::tool_arguments).
    pub fn set_tool_arguments(&mut self, arguments: impl Into<Bytes>) -> Result<(), Unavailable> {
        self.tool_arguments()?;
        self.exchange.set_tool_arguments(arguments.into());
        Ok(())
    }

    /// The result of a tool call, as JSON text: what its server answered, with `content` and all its other members.
    ///
    /// # Errors
    /// In every phase but [`Phase::ToolResult`], and when it is not of the size that the plugin declared.
    pub fn tool_result(&self) -> Result<&Bytes, Unavailable> {
        self.only_if(self.phase.shows_tool_result(), TOOL_RESULT)?;
        self.declared(self.exchange.state.tool_result.as_ref(), TOOL_RESULT)
    }

    /// Replaces the result of a tool call.
    ///
    /// # Errors
    /// When it cannot be [seen](Self::tool_result).
    pub fn set_tool_result(&mut self, result: impl Into<Bytes>) -> Result<(), Unavailable> {
        self.tool_result()?;
        self.exchange.set_tool_result(result.into());
        Ok(())
    }

    /// What plugins remember for each other, and for their own later phases, during this request.
    pub fn extensions(&self) -> &Extensions {
        self.exchange.extensions()
    }

    /// The same, to be changed. A failed call undoes what was put in, not what went on inside a shared value.
    pub fn extensions_mut(&mut self) -> &mut Extensions {
        self.exchange.extensions_mut()
    }

    fn response(&self) -> Result<&http::response::Parts, Unavailable> {
        self.only_if(self.phase.shows_response(), RESPONSE)?;
        self.exchange.response().ok_or(Unavailable::Missing { part: RESPONSE })
    }

    fn response_mut(&mut self) -> Result<&mut http::response::Parts, Unavailable> {
        self.only_if(self.phase.shows_response(), RESPONSE)?;
        let response = self.exchange.state.response.as_mut();
        response.map(Arc::make_mut).ok_or(Unavailable::Missing { part: RESPONSE })
    }

    fn only_if(&self, is_shown: bool, part: &'static str) -> Result<(), Unavailable> {
        let phase = self.phase;
        if is_shown { Ok(()) } else { Err(Unavailable::WrongPhase { part, phase }) }
    }

    /// The body, if it is one that the plugin declared a need for.
    fn declared<'b>(
        &self,
        body: Option<&'b Bytes>,
        part: &'static str,
    ) -> Result<&'b Bytes, Unavailable> {
        match self.need {
            BodyNeed::None => Err(Unavailable::Undeclared { part, phase: self.phase }),
            BodyNeed::Buffered { up_to: limit } => body
                .filter(|body| body.len() <= limit)
                .ok_or(Unavailable::NotBuffered { part, limit }),
        }
    }
}

const REQUEST_BODY: &str = "the request's body is";
const RESPONSE: &str = "the response is";
const RESPONSE_BODY: &str = "the response's body is";
const TOOL_ARGUMENTS: &str = "the arguments of a tool call are";
const TOOL_RESULT: &str = "the result of a tool call is";
