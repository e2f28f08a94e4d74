//! Whether a request can be asked once more without anything happening but an answer.

use crate::dialect::Dialect;
use crate::json::{Kind, Node};

/// Can this request be asked once more without anything happening but an answer? Not if it lets the provider run tools, which
/// would run again, or goes on with a conversation that the provider keeps, which would go on twice. What is not known
/// is not repeated.
#[must_use]
pub fn is_repeatable(dialect: Dialect, body: &[u8]) -> bool {
    let root = str::from_utf8(body).ok().and_then(|text| Node::read(text).ok());
    root.is_some_and(|root| dialect.api().is_repeatable(&root))
}

/// Is every element of a list of tools one that the client runs? So is a list that is not there.
pub(crate) fn are_all(list: Option<Node<'_>>, is_clients: impl Fn(&Node<'_>) -> bool) -> bool {
    list.is_none_or(|list| match list.kind() {
        Kind::Null => true,
        Kind::Array => list.elements().iter().all(is_clients),
        _ => false,
    })
}

/// Is this member absent, or says nothing?
pub(crate) fn is_absent(member: Option<Node<'_>>) -> bool {
    member.is_none_or(|member| matches!(member.raw(), "null" | "false" | "[]" | "{}"))
}

/// Is a tool's type one of these, or not said?
pub(crate) fn has_type(tool: &Node<'_>, is_known: impl Fn(&str) -> bool) -> bool {
    tool.kind() == Kind::Object
        && tool.get("type").is_none_or(|kind| kind.text().is_some_and(|kind| is_known(&kind)))
}

/// Has a tool no other members than these?
pub(crate) fn has_only(tool: &Node<'_>, names: &[&str]) -> bool {
    tool.kind() == Kind::Object && tool.members().iter().all(|(name, _)| names.contains(&&**name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dialect::{
        Anthropic, BedrockConverse, BedrockInvoke, Gemini, GeminiInteractions, Ollama, OpenAiChat,
        OpenAiResponses,
    };

    #[test]
    fn v9_only_a_request_with_tools_of_the_client_is_repeated() {
        for (dialect, body, expected) in [
            (Anthropic, r#"{"messages":[]}"#, true),
            (Anthropic, r#"{"tools":[{"name":"a"},{"type":"bash_20250124","name":"bash"}]}"#, true),
            (Anthropic, r#"{"tools":[{"type":"web_search_20250305","name":"web_search"}]}"#, false),
            (Anthropic, r#"{"mcp_servers":[{"url":"https://a"}]}"#, false),
            (Anthropic, r#"{"mcp_servers":[],"tools":null}"#, true),
            (Anthropic, r#"{"thread":"t1"}"#, false),
            (BedrockInvoke, r#"{"tools":[{"type":"custom","name":"a"}]}"#, true),
            (BedrockInvoke, r#"{"tools":[{"type":"new_thing","name":"a"}]}"#, false),
            (OpenAiChat, r#"{"tools":[{"type":"function","function":{"name":"a"}}]}"#, true),
            (OpenAiChat, r#"{"web_search_options":{"a":1}}"#, false),
            (OpenAiChat, r#"{"tools":[{"type":"browser"}]}"#, false),
            (OpenAiResponses, r#"{"tools":[{"type":"function"},{"type":"local_shell"}]}"#, true),
            (OpenAiResponses, r#"{"tools":[{"type":"mcp","server_url":"https://a"}]}"#, false),
            (OpenAiResponses, r#"{"tools":[{"type":"web_search"}]}"#, false),
            (OpenAiResponses, r#"{"conversation":"conv_1"}"#, false),
            (OpenAiResponses, r#"{"background":true}"#, false),
            (
                GeminiInteractions,
                r#"{"tools":[{"type":"function"}],"previous_interaction_id":"v"}"#,
                true,
            ),
            (GeminiInteractions, r#"{"tools":[{"type":"google_search"}]}"#, false),
            (GeminiInteractions, r#"{"agent":"a"}"#, false),
            (GeminiInteractions, r#"{"background":true}"#, false),
            (OpenAiResponses, r#"{"background":false,"previous_response_id":"r"}"#, true),
            (Gemini, r#"{"tools":[{"functionDeclarations":[]}]}"#, true),
            (Gemini, r#"{"request":{"tools":[{"googleSearch":{}}]}}"#, false),
            (Gemini, r#"{"tools":[{"function_declarations":[]},{"codeExecution":{}}]}"#, false),
            (
                BedrockConverse,
                r#"{"toolConfig":{"tools":[{"toolSpec":{}},{"cachePoint":{}}]}}"#,
                true,
            ),
            (BedrockConverse, r#"{"toolConfig":{"tools":[{"systemTool":{}}]}}"#, false),
            (Ollama, r#"{"tools":[{"type":"function"}]}"#, true),
            (Ollama, "not json", false),
        ] {
            assert_eq!(is_repeatable(dialect, body.as_bytes()), expected, "{dialect:?} {body}");
        }
    }
}
