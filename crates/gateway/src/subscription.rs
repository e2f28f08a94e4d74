//! Requests that are paid for with a subscription, in which no token has a price.

use http::Uri;
use http::header::{AUTHORIZATION, HeaderMap};
use tokenforge_agents::SubscriptionSigns;

/// Is a request with these headers to this address paid for with a subscription?
pub(crate) fn is_used(headers: &HeaderMap, target: &Uri) -> bool {
    let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = bearer.and_then(|value| value.split_once(' ')).map(|(_, token)| token.trim());
    let is_shown = |signs: &SubscriptionSigns| {
        let SubscriptionSigns { token_prefix, header, path_part, domain } = signs;
        let begins = |prefix: &String| token.is_some_and(|token| token.starts_with(prefix));
        token_prefix.as_ref().is_some_and(begins)
            || header.as_ref().is_some_and(|header| headers.contains_key(header))
            || path_part.as_ref().is_some_and(|part| target.path().contains(part))
            || domain.as_ref().is_some_and(|domain| is_within(target.host(), domain))
    };
    tokenforge_agents::all().iter().any(|agent| is_shown(&agent.subscription))
}

/// Is a host this domain, or below it?
fn is_within(host: Option<&str>, domain: &str) -> bool {
    let below = host.and_then(|host| host.strip_suffix(domain));
    below.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn a_plan_is_told_from_a_key() {
        let uri = |uri: &'static str| Uri::from_static(uri);
        let with = |name: &'static str, value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            headers
        };
        let anthropic = uri("https://api.anthropic.com/v1/messages");
        assert!(is_used(&with("authorization", "Bearer sk-ant-oat01-x"), &anthropic));
        assert!(!is_used(&with("authorization", "Bearer sk-ant-api03-x"), &anthropic));
        assert!(!is_used(&with("x-api-key", "sk-ant-api03-x"), &anthropic));
        let codex = uri("https://chatgpt.com/backend-api/codex/responses");
        assert!(is_used(&with("chatgpt-account-id", "a"), &codex));
        let none = HeaderMap::new();
        let assist = uri("https://cloudcode-pa.googleapis.com/v1internal:generateContent");
        assert!(is_used(&none, &assist));
        assert!(is_used(&none, &uri("https://api.githubcopilot.com/chat/completions")));
        assert!(!is_used(&none, &uri("https://notgithubcopilot.com/chat/completions")));
        assert!(!is_used(&none, &uri("https://api.openai.com/v1/responses")));
    }
}
