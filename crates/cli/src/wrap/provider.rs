//! The upstream of a client: whom it asks, and how to stand between the two.

use http::Uri;
use tokenforge_agents::Provider;
use tokenforge_config::Upstreams;

/// Where a client's requests would go without us, as its user has set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BaseAddress {
    /// Scheme and host.
    pub(super) origin: Uri,
    /// The path, without a slash at its end.
    pub(super) path: String,
}

impl BaseAddress {
    /// Reads an address; nothing if it is none that requests can go to.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::of(&text.trim().parse().ok()?)
    }

    /// The same, of an address that was read.
    pub(super) fn of(uri: &Uri) -> Option<Self> {
        let scheme = uri.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https"))?;
        let origin = format!("{scheme}://{}", uri.authority()?).parse().ok()?;
        Some(BaseAddress { origin, path: uri.path().trim_end_matches('/').to_owned() })
    }
}

/// Whom a gateway with these upstreams asks for this provider's requests, or for all.
pub(super) fn upstream_for(upstreams: &Upstreams, provider: Option<Provider>) -> Option<&Uri> {
    let own = match provider {
        Some(Provider::Anthropic) => Some(&upstreams.anthropic),
        Some(Provider::OpenAi) => Some(&upstreams.openai),
        Some(Provider::Gemini) => Some(&upstreams.gemini),
        None => None,
    };
    upstreams.backend.as_ref().or(own)
}

/// Sends requests on to whom the user has set. Where it is the only one for all that a client asks, whatever the path.
pub(super) fn redirect(upstreams: &mut Upstreams, provider: Option<Provider>, origin: &Uri) {
    let slot = match provider {
        Some(Provider::Anthropic) => &mut upstreams.anthropic,
        Some(Provider::OpenAi) => &mut upstreams.openai,
        Some(Provider::Gemini) => &mut upstreams.gemini,
        None => {
            upstreams.backend = Some(origin.clone());
            return;
        }
    };
    *slot = origin.clone();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_its_origin_and_its_path() {
        let base = BaseAddress::parse("https://llm.example.com:8443/team/v1/").unwrap();
        assert_eq!(
            (base.origin.to_string(), base.path.as_str()),
            ("https://llm.example.com:8443/".into(), "/team/v1")
        );
        assert_eq!(BaseAddress::parse("http://h").unwrap().path, "");
        for wrong in ["", "h:80", "ftp://h", "/v1"] {
            assert_eq!(BaseAddress::parse(wrong), None, "{wrong}");
        }
    }
}
