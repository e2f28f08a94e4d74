//! Outputs of tools, long enough to be shortened.

use serde_json::{Value, json};
use std::fmt::Write;

/// The call whose output is [`test_run`].
pub(crate) const COMMAND: &str = "cargo test";

/// The arguments of that call.
pub(crate) fn arguments() -> Value {
    json!({ "command": COMMAND })
}

/// A run of many tests that all passed: the engine leaves most of it out, with a reference.
pub(crate) fn test_run() -> String {
    test_run_of("cart")
}

/// The same, of another crate.
pub(crate) fn test_run_of(name: &str) -> String {
    let mut text = format!(
        "   Compiling {name} v0.1.0 (/src/{name})\n    Finished `test` profile [unoptimized + debuginfo] target(s) in 1.52s\n     \
         Running unittests src/lib.rs (target/debug/deps/{name}-0f3c5d1a2b4e6f78)\n\nrunning 200 tests\n"
    );
    for number in 0..200 {
        let _ = writeln!(text, "test {name}::tests::case_{number}_of_many ... ok");
    }
    text.push_str(
        "\ntest result: ok. 200 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.04s\n",
    );
    text
}

/// A list of rows, pretty-printed: the engine writes it in another form, and nothing is lost.
pub(crate) fn rows() -> String {
    let row = |number: usize| {
        let name = if number == 59 { "the last one".to_owned() } else { format!("row {number}") };
        json!({ "id": number, "name": name, "ok": number.is_multiple_of(2) })
    };
    serde_json::to_string_pretty(&(0..60).map(row).collect::<Vec<_>>()).unwrap()
}

/// A text as it stands in JSON, without its quotes.
pub(crate) fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Words of five letters that no stage has anything to say to, so many bytes of them.
pub(crate) fn plain_words(bytes: usize) -> String {
    let mut text = String::new();
    for number in 0..bytes / 6 + 1 {
        let letter = |shift: u32| char::from(b'a' + ((number as u32 * 7 + 3) >> shift) as u8 % 26);
        text.extend([letter(0), letter(2), letter(3), letter(5), letter(1), ' ']);
    }
    text.truncate(bytes - 1);
    text.push('x');
    text
}
