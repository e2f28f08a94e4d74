//! Searches for algorithmic-complexity attacks on the engine: CPU time per byte over kinds of hostile text, and how it
//! grows with the size of the text.
//!
//! `cargo run -p tokenforge-engine --example worst_inputs [BYTES [NAME]]`. A growth of 1 is linear; what is well above it
//! is worth a look.

use std::hint::black_box;
use std::time::Instant;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Engine, History, Mode, Output, Settings, Vault, VaultAccess};
use tokenforge_samples::HOSTILE_KINDS;

/// The larger text has so many times the bytes of the smaller.
const TIMES: usize = 4;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let bytes = arguments.next().and_then(|bytes| bytes.parse().ok()).unwrap_or(1 << 18);
    let wanted = arguments.next();
    for mode in [Mode::Standard, Mode::Aggressive] {
        let mut found: Vec<(f64, f64, &str, &str)> = Vec::new();
        for (name, write) in HOSTILE_KINDS {
            if wanted.as_deref().is_some_and(|wanted| !name.contains(wanted)) {
                continue;
            }
            for tool in ["Bash", "Read", "mcp__any__tool"] {
                let [small, large] = [bytes, TIMES * bytes].map(|bytes| {
                    let text = write(bytes);
                    seconds(&text, tool, mode) / text.len() as f64
                });
                let growth = (large / small).ln() / (TIMES as f64).ln() + 1.0;
                found.push((large * 1e9, growth, name, tool));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        println!("{mode}: nanoseconds a byte, growth");
        for (nanoseconds, growth, name, tool) in found {
            println!("{nanoseconds:9.1} {growth:5.2}  {name} ({tool})");
        }
    }
}

/// The best of two times.
fn seconds(text: &str, tool: &str, mode: Mode) -> f64 {
    let settings = Settings { mode, ..Settings::default() };
    let key = ReferenceSecret::from_bytes([7; 32]);
    let engine =
        Engine::new(&settings).with_vault(Vault { key: &key, access: VaultAccess::Reader });
    let output = Output { text, tool, arguments: "{}", call: None, is_error: false };
    let time = || {
        let start = Instant::now();
        black_box(engine.compress(&output, &History::default()));
        start.elapsed().as_secs_f64()
    };
    time().min(time())
}
