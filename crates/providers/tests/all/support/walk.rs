//! The tool results of a body, found in a tree by someone who does not know how the crate finds them.

use serde_json::Value;
use tokenforge_providers::Dialect;

/// A text of a tool result, with the call it answers.
#[derive(Debug, PartialEq)]
pub(crate) struct Expected {
    pub(crate) text: String,
    pub(crate) call_id: Option<String>,
    pub(crate) tool_name: Option<String>,
    pub(crate) arguments: Option<Value>,
    pub(crate) is_error: bool,
}

pub(crate) fn walk(body: &Value, dialect: Dialect) -> Vec<Expected> {
    match dialect {
        Dialect::Anthropic | Dialect::BedrockInvoke => anthropic(body),
        Dialect::OpenAiChat | Dialect::Ollama => chat(body),
        Dialect::OpenAiResponses => responses(body),
        Dialect::Gemini => gemini(body),
        Dialect::GeminiInteractions => interactions(body),
        _ => panic!("there is no recording of {dialect:?}"),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// A string, or the texts of the blocks of a type.
fn texts(content: &Value, kind: &str) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        _ => list(content)
            .iter()
            .filter(|block| block["type"] == kind)
            .filter_map(|block| string(&block["text"]))
            .collect(),
    }
}

fn expected(
    texts: Vec<String>,
    call_id: &Value,
    call: Option<(&Value, Value)>,
    is_error: bool,
) -> impl Iterator<Item = Expected> {
    let call_id = string(call_id);
    let tool_name = call.as_ref().and_then(|(name, _)| string(name));
    let arguments = call.map(|(_, arguments)| arguments);
    texts.into_iter().map(move |text| Expected {
        text,
        call_id: call_id.clone(),
        tool_name: tool_name.clone(),
        arguments: arguments.clone(),
        is_error,
    })
}

fn anthropic(body: &Value) -> Vec<Expected> {
    let blocks = || list(&body["messages"]).iter().flat_map(|message| list(&message["content"]));
    let of_result = |block: &Value| {
        let id = &block["tool_use_id"];
        let call = blocks().find(|call| call["type"] == "tool_use" && call["id"] == *id);
        let call = call.map(|call| (&call["name"], call["input"].clone()));
        expected(texts(&block["content"], "text"), id, call, block["is_error"] == true)
            .collect::<Vec<_>>()
    };
    blocks().filter(|block| block["type"] == "tool_result").flat_map(of_result).collect()
}

fn chat(body: &Value) -> Vec<Expected> {
    let messages = list(&body["messages"]);
    let calls: Vec<&Value> =
        messages.iter().flat_map(|message| list(&message["tool_calls"])).collect();
    let of_result = |message: &Value| {
        let id = &message["tool_call_id"];
        let call = calls.iter().find(|call| call["id"] == *id);
        let call =
            call.map(|call| (&call["function"]["name"], call["function"]["arguments"].clone()));
        expected(texts(&message["content"], "text"), id, call, false).collect::<Vec<_>>()
    };
    messages.iter().filter(|message| message["role"] == "tool").flat_map(of_result).collect()
}

fn responses(body: &Value) -> Vec<Expected> {
    let items = list(&body["input"]);
    let of_result = |item: &Value| {
        let id = &item["call_id"];
        let is_call = |call: &&Value| {
            call["call_id"] == *id
                && (call["type"] == "function_call" || call["type"] == "custom_tool_call")
        };
        let arguments = |call: &Value| match &call["arguments"] {
            Value::Null => call["input"].clone(),
            arguments => arguments.clone(),
        };
        let call = items.iter().find(is_call).map(|call| (&call["name"], arguments(call)));
        expected(texts(&item["output"], "input_text"), id, call, false).collect::<Vec<_>>()
    };
    let is_output = |item: &&Value| {
        item["type"] == "function_call_output" || item["type"] == "custom_tool_call_output"
    };
    items.iter().filter(is_output).flat_map(of_result).collect()
}

fn interactions(body: &Value) -> Vec<Expected> {
    let steps = list(&body["input"]);
    let of_result = |step: &Value| {
        let id = &step["call_id"];
        let call = steps.iter().find(|call| call["type"] == "function_call" && call["id"] == *id);
        let call = call.map(|call| (&call["name"], call["arguments"].clone()));
        expected(texts(&step["result"], "text"), id, call, step["is_error"] == true)
            .collect::<Vec<_>>()
    };
    steps.iter().filter(|step| step["type"] == "function_result").flat_map(of_result).collect()
}

fn gemini(body: &Value) -> Vec<Expected> {
    let parts = || list(&body["contents"]).iter().flat_map(|content| list(&content["parts"]));
    let of_result = |part: &Value| {
        let response = part.get("functionResponse")?;
        let id = &response["id"];
        let call =
            parts().filter_map(|part| part.get("functionCall")).find(|call| call["id"] == *id);
        let call = call.map(|call| (&call["name"], call["args"].clone()));
        let members = response["response"].as_object()?;
        let texts = members.values().filter_map(string).collect();
        Some(expected(texts, id, call, members.contains_key("error")).collect::<Vec<_>>())
    };
    parts().filter_map(of_result).flatten().collect()
}
