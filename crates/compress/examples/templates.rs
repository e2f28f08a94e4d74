//! Tokens before and after, by kind and source, and the time against a plain count:
//! `cargo run --release -p tokenforge-compress --example templates -- CORPUS/outputs [KIND ...]`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokenforge_compress::templates;
use tokenforge_tokens::Counter;

#[derive(Default)]
struct Sum {
    outputs: usize,
    changed: usize,
    before: usize,
    after: usize,
    encode: Duration,
    count: Duration,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().expect("the folder of a corpus");
    let kinds: Vec<String> = arguments.collect();
    let counter = Counter::default();
    counter.warm();
    let mut sums: BTreeMap<(String, String), Sum> = BTreeMap::new();
    for kind in std::fs::read_dir(&root).expect("a folder").flatten() {
        let name = kind.file_name().to_string_lossy().into_owned();
        if !kinds.is_empty() && !kinds.contains(&name) {
            continue;
        }
        for file in std::fs::read_dir(kind.path()).expect("a folder").flatten() {
            let source = file.file_name().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(file.path()).expect("a text");
            for line in text.lines() {
                let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
                let content = record["content"].as_str().unwrap_or_default();
                let sum = sums.entry((name.clone(), source.clone())).or_default();
                measure(content, counter, sum);
            }
        }
    }
    let mut all: BTreeMap<String, Sum> = BTreeMap::new();
    for ((kind, source), sum) in sums {
        print(&format!("{kind} {source}"), &sum);
        for name in [kind, "all".to_owned()] {
            let total = all.entry(name).or_default();
            total.outputs += sum.outputs;
            total.changed += sum.changed;
            total.before += sum.before;
            total.after += sum.after;
            total.encode += sum.encode;
            total.count += sum.count;
        }
    }
    for (name, sum) in all {
        print(&name, &sum);
    }
}

fn measure(text: &str, counter: Counter, sum: &mut Sum) {
    let (before, count) = fastest(|| counter.count(text));
    let (encoded, encode) = fastest(|| templates::encode(text));
    sum.count += count;
    sum.encode += encode;
    let mut after = before;
    if let Some(encoded) = encoded {
        assert_eq!(templates::decode(&encoded).as_deref(), Some(text));
        let tokens = counter.count(&encoded);
        if tokens < before && encoded.len() <= text.len() {
            after = tokens;
            sum.changed += 1;
        }
    }
    sum.outputs += 1;
    sum.before += before;
    sum.after += after;
}

/// The result, and the shortest time of several runs: other programs share the machine.
fn fastest<T>(run: impl Fn() -> T) -> (T, Duration) {
    let timed = || {
        let start = Instant::now();
        let result = run();
        (result, start.elapsed())
    };
    let first = timed();
    (0..RUNS).map(|_| timed()).fold(first, |best, next| if next.1 < best.1 { next } else { best })
}

const RUNS: usize = 6;

fn print(name: &str, sum: &Sum) {
    println!(
        "{name:<50} {:>5} outputs {:>5} changed {:>8} -> {:>8} {:>6.1} % time {:.2} counts",
        sum.outputs,
        sum.changed,
        sum.before,
        sum.after,
        100.0 * (sum.before as f64 - sum.after as f64) / sum.before.max(1) as f64,
        sum.encode.as_secs_f64() / sum.count.as_secs_f64(),
    );
}
