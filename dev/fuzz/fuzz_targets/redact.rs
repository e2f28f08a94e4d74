//! Any body is refused, or redacted into JSON in which nothing is found again; a planted secret never stays.
#![no_main]

use tokenforge_json::Node;
use tokenforge_redact::{BodyShape, redact_body};

const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // Where the input has this word, the secret is put; within a longer word it would be none.
    let planted = String::from_utf8_lossy(bytes).replace("TOKEN", &format!(" {TOKEN} "));
    let tool = BodyShape::ToolAnswer { structured: true };
    for body in [bytes, planted.as_bytes()] {
        for shape in [BodyShape::Unknown, BodyShape::ModelRequest, tool] {
            let Ok(Some(redacted)) = redact_body(body, shape, &[]) else { continue };
            let text = str::from_utf8(&redacted).expect("text stays text");
            assert!(Node::read(text).is_ok(), "JSON stays JSON");
            assert_eq!(redact_body(&redacted, shape, &[]), Ok(None), "once is enough");
        }
    }
    if let Ok(redacted) = redact_body(planted.as_bytes(), BodyShape::Unknown, &[]) {
        let sent = redacted.unwrap_or_else(|| planted.clone().into_bytes());
        let sent: serde_json::Value = serde_json::from_slice(&sent).expect("JSON stays JSON");
        assert!(!has_token(&sent.to_string()), "{sent}");
    }
});

/// Whether the token stands here as a word of its own: the scanner takes no part of a longer word for a secret, and
/// mutation glues letters to the tokens that the saved inputs have in other spellings.
fn has_token(text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(TOKEN).any(|(at, _)| {
        !text[..at].ends_with(is_word) && !text[at + TOKEN.len()..].starts_with(is_word)
    })
}
