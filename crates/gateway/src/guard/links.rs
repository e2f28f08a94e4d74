//! One-time sign-in links: each is valid once, for five minutes.

use super::{Digest, digest, random_name};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;

/// How long a link can be opened.
pub(crate) const LIFETIME: Duration = Duration::from_secs(5 * 60);

/// How many links may wait to be opened; of more, the oldest are void.
const MOST: usize = 16;

/// The links that are not opened yet. The caller provides the clock.
#[derive(Default)]
pub(super) struct OneTimeLinks {
    open: VecDeque<OneTimeLink>,
}

struct OneTimeLink {
    code: Digest,
    /// The admin token of then: another one makes the link void.
    token: Digest,
    until: Instant,
}

impl OneTimeLinks {
    /// The code of a new link. `None`: there is no randomness.
    pub(super) fn issue(&mut self, token: Digest, now: Instant) -> Option<String> {
        let code = random_name()?;
        self.open.retain(|link| link.until > now);
        if self.open.len() == MOST {
            self.open.pop_front();
        }
        self.open.push_back(OneTimeLink { code: digest(&code), token, until: now + LIFETIME });
        Some(code)
    }

    /// Is this the code of a link that can be opened? It cannot be a second time.
    pub(super) fn redeem(&mut self, code: &str, token: &Digest, now: Instant) -> bool {
        let shown = digest(code);
        let mut is_valid = false;
        self.open.retain(|link| {
            let is_this: bool = link.code.ct_eq(&shown).into();
            is_valid |= is_this && link.until > now && bool::from(link.token.ct_eq(token));
            !is_this
        });
        is_valid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: Digest = [7; 32];

    #[test]
    fn d60_a_link_works_once_and_not_after_five_minutes() {
        let (mut links, now) = (OneTimeLinks::default(), Instant::now());
        let [first, second] = [(); 2].map(|()| links.issue(TOKEN, now).unwrap());
        let just_in_time = now + LIFETIME - Duration::from_millis(1);
        assert!(links.redeem(&first, &TOKEN, just_in_time));
        assert!(!links.redeem(&first, &TOKEN, just_in_time), "a second time");
        assert!(!links.redeem(&second, &TOKEN, now + LIFETIME), "too late");
        assert!(!links.redeem(&second, &TOKEN, now), "it was tried too late");
        assert!(!links.redeem("", &TOKEN, now));
    }

    #[test]
    fn d60_links_are_few_and_void_under_another_token() {
        let (mut links, now) = (OneTimeLinks::default(), Instant::now());
        let codes: Vec<String> = (0..=MOST).map(|_| links.issue(TOKEN, now).unwrap()).collect();
        assert_eq!(links.open.len(), MOST);
        assert!(!links.redeem(&codes[0], &TOKEN, now), "the oldest gave way");
        assert!(links.redeem(&codes[1], &TOKEN, now));
        assert!(!links.redeem(&codes[2], &[8; 32], now));
    }
}
