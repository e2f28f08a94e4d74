//! One tool output made smaller, and had back: `cargo run -p tokenforge-conversation --example one_output`.

use tokenforge_conversation::{EmbedError, EmbeddedCompressor, OutputCall};

fn main() -> Result<(), EmbedError> {
    let compressor = EmbeddedCompressor::open("", "memory:")?;
    let text: String = (1..=60).map(|n| format!("test api::case_{n:02} ... ok\n")).collect();
    let arguments = r#"{"command": "cargo test"}"#;
    let call = OutputCall { tool: "Bash", arguments, ..OutputCall::default() };
    let made = compressor.compress_output(&text, &call)?;
    println!("{} tokens became {}:\n{}", made.tokens_before, made.tokens_after, made.text);
    if let Some(reference) = &made.reference {
        assert_eq!(compressor.expand(reference, None, None, None)?, text);
        println!("one line of it: {}", compressor.expand(reference, Some("7"), None, None)?);
    }
    Ok(())
}
