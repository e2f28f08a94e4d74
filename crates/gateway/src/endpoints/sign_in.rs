//! Sign-in of a browser: the operator, who has the admin token, gets a one-time link; the browser that opens it, a
//! cookie.
//!
//! The code of the link is in the fragment of its address, which no browser sends and no server logs.

use crate::answer::{self, Problem};
use crate::gateway::Gateway;
use crate::guard::SESSION_LIFETIME;
use http::header::{HeaderValue, ORIGIN, SET_COOKIE};
use http::request::Parts;
use http::{Response, StatusCode};
use hyper::body::Incoming;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use tokenforge_proxy::body::Body;

/// The longest body that is read.
const LONGEST: usize = 1 << 10;

#[derive(Deserialize)]
struct SignIn {
    code: String,
}

/// A link that signs one browser in. The caller knows by which name the gateway is reached.
pub(super) fn issue_link(gateway: &Gateway) -> Response<Body> {
    match gateway.sign_in_link() {
        Some((path, lifetime)) => {
            let document = json!({"path": path, "expires_in": lifetime.as_secs()});
            answer::json(StatusCode::OK, &document)
        }
        None => no_randomness().answer(None),
    }
}

/// Signs the browser in that opened a link.
pub(super) async fn open_session(
    gateway: &Arc<Gateway>,
    head: &Parts,
    body: Incoming,
) -> Response<Body> {
    let is_https =
        head.headers.get(ORIGIN).is_some_and(|page| page.as_bytes().starts_with(b"https:"));
    let signed_in = match super::read_body(gateway, body, LONGEST).await {
        Ok(body) => redeem_link(gateway, &body, is_https),
        Err(problem) => Err(problem),
    };
    signed_in.unwrap_or_else(|problem| problem.answer(None))
}

fn redeem_link(gateway: &Gateway, body: &[u8], is_https: bool) -> Result<Response<Body>, Problem> {
    let SignIn { code } = serde_json::from_slice(body)
        .map_err(|_| Problem::bad_request("expected {\"code\": …}, with the code of a link"))?;
    let credentials = gateway.credentials.admin.redeem_link(&code, &gateway.state().settings);
    let credentials = credentials.ok_or_else(|| {
        let message = "this link was opened before, or more than 5 minutes ago: run `tokenforge dashboard` for another";
        Problem::new(StatusCode::FORBIDDEN, message)
    })?;
    let cookie = format!(
        "{}={}; Path=/_forge/; HttpOnly; SameSite=Strict; Max-Age={}{}",
        credentials.cookie_name,
        credentials.cookie,
        SESSION_LIFETIME.as_secs(),
        if is_https { "; Secure" } else { "" },
    );
    let mut cookie = HeaderValue::from_str(&cookie).map_err(|_| no_randomness())?;
    cookie.set_sensitive(true);
    let mut answer = answer::json(StatusCode::OK, &json!({ "proof": credentials.proof }));
    answer.headers_mut().insert(SET_COOKIE, cookie);
    Ok(answer)
}

fn no_randomness() -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the operating system gives no randomness")
}
