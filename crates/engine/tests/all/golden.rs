//! Golden bytes: what every mode makes of every recorded output, pinned.
//!
//! A change of what is forwarded costs every user a cold prompt cache once. So it is a diff in review, and a line in the
//! changelog. `INSTA_UPDATE=always cargo test -p tokenforge-engine golden` writes the new texts.

use std::fmt::Write;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Engine, History, Mode, Output, Settings, Vault};
use tokenforge_samples::recorded;

/// An output in every mode. Modes that make the same text of it stand together.
fn pinned_text(output: &Output<'_>) -> String {
    let key = ReferenceSecret::from_bytes([7; 32]);
    let mut made: Vec<(String, Option<String>)> = Vec::new();
    for mode in Mode::ALL {
        let settings = Settings { mode, ..Settings::default() };
        let engine = if mode.leaves_out() {
            Engine::new(&settings).with_vault(Vault::for_reader(&key))
        } else {
            Engine::new(&settings)
        };
        let text = engine.compress(output, &History::default()).replacement;
        match made.iter_mut().find(|(_, other)| *other == text) {
            Some((modes, _)) => *modes += &format!(", {mode}"),
            None => made.push((mode.to_string(), text)),
        }
    }
    let mut pinned = String::new();
    for (modes, text) in made {
        // Line ends of other systems would be lost in a file of text.
        let text = text.map_or_else(|| "(as it came)\n".to_owned(), |text| text.replace('\r', "␍"));
        let _ = writeln!(pinned, "##### {modes}\n{text}");
    }
    pinned
}

#[test]
fn l5_every_recorded_output_becomes_the_pinned_bytes_in_every_mode() {
    insta::with_settings!({
        snapshot_path => "../golden",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        for recorded in recorded() {
            let (text, tool) = (recorded.text.as_str(), recorded.tool.as_str());
            let arguments = recorded.arguments.as_str();
            let output = Output { text, tool, arguments, call: None, is_error: false };
            insta::assert_snapshot!(recorded.name.trim_end_matches(".txt"), pinned_text(&output));
        }
    });
}
