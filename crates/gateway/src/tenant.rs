//! Authentication: whose request it is, by the gateway key it shows, else by the credential it brings for the provider.

mod scrub;

use crate::hex::hex;
use http::Uri;
use http::header::{AUTHORIZATION, HeaderMap, HeaderName};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use subtle::{Choice, ConstantTimeEq};
use tokenforge_config::GatewayKey;

/// Where a client shows a gateway key beside the credential for its provider.
pub(crate) const KEY_HEADER: HeaderName = HeaderName::from_static("x-forge-key");

/// Where providers' keys are, in whose place a gateway key may stand.
pub(crate) static PROVIDER_KEYS: [HeaderName; 4] = [
    AUTHORIZATION,
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("api-key"),
    HeaderName::from_static("x-goog-api-key"),
];

/// A credential that goes beside a key.
static SESSION_TOKEN: HeaderName = HeaderName::from_static("x-amz-security-token");

/// Google takes keys in the query too.
const QUERY_CREDENTIAL: &str = "key";

/// Who may use the gateway. Keys are kept and compared as digests, so that neither a dump nor a clock tells one.
pub(crate) struct KeyRing {
    keys: Vec<HeldKey>,
}

/// A key, as it is kept.
struct HeldKey {
    name: Arc<str>,
    digest: [u8; 32],
    /// No secret: a digest is made only of what may be a key.
    length: usize,
}

impl KeyRing {
    pub(crate) fn new(keys: &[GatewayKey]) -> Self {
        let held = |GatewayKey { name, key }: &GatewayKey| HeldKey {
            name: name.as_str().into(),
            digest: digest(key.expose()),
            length: key.expose().len(),
        };
        KeyRing { keys: keys.iter().map(held).collect() }
    }

    /// Is it open to everybody?
    pub(crate) fn is_open(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whose request this is; `None`: it shows no key that is known. Keys are ours, and are taken out, wherever they
    /// stand and whosever they are.
    pub(crate) fn tenant(&self, headers: &mut HeaderMap, uri: &mut Uri) -> Option<Arc<str>> {
        let shown = headers.remove(KEY_HEADER);
        if self.is_open() {
            return Some(credential(headers, uri.query().unwrap_or_default()));
        }
        let shown = shown.as_ref().and_then(|key| self.name_of(key.to_str().ok()?));
        let tenant = shown.or_else(|| self.in_providers_place(headers))?;
        let is_key = |text: &str| self.name_of(text).is_some();
        scrub::scrub_headers(headers, is_key);
        scrub::scrub_query(uri, is_key);
        Some(tenant)
    }

    /// Does a request show a known key? It stays where it is.
    pub(crate) fn is_shown(&self, headers: &HeaderMap) -> bool {
        let shown = headers.get(KEY_HEADER).and_then(|key| self.name_of(key.to_str().ok()?));
        shown.or_else(|| self.in_providers_place(headers)).is_some()
    }

    /// Whose key stands where the provider's would.
    fn in_providers_place(&self, headers: &HeaderMap) -> Option<Arc<str>> {
        let values = PROVIDER_KEYS.iter().flat_map(|header| headers.get_all(header));
        values.filter_map(|value| value.to_str().ok()).find_map(|value| {
            let (scheme, credential) = value.split_once(' ').unwrap_or(("", value));
            let is_bearer = scheme.eq_ignore_ascii_case("bearer");
            self.name_of(if is_bearer { credential } else { value }.trim())
        })
    }

    /// Every key is compared, in the same time whichever it is.
    fn name_of(&self, text: &str) -> Option<Arc<str>> {
        if self.keys.iter().all(|key| key.length != text.len()) {
            return None;
        }
        let shown = digest(text);
        let mut found = None;
        for key in &self.keys {
            let is_same: Choice = key.digest.ct_eq(&shown);
            if bool::from(is_same) {
                found = Some(key.name.clone());
            }
        }
        found
    }
}

/// The tenant of a request without a gateway key: requests with the same credential share one.
fn credential(headers: &HeaderMap, query: &str) -> Arc<str> {
    let mut hasher = Sha256::new();
    for name in PROVIDER_KEYS.iter().chain([&SESSION_TOKEN]) {
        for value in headers.get_all(name) {
            hasher.update(name);
            hasher.update(value.as_bytes());
        }
    }
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if name == QUERY_CREDENTIAL {
            hasher.update(QUERY_CREDENTIAL);
            hasher.update(value.as_bytes());
        }
    }
    tenant_name(hasher)
}

fn tenant_name(hasher: Sha256) -> Arc<str> {
    format!("c-{}", hex(&hasher.finalize()[..16])).into()
}

/// The tenant of a request that was signed with an AWS key, which was checked: each request has another signature.
pub(crate) fn of_aws_key(key_id: &str) -> Arc<str> {
    tenant_name(Sha256::new().chain_update("aws4").chain_update(key_id))
}

/// Is this the token that the settings ask for?
pub(crate) fn shows_token(headers: &HeaderMap, token: &str) -> bool {
    digest(bearer(headers).unwrap_or_default().trim()).ct_eq(&digest(token)).into()
}

/// The bearer token of a request.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

fn digest(key: &str) -> [u8; 32] {
    Sha256::digest(key).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use tokenforge_config::Secret;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (http::HeaderName::from_static(name), HeaderValue::from_static(value))
            })
            .collect()
    }

    #[test]
    fn g40_credentials_tell_tenants_apart_and_do_not_show() {
        let open = KeyRing::new(&[]);
        let mut a = headers(&[("authorization", "Bearer a")]);
        let mut b = headers(&[("authorization", "Bearer b")]);
        let tenant = |headers: &mut HeaderMap| open.tenant(headers, &mut Uri::default()).unwrap();
        let (first, second) = (tenant(&mut a), tenant(&mut b));
        assert_ne!(first, second);
        assert!(a.contains_key("authorization") && !first.contains("Bearer"));
        assert_eq!(tenant(&mut headers(&[("authorization", "Bearer a")])), first);
        let by_query = |query: &str| {
            let mut uri = format!("/?{query}").parse().unwrap();
            open.tenant(&mut HeaderMap::new(), &mut uri).unwrap()
        };
        assert_ne!(by_query("alt=sse&key=a"), by_query("alt=sse&key=b"));
        assert_eq!(by_query("alt=sse&key=a"), by_query("key=a"));
    }

    #[test]
    fn a_gateway_key_is_asked_for_named_and_taken_out() {
        let key = |name: &str, key: &str| GatewayKey { name: name.into(), key: Secret::new(key) };
        let door = KeyRing::new(&[key("web", "k1"), key("ops", "k2")]);
        let tenant = |headers: &mut HeaderMap| door.tenant(headers, &mut Uri::default());
        assert_eq!(tenant(&mut headers(&[("authorization", "Bearer k3")])), None);
        let mut own = headers(&[("x-forge-key", "k2"), ("authorization", "Bearer provider")]);
        assert_eq!(tenant(&mut own).as_deref(), Some("ops"));
        assert_eq!(own, headers(&[("authorization", "Bearer provider")]));
        let mut shared = headers(&[("x-api-key", "k1")]);
        assert_eq!(tenant(&mut shared).as_deref(), Some("web"));
        assert!(shared.is_empty());
    }
}
