//! Searches for texts that take the engine much memory: the most bytes held at once for each byte of hostile text, and by
//! which stages.
//!
//! `cargo run -p tokenforge-engine --example worst_memory [BYTES [NAME]]`

use peak_alloc::PeakAlloc;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Engine, History, Mode, Output, Settings, Vault, stage_names};
use tokenforge_samples::HOSTILE_KINDS;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Stages that take less than this for each byte of the text are not named.
const MUCH: f64 = 2.5;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let bytes = arguments.next().and_then(|bytes| bytes.parse().ok()).unwrap_or(1 << 20);
    let wanted = arguments.next();
    // Tables are built once, and are not the text's.
    peak(&"a line of a log\n".repeat(1000), "Bash", Mode::Aggressive, None);
    for mode in [Mode::Standard, Mode::Aggressive] {
        let mut found: Vec<(f64, String)> = Vec::new();
        for (name, write) in HOSTILE_KINDS {
            if wanted.as_deref().is_some_and(|wanted| !name.contains(wanted)) {
                continue;
            }
            let text = write(bytes);
            for tool in ["Bash", "Read"] {
                let all = peak(&text, tool, mode, None);
                let mut line = format!("{name} ({tool})");
                if all > MUCH {
                    for stage in stage_names() {
                        let one = peak(&text, tool, mode, Some(stage));
                        if one > MUCH {
                            line += &format!(", {stage} {one:.1}");
                        }
                    }
                }
                found.push((all, line));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        println!("{mode}: bytes for each byte of the text");
        for (ratio, line) in found {
            println!("{ratio:7.1}  {line}");
        }
    }
}

/// The most bytes held at once for each byte of the text, with this stage alone if one is named.
fn peak(text: &str, tool: &str, mode: Mode, only: Option<&str>) -> f64 {
    let skipped = stage_names().filter(|stage| only.is_some_and(|only| only != *stage));
    let skip_stages = skipped.map(str::to_owned).collect();
    let settings = Settings { mode, skip_stages, ..Settings::default() };
    let key = ReferenceSecret::from_bytes([7; 32]);
    let engine = Engine::new(&settings).with_vault(Vault::for_reader(&key));
    let output = Output { text, tool, arguments: "{}", call: None, is_error: false };
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    drop(engine.compress(&output, &History::default()));
    ALLOCATOR.peak_usage().saturating_sub(before) as f64 / text.len() as f64
}
