//! What a request of the modern era says in its headers too.

use crate::era::{Era, MODERN};
use crate::message::Message;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{HeaderMap, HeaderName, HeaderValue};

/// Where parameters are that a server wants to see in headers.
pub(crate) const PARAMETERS: &str = "mcp-param-";

const OPENING: &str = "=?base64?";
const CLOSING: &str = "?=";

/// What the headers of a request say about its message.
#[derive(Debug, Clone)]
pub(crate) struct ModernHeaders {
    pub(crate) era: Era,
    pub(crate) method: String,
    /// The tool, prompt or resource.
    pub(crate) name: Option<String>,
    /// Headers that are the server's and the client's own affair.
    pub(crate) parameters: HeaderMap,
}

impl Default for ModernHeaders {
    fn default() -> Self {
        ModernHeaders {
            era: Era::Legacy,
            method: String::new(),
            name: None,
            parameters: HeaderMap::new(),
        }
    }
}

impl ModernHeaders {
    pub(super) fn write(&self, headers: &mut HeaderMap) {
        if self.era == Era::Legacy {
            return;
        }
        headers.insert("mcp-protocol-version", HeaderValue::from_static(MODERN));
        if let Ok(method) = HeaderValue::from_str(&self.method) {
            headers.insert("mcp-method", method);
        }
        if let Some(name) =
            self.name.as_deref().and_then(|name| HeaderValue::from_str(&written(name)).ok())
        {
            headers.insert("mcp-name", name);
        }
        for (name, value) in &self.parameters {
            headers.insert(name.clone(), value.clone());
        }
    }
}

/// The tool, prompt or resource that a request names.
pub(crate) fn named(message: &Message<'_>) -> Option<String> {
    let named = match message.method() {
        "tools/call" | "prompts/get" => message.text_param("name"),
        "resources/read" => message.text_param("uri"),
        _ => None,
    };
    named.map(Into::into)
}

/// The headers that go on to a server as they are.
pub(crate) fn parameters(headers: &HeaderMap) -> HeaderMap {
    let is_one = |(name, _): &(&HeaderName, &HeaderValue)| name.as_str().starts_with(PARAMETERS);
    headers.iter().filter(is_one).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// A text as a header holds it.
fn written(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && text.trim() == text
        && !(text.starts_with(OPENING) && text.ends_with(CLOSING));
    if is_plain { text.to_owned() } else { format!("{OPENING}{}{CLOSING}", STANDARD.encode(text)) }
}

/// The text that a header holds; `None`: it cannot be read.
pub(crate) fn read(value: &HeaderValue) -> Option<String> {
    let text = value.to_str().ok()?;
    let encoded = text.strip_prefix(OPENING).and_then(|text| text.strip_suffix(CLOSING));
    match encoded {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_written_as_the_specification_shows() {
        assert_eq!(written("us-west1"), "us-west1");
        assert_eq!(written("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
        assert_eq!(written(" padded "), "=?base64?IHBhZGRlZCA=?=");
        assert_eq!(written("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
    }

    proptest! {
        #[test]
        fn a_name_is_read_back(name in "\\PC{1,20}|[ -~]{1,20}|[\\x00-\\x1f]{1,4}") {
            let value = HeaderValue::from_str(&written(&name)).unwrap();
            prop_assert_eq!(read(&value), Some(name));
        }
    }
}
