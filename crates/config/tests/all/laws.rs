//! What holds for any text and any settings.

use proptest::prelude::*;
use tokenforge_config::{
    ConfigErrors, ConfigFile, LogLevel, Overrides, SchemaCompression, Settings,
};
use tokenforge_engine::DictionaryMethod;
use tokenforge_engine::Mode;

fn load(text: &str) -> Result<Settings, ConfigErrors> {
    let environment = |name: &str| (name == "A").then(|| "a".to_owned());
    Settings::load(Some(ConfigFile { name: "any", text }), &environment, &Overrides::default())
}

/// Pieces of files, put together at random.
const PIECES: &[&str] = &[
    "pipes:",
    "tool_output:",
    "\n",
    "\n  ",
    "\n    ",
    "mode:",
    " safe",
    " ",
    "min_bytes: 5",
    "${A}",
    "${",
    "${AB:-x}",
    "$${",
    "{",
    "}",
    "[",
    "]",
    ",",
    ": ",
    "- ",
    "&a ",
    "*a",
    "<<: *a",
    "|",
    ">",
    "\"",
    "'",
    "#",
    "keys:",
    "é",
    "\t",
    "1e999",
    "0x1F",
    "~",
    "!!binary ",
    "---",
    "...",
    "?",
    "\0",
    "listen: 127.0.0.1:1",
    "prices: ",
    "providers: ",
];

fn yaml() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..40);
    prop_oneof![pieces.prop_map(|pieces| pieces.concat()), any::<String>()]
}

/// Settings without secrets, which are not written.
fn settings() -> impl Strategy<Value = Settings> {
    let modes = (prop::sample::select(&Mode::ALL[..]), prop::sample::select(DictionaryMethod::ALL));
    let numbers =
        (0..70_000usize, 1..1usize << 40, 1..100_000_000u64, prop::option::of(0.1..=0.9f64));
    let names = prop::collection::vec("[a-zA-Z_:#'\"*&-]{1,12}", 0..4);
    (modes, numbers, names, any::<[bool; 4]>()).prop_map(|(modes, numbers, names, flags)| {
        let mut settings = Settings::default();
        let (min, max, milliseconds, ratio) = numbers;
        (settings.tool_output.mode, settings.tool_output.method) = modes;
        settings.tool_output.min_bytes = min;
        settings.tool_output.max_bytes = min + max;
        settings.tool_output.target_ratio = ratio;
        settings.tool_output.api.timeout = std::time::Duration::from_millis(milliseconds);
        settings.tool_output.enabled = flags[0];
        settings.toon.enabled = flags[1];
        settings.redact_secrets = flags[2];
        if flags[3] {
            settings.schema_compression = SchemaCompression::Minify;
            settings.monitoring.log_level = LogLevel::Trace;
        }
        settings.store.max_bytes = flags[0].then_some(max);
        settings.tool_output.api.model = names.first().cloned();
        settings.tool_output.skip_tools = names;
        settings
    })
}

proptest! {
    #[test]
    fn no_text_makes_it_panic_and_what_is_read_can_be_shown(text in yaml()) {
        match load(&text) {
            Ok(settings) => prop_assert!(!settings.show().is_empty()),
            Err(errors) => prop_assert!(errors.iter().all(|error| !error.problem.is_empty())),
        }
    }

    #[test]
    fn what_is_shown_can_be_read_and_is_the_same(settings in settings()) {
        prop_assert_eq!(load(&settings.show()), Ok(settings));
    }

    #[test]
    fn what_can_be_changed_makes_one_into_the_other(settings in settings()) {
        let mut changed = Settings::default().patched(&settings.changeable_json()).unwrap();
        changed.store.max_bytes = settings.store.max_bytes;
        changed.redact_secrets = settings.redact_secrets;
        changed.tool_output.api = settings.tool_output.api.clone();
        prop_assert_eq!(changed, settings);
    }
}
