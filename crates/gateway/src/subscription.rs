//! Requests that are paid for with a subscription, in which no token has a price.

use http::Uri;
use http::header::{AUTHORIZATION, HeaderMap};

/// What Claude's subscriptions begin their tokens with.
const CLAUDE_TOKEN: &str = "sk-ant-oat";

/// What Codex says beside the token of a ChatGPT plan.
const CHATGPT_ACCOUNT: &str = "chatgpt-account-id";

/// The methods of Code Assist, which Gemini CLI asks when its user signed in with Google.
const CODE_ASSIST: &str = "/v1internal:";

/// Where Copilot's plans are served.
const COPILOT: &str = "githubcopilot.com";

/// Is a request with these headers to this address paid for with a subscription?
pub(crate) fn is_used(headers: &HeaderMap, target: &Uri) -> bool {
    let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = bearer.and_then(|value| value.split_once(' ')).map(|(_, token)| token.trim());
    let host = target.host().unwrap_or_default();
    token.is_some_and(|token| token.starts_with(CLAUDE_TOKEN))
        || headers.contains_key(CHATGPT_ACCOUNT)
        || target.path().contains(CODE_ASSIST)
        || host == COPILOT
        || host.strip_suffix(COPILOT).is_some_and(|rest| rest.ends_with('.'))
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
