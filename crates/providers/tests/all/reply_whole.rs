//! Whole replies in which there is nothing of ours.

use tokenforge_providers::{Dialect, NextStep, Reply, TurnUsage, WireFormat};

const REPLIES: [(Dialect, &str); 7] = [
    (
        Dialect::Anthropic,
        r#"{"id":"m1","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":2}}"#,
    ),
    (
        Dialect::BedrockConverse,
        r#"{"output":{"message":{"role":"assistant","content":[{"text":"Hi"}]}},"stopReason":"end_turn","usage":{"inputTokens":9,"outputTokens":2,"totalTokens":11}}"#,
    ),
    (
        Dialect::OpenAiChat,
        r#"{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}"#,
    ),
    (
        Dialect::OpenAiResponses,
        r#"{"id":"r1","status":"completed","output":[{"type":"message","id":"i1","role":"assistant","content":[]}],"usage":{"input_tokens":9,"output_tokens":2,"total_tokens":11}}"#,
    ),
    (
        Dialect::Gemini,
        r#"{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"Hi"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"totalTokenCount":11}}"#,
    ),
    (
        Dialect::GeminiInteractions,
        r#"{"id":"v1_a","status":"completed","steps":[{"type":"model_output","content":[{"type":"text","text":"Hi"}]}],"usage":{"total_input_tokens":9,"total_output_tokens":1,"total_thought_tokens":1,"total_tokens":11}}"#,
    ),
    (
        Dialect::Ollama,
        r#"{"model":"m","message":{"role":"assistant","content":"Hi"},"done":true,"prompt_eval_count":9,"eval_count":2}"#,
    ),
];

fn passed(dialect: Dialect, body: &str) -> TurnUsage {
    let (mut reply, mut client) = (Reply::new(dialect, WireFormat::Whole), Vec::new());
    reply.push(body.as_bytes(), &mut client);
    assert!(matches!(reply.finish(&mut client), NextStep::Done), "{dialect:?}");
    assert_eq!(str::from_utf8(&client).unwrap(), body, "{dialect:?}");
    assert!(reply.take_deferred_calls().is_none(), "{dialect:?}");
    reply.usage().clone()
}

/// Escapes may spell the name of our tool, so that such a reply is looked into.
#[test]
fn g33_a_reply_passes_as_it_came_and_is_counted_whether_it_is_looked_into_or_not() {
    for (dialect, body) in REPLIES {
        let usage = passed(dialect, body);
        assert_eq!((usage.sum.input, usage.sum.output), (Some(9), Some(2)), "{dialect:?}");
        let escaped = body.replacen("Hi", r"\u0048i", 1).replacen("i1", r"\u0069", 1);
        assert_ne!(escaped, body);
        assert_eq!(passed(dialect, &escaped), usage, "{dialect:?}");
    }
}

#[test]
fn what_is_no_reply_passes_and_is_not_counted() {
    for (dialect, body) in REPLIES {
        for other in ["", "[]", "{\"usage\":7}", &body[..body.len() - 1]] {
            let usage = passed(dialect, other);
            assert_eq!((usage.sum.input, usage.sum.output), (None, None), "{dialect:?} {other}");
        }
    }
}
