//! Programs that leave vocabularies out: what is asked in one of those is an error that names the feature, and never a count
//! by another vocabulary. In a build with all of them the same calls work.
//!
//! `cargo test -p tokenforge-conversation --no-default-features --features o200k --test vocabularies`

#![allow(clippy::unwrap_used, reason = "a test that cannot ask has failed")]

use serde_json::json;
use tokenforge_conversation::{
    Dialect, EmbedError, EmbeddedCompressor, OriginalsReader, OutputCall, count,
};

/// A model of each vocabulary, the feature that brings it, and whether this build has it.
const MODELS: [(&str, &str, bool); 9] = [
    ("gpt-5", "o200k", cfg!(feature = "o200k")),
    ("claude-sonnet-4-5", "o200k", cfg!(feature = "o200k")),
    ("gpt-4-turbo", "cl100k", cfg!(feature = "cl100k")),
    ("llama-3.3-70b", "llama3", cfg!(feature = "llama3")),
    ("deepseek-v3", "deepseek_v3", cfg!(feature = "deepseek_v3")),
    ("qwen3-coder", "qwen2", cfg!(feature = "qwen2")),
    ("mistral-nemo", "mistral_v3", cfg!(feature = "mistral_v3")),
    ("glm-4.6", "glm4", cfg!(feature = "glm4")),
    ("glm-5", "glm5", cfg!(feature = "glm5")),
];

fn check<T>(made: Result<T, EmbedError>, model: &str, feature: &str, is_embedded: bool) {
    match made {
        Ok(_) => assert!(is_embedded, "{model} was counted without {feature}"),
        Err(error) => {
            let message = error.to_string();
            assert!(!is_embedded, "{model}: {message}");
            let expected = format!("it is the feature `{feature}` of tokenforge-tokens");
            assert!(message.contains(&expected), "{model}: {message}");
        }
    }
}

#[test]
fn c16_a_model_whose_vocabulary_is_left_out_is_an_error_that_names_the_feature() {
    let compressor = EmbeddedCompressor::open("", "memory:").unwrap();
    let text: String = (1..=60).map(|n| format!("test api::case_{n:02} ... ok\n")).collect();
    for (model, feature, is_embedded) in MODELS {
        check(count(&text, model), model, feature, is_embedded);
        let call = OutputCall { tool: "Bash", model, ..OutputCall::default() };
        check(compressor.compress_output(&text, &call), model, feature, is_embedded);
        let result = json!({ "role": "tool", "tool_call_id": "c1", "content": text });
        let body = json!({ "model": model, "messages": [result] }).to_string();
        let (dialect, reader) = (Dialect::OpenAiChat, OriginalsReader::Model);
        check(compressor.compress(dialect, body.into(), reader, ""), model, feature, is_embedded);
        let body = json!({ "messages": [] }).to_string();
        check(
            compressor.compress(Dialect::BedrockConverse, body.into(), reader, model),
            model,
            feature,
            is_embedded,
        );
    }
}

#[test]
fn c16_without_a_model_the_default_vocabulary_counts() {
    let compressor = EmbeddedCompressor::open("", "memory:").unwrap();
    assert!(count("hello world", "").unwrap() >= 2);
    let call = OutputCall { tool: "Bash", ..OutputCall::default() };
    assert!(compressor.compress_output("hello world", &call).unwrap().tokens_before >= 2);
}
