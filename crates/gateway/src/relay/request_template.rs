//! A request template: how the provider was asked, to be asked again with another body.

use crate::aws::RequestSigner;
use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Uri};
use std::sync::Arc;
use tokenforge_proxy::body::Body;

/// A request without its body, to be sent once more.
pub(crate) struct RequestTemplate {
    method: Method,
    uri: Uri,
    headers: HeaderLines,
    pub(crate) is_guarded: bool,
    /// It signs each of them.
    signer: Option<Arc<RequestSigner>>,
}

impl RequestTemplate {
    pub(crate) fn of(
        request: &Request<Body>,
        is_guarded: bool,
        signer: Option<Arc<RequestSigner>>,
    ) -> Self {
        RequestTemplate {
            method: request.method().clone(),
            uri: request.uri().clone(),
            headers: HeaderLines::of(request.headers()),
            is_guarded,
            signer,
        }
    }

    /// Keeps nothing of the buffer that the request was read into.
    pub(super) fn release_buffers(&mut self) {
        if let Ok(copy) = self.uri.to_string().parse() {
            self.uri = copy;
        }
    }

    /// The request once more, with another body and its headers changed like this before it is signed.
    pub(crate) async fn instantiate(
        &self,
        body: Bytes,
        change: impl FnOnce(&mut HeaderMap),
    ) -> Request<Body> {
        let mut request = Request::new(body.into());
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.read();
        change(request.headers_mut());
        if let Some(signer) = &self.signer {
            // What cannot be signed the provider refuses.
            let _ = signer.sign(&mut request).await;
        }
        request
    }
}

/// Headers as text, a line for each: a stream has them for as long as it lasts, and with a list of names and values it
/// took 1 KB more.
struct HeaderLines(Box<[u8]>);

impl HeaderLines {
    /// Before the name of a header that is not to be shown. No name begins with it, and no value has a line's end.
    const SENSITIVE: u8 = b' ';

    fn of(headers: &HeaderMap) -> Self {
        let size = |(name, value): (&HeaderName, &HeaderValue)| {
            usize::from(value.is_sensitive()) + name.as_str().len() + 1 + value.len() + 1
        };
        let mut lines = Vec::with_capacity(headers.iter().map(size).sum());
        for (name, value) in headers {
            lines.extend(value.is_sensitive().then_some(Self::SENSITIVE));
            lines.extend_from_slice(name.as_ref());
            lines.push(b':');
            lines.extend_from_slice(value.as_bytes());
            lines.push(b'\n');
        }
        HeaderLines(lines.into())
    }

    fn read(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in self.0.split(|byte| *byte == b'\n') {
            let named = line.strip_prefix(&[Self::SENSITIVE]).unwrap_or(line);
            let mut parts = named.splitn(2, |byte| *byte == b':');
            let (Some(name), Some(value)) = (parts.next(), parts.next()) else { continue };
            let name = HeaderName::from_bytes(name);
            if let (Ok(name), Ok(mut value)) = (name, HeaderValue::from_bytes(value)) {
                value.set_sensitive(named.len() < line.len());
                headers.append(name, value);
            }
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back_as_they_were() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("accept", &b"a, b:c"[..]),
            ("x-empty", b""),
            ("x-own", b" \x80\xff\t: "),
            ("accept", b"again"),
        ] {
            let value = HeaderValue::from_bytes(value).unwrap();
            headers.append(HeaderName::from_static(name), value);
        }
        let mut key = HeaderValue::from_static("Bearer k");
        key.set_sensitive(true);
        headers.insert("authorization", key);
        let read = HeaderLines::of(&headers).read();
        assert_eq!(read, headers);
        let secret = |headers: &HeaderMap| headers.values().filter(|v| v.is_sensitive()).count();
        assert_eq!((secret(&read), read["authorization"].is_sensitive()), (1, true));
        assert!(HeaderLines::of(&HeaderMap::new()).read().is_empty());
    }
}
