//! The guard before every path: origin guard (DNS rebinding, CSRF) and admin token (confused deputy).
//!
//! A gateway on loopback is reached by more than its user: by every page in the user's browser, by everybody behind a
//! reverse proxy on the same machine, and by the machine's other users. [`GuardPolicy::check`] is asked once for each request, before
//! any plugin, and is the only place that decides from where a request may come.
//!
//! | path | served to |
//! |---|---|
//! | models, routes, `/mcp`, `/v1/compress`, originals | who shows a gateway key; without `keys`, who passes the origin guard |
//! | `/_forge/`: health, the dashboard's files | the same; nobody learns anything from them |
//! | `/_forge/`: figures, settings without secrets | this machine, if the origin guard is passed and no proxy is between |
//! | `/_forge/`: changes, texts, what starts programs | who shows the admin token, or signed in with it |
//!
//! With `admin_token` in the settings, everything under `/_forge/` but the second row asks for it.

mod admin;
mod links;
mod origin;
mod proof;
mod sessions;
mod token_file;

pub(crate) use admin::{AdminGuard, forwarding_header};
pub(crate) use origin::OriginRules;
pub use proof::{Challenge, Proofs};
pub(crate) use sessions::LIFETIME as SESSION_LIFETIME;
pub use token_file::{draw_admin_token, read_admin_token};

use crate::answer::Problem;
use crate::paths;
use crate::tenant::KeyRing;
use origin::RequestOrigin;
use sha2::{Digest as _, Sha256};
use tokenforge_config::Settings;
use tokenforge_plugin::Exchange;

/// A secret as it is kept and compared.
type Digest = [u8; 32];

fn digest(secret: &str) -> Digest {
    Sha256::digest(secret).into()
}

/// A name that nobody guesses: 128 bits from the operating system. `None`: it has none to give.
fn random_name() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

/// What decides from where requests may come.
pub(crate) struct GuardPolicy<'p> {
    pub(crate) admin: &'p AdminGuard,
    pub(crate) keys: &'p KeyRing,
    pub(crate) origin_rules: &'p OriginRules,
    pub(crate) settings: &'p Settings,
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
            return self.origin_rules.check(&caller);
        }
        // A key is no ambient credential, so a page that has one may use it; tools were never for foreign pages.
        if paths::is_tools(path) { self.origin_rules.check_origin(&caller) } else { Ok(()) }
    }
}
