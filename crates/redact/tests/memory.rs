//! How much memory the rules take. Alone in its file, since every other test would be counted too.

use peak_alloc::PeakAlloc;
use tokenforge_redact::Scanner;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[test]
fn clean_text_compiles_no_pattern_and_all_patterns_stay_below_20_mb() {
    let before = MEMORY.current_usage();
    Scanner::builtin();
    let read = MEMORY.current_usage();
    assert!(
        Scanner::builtin()
            .redact(&"fn password(token: &Token) -> Secret { key.next() }\n".repeat(1000))
            .is_none()
    );
    assert_eq!(MEMORY.current_usage(), read);

    let file: toml::Table = toml::from_str(include_str!("../src/secrets/rules.toml")).unwrap();
    let texts: Vec<String> = file
        .values()
        .flat_map(|rules| rules.as_array().unwrap())
        .flat_map(|rule| rule["yes"].as_array().unwrap())
        .map(|text| text.as_str().unwrap().replace(['·', '«', '»'], ""))
        .collect();
    let parsed = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let found: usize = texts.iter().map(|text| Scanner::builtin().find(text).len()).sum();
    assert_eq!(found, texts.len());

    let kilobytes = |bytes: usize| bytes / 1000;
    println!(
        "rules {} KB, patterns {} KB, at most {} KB",
        kilobytes(read - before),
        kilobytes(MEMORY.current_usage() - parsed),
        kilobytes(MEMORY.peak_usage() - parsed),
    );
    assert!(MEMORY.peak_usage() - parsed + read - before < 20_000_000);
}
