//! Headers of diffs: one line for each file where a command printed a diff, and every byte where it is a file.

use proptest::prelude::*;
use serde_json::json;
use tokenforge_engine::internals::diff_headers::{decode, encode};
use tokenforge_engine::{
    CompressedOutput, Engine, History, Mode, ModelClass, Output, Settings, restore,
};

fn diff() -> String {
    let file = |n: usize| {
        format!(
            "diff --git a/src/part{n}.rs b/src/part{n}.rs\nindex 5032992{n}..4b88a75{n} 100644\n\
             --- a/src/part{n}.rs\n+++ b/src/part{n}.rs\n@@ -1,3 +1,3 @@ fn main()\n one  \n-two {n}\n+three {n}\n"
        )
    };
    (0..8).map(file).collect()
}

fn compress(command: &str, settings: &Settings) -> CompressedOutput {
    let text = diff();
    let arguments = json!({ "command": command }).to_string();
    let output = Output::new("Bash", &text).with_arguments(&arguments);
    Engine::new(settings).compress(&output, &History::default())
}

#[test]
fn l3_d9_headers_of_a_diff_come_back_and_hunks_stay() {
    let settings = Settings { mode: Mode::Lossless, ..Settings::default() };
    let compressed = compress("git diff HEAD~3", &settings);
    let text = compressed.text("");
    assert!(
        text.starts_with("[Forge diff: ")
            && text.contains("\nfile src/part7.rs 50329927..4b88a757\n"),
        "{text}"
    );
    let hunks = |text: &str| {
        text.split("@@ -1")
            .skip(1)
            .map(|hunk| hunk.lines().take(4).collect::<String>())
            .collect::<Vec<_>>()
    };
    assert_eq!(hunks(text), hunks(&diff()));
    assert_eq!(restore(text).as_deref(), Ok(&*diff()));
}

#[test]
fn d6_a_patch_that_is_a_file_stays_and_small_models_get_every_header() {
    assert_eq!(compress("cat fix.patch", &Settings::default()).replacement, None);
    let small = Settings { model_class: ModelClass::Small, ..Settings::default() };
    assert_eq!(compress("git diff", &small).replacement, None);
}

/// Lines of diffs, whole headers, and what only looks like either.
fn diffs() -> impl Strategy<Value = String> {
    let header = |path: &str, other: &str, mode: &str| {
        format!(
            "diff --git a/{path} b/{other}\nindex 50329928..4b88a75b {mode}\n--- a/{path}\n+++ b/{other}\n"
        )
    };
    let pieces = prop_oneof![
        6 => "[a-z é/]{1,12}".prop_map(move |path| header(&path, &path, "100644")),
        1 => Just(header("a.rs", "b.rs", "100644")),
        1 => Just(header("a.rs", "a.rs", "100755")),
        2 => Just("file a.rs 50329928..4b88a75b\n".to_owned()),
        2 => "[ +@-][a-z ]{0,9}\r?\n",
        1 => "(diff --git a/x b/x|index 1234..5678 100644|--- a/x|\\+\\+\\+ b/x|file x|\\[Forge x\\])\n?",
    ];
    prop::collection::vec(pieces, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn l3_l6_headers_of_random_diffs_come_back(text in diffs()) {
        let _ = decode(&text);
        if let Some(encoded) = encode(&text) {
            prop_assert_eq!(decode(&encoded), Some(text.clone()));
            prop_assert_eq!(encode(&encoded), None);
        }
    }
}
