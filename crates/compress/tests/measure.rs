//! What the lossless text stages save on a folder of recorded outputs. Measures, asserts only that nothing is lost.
//!
//! `CORPUS=dir cargo test -p tokenforge-compress --release --test measure -- --ignored --nocapture`, where `dir` has
//! `outputs/KIND/SOURCE.jsonl`, a JSON object with the text under `content` on every line. `KINDS` narrows the kinds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokenforge_compress::{columns, fold, numbers, paths};
use tokenforge_tokens::Counter;

type Encode = fn(&str) -> Option<String>;

const STAGES: &[(&str, Encode, Encode)] = &[
    ("numbers", numbers::encode, numbers::decode),
    ("paths", paths::encode, paths::decode),
    ("columns", columns::encode, columns::decode),
    ("fold", fold::encode, fold::decode),
];

#[derive(Default)]
struct Row {
    before: usize,
    after: usize,
    saved: BTreeMap<&'static str, usize>,
}

#[test]
#[ignore = "needs CORPUS, a folder of recorded outputs"]
fn what_the_stages_save() {
    let Some(corpus) = std::env::var_os("CORPUS").map(PathBuf::from) else { return };
    let kinds = std::env::var("KINDS").unwrap_or_default();
    let (mut encoding, mut counting) = (Duration::ZERO, Duration::ZERO);
    let counter = Counter::default();
    counter.warm();
    for kind in entries(&corpus.join("outputs")) {
        let name = kind.file_name().unwrap().to_string_lossy().into_owned();
        if !kinds.is_empty() && !kinds.split(',').any(|kind| kind == name) {
            continue;
        }
        let mut whole = Row::default();
        for source in entries(&kind) {
            let mut row = Row::default();
            for text in texts(&source) {
                let clock = Instant::now();
                let before = counter.count(&text);
                counting += clock.elapsed();
                let mut best = (before, text);
                for &(stage, encode, decode) in STAGES {
                    let clock = Instant::now();
                    let encoded = encode(&best.1);
                    encoding += clock.elapsed();
                    let Some(encoded) = encoded else { continue };
                    assert_eq!(decode(&encoded).as_deref(), Some(&*best.1), "{stage} {source:?}");
                    let tokens = counter.count(&encoded);
                    if tokens < best.0 && encoded.len() <= best.1.len() {
                        *row.saved.entry(stage).or_default() += best.0 - tokens;
                        best = (tokens, encoded);
                    }
                }
                row.before += before;
                row.after += best.0;
            }
            print(&format!("{name}/{}", source.file_stem().unwrap().to_string_lossy()), &row);
            whole.before += row.before;
            whole.after += row.after;
            for (stage, saved) in row.saved {
                *whole.saved.entry(stage).or_default() += saved;
            }
        }
        print(&name, &whole);
    }
    println!("encoding {encoding:?}, counting {counting:?}");
}

fn print(name: &str, row: &Row) {
    let saved = 100.0 - 100.0 * row.after as f64 / row.before.max(1) as f64;
    println!("{name:46} {:8} {:8} {saved:5.1} %  {:?}", row.before, row.after, row.saved);
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn texts(source: &Path) -> Vec<String> {
    let content = |line: &str| {
        let output: serde_json::Value = serde_json::from_str(line).unwrap();
        output["content"].as_str().unwrap_or_default().to_owned()
    };
    std::fs::read_to_string(source).unwrap().lines().map(content).collect()
}
