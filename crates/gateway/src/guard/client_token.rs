//! The client token: it shows that a request is of the operator's own program, where the system does not say so.

use super::{Digest, digest};
use crate::tenant::bearer;
use http::header::{AUTHORIZATION, HeaderMap, HeaderName};
use std::sync::{Mutex, MutexGuard, PoisonError};
use subtle::ConstantTimeEq;
use tokenforge_config::Secret;

/// Where a client shows the token beside a credential for the upstream.
const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-forge-token");

/// The token of the data folder, as it is kept, or why there is none.
pub(crate) struct ClientToken(Mutex<Result<HeldToken, String>>);

struct HeldToken {
    digest: Digest,
    /// No secret. A digest is made only of what may be the token.
    length: usize,
}

impl HeldToken {
    fn is(&self, text: &str) -> bool {
        text.len() == self.length && bool::from(digest(text).ct_eq(&self.digest))
    }
}

impl Default for ClientToken {
    fn default() -> Self {
        ClientToken(Mutex::new(Err("none was created".to_owned())))
    }
}

impl ClientToken {
    pub(crate) fn set(&self, token: Result<Secret, String>) {
        let held = |token: Secret| HeldToken {
            digest: digest(token.expose()),
            length: token.expose().len(),
        };
        *self.locked() = token.map(held);
    }

    /// Why there is none.
    pub(super) fn missing(&self) -> Option<String> {
        self.locked().as_ref().err().cloned()
    }

    /// Does a request carry the token?
    pub(super) fn is_shown(&self, headers: &HeaderMap) -> bool {
        let header = headers.get(TOKEN_HEADER).and_then(|value| value.to_str().ok());
        [header, bearer(headers)].into_iter().flatten().any(|shown| self.is(shown))
    }

    /// Takes the token out of a request, because no upstream may see it.
    pub(crate) fn take_from(&self, headers: &mut HeaderMap) {
        headers.remove(TOKEN_HEADER);
        if bearer(headers).is_some_and(|shown| self.is(shown)) {
            headers.remove(AUTHORIZATION);
        }
    }

    fn is(&self, text: &str) -> bool {
        self.locked().as_ref().is_ok_and(|held| held.is(text.trim()))
    }

    fn locked(&self) -> MutexGuard<'_, Result<HeldToken, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
