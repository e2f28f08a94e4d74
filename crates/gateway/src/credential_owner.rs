//! Who issued a credential, and who runs a host: two tables, read by their form alone.
//!
//! A credential must not reach another provider than the one that issued it, because the operator of that provider could
//! use it.
//! `target/choice.rs` keeps credentials and hosts of different owners apart by these tables. A credential in no table (a
//! bare token, a key of vLLM or OpenRouter) has no owner, and neither has a host in none: the operator decides about both.

use http::HeaderMap;
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use tokenforge_providers::{Dialect, ProviderAddress};

/// A company that issues credentials and runs the hosts they are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    Anthropic,
    OpenAi,
    Google,
    Aws,
    Azure,
    /// Ollama on this machine, which has no credentials.
    Ollama,
    /// The provider of a dialect that states its address itself, whose credentials have no known form.
    Stated(Dialect, ProviderAddress),
}

/// By what a credential is recognised.
enum Form {
    /// Its text begins with this, in any place where credentials stand.
    Prefix(&'static str),
    /// Its text contains this.
    Infix(&'static str),
    /// The whole `Authorization` begins with this scheme.
    Scheme(&'static str),
    /// It stands in this header, and its text says nothing else.
    Header(&'static str),
    /// The query has a parameter of this name.
    Parameter(&'static str),
}

/// Every credential that tells its issuer, with its name in messages.
static CREDENTIALS: &[(Form, Owner, &str)] = &[
    (Form::Prefix("sk-ant-"), Owner::Anthropic, "an Anthropic key or login (sk-ant-)"),
    (Form::Prefix("sk-proj-"), Owner::OpenAi, "an OpenAI project key (sk-proj-)"),
    (Form::Prefix("sk-svcacct-"), Owner::OpenAi, "an OpenAI service account key (sk-svcacct-)"),
    (Form::Prefix("sk-admin-"), Owner::OpenAi, "an OpenAI admin key (sk-admin-)"),
    // "OpenAI" in base64 is in the middle of every key of the older form, which begins with a bare `sk-` as many others do.
    (Form::Infix("T3BlbkFJ"), Owner::OpenAi, "an OpenAI key"),
    (Form::Prefix("AIza"), Owner::Google, "a Google API key (AIza)"),
    (Form::Prefix("AQ."), Owner::Google, "a Google API key (AQ.)"),
    (Form::Prefix("ya29."), Owner::Google, "a Google OAuth token (ya29.)"),
    (Form::Prefix("ABSK"), Owner::Aws, "a Bedrock API key (ABSK)"),
    (Form::Prefix("bedrock-api-key-"), Owner::Aws, "a Bedrock API key (bedrock-api-key-)"),
    (Form::Scheme("AWS4-"), Owner::Aws, "an AWS signature (AWS4)"),
    (Form::Parameter("X-Amz-Signature"), Owner::Aws, "an AWS signature in the query"),
    (Form::Parameter("X-Amz-Credential"), Owner::Aws, "an AWS signature in the query"),
    (Form::Header("x-goog-api-key"), Owner::Google, "a Google API key (x-goog-api-key)"),
    (Form::Header("api-key"), Owner::Azure, "an Azure key (in the header api-key)"),
];

/// The headers in which credentials stand.
static PLACES: [HeaderName; 4] = [
    AUTHORIZATION,
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("x-goog-api-key"),
    HeaderName::from_static("api-key"),
];

/// The parameters of a query in which credentials stand.
const PARAMETERS: [&str; 2] = [GOOGLE_PARAMETER, "access_token"];

/// Google takes keys in this parameter, and its clients alone send it. Its text may be of any form.
const GOOGLE_PARAMETER: &str = "key";

/// Headers that begin like this are Google's, credentials or not.
const GOOGLE_HEADERS: &str = "x-goog-";

/// The ends of the names of hosts that an owner runs. Names under which the owner's customers run programs of their own
/// (load balancers, virtual machines, functions) are left out.
static HOSTS: &[(&str, Owner)] = &[
    ("anthropic.com", Owner::Anthropic),
    ("claude.com", Owner::Anthropic),
    ("claude.ai", Owner::Anthropic),
    ("openai.azure.com", Owner::Azure),
    ("openai.azure.us", Owner::Azure),
    ("ai.azure.com", Owner::Azure),
    ("cognitiveservices.azure.com", Owner::Azure),
    ("cognitiveservices.azure.us", Owner::Azure),
    ("openai.com", Owner::OpenAi),
    ("chatgpt.com", Owner::OpenAi),
    ("googleapis.com", Owner::Google),
    ("ollama.com", Owner::Ollama),
];

/// The ends of the names of AWS hosts, among which Bedrock has those with a label that begins with `bedrock`.
const AWS_DOMAINS: [&str; 3] = ["amazonaws.com", "amazonaws.com.cn", "api.aws"];

/// A credential whose issuer is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OwnedCredential {
    pub(crate) owner: Owner,
    /// Its name in messages, which holds nothing of its text.
    pub(crate) name: &'static str,
    /// It is shown as a bearer token, which is how clients of OpenAI-compatible APIs show every key.
    pub(crate) is_bearer: bool,
}

/// The credentials of a request whose issuers are known: one for each owner.
pub(crate) fn owned_credentials(headers: &HeaderMap, query: Option<&str>) -> Vec<OwnedCredential> {
    let mut found: Vec<OwnedCredential> = Vec::new();
    let mut add = |credential: Option<OwnedCredential>| {
        if let Some(credential) = credential
            && found.iter().all(|known| known.owner != credential.owner)
        {
            found.push(credential);
        }
    };
    for place in &PLACES {
        headers.get_all(place).iter().for_each(|value| add(in_header(place, value)));
    }
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        add(find(false, |form| match form {
            Form::Parameter(own) => name == *own,
            _ => PARAMETERS.contains(&&*name) && is_text(form, &value),
        }));
    }
    found
}

/// Whether headers or query are of Google's clients. That is less than a credential: it tells of a path that no provider
/// claims, and keeps nothing away from others.
pub(crate) fn is_googles(headers: &HeaderMap, query: Option<&str>) -> bool {
    let mut parameters = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    headers.keys().any(|name| name.as_str().starts_with(GOOGLE_HEADERS))
        || parameters.any(|(name, _)| name == GOOGLE_PARAMETER)
}

/// The provider that runs a host; `None`: the operator's own host, or one that no table names.
pub(crate) fn host_owner(host: &str) -> Option<Owner> {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let is_below = |end: &str| {
        host.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let is_aws = AWS_DOMAINS.into_iter().any(is_below)
        && host.split('.').any(|label| label.starts_with("bedrock"));
    let known = HOSTS.iter().find(|(end, _)| is_below(end)).map(|(_, owner)| *owner);
    known.or(is_aws.then_some(Owner::Aws))
}

/// The credential that a header holds. Its text says more than its place: clients put any key where theirs stand.
fn in_header(place: &HeaderName, value: &HeaderValue) -> Option<OwnedCredential> {
    let value = String::from_utf8_lossy(value.as_bytes());
    let value = value.trim();
    let (scheme, rest) = value.split_once(' ').unwrap_or(("", value));
    let is_bearer = *place == AUTHORIZATION && scheme.eq_ignore_ascii_case("bearer");
    let text = if is_bearer { rest.trim_start() } else { value };
    let by_text = find(is_bearer, |form| match form {
        Form::Scheme(start) => *place == AUTHORIZATION && value.starts_with(start),
        _ => is_text(form, text),
    });
    by_text.or_else(|| find(is_bearer, |form| matches!(form, Form::Header(own) if place == own)))
}

fn is_text(form: &Form, text: &str) -> bool {
    match form {
        Form::Prefix(start) => text.starts_with(start),
        Form::Infix(part) => text.starts_with("sk-") && text.contains(part),
        Form::Scheme(_) | Form::Header(_) | Form::Parameter(_) => false,
    }
}

/// The first of the credentials whose form is this.
fn find(is_bearer: bool, is_form: impl Fn(&Form) -> bool) -> Option<OwnedCredential> {
    let found = CREDENTIALS.iter().find(|(form, ..)| is_form(form));
    found.map(|(_, owner, name)| OwnedCredential { owner: *owner, name, is_bearer })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owners(name: &'static str, value: &str) -> Vec<Owner> {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).unwrap());
        owned_credentials(&headers, None).iter().map(|found| found.owner).collect()
    }

    #[test]
    fn g70_credentials_tell_their_owner() {
        use Owner::*;
        for (name, value, owner) in [
            ("x-api-key", "sk-ant-api03-x", Anthropic),
            ("authorization", "Bearer sk-ant-oat01-x", Anthropic),
            ("authorization", "bearer  sk-ant-oat01-x", Anthropic),
            ("api-key", "sk-ant-api03-x", Anthropic),
            ("x-goog-api-key", "sk-ant-api03-x", Anthropic),
            ("authorization", "sk-ant-api03-x", Anthropic),
            ("authorization", "Bearer sk-proj-x", OpenAi),
            ("authorization", "Bearer sk-svcacct-x", OpenAi),
            ("authorization", "Bearer sk-aT3BlbkFJb", OpenAi),
            ("x-goog-api-key", "anything", Google),
            ("x-goog-api-key", "AIzaSy", Google),
            ("authorization", "Bearer AIzaSy", Google),
            ("authorization", "Bearer ya29.a0", Google),
            ("authorization", "AWS4-HMAC-SHA256 Credential=AKIA/x/us-east-1/bedrock/", Aws),
            ("authorization", "AWS4-ECDSA-P256-SHA256 Credential=AKIA/x", Aws),
            ("authorization", "Bearer ABSKQmVkcm9jaw", Aws),
            ("x-api-key", "bedrock-api-key-YmVk", Aws),
            ("api-key", "0123456789abcdef", Azure),
        ] {
            assert_eq!(owners(name, value), [owner], "{name}: {value}");
        }
    }

    #[test]
    fn g70_bare_and_unknown_keys_have_no_owner() {
        for (name, value) in [
            ("authorization", "Bearer sk-1234"),
            ("authorization", "Bearer sk-or-v1-0123"),
            ("authorization", "Bearer eyJhbGciOi.J9.x"),
            ("authorization", "Bearer T3BlbkFJ"),
            ("authorization", "Basic AIza"),
            ("authorization", "Bearer ollama"),
            ("authorization", "Bearer"),
            ("authorization", ""),
            ("x-api-key", "0123"),
            ("cookie", "sk-ant-x"),
        ] {
            assert_eq!(owners(name, value), [], "{name}: {value}");
        }
    }

    #[test]
    fn g70_credentials_in_the_query_tell_their_owner() {
        let owners = |query: &str| -> Vec<Owner> {
            let found = owned_credentials(&HeaderMap::new(), Some(query));
            found.iter().map(|found| found.owner).collect()
        };
        assert_eq!(owners("alt=sse&key=AIzaSy"), [Owner::Google]);
        assert_eq!(owners("key=%41Iza"), [Owner::Google]);
        assert_eq!(owners("access_token=ya29.x"), [Owner::Google]);
        assert_eq!(owners("X-Amz-Credential=A%2Fb&X-Amz-Signature=0"), [Owner::Aws]);
        assert_eq!(owners("key=0123&q=AIza"), []);
        assert!(is_googles(&HeaderMap::new(), Some("a=b&key=0123")));
        assert!(!is_googles(&HeaderMap::new(), Some("monkey=0123")));
    }

    #[test]
    fn g70_hosts_tell_their_owner() {
        for (host, owner) in [
            ("api.anthropic.com", Some(Owner::Anthropic)),
            ("API.Anthropic.com.", Some(Owner::Anthropic)),
            ("api.anthropic.com.evil.example", None),
            ("evilanthropic.com", None),
            ("api.openai.com", Some(Owner::OpenAi)),
            ("us.api.openai.com", Some(Owner::OpenAi)),
            ("resource.openai.azure.com", Some(Owner::Azure)),
            ("resource.services.ai.azure.com", Some(Owner::Azure)),
            ("vm.westeurope.cloudapp.azure.com", None),
            ("europe-west1-aiplatform.googleapis.com", Some(Owner::Google)),
            ("service.run.app", None),
            ("bedrock-runtime.eu-central-1.amazonaws.com", Some(Owner::Aws)),
            ("bedrock-mantle.us-east-1.api.aws", Some(Owner::Aws)),
            ("vpce-0.bedrock-runtime.us-east-1.vpce.amazonaws.com", Some(Owner::Aws)),
            ("mine.us-east-1.elb.amazonaws.com", None),
            ("127.0.0.1", None),
            ("openrouter.ai", None),
        ] {
            assert_eq!(host_owner(host), owner, "{host}");
        }
    }
}
