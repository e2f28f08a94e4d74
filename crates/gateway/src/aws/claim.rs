//! What a signed request says about its own signature, and whether a secret key that we have made it.

use super::canonical::{ALGORITHM, AUTHORITY, canonical_head};
use super::credentials::AwsCredentials;
use super::partition::is_plain;
use super::timestamp::Timestamp;
use http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName};
use http::request::Parts;
use std::time::Instant;
use subtle::ConstantTimeEq;
use tokenforge_proxy::headers::named_by_connection;

pub(super) const AMZ_DATE: HeaderName = HeaderName::from_static("x-amz-date");
pub(super) const AMZ_TOKEN: HeaderName = HeaderName::from_static("x-amz-security-token");
pub(super) const AMZ_HASH: HeaderName = HeaderName::from_static("x-amz-content-sha256");

/// The parts of a signature that must be taken off before there is another one.
pub(super) const OF_SIGNATURE: [HeaderName; 4] = [AUTHORIZATION, AMZ_DATE, AMZ_TOKEN, AMZ_HASH];

/// A request that names more signed headers than this was not made by an SDK.
const MOST_HEADERS: usize = 64;

/// What a signature is made for: both the client's and the one that replaces it.
#[derive(Clone)]
pub(super) struct SignatureScope {
    pub(super) region: String,
    pub(super) service: String,
    pub(super) stamp: Timestamp,
    /// When the request arrived: with `stamp` it gives the client's clock.
    pub(super) arrived: Instant,
    /// The names of the headers that the client signed.
    signed: Vec<String>,
}

impl SignatureScope {
    /// Whether the client signed this header.
    pub(super) fn has_signed(&self, name: &HeaderName) -> bool {
        self.signed.iter().any(|signed| signed == name.as_str())
    }
}

/// What a request says about its own signature.
pub(crate) struct SignatureClaim {
    pub(super) key_id: String,
    pub(super) scope: SignatureScope,
    signature: String,
    session_token: Option<String>,
    /// What the client says to be the hash of the body, if it does.
    claimed_hash: Option<String>,
    /// All that is signed but the body, as it came: paths and headers are changed on their way through the gateway.
    canonical_head: String,
}

impl SignatureClaim {
    /// Reads it. `None`: the request has no signature of this kind, or one that no SDK makes for Bedrock (in the query, of
    /// another algorithm, without a date in `X-Amz-Date`, over less than the host and the date, or over what its `Connection`
    /// says to be for us alone).
    pub(crate) fn read(head: &Parts) -> Option<Self> {
        let stated = text(&head.headers, &AUTHORIZATION)?.trim().strip_prefix(ALGORITHM)?;
        let part = |name: &str| {
            let mut parts = stated.split(',').map(str::trim);
            parts.find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
        };
        let mut scope = part("Credential")?.split('/');
        let (Some(key_id), Some(date), Some(region), Some(service), Some("aws4_request"), None) =
            (scope.next(), scope.next(), scope.next(), scope.next(), scope.next(), scope.next())
        else {
            return None;
        };
        let stamp = Timestamp::parse(text(&head.headers, &AMZ_DATE)?)?;
        let signed: Vec<String> =
            part("SignedHeaders")?.split(';').take(MOST_HEADERS + 1).map(str::to_owned).collect();
        let has = |wanted: &str| signed.iter().any(|name| name == wanted);
        let is_bound = (has("host") || has(AUTHORITY)) && has(AMZ_DATE.as_str());
        let is_usual = signed.len() <= MOST_HEADERS && is_plain(region) && is_plain(service);
        // No signature covers `Connection`: adding one to a recorded request would remove headers that were signed.
        let mut taken_away = named_by_connection(&head.headers);
        let is_kept = !taken_away.any(|name| signed.iter().any(|signed| *signed == name.as_str()));
        if !is_bound || !is_usual || !is_kept || stamp.date() != date {
            return None;
        }
        // Over HTTP/2 the host stands in the target.
        let host = match text(&head.headers, &HOST) {
            Some(host) => host,
            None => head.uri.authority()?.as_str(),
        };
        Some(SignatureClaim {
            canonical_head: canonical_head(&head.method, &head.uri, host, &head.headers, &signed)?,
            key_id: key_id.to_owned(),
            scope: SignatureScope {
                region: region.to_owned(),
                service: service.to_owned(),
                stamp,
                arrived: Instant::now(),
                signed,
            },
            signature: part("Signature")?.to_owned(),
            session_token: text(&head.headers, &AMZ_TOKEN).map(str::to_owned),
            claimed_hash: text(&head.headers, &AMZ_HASH).map(str::to_owned),
        })
    }

    /// The id of the key that it says to be made with.
    pub(crate) fn key_id(&self) -> &str {
        &self.key_id
    }

    /// Whether this key made it over a body with this hash, which proves that the client has the key. The id of a key
    /// proves nothing, because it is no secret.
    ///
    /// It may be an old signature that was recorded: AWS refuses those, because the new signature keeps the date.
    pub(super) fn is_made_with(&self, key: &AwsCredentials, payload: &str) -> bool {
        let token = key.session_token.as_ref().map(|token| token.expose());
        let is_whole = self.claimed_hash.as_deref().is_none_or(|claimed| claimed == payload);
        if self.key_id != key.key_id || self.session_token.as_deref() != token || !is_whole {
            return false;
        }
        let SignatureScope { region, service, stamp, .. } = &self.scope;
        let made = key.sign(*stamp, region, service, &self.canonical_head, payload);
        made.as_bytes().ct_eq(self.signature.as_bytes()).into()
    }
}

/// Takes a signature off the headers of a request.
pub(super) fn take_off(headers: &mut HeaderMap) {
    OF_SIGNATURE.iter().for_each(|name| drop(headers.remove(name)));
}

/// The one value of a header. `None` for two, because a server may take either.
fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}
