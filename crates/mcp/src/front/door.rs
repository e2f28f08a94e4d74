//! Who may speak to the endpoint from where: no page of a website, and nobody who rebound a name to this machine.

use super::Ask;
use http::header::{HOST, ORIGIN};
use tokenforge_config::Mcp;

/// May it be served? A browser says in `Origin` whose page asks. Where no key is asked for, the `Host` must be ours
/// too: a page whose own name leads here has no foreign origin.
pub(super) fn check(ask: &Ask, mcp: &Mcp) -> Result<(), &'static str> {
    let is_allowed =
        |host: &str| is_local(host) || mcp.allow_hosts.iter().any(|allowed| is_host(allowed, host));
    if let Some(origin) = ask.headers.get(ORIGIN) {
        let origin = origin.to_str().unwrap_or_default();
        let is_named = mcp
            .allow_origins
            .iter()
            .any(|allowed| allowed.trim_end_matches('/').eq_ignore_ascii_case(origin));
        let own = ask.text(HOST).or(ask.authority.as_deref());
        // Our own page, if the host is ours, which is looked at below, or a key is asked for.
        let is_ours = |host: &str| is_local(host) || own == Some(host);
        let is_ours = origin.split_once("://").is_some_and(|(_, host)| is_ours(host));
        if !is_named && !is_ours {
            return Err(
                "this website may not use the tool servers; mcp.allow_origins says which may",
            );
        }
    }
    if !ask.is_open {
        return Ok(());
    }
    let host = ask.text(HOST).or(ask.authority.as_deref()).unwrap_or_default();
    match is_allowed(host) {
        true => Ok(()),
        false => {
            Err("this host is not ours; mcp.allow_hosts says which are, and with `keys` any is")
        }
    }
}

fn is_host(allowed: &str, host: &str) -> bool {
    allowed.eq_ignore_ascii_case(host)
        || (!allowed.contains(':') && allowed.eq_ignore_ascii_case(name(host)))
}

fn is_local(host: &str) -> bool {
    matches!(name(host).to_ascii_lowercase().as_str(), "localhost" | "127.0.0.1" | "::1")
}

/// The host without its port.
fn name(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use http::{HeaderMap, HeaderValue, Method};

    fn is_served(host: &'static str, origin: Option<&'static str>, is_open: bool) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static(host));
        if let Some(origin) = origin {
            headers.insert(ORIGIN, HeaderValue::from_static(origin));
        }
        let ask = Ask {
            method: Method::POST,
            prefix: None,
            headers,
            authority: None,
            tenant: "t".into(),
            is_open,
            hooks: None,
            body: Bytes::new(),
        };
        let mcp = Mcp {
            allow_hosts: vec!["gateway.example".into()],
            allow_origins: vec!["https://app.example".into()],
            ..Mcp::default()
        };
        check(&ask, &mcp).is_ok()
    }

    #[test]
    fn a_name_that_was_rebound_to_this_machine_is_not_served() {
        for host in
            ["localhost:8787", "127.0.0.1", "[::1]:1", "gateway.example", "gateway.example:443"]
        {
            assert!(is_served(host, None, true), "{host}");
        }
        for host in ["evil.example:8787", "localhost.evil.example", "", "127.0.0.1.evil.example"] {
            assert!(!is_served(host, None, true), "{host}");
        }
        assert!(is_served("any.example", None, false), "whoever shows a key is no website");
    }

    #[test]
    fn our_own_page_is_served_under_the_names_that_are_ours() {
        let (host, origin) = ("gateway.example:8787", Some("https://gateway.example:8787"));
        assert!(is_served(host, origin, true) && is_served(host, origin, false));
        let rebound = ("evil.example", Some("http://evil.example"));
        assert!(!is_served(rebound.0, rebound.1, true));
        assert!(!is_served(host, Some("https://gateway.example"), false));
    }

    #[test]
    fn a_page_of_a_website_is_not_served() {
        for origin in ["http://localhost:3000", "https://app.example", "http://127.0.0.1"] {
            assert!(is_served("localhost", Some(origin), true), "{origin}");
        }
        for origin in ["https://evil.example", "null", "http://localhost.evil.example", ""] {
            assert!(!is_served("localhost", Some(origin), true), "{origin}");
            assert!(!is_served("localhost", Some(origin), false), "{origin}");
        }
    }
}
