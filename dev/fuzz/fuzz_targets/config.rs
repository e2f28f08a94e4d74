//! Any file is refused with a message, or read into settings that can be shown and read again.
#![no_main]

use tokenforge_config::{ConfigFile, Overrides, Settings};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let read = |text: &str| {
        let environment = |name: &str| (name == "A").then(|| "a".to_owned());
        Settings::load(Some(ConfigFile { name: "fuzz", text }), &environment, &Overrides::default())
    };
    match read(text) {
        Err(errors) => assert!(errors.iter().all(|error| !error.problem.is_empty())),
        Ok(settings) => {
            let shown = settings.show();
            // Secrets are masked, and a mask is no secret.
            if !shown.contains("***") && !shown.contains("${") {
                assert_eq!(read(&shown).as_ref(), Ok(&settings));
            }
            assert_eq!(settings.patched(&settings.changeable_json()).as_ref(), Ok(&settings));
        }
    }
});
