//! A request and its response on their way through the gateway, as the gateway sees them.

use crate::failure::Failure;
use bytes::Bytes;
use http::{Extensions, request, response};
use std::net::SocketAddr;
use std::sync::Arc;

/// A request and, later, its response: what the gateway hands to the [`Chain`](crate::Chain) at every phase.
///
/// Plugins see it through a [`Context`](crate::Context), which shows each phase what belongs to it.
///
/// Whoever changes a body leaves its length to the gateway, which sends the `Content-Length` that fits.
pub struct Exchange {
    /// Where the request came from.
    pub remote: SocketAddr,
    /// Whose request it is, once that is known.
    pub tenant: Option<Arc<str>>,
    /// What the request is counted under, if the client said so.
    pub project: Option<Arc<str>>,
    pub(crate) state: State,
    failures: Vec<Failure>,
}

/// What plugins can change. A copy shares all of it, so that the state before a call costs next to nothing to keep.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) request: Arc<request::Parts>,
    pub(crate) request_body: Option<Bytes>,
    pub(crate) response: Option<Arc<response::Parts>>,
    pub(crate) response_body: Option<Bytes>,
    pub(crate) extensions: Arc<Extensions>,
}

impl Exchange {
    /// A request that has just arrived.
    pub fn new(request: request::Parts, remote: SocketAddr) -> Self {
        let state = State {
            request: Arc::new(request),
            request_body: None,
            response: None,
            response_body: None,
            extensions: Arc::default(),
        };
        Self { remote, tenant: None, project: None, state, failures: Vec::new() }
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

    /// Shows the body of the response to the plugins that asked for one of its size. Without this it streams by.
    pub fn set_response_body(&mut self, body: Bytes) {
        self.state.response_body = Some(body);
    }

    /// The body of the response as the plugins left it, if they were shown it.
    pub fn take_response_body(&mut self) -> Option<Bytes> {
        self.state.response_body.take()
    }

    /// What plugins, and the gateway, remember for each other during this request.
    pub fn extensions(&self) -> &Extensions {
        &self.state.extensions
    }

    /// The same, to be changed.
    pub fn extensions_mut(&mut self) -> &mut Extensions {
        Arc::make_mut(&mut self.state.extensions)
    }

    /// The calls that failed since this was last asked, for the log.
    pub fn take_failures(&mut self) -> Vec<Failure> {
        std::mem::take(&mut self.failures)
    }

    /// Puts everything back as it was before a call that failed, and remembers why.
    pub(crate) fn undo(&mut self, before: State, failure: Failure) {
        self.state = before;
        self.failures.push(failure);
    }
}
