//! Who may see and change how the gateway works.

use crate::answer::Problem;
use crate::tenant::shows_token;
use http::StatusCode;
use http::header::{HOST, ORIGIN};
use tokenforge_config::Settings;
use tokenforge_plugin::Exchange;

/// With a token in the settings, whoever shows it. Without, whoever is on this machine and no page of some website:
/// a browser says where a request comes from, and a name that was rebound to this machine is not ours.
pub(super) fn check(exchange: &Exchange, settings: &Settings) -> Result<(), Problem> {
    let headers = &exchange.request().headers;
    if let Some(token) = &settings.admin_token {
        return match shows_token(headers, token.expose()) {
            true => Ok(()),
            false => {
                Err(Problem::new(StatusCode::UNAUTHORIZED, "show the admin token as a bearer"))
            }
        };
    }
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    // Over HTTP/2 the host is in the address of the request.
    let host = text(HOST).or_else(|| exchange.request().uri.authority().map(|at| at.as_str()));
    let is_here = host.is_some_and(is_local_host);
    let is_own_page = text(ORIGIN)
        .is_none_or(|origin| origin.split_once("://").is_some_and(|(_, host)| is_local_host(host)));
    if exchange.remote.ip().is_loopback() && is_here && is_own_page {
        return Ok(());
    }
    let message = "set admin_token in tokenforge.yaml to use this from elsewhere";
    Err(Problem::new(StatusCode::FORBIDDEN, message))
}

fn is_local_host(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => host.split(':').next(),
    };
    matches!(name, Some("localhost" | "127.0.0.1" | "::1"))
}

#[cfg(test)]
mod tests {
    use super::is_local_host;

    #[test]
    fn only_names_of_this_machine_are_local() {
        for host in ["localhost:8787", "127.0.0.1:1", "[::1]:8787", "localhost"] {
            assert!(is_local_host(host), "{host}");
        }
        for host in
            ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::2]"]
        {
            assert!(!is_local_host(host), "{host}");
        }
    }
}
