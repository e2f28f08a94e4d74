//! What the engine holds while it works on a text is a small multiple of the text, whatever that is made of.
//!
//! One test, since the allocator counts for the whole process.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use peak_alloc::PeakAlloc;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Engine, History, Mode, Output, Settings, Vault};
use tokenforge_samples::HOSTILE_KINDS;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Up to here a text is worked on however dense it is, and so many bytes are enough for that.
const SHORT: (usize, usize) = (256 << 10, 16 << 20);

/// For each byte of a longer text so many are held beside it, and so many for what does not grow with it. With a byte for
/// the body and one for the text without escapes these are the eight of G91.
const LONG: (usize, usize) = (6, 3 << 20);

/// Calls: the name of the tool, and its arguments.
const SHELL: (&str, &str) = ("Bash", "{}");
const TEST_RUN: (&str, &str) = ("Bash", r#"{"command":"cargo test"}"#);
const READ: (&str, &str) = ("Read", r#"{"file_path":"a.txt"}"#);

/// The most bytes held at once while the engine worked on a text.
fn peak(text: &str, (tool, arguments): (&str, &str), mode: Mode) -> usize {
    let settings = Settings { mode, ..Settings::default() };
    let key = ReferenceSecret::from_bytes([7; 32]);
    let engine = Engine::new(&settings).with_vault(Vault::for_reader(&key));
    let output = Output { text, tool, arguments, call: None, is_error: false };
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    drop(engine.compress(&output, &History::default()));
    ALLOCATOR.peak_usage().saturating_sub(before)
}

/// Texts of about so many bytes: every hostile kind, and mixtures of three, chosen by a seed.
fn texts(bytes: usize) -> Vec<(String, String)> {
    let alone = HOSTILE_KINDS.iter().map(|(name, write)| ((*name).to_owned(), write(bytes)));
    let mut state = 2026_usize;
    let mut any = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        HOSTILE_KINDS[(state >> 33) % HOSTILE_KINDS.len()]
    };
    let mixed = (0..24).map(|_| {
        let parts = [any(), any(), any()];
        let text = parts.map(|(_, write)| write(bytes / 3)).join("\n");
        (parts.map(|(name, _)| name).join(", "), text)
    });
    alone.chain(mixed).collect()
}

#[test]
fn g91_a_text_takes_at_most_six_bytes_a_byte_in_the_engine() {
    // Tables are built once, and are not the text's.
    peak(&"a line of a log\n".repeat(1000), SHELL, Mode::Aggressive);
    let mut faults = Vec::new();
    let mut check = |name: &str, text: &str, call: (&str, &str), mode: Mode, most: usize| {
        let peak = peak(text, call, mode);
        if peak > most {
            let ratio = peak as f64 / text.len() as f64;
            faults.push(format!(
                "{name} ({call:?}, {mode}): {ratio:.1} bytes a byte, {} KB",
                peak >> 10
            ));
        }
    };
    for (name, text) in texts(768 << 10) {
        for mode in [Mode::Standard, Mode::Aggressive] {
            check(&name, &text, SHELL, mode, LONG.0 * text.len() + LONG.1);
        }
        for call in [TEST_RUN, READ] {
            check(&name, &text, call, Mode::Standard, LONG.0 * text.len() + LONG.1);
        }
    }
    for (name, text) in texts(SHORT.0 - 2048) {
        check(&name, &text, TEST_RUN, Mode::Standard, SHORT.1);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
