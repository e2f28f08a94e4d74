//! The engine's laws, on whatever the fuzzer makes up as a tool's output.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tokenforge_engine::{Mode, Output};

const MODES: [Mode; 4] = [Mode::Safe, Mode::Lossless, Mode::Standard, Mode::Aggressive];
const COMMANDS: [&str; 6] =
    ["{}", r#"{"command":"cargo test"}"#, r#"{"command":"git status"}"#, r#"{"command":"ls -la"}"#, r#"{"command":"pytest"}"#, "x"];

fuzz_target!(|input: (u8, String)| {
    let (choice, text) = input;
    let mode = MODES[usize::from(choice) % MODES.len()];
    let arguments = COMMANDS[usize::from(choice) / MODES.len() % COMMANDS.len()];
    let output = Output { text: &text, tool: "Bash", arguments, call: None, is_error: choice > 200 };
    tokenforge_laws::engine::all(&output, mode);
});
