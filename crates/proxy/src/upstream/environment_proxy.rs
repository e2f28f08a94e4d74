//! The proxy that the environment names: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, and `NO_PROXY` for whom to reach
//! without it.

use http::Uri;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use std::net::IpAddr;

/// The proxies that lead to other machines.
#[derive(Debug)]
pub(crate) struct EnvironmentProxies(Matcher);

impl EnvironmentProxies {
    pub(crate) fn from_env() -> Self {
        Self(Matcher::from_env())
    }

    /// No address has one.
    pub(crate) fn none() -> Self {
        Self(Matcher::builder().build())
    }

    /// The proxy through which an address is reached. What runs on this machine never has one: no proxy can reach it.
    pub(crate) fn of(&self, to: &Uri) -> Option<Intercept> {
        let is_here = to.host().is_none_or(is_this_machine);
        if is_here { None } else { self.0.intercept(to) }
    }
}

fn is_this_machine(host: &str) -> bool {
    if let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
        return address.to_canonical().is_loopback();
    }
    let last = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    last.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(proxies: &EnvironmentProxies, to: &str) -> Option<String> {
        proxies.of(&to.parse().unwrap()).map(|proxy| proxy.uri().to_string())
    }

    #[test]
    fn each_scheme_has_its_proxy_but_for_who_is_named_and_this_machine() {
        let matcher = Matcher::builder().http("http://u:p@plain:1").https("http://tunnel:2");
        let proxies = EnvironmentProxies(matcher.no("corp.example,10.0.0.0/8").build());
        assert_eq!(through(&proxies, "http://api.example/v1").as_deref(), Some("http://plain:1/"));
        assert_eq!(through(&proxies, "https://api.example").as_deref(), Some("http://tunnel:2/"));
        for direct in [
            "http://corp.example/v1",
            "https://api.corp.example",
            "http://10.1.2.3:8080",
            "http://localhost:11434",
            "http://LOCALHOST.:1",
            "http://models.localhost",
            "http://127.0.0.1:11434",
            "http://127.1.2.3",
            "http://[::1]:8080",
            "http://[::ffff:127.0.0.1]",
            "https://127.0.0.1",
        ] {
            assert_eq!(through(&proxies, direct), None, "{direct}");
        }
        assert_eq!(through(&EnvironmentProxies::none(), "http://api.example"), None);
    }
}
