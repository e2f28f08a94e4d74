//! Cookie sessions of browsers that signed in, and their CSRF proofs.
//!
//! A browser sends the cookies of `127.0.0.1` to every port of it, so a server of another user on another port can be
//! shown ours. The cookie alone therefore opens nothing: with it goes a proof, in a header, that the page keeps in the
//! storage of its origin, and an origin has a port. A script that gets into the page has the proof and not the cookie.

use super::{Digest, digest, random_name};
use http::header::{COOKIE, HeaderMap, HeaderName};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;

/// How long a browser stays signed in.
pub(crate) const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// How many browsers may be signed in; of more, the oldest are signed out.
const MOST: usize = 32;

/// Where a page shows its proof.
const PROOF: HeaderName = HeaderName::from_static("x-forge-proof");

/// The browsers that are signed in. The clock is the caller's.
pub(super) struct BrowserSessions {
    /// Of this process alone: cookies know no ports, and there may be several gateways on a machine.
    cookie_name: String,
    open: VecDeque<BrowserSession>,
}

struct BrowserSession {
    cookie: Digest,
    proof: Digest,
    /// The admin token of then: another one signs everybody out.
    token: Digest,
    until: Instant,
}

/// What a browser gets when it signs in.
pub(crate) struct SessionCredentials {
    pub(crate) cookie_name: String,
    pub(crate) cookie: String,
    pub(crate) proof: String,
}

impl Default for BrowserSessions {
    fn default() -> Self {
        let name = random_name().unwrap_or_default();
        BrowserSessions { cookie_name: format!("forge_{name:.8}"), open: VecDeque::new() }
    }
}

impl BrowserSessions {
    /// Signs a browser in. `None`: there is no randomness.
    pub(super) fn open(&mut self, token: Digest, now: Instant) -> Option<SessionCredentials> {
        let (cookie, proof) = (random_name()?, random_name()?);
        self.open.retain(|session| session.until > now);
        if self.open.len() == MOST {
            self.open.pop_front();
        }
        let (cookie_digest, proof_digest) = (digest(&cookie), digest(&proof));
        let until = now + LIFETIME;
        self.open.push_back(BrowserSession {
            cookie: cookie_digest,
            proof: proof_digest,
            token,
            until,
        });
        Some(SessionCredentials { cookie_name: self.cookie_name.clone(), cookie, proof })
    }

    /// Does a browser that is signed in say this?
    pub(super) fn knows(&self, headers: &HeaderMap, token: &Digest, now: Instant) -> bool {
        let Some(cookie) = cookie(headers, &self.cookie_name).map(digest) else { return false };
        let proof = headers.get(PROOF).and_then(|proof| proof.to_str().ok()).unwrap_or_default();
        let proof = digest(proof);
        let mut is_known = false;
        for session in &self.open {
            let is_this = session.cookie.ct_eq(&cookie)
                & session.proof.ct_eq(&proof)
                & session.token.ct_eq(token);
            is_known |= bool::from(is_this) && session.until > now;
        }
        is_known
    }
}

fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(own, _)| own.trim() == name).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    const TOKEN: Digest = [7; 32];

    fn headers(credentials: &SessionCredentials, proof: &str) -> HeaderMap {
        let line = format!("a=b; {}={}", credentials.cookie_name, credentials.cookie);
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_str(&line).unwrap());
        headers.insert(PROOF, HeaderValue::from_str(proof).unwrap());
        headers
    }

    #[test]
    fn d60_a_session_needs_cookie_and_proof_and_ends() {
        let (mut sessions, now) = (BrowserSessions::default(), Instant::now());
        let signed_in = sessions.open(TOKEN, now).unwrap();
        let whole = headers(&signed_in, &signed_in.proof);
        assert!(sessions.knows(&whole, &TOKEN, now));
        assert!(!sessions.knows(&headers(&signed_in, ""), &TOKEN, now), "the cookie alone");
        assert!(!sessions.knows(&whole, &[8; 32], now), "another token");
        assert!(!sessions.knows(&whole, &TOKEN, now + LIFETIME), "too late");
        assert!(!sessions.knows(&HeaderMap::new(), &TOKEN, now));
        assert!(!BrowserSessions::default().knows(&whole, &TOKEN, now), "another gateway");
    }

    #[test]
    fn d60_sessions_are_few() {
        let (mut sessions, now) = (BrowserSessions::default(), Instant::now());
        let first = sessions.open(TOKEN, now).unwrap();
        for _ in 0..MOST {
            sessions.open(TOKEN, now).unwrap();
        }
        assert_eq!(sessions.open.len(), MOST);
        assert!(!sessions.knows(&headers(&first, &first.proof), &TOKEN, now));
    }
}
