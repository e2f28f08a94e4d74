//! What a request of the modern era says in its headers too.

use crate::era::{Era, MODERN};
use crate::message::Message;
use crate::tasks::is_about_task;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use tokenforge_json::{Node, ValueKind};

/// Where parameters are that a server wants to see in headers.
pub(crate) const PARAMETERS: &str = "mcp-param-";

const OPENING: &str = "=?base64?";
const CLOSING: &str = "?=";

/// What the headers of a request say about its message.
#[derive(Debug, Clone)]
pub(crate) struct ModernHeaders {
    pub(crate) era: Era,
    pub(crate) method: String,
    /// The tool, prompt, resource or task.
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

/// The tool, prompt, resource or task that a request names.
pub(crate) fn named(message: &Message<'_>) -> Option<String> {
    let named = match message.method() {
        "tools/call" | "prompts/get" => message.text_param("name"),
        "resources/read" => message.text_param("uri"),
        method if is_about_task(method) => message.text_param("taskId"),
        _ => None,
    };
    named.map(Into::into)
}

/// The headers that go on to a server as they are.
pub(crate) fn parameters(headers: &HeaderMap) -> HeaderMap {
    let is_one = |(name, _): &(&HeaderName, &HeaderValue)| name.as_str().starts_with(PARAMETERS);
    headers.iter().filter(is_one).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The parameters of a call that the tool's declaration wants in headers (`x-mcp-header`), for a client that was not
/// shown the declaration.
pub(crate) fn declared_parameters(declaration: &Node<'_>, arguments: &Node<'_>) -> HeaderMap {
    let properties = declaration.at(["inputSchema", "properties"]);
    let wanted = properties.iter().flat_map(Node::members).filter_map(|(parameter, schema)| {
        let name = schema.get("x-mcp-header")?.text()?;
        let value = arguments.get(&parameter)?;
        let value = match value.kind() {
            ValueKind::String => value.text()?,
            ValueKind::Number | ValueKind::True | ValueKind::False => value.raw().into(),
            _ => return None,
        };
        let name = HeaderName::try_from(format!("{PARAMETERS}{name}")).ok()?;
        Some((name, HeaderValue::from_str(&written(&value)).ok()?))
    });
    wanted.collect()
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

    #[test]
    fn m22_parameters_are_in_headers_where_the_declaration_wants_them() {
        let declaration = r#"{"inputSchema":{"properties":{"region":{"x-mcp-header":"Region"},"n":{"x-mcp-header":"N"},"other":{},"list":{"x-mcp-header":"L"},"bad":{"x-mcp-header":"a b"}}}}"#;
        let arguments = r#"{"region":"Zürich","n":1.50,"other":"x","list":[],"bad":"y"}"#;
        let read = |text| Node::read(text).unwrap();
        let headers = declared_parameters(&read(declaration), &read(arguments));
        assert_eq!(headers.len(), 2);
        assert_eq!(headers["mcp-param-region"], "=?base64?WsO8cmljaA==?=");
        assert_eq!(headers["mcp-param-n"], "1.50");
    }

    proptest! {
        #[test]
        fn a_name_is_read_back(name in "\\PC{1,20}|[ -~]{1,20}|[\\x00-\\x1f]{1,4}") {
            let value = HeaderValue::from_str(&written(&name)).unwrap();
            prop_assert_eq!(read(&value), Some(name));
        }
    }
}
