//! The origin guard: against DNS rebinding and CSRF.
//!
//! A browser lets any page send requests to `127.0.0.1`, and a page whose own name was rebound to that address may also
//! read the answers. Three headers that a page cannot forge tell: `Host` is the name that the browser believes to talk
//! to, `Origin` is the page, `Sec-Fetch-Site` how far one is from the other. Programs send the first alone.

use crate::answer::Problem;
use http::header::{HOST, HeaderMap, HeaderName, ORIGIN};
use http::request::Parts;
use http::{Method, StatusCode};
use std::net::{IpAddr, Ipv6Addr};
use tokenforge_config::Settings;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// From where requests may come, by the settings of one moment.
pub(crate) struct OriginRules {
    listen: IpAddr,
    hosts: Vec<String>,
    origins: Vec<String>,
}

/// What a request says about from where it comes.
pub(crate) struct RequestOrigin<'r> {
    /// The name that the gateway was called by.
    host: Option<&'r str>,
    /// The page, if it is one.
    origin: Option<&'r str>,
    /// Does the browser say that another site asks?
    is_foreign: bool,
    /// Is a person led here by a link, in a window of its own?
    is_navigation: bool,
}

impl<'r> RequestOrigin<'r> {
    /// Reads it. Refuses a head that can be read in two ways, because an upstream could read it in the other one.
    pub(crate) fn read(head: &'r Parts) -> Result<Self, Problem> {
        let headers = &head.headers;
        let host = single(headers, HOST, "Host")?;
        let origin = single(headers, ORIGIN, "Origin")?;
        // The target in its absolute form, and every request over HTTP/2.
        let authority = head.uri.authority().map(|authority| authority.as_str());
        if [host, origin, authority].into_iter().flatten().any(|text| text.contains('@')) {
            let message =
                "a Host, an Origin and a request target name no user: leave out what ends in `@`";
            return Err(Problem::bad_request(message));
        }
        if let (Some(host), Some(authority)) = (host, authority)
            && !host.eq_ignore_ascii_case(authority)
        {
            let message =
                "the request target and the Host header name two hosts; they must be the same";
            return Err(Problem::bad_request(message));
        }
        let says = |name: HeaderName, wanted: &str| {
            headers.get_all(name).iter().any(|value| value.as_bytes() == wanted.as_bytes())
        };
        let dest = headers.get(FETCH_DEST).map(|value| value.as_bytes());
        Ok(RequestOrigin {
            host: host.or(authority),
            origin,
            is_foreign: says(FETCH_SITE, "cross-site") || says(FETCH_SITE, "same-site"),
            is_navigation: says(FETCH_MODE, "navigate")
                && head.method == Method::GET
                && dest.is_none_or(|dest| dest == b"document"),
        })
    }

    /// Does a page of the gateway itself say this?
    pub(crate) fn is_own_page(&self) -> bool {
        self.origin.is_some_and(|origin| self.is_own(origin))
    }

    /// Scheme, name and port of the page are those that the gateway was called by.
    fn is_own(&self, origin: &str) -> bool {
        let Some((scheme, place)) = origin.split_once("://") else { return false };
        let port = match scheme.to_ascii_lowercase().as_str() {
            "http" => 80,
            "https" => 443,
            _ => return false,
        };
        let read = |place: &str| {
            let (name, given) = split(place)?;
            Some((name.to_ascii_lowercase(), given.unwrap_or(port)))
        };
        self.host.and_then(read).is_some_and(|host| read(place) == Some(host))
    }
}

/// The one value of a header; `None`: it is not there.
fn single<'r>(
    headers: &'r HeaderMap,
    name: HeaderName,
    shown: &str,
) -> Result<Option<&'r str>, Problem> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(Problem::bad_request(format!("there are two {shown} headers; one is right")));
    }
    let text = value.to_str();
    text.map(Some).map_err(|_| Problem::bad_request(format!("the {shown} header is no text")))
}

impl OriginRules {
    pub(crate) fn new(settings: &Settings) -> Self {
        OriginRules {
            listen: settings.listen.ip(),
            hosts: settings.allow_hosts.clone(),
            origins: settings.allow_origins.clone(),
        }
    }

    /// Where nothing else is asked for: the host must be ours, and the page too.
    pub(crate) fn check(&self, caller: &RequestOrigin<'_>) -> Result<(), Problem> {
        self.check_host(caller)?;
        self.check_origin(caller)
    }

    /// For the dashboard's files: a link on another site may lead to them.
    pub(crate) fn check_page(&self, caller: &RequestOrigin<'_>) -> Result<(), Problem> {
        if caller.is_navigation && caller.origin.is_none() {
            self.check_host(caller)
        } else {
            self.check(caller)
        }
    }

    /// Against DNS rebinding. An address cannot be rebound, so one that we listen on is ours.
    fn check_host(&self, caller: &RequestOrigin<'_>) -> Result<(), Problem> {
        let is_ours = caller.host.is_some_and(|host| {
            let Some((name, _)) = split(host) else { return false };
            let is_here = match address(name) {
                Some(address) => self.is_own_address(address),
                None => name.eq_ignore_ascii_case("localhost"),
            };
            is_here || self.hosts.iter().any(|allowed| is_host(allowed, host, name))
        });
        let message = "the request's Host is no name of this machine (DNS rebinding?); if it is one, add it to \
                       `allow_hosts` in tokenforge.yaml";
        if is_ours { Ok(()) } else { Err(forbidden(message)) }
    }

    /// Against CSRF: no page but our own, and those that the settings name.
    pub(crate) fn check_origin(&self, caller: &RequestOrigin<'_>) -> Result<(), Problem> {
        let is_allowed = match caller.origin {
            Some(origin) => {
                let is_named = self.origins.iter().any(|allowed| is_origin(allowed, origin));
                is_named || (caller.is_own(origin) && !caller.is_foreign)
            }
            None => !caller.is_foreign,
        };
        let message = "pages of other origins may not use the gateway (CSRF); if this one may, add its origin to \
                       `allow_origins` in tokenforge.yaml";
        if is_allowed { Ok(()) } else { Err(forbidden(message)) }
    }

    fn is_own_address(&self, address: IpAddr) -> bool {
        let is_any = self.listen.is_unspecified();
        // 0.0.0.0 is no address of a machine, though browsers reach this one by it.
        !address.is_unspecified() && (address.is_loopback() || address == self.listen || is_any)
    }
}

fn is_host(allowed: &str, host: &str, name: &str) -> bool {
    let has_port = split(allowed).is_some_and(|(_, port)| port.is_some());
    allowed.eq_ignore_ascii_case(if has_port { host } else { name })
}

/// `null` stands for every page that has no origin, which no operator can mean to allow.
fn is_origin(allowed: &str, origin: &str) -> bool {
    origin != "null" && allowed.trim_end_matches('/').eq_ignore_ascii_case(origin)
}

/// Name and port of a host. `None`: it is none.
fn split(host: &str) -> Option<(&str, Option<u16>)> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let end = rest.find(']')? + 2;
            (&host[..end], &host[end..])
        }
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    if name.is_empty() {
        return None;
    }
    match port.strip_prefix(':') {
        Some(port) => Some((name, Some(port.parse().ok()?))),
        None => port.is_empty().then_some((name, None)),
    }
}

/// An address as it stands in a host.
fn address(name: &str) -> Option<IpAddr> {
    match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(name) => name.parse::<Ipv6Addr>().ok().map(|address| address.to_canonical()),
        None => name.parse().ok(),
    }
}

fn forbidden(message: &str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_or_an_address_with_or_without_a_port() {
        assert_eq!(split("localhost:8787"), Some(("localhost", Some(8787))));
        assert_eq!(split("[::1]:1"), Some(("[::1]", Some(1))));
        assert_eq!(split("[::1]"), Some(("[::1]", None)));
        for wrong in ["", ":1", "a:b", "a:1:2", "[::1", "[::1]x", "a:99999", "a:"] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
        assert_eq!(address("[::ffff:127.0.0.1]"), Some([127, 0, 0, 1].into()));
        assert_eq!(address("::1"), Some(IpAddr::V6(Ipv6Addr::LOCALHOST)));
        assert_eq!(address("localhost"), None);
    }

    #[test]
    fn an_origin_is_ours_by_scheme_name_and_port() {
        let is_own = |host, origin| {
            let caller = RequestOrigin {
                host: Some(host),
                origin: None,
                is_foreign: false,
                is_navigation: false,
            };
            caller.is_own(origin)
        };
        for (host, origin) in [
            ("localhost:8787", "http://localhost:8787"),
            ("gw.example", "https://gw.example"),
            ("gw.example:443", "https://GW.example"),
            ("gw.example", "http://gw.example:80"),
            ("[::1]:1", "http://[::1]:1"),
        ] {
            assert!(is_own(host, origin), "{host} {origin}");
        }
        for (host, origin) in [
            ("localhost:8787", "http://localhost"),
            ("localhost:8787", "http://127.0.0.1:8787"),
            ("gw.example", "https://gw.example:444"),
            ("gw.example:80", "https://gw.example"),
            ("localhost", "ftp://localhost"),
            ("localhost", "null"),
            ("localhost", "localhost"),
        ] {
            assert!(!is_own(host, origin), "{host} {origin}");
        }
    }
}
