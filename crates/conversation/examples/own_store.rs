//! Originals in a store of one's own, of two functions: `cargo run -p tokenforge-conversation --example own_store`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokenforge_conversation::{CallbackStore, EmbedError, EmbeddedCompressor, OutputCall};

fn main() -> Result<(), EmbedError> {
    let entries: Arc<Mutex<HashMap<String, Vec<u8>>>> = Arc::default();
    let other = entries.clone();
    let store = CallbackStore::new(
        move |name| Ok(entries.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()),
        move |name, bytes| {
            let mut entries = other.lock().unwrap_or_else(PoisonError::into_inner);
            println!("kept: {name}, {} bytes", bytes.len());
            entries.insert(name.to_owned(), bytes.to_vec());
            Ok(())
        },
    );
    let compressor = EmbeddedCompressor::with_store("", Arc::new(store))?;
    let text: String = (1..=60).map(|n| format!("test api::case_{n:02} ... ok\n")).collect();
    let arguments = r#"{"command": "cargo test"}"#;
    let call = OutputCall { tool: "Bash", arguments, ..OutputCall::default() };
    let made = compressor.compress_output(&text, &call)?;
    println!("{}", made.text);
    Ok(())
}
