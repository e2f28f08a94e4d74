//! Redaction survives any text, and redacting twice changes nothing.
#![no_main]

use tokenforge_laws::secrets;

libfuzzer_sys::fuzz_target!(|parts: Vec<(u16, &str)>| {
    let pieces = secrets::pieces();
    let text: String = parts.iter().flat_map(|(piece, own)| [&pieces[usize::from(*piece) % pieces.len()], *own]).collect();
    secrets::redaction(&text);
});
