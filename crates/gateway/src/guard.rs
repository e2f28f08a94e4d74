//! The guard before every path: origin guard (DNS rebinding, CSRF), proof of the same user and admin token (confused deputy).
//!
//! A gateway on loopback is reached by more than its user: by every page in the user's browser, by every client of a
//! reverse proxy on the same machine, and by the machine's other users. [`GuardPolicy::check`] is called once for each request, before
//! any plugin, and is the only place that decides from where a request may come.
//!
//! | path | with `keys`, served to | without `keys`, served to |
//! |---|---|---|
//! | models, `/v1/compress`, originals | a gateway key | any client that passes the origin guard: it brings its own credential |
//! | `/mcp`, routes; and models, where the gateway adds a credential | a gateway key | the origin guard is passed, and the client is the operator's own ([`same_user`]) |
//! | `/_forge/`: health, the dashboard's files | any client: nothing is in them | any client that passes the origin guard |
//! | `/_forge/`: figures, settings without secrets | a gateway key or the admin token | this machine, if the origin guard is passed and no proxy is between |
//! | `/_forge/`: changes, texts, programs | the admin token | the admin token |
//!
//! With `admin_token` in the settings, everything under `/_forge/` but the second row asks for it.

mod added_credentials;
mod admin;
mod client_token;
mod links;
mod origin;
mod proof;
mod same_user;
mod sessions;
mod token_file;

pub(crate) use added_credentials::adds_credentials;
pub(crate) use admin::{AdminGuard, forwarding_header};
pub(crate) use client_token::ClientToken;
pub(crate) use origin::OriginRules;
pub use proof::{Challenge, Proofs};
pub(crate) use sessions::LIFETIME as SESSION_LIFETIME;
pub use token_file::{draw_token, read_token};

use crate::answer::Problem;
use crate::hex::hex;
use crate::paths;
use crate::tenant::KeyRing;
use origin::RequestOrigin;
use sha2::{Digest as _, Sha256};
use tokenforge_config::{Secret, Settings};
use tokenforge_plugin::Exchange;
use tokenforge_proxy::client_peer::ClientPeer;

/// A secret as it is kept and compared.
type Digest = [u8; 32];

fn digest(secret: &str) -> Digest {
    Sha256::digest(secret).into()
}

/// A token for one process alone. `None`: the operating system gives no random bytes.
#[must_use]
pub fn random_token() -> Option<Secret> {
    random_name().map(Secret::new)
}

/// A name that cannot be guessed: 128 bits from the operating system. `None`: it has none to give.
fn random_name() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(hex(&bytes))
}

/// What decides from where requests may come.
pub(crate) struct GuardPolicy<'p> {
    pub(crate) admin: &'p AdminGuard,
    pub(crate) keys: &'p KeyRing,
    pub(crate) origin_rules: &'p OriginRules,
    pub(crate) settings: &'p Settings,
    pub(crate) client_token: &'p ClientToken,
    /// Who sent the request.
    pub(crate) client: &'p ClientPeer,
    /// The request is for a route.
    pub(crate) is_for_route: bool,
    /// The gateway adds a credential of the operator to requests to models.
    pub(crate) adds_credentials: bool,
}

impl GuardPolicy<'_> {
    /// May this request be served?
    pub(crate) fn check(&self, exchange: &Exchange) -> Result<(), Problem> {
        let head = exchange.request();
        let caller = RequestOrigin::read(head)?;
        let path = head.uri.path();
        if paths::is_operators(path) {
            return self.check_operator(exchange, &caller);
        }
        if self.keys.is_open() {
            self.origin_rules.check(&caller)?;
            return match self.operator_need(path) {
                Some(need) => self.check_same_user(exchange, &caller, need),
                None => Ok(()),
            };
        }
        // A key is no ambient credential, so a page that has one may use it; tools were never for foreign pages.
        if paths::is_tools(path) { self.origin_rules.check_origin(&caller) } else { Ok(()) }
    }
}
