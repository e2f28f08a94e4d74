//! Which provider a request is for, and the first half of the SSRF guard: a client can name only hosts that the settings
//! allow. The second half, against DNS rebinding, is `ssrf_guard.rs` of `tokenforge-proxy`.

mod choice;
mod provider;

use crate::{aws, options};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderMap, HeaderValue, Uri};
use std::net::IpAddr;
use tokenforge_config::Upstreams;
use tokenforge_providers::Dialect;

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UpstreamTarget {
    pub(crate) uri: Uri,
    /// The client named the host: it must not lead into the network that the gateway stands in.
    pub(crate) is_guarded: bool,
    /// It is Bedrock, or what stands for all providers, and the operator named it: what goes there may be signed with the
    /// operator's AWS credentials.
    pub(crate) is_for_aws: bool,
    /// What the operator adds to the request's headers.
    pub(crate) headers: HeaderMap,
    /// What the client hears of whom was asked: the setting's name, or the host that it named itself.
    pub(crate) provider: Option<HeaderValue>,
}

/// Why a request goes nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TargetRefusal {
    #[error("X-Target-URL: {0}")]
    NotAllowed(&'static str),
    #[error("no upstream for {0}: set {1} in tokenforge.yaml")]
    Unknown(&'static str, &'static str),
    /// It carries a credential of a provider that has no address.
    #[error(
        "the request carries {credential}, and no address of {issuer} is set, so it would reach another provider: set {setting} \
         in tokenforge.yaml"
    )]
    Foreign { credential: &'static str, issuer: &'static str, setting: &'static str },
    #[error(
        "the request carries {0} and {1}, and each provider would see the other's credential: send one of the two"
    )]
    TwoOwners(&'static str, &'static str),
    #[error("the request path cannot be put behind the upstream's address")]
    Path,
}

impl UpstreamTarget {
    /// The upstream of a request with this path and query.
    pub(crate) fn of(
        upstreams: &Upstreams,
        dialect: Option<Dialect>,
        path: &PathAndQuery,
        headers: &HeaderMap,
    ) -> Result<Self, TargetRefusal> {
        if let Some(named) = headers.get(options::TARGET) {
            let named = named.to_str().map_err(|_| TargetRefusal::NotAllowed("not plain text"))?;
            let (base, is_guarded) = check_allowed(named, &upstreams.target_allow)?;
            let host = base.authority().map(Authority::as_str).unwrap_or_default();
            let provider = HeaderValue::from_str(host).ok();
            let uri = join_path(base, path)?;
            let headers = HeaderMap::new();
            return Ok(UpstreamTarget { uri, is_guarded, is_for_aws: false, headers, provider });
        }
        let (provider, base) = match &upstreams.backend {
            Some(backend) => ("backend", backend.clone()),
            None => {
                let (provider, base) = choice::choose(upstreams, dialect, path, headers)?;
                (provider.name(), base)
            }
        };
        let (uri, headers) = (join_path(base, path)?, HeaderMap::new());
        let is_for_aws = matches!(provider, "backend" | "bedrock");
        let provider = Some(HeaderValue::from_static(provider));
        Ok(UpstreamTarget { uri, is_guarded: false, is_for_aws, headers, provider })
    }

    /// Bedrock has a host for each region, and a signature names the region. Where the operator named no host, it is that of
    /// the region.
    pub(crate) fn follow_region(&mut self, upstreams: &Upstreams, region: &str) {
        let usual = Upstreams::default().bedrock;
        if upstreams.backend.is_some() || upstreams.bedrock != usual {
            return;
        }
        let host = format!("bedrock-runtime.{region}.{}", aws::domain(region));
        let mut parts = self.uri.clone().into_parts();
        parts.authority = host.parse().ok();
        if let Ok(uri) = Uri::from_parts(parts) {
            self.uri = uri;
        }
    }
}

/// The path behind the upstream's own. Where both have the same segment at the seam (`…/v1` and `/v1/…`) it is said
/// once: people give base addresses with and without it.
fn join_path(base: Uri, path: &PathAndQuery) -> Result<Uri, TargetRefusal> {
    let own = base.path().trim_end_matches('/');
    let first = || path.path().trim_start_matches('/').split('/').next();
    let own = match own.rsplit_once('/') {
        Some((before, seam)) if first() == Some(seam) => before.trim_end_matches('/'),
        _ => own,
    };
    let whole = if own.is_empty() {
        path.clone()
    } else {
        format!("{own}{path}").parse().map_err(|_| TargetRefusal::Path)?
    };
    let mut parts = base.into_parts();
    parts.path_and_query = Some(whole);
    Uri::from_parts(parts).map_err(|_| TargetRefusal::Path)
}

/// The address that a client named, if the operator allows its host. Hosts are compared as they are written, so that
/// no other spelling of an address is the same.
fn check_allowed(named: &str, list: &[String]) -> Result<(Uri, bool), TargetRefusal> {
    let refused = TargetRefusal::NotAllowed;
    let uri: Uri = named.trim().parse().map_err(|_| refused("not an address"))?;
    if !matches!(uri.scheme(), Some(scheme) if *scheme == Scheme::HTTP || *scheme == Scheme::HTTPS)
    {
        return Err(refused("expected http:// or https://"));
    }
    let authority: &Authority = uri.authority().ok_or(refused("it names no host"))?;
    if authority.as_str().contains('@') {
        return Err(refused("it must not hold a user name"));
    }
    let host = authority.host().to_ascii_lowercase();
    let is_listed = list.iter().any(|entry| {
        let entry = entry.to_ascii_lowercase();
        match entry.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()) {
            Some((name, port)) => {
                name == host && authority.port().is_some_and(|given| given.as_str() == port)
            }
            None => entry == host && authority.port().is_none(),
        }
    });
    if !is_listed {
        return Err(refused("the host is not in upstreams.target_allow"));
    }
    // Who lists an address of the inner network means it; a name may lead anywhere.
    let is_literal = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok() || host == "localhost";
    Ok((uri, !is_literal))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(dialect: Option<Dialect>, path: &str) -> String {
        let path = path.parse().unwrap();
        UpstreamTarget::of(&Upstreams::default(), dialect, &path, &HeaderMap::new())
            .unwrap()
            .uri
            .to_string()
    }

    #[test]
    fn every_shape_has_its_provider_and_the_query_goes_on() {
        assert_eq!(
            target(Some(Dialect::Anthropic), "/v1/messages?beta=true"),
            "https://api.anthropic.com/v1/messages?beta=true"
        );
        assert_eq!(target(None, "/v1/embeddings"), "https://api.openai.com/v1/embeddings");
        assert_eq!(target(None, "/api/tags"), "http://127.0.0.1:11434/api/tags");
        assert_eq!(
            target(
                Some(Dialect::Gemini),
                "/v1/projects/p/locations/europe-west1/publishers/google/models/m:generateContent"
            ),
            "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1/publishers/google/models/m:generateContent"
        );
        assert_eq!(
            target(Some(Dialect::OpenAiResponses), "/backend-api/codex/responses"),
            "https://chatgpt.com/backend-api/codex/responses"
        );
    }

    #[test]
    fn the_provider_that_was_chosen_has_a_name() {
        let provider = |upstreams: &Upstreams, path: &str, headers: HeaderMap| {
            let detected = Dialect::detect("POST", path, |_| None).map(|found| found.dialect);
            let target =
                UpstreamTarget::of(upstreams, detected, &path.parse().unwrap(), &headers).unwrap();
            target.provider.unwrap().to_str().unwrap().to_owned()
        };
        let of = |path: &str| provider(&Upstreams::default(), path, HeaderMap::new());
        for (path, name) in [
            ("/v1/messages", "anthropic"),
            ("/v1/chat/completions", "openai"),
            ("/v1beta/models/m:generateContent", "gemini"),
            ("/model/m/converse", "bedrock"),
            ("/api/chat", "ollama"),
            ("/backend-api/codex/responses", "chatgpt"),
            ("/v1/projects/p/locations/eu/publishers/google/models/m:generateContent", "vertex"),
        ] {
            assert_eq!(of(path), name, "{path}");
        }
        let backend = Some("http://h".parse().unwrap());
        let target_allow = vec!["api.example.com".to_owned()];
        let upstreams = Upstreams { backend, target_allow, ..Upstreams::default() };
        assert_eq!(provider(&upstreams, "/v1/messages", HeaderMap::new()), "backend");
        let mut named = HeaderMap::new();
        named.insert(options::TARGET, HeaderValue::from_static("https://api.example.com/x"));
        assert_eq!(provider(&upstreams, "/v1/messages", named), "api.example.com");
    }

    #[test]
    fn one_backend_stands_for_all_and_a_common_segment_is_said_once() {
        for base in ["http://127.0.0.1:9", "http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/"] {
            let upstreams =
                Upstreams { backend: Some(base.parse().unwrap()), ..Upstreams::default() };
            let path = "/v1/chat/completions?a=1".parse().unwrap();
            let target = UpstreamTarget::of(&upstreams, None, &path, &HeaderMap::new()).unwrap();
            assert_eq!(target.uri, "http://127.0.0.1:9/v1/chat/completions?a=1");
        }
        let upstreams =
            Upstreams { backend: Some("http://h/base".parse().unwrap()), ..Upstreams::default() };
        let target =
            UpstreamTarget::of(&upstreams, None, &"/v1/x".parse().unwrap(), &HeaderMap::new())
                .unwrap();
        assert_eq!(target.uri, "http://h/base/v1/x");
    }

    #[test]
    fn azure_without_an_address_says_what_to_set() {
        let path = "/openai/deployments/d/chat/completions?api-version=1".parse().unwrap();
        let refused = UpstreamTarget::of(
            &Upstreams::default(),
            Some(Dialect::OpenAiChat),
            &path,
            &HeaderMap::new(),
        );
        assert!(refused.unwrap_err().to_string().contains("upstreams.azure_openai"));
    }

    #[test]
    fn a_client_may_name_listed_hosts_only_in_just_their_spelling() {
        let list = ["api.example.com".to_owned(), "10.0.0.7:8080".to_owned()];
        assert!(check_allowed("https://api.example.com", &list).unwrap().1);
        assert!(!check_allowed("http://10.0.0.7:8080/base", &list).unwrap().1);
        for refused in [
            "http://127.0.0.1",
            "http://2130706433",
            "http://0x7f000001",
            "http://0177.0.0.1",
            "http://127.1",
            "http://[::ffff:127.0.0.1]",
            "http://[::1]",
            "http://localhost",
            "http://169.254.169.254/latest/meta-data",
            "https://api.example.com@evil.example",
            "https://user:password@api.example.com",
            "https://api.example.com.evil.example",
            "https://api.example.com:8443",
            "https://api.example.com.",
            "http://167772167:8080",
            "http://10.0.0.7:80",
            "ftp://api.example.com",
            "file:///etc/passwd",
            "//api.example.com",
            "api.example.com",
            "",
        ] {
            assert!(check_allowed(refused, &list).is_err(), "{refused}");
        }
        assert!(check_allowed("https://api.example.com", &[]).is_err());
    }
}
