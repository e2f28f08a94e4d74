//! The admin token: asked for whenever something is changed or a text is read.
//!
//! A proxy on this machine makes every stranger a local caller (the gateway as a confused deputy), and so is every other
//! user of the machine. So what can do harm asks for a token that only the owner of the data folder can read.

use super::links::{self, OneTimeLinks};
use super::origin::{OriginRules, RequestOrigin};
use super::proof::{Challenge, Proofs};
use super::sessions::{BrowserSessions, SessionCredentials};
use super::{Digest, GuardPolicy, digest};
use crate::answer::Problem;
use crate::paths;
use crate::tenant::shows_token;
use http::header::{AUTHORIZATION, HeaderMap};
use http::{Method, StatusCode};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokenforge_config::{Secret, Settings};
use tokenforge_plugin::Exchange;

/// What the admin API asks for, and who signed in with it.
pub(crate) struct AdminGuard {
    /// The token of the data folder, or why there is none.
    drawn: Mutex<Result<Secret, String>>,
    /// Where the gateway listens.
    port: AtomicU16,
    links: Mutex<OneTimeLinks>,
    sessions: Mutex<BrowserSessions>,
}

impl Default for AdminGuard {
    fn default() -> Self {
        AdminGuard {
            drawn: Mutex::new(Err("none was drawn".to_owned())),
            port: AtomicU16::default(),
            links: Mutex::default(),
            sessions: Mutex::default(),
        }
    }
}

/// How a request shows that it is the operator's.
enum Credential {
    Token,
    Session,
}

impl AdminGuard {
    pub(crate) fn set_drawn(&self, token: Result<Secret, String>) {
        *lock(&self.drawn) = token;
    }

    pub(crate) fn set_port(&self, port: u16) {
        self.port.store(port, Ordering::Relaxed);
    }

    /// What answers the challenge of a request, if it has one and a token was drawn.
    pub(crate) fn proofs(&self, headers: &HeaderMap, settings: &Settings) -> Option<Proofs> {
        let challenge = Challenge::read(headers)?;
        let token = lock(&self.drawn).clone().ok()?;
        Some(challenge.proofs(&token, self.port.load(Ordering::Relaxed), settings))
    }

    /// The token that is asked for, or why there is none.
    fn token(&self, settings: &Settings) -> Result<Secret, String> {
        settings.admin_token.clone().map_or_else(|| lock(&self.drawn).clone(), Ok)
    }

    /// Does a request carry the token as a bearer?
    pub(super) fn shows_token(&self, headers: &HeaderMap, settings: &Settings) -> bool {
        self.token(settings).is_ok_and(|token| shows_token(headers, token.expose()))
    }

    /// Is this a page of a browser that signed in?
    pub(super) fn is_signed_in(&self, headers: &HeaderMap, settings: &Settings) -> bool {
        matches!(self.credential(headers, settings), Some(Credential::Session))
    }

    /// Takes the token out of a request, because no upstream may see it.
    pub(crate) fn take_token_from(&self, headers: &mut HeaderMap, settings: &Settings) {
        if self.shows_token(headers, settings) {
            headers.remove(AUTHORIZATION);
        }
    }

    fn token_digest(&self, settings: &Settings) -> Option<Digest> {
        self.token(settings).ok().map(|token| digest(token.expose()))
    }

    fn credential(&self, headers: &HeaderMap, settings: &Settings) -> Option<Credential> {
        let token = self.token(settings).ok()?;
        if shows_token(headers, token.expose()) {
            return Some(Credential::Token);
        }
        let token = digest(token.expose());
        let is_known = lock(&self.sessions).knows(headers, &token, Instant::now());
        is_known.then_some(Credential::Session)
    }

    /// The code of a link with which a browser can sign in once, and for how long. `None`: there is no token.
    pub(crate) fn issue_link(&self, settings: &Settings) -> Option<(String, Duration)> {
        let token = self.token_digest(settings)?;
        let code = lock(&self.links).issue(token, Instant::now())?;
        Some((code, links::LIFETIME))
    }

    /// Signs a browser in with the code of a link.
    pub(crate) fn redeem_link(
        &self,
        code: &str,
        settings: &Settings,
    ) -> Option<SessionCredentials> {
        let (token, now) = (self.token_digest(settings)?, Instant::now());
        let is_valid = lock(&self.links).redeem(code, &token, now);
        if is_valid { lock(&self.sessions).open(token, now) } else { None }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a request under `/_forge/` needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Health and the dashboard's files: nothing is in them.
    Nothing,
    /// The code of a link, which the endpoint itself looks at.
    Code,
    /// Figures and settings without secrets: with gateway keys one of them or the token, else to be on this machine.
    Figures,
    /// Everything else: the token.
    Token,
}

impl Need {
    fn of(method: &Method, path: &str) -> Self {
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        match path {
            path if paths::is_public(path) => Need::Nothing,
            paths::SIGN_IN_SESSION if *method == Method::POST => Need::Code,
            path if is_read && paths::is_figure(path) => Need::Figures,
            _ => Need::Token,
        }
    }
}

impl GuardPolicy<'_> {
    /// May this request to the operator's paths be served?
    pub(super) fn check_operator(
        &self,
        exchange: &Exchange,
        caller: &RequestOrigin<'_>,
    ) -> Result<(), Problem> {
        let (head, settings, rules) = (exchange.request(), self.settings, self.origin_rules);
        let need = Need::of(&head.method, head.uri.path());
        let is_open = self.keys.is_open() && settings.admin_token.is_none();
        match need {
            Need::Nothing if !is_open => return Ok(()),
            Need::Nothing if paths::is_page(head.uri.path()) => return rules.check_page(caller),
            Need::Nothing => return rules.check(caller),
            Need::Code => return rules.check_origin(caller),
            Need::Figures | Need::Token => {}
        }
        match self.admin.credential(&head.headers, settings) {
            // Nothing that a browser sends by itself.
            Some(Credential::Token) => return Ok(()),
            Some(Credential::Session) => return check_session(rules, caller, &head.method),
            None if settings.admin_token.is_some() => {
                let message =
                    "show the admin token as a bearer, or sign in with `tokenforge dashboard`";
                return Err(unauthorized(message, "admin_token"));
            }
            None => {}
        }
        if need == Need::Figures && !self.keys.is_open() {
            // A key is no ambient credential, so it counts from anywhere.
            return if self.keys.is_shown(&head.headers) {
                Ok(())
            } else {
                Err(missing_key(self.admin, settings))
            };
        }
        rules.check(caller)?;
        check_local(exchange)?;
        match need {
            Need::Token => Err(missing_token(self.admin, settings)),
            _ => Ok(()),
        }
    }
}

/// Checks that the client is on this machine, as far as that can be known.
fn check_local(exchange: &Exchange) -> Result<(), Problem> {
    let elsewhere = match forwarding_header(&exchange.request().headers) {
        Some(name) => {
            format!("the request came through a proxy ({name}), so its sender is unknown")
        }
        None if !exchange.remote.ip().to_canonical().is_loopback() => {
            "this answers on its own machine".to_owned()
        }
        None => return Ok(()),
    };
    let message =
        format!("{elsewhere}: show the admin token, or set admin_token in tokenforge.yaml");
    Err(Problem::new(StatusCode::FORBIDDEN, message))
}

/// A cookie goes along by itself, so what changes something must come from our own page.
fn check_session(
    rules: &OriginRules,
    caller: &RequestOrigin<'_>,
    method: &Method,
) -> Result<(), Problem> {
    rules.check_origin(caller)?;
    if matches!(*method, Method::GET | Method::HEAD) || caller.is_own_page() {
        return Ok(());
    }
    let message =
        "a change with the dashboard's cookie must come from the dashboard's own page (CSRF)";
    Err(Problem::new(StatusCode::FORBIDDEN, message))
}

/// Where there are keys, a proxy may stand before the gateway and not say so: a request from this machine proves nothing.
fn missing_key(admin: &AdminGuard, settings: &Settings) -> Problem {
    let message = "with `keys`, figures need a gateway key, in X-Forge-Key or as a bearer, or the admin token as a bearer; \
                   `tokenforge dashboard` signs a browser in";
    match admin.token(settings) {
        Ok(_) => unauthorized(message, "sign_in"),
        Err(_) => Problem::new(StatusCode::UNAUTHORIZED, message),
    }
}

fn missing_token(admin: &AdminGuard, settings: &Settings) -> Problem {
    match admin.token(settings) {
        Ok(_) => {
            let message = "this asks for the admin token: run `tokenforge dashboard` and open the link that it prints, \
                           or send what is in the file `admin_token` of the data folder as a bearer";
            unauthorized(message, "sign_in")
        }
        Err(why) => {
            let message = format!(
                "nothing can be changed and no text shown, since there is no admin token: {why}; set admin_token in \
                 tokenforge.yaml, or make the data folder writable"
            );
            Problem::new(StatusCode::FORBIDDEN, message)
        }
    }
}

/// The page knows by the field what to ask the user for.
fn unauthorized(message: &str, field: &str) -> Problem {
    Problem { field: Some(field.to_owned()), ..Problem::new(StatusCode::UNAUTHORIZED, message) }
}

/// The name of a header that a proxy added, if one did.
pub(crate) fn forwarding_header(headers: &HeaderMap) -> Option<&str> {
    let is_forwarded = |name: &&str| {
        matches!(*name, "forwarded" | "via" | "x-real-ip") || name.starts_with("x-forwarded-")
    };
    headers.keys().map(|name| name.as_str()).find(is_forwarded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d60_what_is_not_known_to_be_harmless_needs_the_token() {
        let need = |method: &str, path: &str| Need::of(&method.parse().unwrap(), path);
        for path in ["/_forge/healthz", "/_forge/readyz", "/_forge/ui/", "/_forge/ui/app.js"] {
            assert_eq!(need("GET", path), Need::Nothing, "{path}");
        }
        for path in ["metrics", "api/stats", "api/gain", "api/events", "api/settings", "api/config"]
        {
            assert_eq!(need("GET", &format!("/_forge/{path}")), Need::Figures, "{path}");
            assert_eq!(need("POST", &format!("/_forge/{path}")), Need::Token, "{path}");
        }
        for path in ["api/mcp", "api/mcp/stats", "api/mcp/fs", "api/contents"] {
            assert_eq!(need("GET", &format!("/_forge/{path}")), Need::Figures, "{path}");
        }
        for path in ["api/contents/0123", "api/mcp/fs/tools", "api/mcp/fs/x", "api/unheard", "x"] {
            assert_eq!(need("GET", &format!("/_forge/{path}")), Need::Token, "{path}");
        }
        for path in ["api/playground", "api/mcp", "api/mcp/reload", "api/mcp/fs/enable", "api/link"]
        {
            assert_eq!(need("POST", &format!("/_forge/{path}")), Need::Token, "{path}");
        }
        assert_eq!(need("POST", "/_forge/api/session"), Need::Code);
        assert_eq!(need("DELETE", "/_forge/api/mcp/fs"), Need::Token);
        assert_eq!(need("PATCH", "/_forge/api/config"), Need::Token);
    }
}
