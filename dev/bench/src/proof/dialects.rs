//! The dialects as a client speaks them: a path, and a body with one tool result.

use serde_json::{Value, json};
use tokenforge_providers::{Dialect, WireFormat};

/// A dialect that streams.
#[derive(Clone, Copy)]
pub(crate) struct Voice {
    pub(crate) dialect: Dialect,
    /// Its name in the mock's grammar.
    pub(crate) name: &'static str,
    pub(crate) path: &'static str,
    pub(crate) wire: WireFormat,
}

/// Each dialect, in each framing in which it streams.
pub(crate) const VOICES: [Voice; 9] = [
    Voice {
        dialect: Dialect::Anthropic,
        name: "anthropic",
        path: "/v1/messages",
        wire: WireFormat::Events,
    },
    Voice {
        dialect: Dialect::OpenAiChat,
        name: "chat",
        path: "/v1/chat/completions",
        wire: WireFormat::Events,
    },
    Voice {
        dialect: Dialect::OpenAiResponses,
        name: "responses",
        path: "/v1/responses",
        wire: WireFormat::Events,
    },
    Voice {
        dialect: Dialect::Gemini,
        name: "gemini",
        path: "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
        wire: WireFormat::Events,
    },
    Voice {
        dialect: Dialect::Gemini,
        name: "gemini",
        path: "/v1beta/models/gemini-3-pro:streamGenerateContent",
        wire: WireFormat::Array,
    },
    Voice {
        dialect: Dialect::GeminiInteractions,
        name: "interactions",
        path: "/v1beta/interactions",
        wire: WireFormat::Events,
    },
    Voice {
        dialect: Dialect::BedrockConverse,
        name: "converse",
        path: "/model/m/converse-stream",
        wire: WireFormat::EventStream,
    },
    Voice {
        dialect: Dialect::BedrockInvoke,
        name: "invoke",
        path: "/model/m/invoke-with-response-stream",
        wire: WireFormat::EventStream,
    },
    Voice { dialect: Dialect::Ollama, name: "ollama", path: "/api/chat", wire: WireFormat::Lines },
];

/// A body that asks for a stream, in which a shell put out `output`; `beside` is JSON that the gateway does not read.
pub(crate) fn body(dialect: Dialect, output: &str, beside: &str) -> String {
    let input = json!({"command": "cargo test"});
    let mut body = match dialect {
        Dialect::Anthropic | Dialect::BedrockInvoke => json!({
            "model": "claude-sonnet-4-5", "max_tokens": 100, "stream": true,
            "tools": [{"name": "Bash", "input_schema": {"type": "object"}}],
            "messages": [
                {"role": "user", "content": "Go on."},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": input}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": output}]},
            ],
        }),
        Dialect::OpenAiResponses => json!({
            "model": "gpt-5", "stream": true,
            "tools": [{"type": "function", "name": "Bash", "parameters": {"type": "object"}}],
            "input": [
                {"type": "message", "role": "user", "content": "Go on."},
                {"type": "function_call", "call_id": "t1", "name": "Bash", "arguments": input.to_string()},
                {"type": "function_call_output", "call_id": "t1", "output": output},
            ],
        }),
        Dialect::GeminiInteractions => json!({
            "model": "gemini-3-pro", "stream": true, "store": false,
            "tools": [{"type": "function", "name": "Bash", "parameters": {"type": "object"}}],
            "input": [
                {"type": "user_input", "content": [{"type": "text", "text": "Go on."}]},
                {"type": "function_call", "id": "t1", "name": "Bash", "arguments": input},
                {"type": "function_result", "call_id": "t1", "name": "Bash", "result": output},
            ],
        }),
        Dialect::Gemini => json!({
            "tools": [{"functionDeclarations": [{"name": "Bash", "parameters": {"type": "object"}}]}],
            "contents": [
                {"role": "user", "parts": [{"text": "Go on."}]},
                {"role": "model", "parts": [{"functionCall": {"name": "Bash", "args": input}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "Bash", "response": {"output": output}}}]},
            ],
        }),
        Dialect::BedrockConverse => json!({
            "toolConfig": {"tools": [{"toolSpec": {"name": "Bash", "inputSchema": {"json": {"type": "object"}}}}]},
            "messages": [
                {"role": "user", "content": [{"text": "Go on."}]},
                {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "Bash", "input": input}}]},
                {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": output}]}}]},
            ],
        }),
        _ => chat(dialect, &input, output),
    };
    if dialect == Dialect::BedrockInvoke {
        body["anthropic_version"] = "bedrock-2023-05-31".into();
    }
    // Spliced in as text, because a serialiser would not keep its escapes and its odd numbers.
    let text = body.to_string();
    format!("{{\"x_beside\": {beside}, {}", &text[1..])
}

fn chat(dialect: Dialect, input: &Value, output: &str) -> Value {
    let arguments = match dialect {
        Dialect::Ollama => input.clone(),
        _ => input.to_string().into(),
    };
    json!({
        "model": "gpt-5", "stream": true,
        "tools": [{"type": "function", "function": {"name": "Bash", "parameters": {"type": "object"}}}],
        "messages": [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": "", "tool_calls": [
                {"id": "t1", "type": "function", "function": {"name": "Bash", "arguments": arguments}},
            ]},
            {"role": "tool", "tool_call_id": "t1", "tool_name": "Bash", "content": output},
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenforge_providers::Request;

    #[test]
    fn every_dialect_finds_the_result_in_its_body() {
        for voice in VOICES {
            let body = body(voice.dialect, "a\nb", "[1.50]");
            let request = Request::read(body.as_bytes(), voice.dialect).unwrap();
            assert_eq!(request.results.len(), 1, "{:?}: {body}", voice.dialect);
            let text = request.results[0].text(body.as_bytes());
            assert_eq!(text.as_deref(), Some("a\nb"), "{:?}", voice.dialect);
        }
    }
}
