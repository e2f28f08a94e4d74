//! Any bytes as replies, in any split: nothing panics, the split does not matter, and what does not name our tool passes.
#![no_main]

use tokenforge_providers::{Dialect, ExpandAnswer, NextAction, NextStep, Reply, WireFormat};

const KINDS: [(Dialect, WireFormat); 15] = [
    (Dialect::Anthropic, WireFormat::Events),
    (Dialect::Anthropic, WireFormat::Whole),
    (Dialect::BedrockInvoke, WireFormat::EventStream),
    (Dialect::BedrockConverse, WireFormat::EventStream),
    (Dialect::BedrockConverse, WireFormat::Whole),
    (Dialect::OpenAiChat, WireFormat::Events),
    (Dialect::OpenAiChat, WireFormat::Whole),
    (Dialect::OpenAiResponses, WireFormat::Events),
    (Dialect::OpenAiResponses, WireFormat::Whole),
    (Dialect::Gemini, WireFormat::Events),
    (Dialect::Gemini, WireFormat::Array),
    (Dialect::Gemini, WireFormat::Whole),
    (Dialect::GeminiInteractions, WireFormat::Events),
    (Dialect::GeminiInteractions, WireFormat::Whole),
    (Dialect::Ollama, WireFormat::Lines),
];

/// Gives the same reply again and again, at most three times.
fn client(dialect: Dialect, wire: WireFormat, bytes: &[u8], size: usize) -> (Vec<u8>, bool) {
    let (mut reply, mut client) = (Reply::new(dialect, wire), Vec::new());
    let mut is_plain = true;
    for _ in 0..3 {
        for piece in bytes.chunks(size) {
            reply.push(piece, &mut client);
        }
        let NextStep::Ask(turn) = reply.finish(&mut client) else {
            return (client, is_plain && reply.take_deferred_calls().is_none());
        };
        is_plain = false;
        let answer = ExpandAnswer { text: "é\n\"".to_owned(), is_error: false };
        let answers = vec![answer; turn.calls.len()];
        let body = br#"{"messages":[],"contents":[],"input":"hi"}"#;
        let body = turn.follow_up(body, &answers).expect("the body has a conversation");
        tokenforge_providers::RequestHead::read(&body).expect("what was JSON stays JSON");
    }
    reply.give_up(&mut client);
    (client, false)
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [kind, size, bytes @ ..] = input else { return };
    let (dialect, wire) = KINDS[usize::from(*kind) % KINDS.len()];
    let (whole, is_plain) = client(dialect, wire, bytes, bytes.len().max(1));
    let (split, _) = client(dialect, wire, bytes, usize::from(*size).max(1));
    assert_eq!(whole, split);
    let _ = NextAction::read(dialect, wire, bytes);
    let has = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    // The name may be spelled with escapes, and Bedrock hides it in base64.
    let may_name_it = has(b"expand_context") || has(b"\\u") || dialect == Dialect::BedrockInvoke;
    if is_plain && !may_name_it {
        assert_eq!(whole, bytes);
    }
    assert!(is_plain || may_name_it);
});
