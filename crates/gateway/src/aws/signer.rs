//! Signs requests on their way to Bedrock, in the place of the signature that they came with.

use super::canonical::{ALGORITHM, canonical_head};
use super::claim::{AMZ_DATE, AMZ_HASH, AMZ_TOKEN, SignatureClaim, SignatureScope, take_off};
use super::credentials::AwsCredentials;
use super::signing_key::sha256_hex;
use bytes::Bytes;
use http::Request;
use http::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue,
};
use std::time::Duration;
use tokenforge_proxy::blocking::run_blocking;
use tokenforge_proxy::body::Body;
use tokenforge_proxy::upstream::host_header;

/// A longer body is hashed apart from the threads that move bytes: this one takes about a millisecond.
const QUICK: usize = 512 << 10;

/// Signs requests in the place of one client, with its region, its service and its clock.
pub(crate) struct RequestSigner {
    credentials: AwsCredentials,
    scope: SignatureScope,
}

impl RequestSigner {
    /// Signs with these credentials what came with that signature, which is taken off. So are headers of AWS's own and of
    /// Bedrock's that are no part of it: the former must all be signed, the latter choose a guardrail or a price, and the
    /// client did not ask for these.
    pub(super) fn in_place_of(
        claim: &SignatureClaim,
        credentials: AwsCredentials,
        headers: &mut HeaderMap,
    ) -> Self {
        take_off(headers);
        let is_added = |name: &&HeaderName| {
            (is_of_aws(name) || is_of_bedrock(name)) && !claim.scope.has_signed(name)
        };
        let added: Vec<HeaderName> = headers.keys().filter(is_added).cloned().collect();
        added.iter().for_each(|name| drop(headers.remove(name)));
        RequestSigner { credentials, scope: claim.scope.clone() }
    }

    /// The client's region, which is plain: small letters, digits and `-`.
    pub(crate) fn region(&self) -> &str {
        &self.scope.region
    }

    /// Signs a request with a body that is here. Nothing if it cannot be.
    pub(crate) async fn sign(&self, request: &mut Request<Body>) -> Option<()> {
        // What is not here yet cannot be signed.
        let body = request.body_mut().whole()?;
        let hash = payload_hash(&body).await;
        self.sign_at(request, &hash, self.scope.arrived.elapsed())
    }

    /// The same, so long after the client signed its own: by its clock, since AWS is to judge by the client's whether a
    /// request is old.
    pub(super) fn sign_at(
        &self,
        request: &mut Request<Body>,
        hash: &str,
        elapsed: Duration,
    ) -> Option<()> {
        let SignatureScope { region, service, stamp, .. } = &self.scope;
        let stamp = stamp.after(elapsed);
        let host = host_header(request.uri())?;
        let headers = request.headers_mut();
        take_off(headers);
        headers.insert(AMZ_DATE, HeaderValue::try_from(stamp.text()).ok()?);
        if let Some(token) = &self.credentials.session_token {
            headers.insert(AMZ_TOKEN, sensitive(token.expose())?);
        }
        if self.scope.has_signed(&AMZ_HASH) {
            headers.insert(AMZ_HASH, HeaderValue::from_str(hash).ok()?);
        }
        let signed = self.headers_to_sign(headers);
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let head = canonical_head(&method, &uri, host.to_str().ok()?, request.headers(), &signed)?;
        let credentials = &self.credentials;
        let signature = credentials.sign(stamp, region, service, &head, hash);
        let authorization = format!(
            "{ALGORITHM} Credential={}/{}/{region}/{service}/aws4_request, SignedHeaders={}, Signature={signature}",
            credentials.key_id,
            stamp.date(),
            signed.join(";")
        );
        request.headers_mut().insert(AUTHORIZATION, sensitive(&authorization)?);
        Some(())
    }

    /// What AWS asks for (the host, the kind of body, everything of its own), and what the client signed that is still
    /// there. The length is what the hash says already, and is written after this.
    fn headers_to_sign(&self, headers: &HeaderMap) -> Vec<String> {
        let is_asked_for = |name: &HeaderName| {
            *name == CONTENT_TYPE || is_of_aws(name) || self.scope.has_signed(name)
        };
        let names = headers.keys().filter(|name| is_asked_for(name));
        let names = names.filter(|name| **name != CONTENT_LENGTH && **name != HOST);
        let mut names: Vec<String> = names.map(|name| name.as_str().to_owned()).collect();
        names.push(HOST.as_str().to_owned());
        names.sort_unstable();
        names
    }
}

fn is_of_aws(name: &HeaderName) -> bool {
    name.as_str().starts_with("x-amz-")
}

fn is_of_bedrock(name: &HeaderName) -> bool {
    name.as_str().starts_with("x-amzn-bedrock-")
}

fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The hash of a body, in hexadecimal digits.
pub(crate) async fn payload_hash(body: &Bytes) -> String {
    if body.len() <= QUICK {
        return sha256_hex(body);
    }
    let shared = body.clone();
    let hashed = run_blocking(move || sha256_hex(&shared)).await;
    hashed.unwrap_or_else(|| sha256_hex(body))
}
