//! What the lossless text stages save on a folder of recorded outputs. Measures, asserts only that nothing is lost.
//!
//! `CORPUS=dir cargo test -p tokenforge-compress --release --test measure -- --ignored --nocapture`, where `dir` has
//! `outputs/KIND/SOURCE.jsonl`, a JSON object with the text under `content` on every line. `KINDS` narrows the kinds.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokenforge_compress::{columns, fold, numbers, paths};
use tokenforge_tokens::Counter;

type Stage = (&'static str, fn(&str) -> Option<String>, fn(&str) -> Option<String>);

/// Of stages that stand side by side the better is used.
const STAGES: &[&[Stage]] = &[
    &[("numbers", numbers::encode, numbers::decode)],
    &[("paths", paths::encode, paths::decode), ("columns", columns::encode, columns::decode)],
    &[("fold", fold::encode, fold::decode)],
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
    let mut times = Times::default();
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
                let before = times.of("count", text.len(), || counter.count(&text));
                let mut best = (before, text);
                for alternatives in STAGES {
                    let encoded = alternatives.iter().filter_map(|&(stage, encode, decode)| {
                        let encoded = times.of(stage, best.1.len(), || encode(&best.1))?;
                        let decoded = times.of("decode", encoded.len(), || decode(&encoded));
                        assert_eq!(decoded.as_deref(), Some(&*best.1), "{stage} {source:?}");
                        Some((counter.count(&encoded), encoded, stage))
                    });
                    let Some((tokens, encoded, stage)) = encoded.min() else { continue };
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
    for (what, (bytes, time)) in times.0 {
        println!("{what:8} {:6.0} MB/s", bytes as f64 / time.as_secs_f64() / 1e6);
    }
}

/// Bytes and time by what was done.
#[derive(Default)]
struct Times(BTreeMap<&'static str, (usize, Duration)>);

impl Times {
    fn of<T>(&mut self, what: &'static str, bytes: usize, work: impl FnOnce() -> T) -> T {
        let clock = Instant::now();
        let done = work();
        let sum = self.0.entry(what).or_default();
        *sum = (sum.0 + bytes, sum.1 + clock.elapsed());
        done
    }
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
