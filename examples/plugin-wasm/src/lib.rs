//! `word-guard`: requests and tool results that hold certain words do not go on.
//!
//! A complete plugin as a WebAssembly module. `abi.rs` can be copied into a module of your own as it is; this file is what
//! you write.

mod abi;

use serde::Deserialize;
use serde_json::{Value, json};

/// What the settings say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// The words, in small letters.
    words: Vec<String>,
}

/// What the gateway says. There is more in it; this is what the plugin needs.
#[derive(Deserialize)]
struct Call {
    settings: Settings,
}

/// Says what the plugin is, or why it does not take its settings.
fn describe(settings: &[u8]) -> Value {
    match serde_json::from_slice::<Settings>(settings) {
        Ok(_) => json!({
            "abi": 1,
            "name": "word-guard",
            // The phases, and the largest body that is wanted in each.
            "phases": { "pre_upstream": 1 << 20, "tool_result": 1 << 20 },
        }),
        Err(_) => json!({ "error": "settings: expected {\"words\": [...]}, a list of texts" }),
    }
}

/// Says what is to be done. The second part is the body of an answer of our own, where there is one.
fn call(head: &[u8], body: &[u8]) -> (Value, Vec<u8>) {
    let call: Call = match serde_json::from_slice(head) {
        Ok(call) => call,
        Err(_) => return (json!({ "error": "the gateway's message cannot be read" }), Vec::new()),
    };
    let text = String::from_utf8_lossy(body).to_lowercase();
    match call.settings.words.iter().find(|word| text.contains(word.as_str())) {
        None => (json!({ "flow": "continue" }), Vec::new()),
        Some(word) => {
            let answer = json!({ "error": { "type": "word_guard", "message": format!("{word} is not for everybody") } });
            let headers = json!({ "content-type": "application/json" });
            let reply =
                json!({ "flow": "terminate", "status": 403, "headers": headers, "body": true });
            (reply, answer.to_string().into_bytes())
        }
    }
}
