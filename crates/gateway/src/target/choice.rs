//! The choice of a provider: by the dialect and the path of a request, and by the credential it carries.
//!
//! 1. A dialect, a path or a header that only one provider has names the provider.
//! 2. Where there is none, the credential names it. A credential of no known form goes to `upstreams.openai`, whose API many
//!    others speak.
//! 3. No credential goes to a provider that did not issue it. It goes to the one that did, and if that one has no address, the
//!    request is refused.
//!
//! Rule 3 has one exception, because gateways and providers with a compatible API may take any key: an address that the
//! operator set, on a host that `credential_owner.rs` does not know, gets every credential that comes with requests of its
//! API, unless the operator set an address for the issuer of that credential too.

use super::TargetRefusal;
use super::provider::Provider;
use crate::credential_owner::{self, OwnedCredential, Owner, host_owner};
use http::uri::PathAndQuery;
use http::{HeaderMap, Uri};
use tokenforge_config::Upstreams;
use tokenforge_providers::Dialect;

/// Chooses the provider of a request, and its address.
pub(super) fn choose(
    upstreams: &Upstreams,
    dialect: Option<Dialect>,
    path: &PathAndQuery,
    headers: &HeaderMap,
) -> Result<(Provider, Uri), TargetRefusal> {
    let credentials = credential_owner::owned_credentials(headers, path.query());
    let claimed = Provider::claiming(dialect, path.path(), headers);
    let provider = claimed.unwrap_or_else(|| {
        let is_googles = credential_owner::is_googles(headers, path.query());
        if is_googles { Provider::Gemini } else { Provider::OpenAi }
    });
    let candidate = Candidate {
        provider,
        address: provider.address(upstreams, path.path())?,
        is_claimed: claimed.is_some(),
    };
    let mut foreign = credentials.iter().filter(|found| !candidate.takes(upstreams, found));
    let Some(credential) = foreign.next() else { return Ok((provider, candidate.address)) };
    if let Some(other) = credentials.iter().find(|other| other.owner != credential.owner) {
        return Err(TargetRefusal::TwoOwners(other.name, credential.name));
    }
    let issuer = Provider::issuing(credential.owner);
    let address = issuer.address(upstreams, path.path()).ok();
    let own = address.filter(|address| match owner_of(issuer, address) {
        Some(owner) => owner == credential.owner,
        None => true,
    });
    let refused = || TargetRefusal::Foreign {
        credential: credential.name,
        issuer: issuer.title(),
        setting: issuer.setting(),
    };
    Ok((issuer, own.ok_or_else(refused)?))
}

/// A provider that a request would go to, but for its credentials.
struct Candidate {
    provider: Provider,
    address: Uri,
    /// The request is of this provider's API. Otherwise no API claims it.
    is_claimed: bool,
}

impl Candidate {
    /// Whether a credential may go there.
    fn takes(&self, upstreams: &Upstreams, credential: &OwnedCredential) -> bool {
        let is_issuer = self.provider.owner() == credential.owner;
        match owner_of(self.provider, &self.address) {
            // The issuer's host may be the address of another API, such as Gemini's for clients of OpenAI, which show their
            // key as a bearer token.
            Some(owner) if owner == credential.owner => {
                is_issuer || self.is_claimed || credential.is_bearer
            }
            Some(_) => false,
            None => is_issuer || self.is_meant_for(upstreams, Provider::issuing(credential.owner)),
        }
    }

    /// Whether the operator means this address to get credentials of another provider.
    fn is_meant_for(&self, upstreams: &Upstreams, issuer: Provider) -> bool {
        match issuer.address_set(upstreams) {
            Some(other) => self.is_claimed && other.authority() == self.address.authority(),
            None => self.is_claimed || issuer.in_settings(upstreams).is_none(),
        }
    }
}

/// Who runs the host at the address of a provider; `None`: the operator, or a company that no table names.
fn owner_of(provider: Provider, address: &Uri) -> Option<Owner> {
    let known = host_owner(address.host().unwrap_or_default());
    known.or_else(|| provider.is_usual(address).then(|| provider.owner()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    const BEARER: &str = "authorization";

    fn choice(
        upstreams: &Upstreams,
        path: &str,
        credentials: &[(&'static str, &str)],
    ) -> Result<&'static str, TargetRefusal> {
        let detected = Dialect::detect("POST", path, |_| None).map(|found| found.dialect);
        let mut headers = HeaderMap::new();
        for (name, value) in credentials {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        let chosen = choose(upstreams, detected, &path.parse().unwrap(), &headers);
        chosen.map(|(provider, _)| provider.name())
    }

    fn usual(path: &str, name: &'static str, value: &str) -> &'static str {
        choice(&Upstreams::default(), path, &[(name, value)]).unwrap()
    }

    #[test]
    fn g70_an_unclaimed_path_goes_to_the_credentials_provider() {
        for (path, name, value, provider) in [
            ("/guardrail/g/version/1/apply", BEARER, "AWS4-HMAC-SHA256 Credential=A", "bedrock"),
            ("/async-invoke", BEARER, "Bearer ABSKx", "bedrock"),
            ("/knowledgebases/k/retrieve", BEARER, "Bearer bedrock-api-key-x", "bedrock"),
            ("/async-invoke?X-Amz-Signature=0", "x", "", "bedrock"),
            ("/upload/v1beta/files?key=AIzaSy", "x", "", "gemini"),
            ("/upload/v1beta/files?key=other", "x", "", "gemini"),
            ("/upload/v1beta/files", "x-goog-upload-command", "start", "gemini"),
            ("/v1/files", "x-goog-api-key", "k", "gemini"),
            ("/v1/files", BEARER, "Bearer ya29.x", "gemini"),
            ("/v1/models", "x-api-key", "sk-ant-x", "anthropic"),
            ("/v1/files", BEARER, "Bearer sk-ant-oat01-x", "anthropic"),
            ("/v1/files", BEARER, "Bearer sk-proj-x", "openai"),
            ("/v1/files", BEARER, "Bearer vllm", "openai"),
            ("/v1/files", "x-api-key", "vllm", "openai"),
        ] {
            assert_eq!(usual(path, name, value), provider, "{path} with {name}: {value}");
        }
    }

    #[test]
    fn g71_a_claimed_path_sends_no_credential_to_another_provider() {
        for (path, name, value, provider) in [
            ("/v1/chat/completions", BEARER, "Bearer sk-ant-x", "anthropic"),
            ("/v1/messages", BEARER, "Bearer sk-proj-x", "openai"),
            ("/v1/messages", "x-goog-api-key", "k", "gemini"),
            ("/v1/responses", BEARER, "AWS4-HMAC-SHA256 Credential=A", "bedrock"),
            ("/model/m/converse", BEARER, "Bearer AIzaSy", "gemini"),
            ("/api/chat", BEARER, "Bearer sk-ant-x", "anthropic"),
            ("/api/oauth/profile", BEARER, "Bearer sk-ant-oat01-x", "anthropic"),
            ("/backend-api/codex/responses", BEARER, "Bearer sk-ant-x", "anthropic"),
            ("/v1beta/models/m:generateContent", BEARER, "Bearer ya29.x", "gemini"),
            ("/model/m/converse", BEARER, "Bearer ABSKx", "bedrock"),
            ("/v1/messages", "x-api-key", "other", "anthropic"),
            ("/v1/chat/completions?key=other", BEARER, "Bearer other", "openai"),
        ] {
            assert_eq!(usual(path, name, value), provider, "{path} with {name}: {value}");
        }
    }

    #[test]
    fn g71_a_credential_whose_provider_has_no_address_is_refused() {
        let usual = Upstreams::default();
        for path in ["/v1/chat/completions", "/openai/v1/responses", "/v1/messages", "/v1/files"] {
            let refused = choice(&usual, path, &[("api-key", "0123")]).unwrap_err().to_string();
            assert!(refused.contains("upstreams.azure_openai"), "{path}: {refused}");
        }
        let azure_openai = Some("https://r.openai.azure.com".parse().unwrap());
        let azure = Upstreams { azure_openai, ..Upstreams::default() };
        let chosen = choice(&azure, "/openai/v1/responses", &[("api-key", "0123")]);
        assert_eq!(chosen, Ok("azure_openai"));
        let elsewhere = Upstreams {
            openai: "https://generativelanguage.googleapis.com/v1beta/openai".parse().unwrap(),
            ..Upstreams::default()
        };
        let refused = choice(&elsewhere, "/v1/files", &[(BEARER, "Bearer sk-proj-x")]);
        assert!(refused.unwrap_err().to_string().contains("upstreams.openai"));
    }

    #[test]
    fn g71_credentials_of_two_providers_are_refused() {
        let both = [("x-api-key", "sk-ant-x"), (BEARER, "Bearer sk-proj-x")];
        for path in ["/v1/messages", "/v1/chat/completions", "/v1/files"] {
            let refused = choice(&Upstreams::default(), path, &both);
            assert!(matches!(refused, Err(TargetRefusal::TwoOwners(..))), "{path}");
        }
        let one = [("x-api-key", "sk-ant-x"), (BEARER, "Bearer sk-ant-oat01-x")];
        assert_eq!(choice(&Upstreams::default(), "/v1/files", &one), Ok("anthropic"));
    }

    #[test]
    fn g72_an_address_of_the_operators_own_takes_any_key() {
        let own = Upstreams {
            openai: "http://litellm:4000/v1".parse().unwrap(),
            anthropic: "https://compatible.example/anthropic".parse().unwrap(),
            ..Upstreams::default()
        };
        let foreign: &[(&str, &str)] =
            &[(BEARER, "Bearer AIzaSy"), (BEARER, "Bearer ya29.x"), ("api-key", "0123")];
        for credential in foreign {
            assert_eq!(choice(&own, "/v1/chat/completions", &[*credential]), Ok("openai"));
            assert_eq!(choice(&own, "/v1/messages", &[*credential]), Ok("anthropic"));
        }
        assert_eq!(choice(&own, "/v1/files", &[("api-key", "0123")]), Ok("openai"));
        // A path that no API claims says nothing for the operator's address.
        assert_eq!(choice(&own, "/v1/files", &[(BEARER, "Bearer AIzaSy")]), Ok("gemini"));
        // Anthropic has an address of the operator's own too.
        let ours = [(BEARER, "Bearer sk-ant-x")];
        assert_eq!(choice(&own, "/v1/chat/completions", &ours), Ok("anthropic"));
        let one = Upstreams { anthropic: own.openai.clone(), ..own };
        assert_eq!(choice(&one, "/v1/chat/completions", &ours), Ok("openai"));
    }

    #[test]
    fn g72_a_compatible_api_of_the_issuer_takes_its_keys() {
        for (address, key) in [
            ("https://generativelanguage.googleapis.com/v1beta/openai", "Bearer AIzaSy"),
            ("https://api.anthropic.com/v1", "Bearer sk-ant-x"),
            ("https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1", "Bearer ABSKx"),
            ("https://eu-aiplatform.googleapis.com/v1/projects/p/openapi", "Bearer ya29.x"),
        ] {
            let upstreams = Upstreams { openai: address.parse().unwrap(), ..Upstreams::default() };
            for path in ["/v1/chat/completions", "/v1/models"] {
                assert_eq!(choice(&upstreams, path, &[(BEARER, key)]), Ok("openai"), "{address}");
            }
            let refused = choice(&upstreams, "/v1/messages", &[(BEARER, "Bearer sk-proj-x")]);
            assert!(refused.is_err(), "{address}");
        }
        let google = "https://generativelanguage.googleapis.com/v1beta/openai".parse().unwrap();
        let upstreams = Upstreams { openai: google, ..Upstreams::default() };
        let native = choice(&upstreams, "/upload/v1beta/files?key=AIzaSy", &[]);
        assert_eq!(native, Ok("gemini"));
    }
}
