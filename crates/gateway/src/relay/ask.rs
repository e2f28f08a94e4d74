//! How the provider was asked, and is asked again.

use crate::http::body::Body;
use bytes::Bytes;
use http::header::{HeaderName, HeaderValue};
use http::{Method, Request, Uri};

/// A request without its body, to be sent once more.
pub(crate) struct Ask {
    method: Method,
    uri: Uri,
    /// As a list, which takes half the room of a map.
    headers: Vec<(HeaderName, HeaderValue)>,
    pub(super) is_guarded: bool,
}

impl Ask {
    pub(crate) fn of(request: &Request<Body>, is_guarded: bool) -> Self {
        let headers = request.headers().iter();
        Ask {
            method: request.method().clone(),
            uri: request.uri().clone(),
            headers: headers.map(|(name, value)| (name.clone(), value.clone())).collect(),
            is_guarded,
        }
    }

    /// Keeps nothing of the buffer that the request was read into.
    pub(super) fn settle(&mut self) {
        if let Ok(copy) = self.uri.to_string().parse() {
            self.uri = copy;
        }
        for (_, value) in &mut self.headers {
            if let Ok(mut copy) = HeaderValue::from_bytes(value.as_bytes()) {
                copy.set_sensitive(value.is_sensitive());
                *value = copy;
            }
        }
    }

    /// The request once more, with another body.
    pub(super) fn again(&self, body: Bytes) -> Request<Body> {
        let mut request = Request::new(body.into());
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri.clone();
        for (name, value) in &self.headers {
            request.headers_mut().append(name, value.clone());
        }
        request
    }
}
