//! Messages of our own.

use serde_json::json;
use tokenforge_json::quote;

/// What went wrong, as JSON-RPC and MCP number it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum ErrorCode {
    /// The text is no JSON.
    Parse = -32700,
    /// It is no message, or one that is not allowed here.
    Request = -32600,
    /// There is no such method.
    Method = -32601,
    /// The parameters are wrong.
    Params = -32602,
    /// Something failed.
    Internal = -32603,
    /// A server cannot be had, or did not answer.
    Server = -32000,
    /// The client took its request back.
    Cancelled = -32800,
    /// Headers and body differ.
    HeaderMismatch = -32020,
    /// The client did not say that it can do what this needs.
    Capability = -32021,
    /// The version of the protocol is not spoken here.
    Version = -32022,
}

/// What the method of each notification of the protocol begins with.
pub(crate) const NOTIFICATIONS: &str = "notifications/";

/// What takes a request back.
pub(crate) const CANCELLED: &str = "notifications/cancelled";

/// An answer that is a result.
#[must_use]
pub fn result(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// An answer that is an error.
#[must_use]
pub fn error(id: Option<&str>, code: ErrorCode, message: &str) -> String {
    error_with(id, code, message, None)
}

/// An error with more about it, as JSON.
#[must_use]
pub fn error_with(id: Option<&str>, code: ErrorCode, message: &str, data: Option<&str>) -> String {
    let data = data.map(|data| format!(",\"data\":{data}")).unwrap_or_default();
    let (id, message) = (id.unwrap_or("null"), quote(message));
    let code = code as i32;
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}{data}}}}}"#)
}

/// A notification; `params` as JSON.
#[must_use]
pub fn notification(method: &str, params: Option<&str>) -> String {
    let params = params.map(|params| format!(",\"params\":{params}")).unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0","method":{}{params}}}"#, quote(method))
}

/// A request; `params` as JSON.
#[must_use]
pub fn request(id: u64, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{},"params":{params}}}"#, quote(method))
}

/// The result of a tool that says this.
#[must_use]
pub fn tool_text(text: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":{}}}]}}"#, quote(text))
}

/// The result of a tool that failed.
#[must_use]
pub fn failed_tool(text: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":{}}}],"isError":true}}"#, quote(text))
}

/// Who we are, to clients and servers.
#[must_use]
pub fn own_info() -> String {
    json!({"name": "tokenforge", "version": env!("CARGO_PKG_VERSION")}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Message, Sort};

    #[test]
    fn our_own_messages_are_messages() {
        let sort = |text: &str| Message::read(text).unwrap().sort();
        assert_eq!(sort(&result("\"a\"", "{}")), Sort::Answer);
        assert_eq!(sort(&error(None, ErrorCode::Parse, "no \"JSON\"")), Sort::Answer);
        assert_eq!(sort(&notification("notifications/x", Some("{}"))), Sort::Notification);
        assert_eq!(sort(&request(1, "ping", "{}")), Sort::Request);
    }
}
