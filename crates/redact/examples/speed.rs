//! How fast clean text is scanned, beside counting its tokens, in turns on the same texts.
//!
//! ```text
//! cargo run --release -p tokenforge-redact --example speed -- FOLDER...
//! ```
//!
//! Each folder holds `.jsonl` files whose lines have a field `content`; texts with findings are left out. Without a
//! folder, texts made to be slow are scanned.

use std::time::{Duration, Instant};

use tokenforge_redact::Scanner;
use tokenforge_tokens::{Counter, Vocabulary};

const TURNS: usize = 7;

fn main() {
    let begin = Instant::now();
    let rules = Scanner::builtin().rules().count();
    println!("{rules} rules, read in {:.2?}", begin.elapsed());
    let counter = Counter::Exact(Vocabulary::O200k);
    counter.warm();
    for folder in std::env::args().skip(1) {
        compare(&folder, &clean_texts(&folder), counter);
    }
    if std::env::args().len() == 1 {
        scan_slow_texts();
    }
}

/// Texts that would take long if any of the checks were not bounded.
fn scan_slow_texts() {
    for piece in [
        "ghp_ghp_ghp_",
        "password=password=",
        "token='token='",
        "key:",
        "key=\"a",
        "AKIA.",
        "eyJhbGciOiJIUzI1NiJ9.",
        "eyJ",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----MIIEowIBAAKCAQEA1\n",
        "://a:",
        "://a:b@",
        "a",
        "-",
        "\n",
        "sig=aaaaaaaaaaaaaaaa/",
        "hooks.slack.com/services/T02AB3CD4EF/",
        "sl.aaaaaaaaaaaaaaaa.",
        "é",
        "Key-File-",
        "SG.aaaaaaaaaaaaaaaaaaaaaa.",
        "xoxb-1234567890123456%",
        "secret: 'aaaa1bbb2ccc3ddd4",
        "PuTTY-User-Key-File-2: Private-Lines:",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        let time = fastest(|| Scanner::builtin().find(&text).len());
        println!("1 MB of {piece:?}: {:.1} ms", time.as_secs_f64() * 1e3);
    }
}

fn compare(folder: &str, texts: &[String], counter: Counter) {
    let bytes = texts.iter().map(String::len).sum::<usize>() as f64;
    let scanner = Scanner::builtin();
    let (mut scan, mut count) = (Duration::MAX, Duration::MAX);
    for _ in 0..TURNS {
        scan = scan.min(time(|| texts.iter().map(|text| scanner.find(text).len()).sum()));
        count = count.min(time(|| texts.iter().map(|text| counter.count(text)).sum()));
    }
    let speed = |time: Duration| bytes / time.as_secs_f64() / 1e6;
    println!(
        "{folder}: {} texts, {:.1} MB: scan {:.0} MB/s, count {:.0} MB/s, ratio {:.1}",
        texts.len(),
        bytes / 1e6,
        speed(scan),
        speed(count),
        speed(scan) / speed(count)
    );
}

fn clean_texts(folder: &str) -> Vec<String> {
    let mut texts = vec![];
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        for line in std::fs::read_to_string(entry.path()).unwrap_or_default().lines() {
            let record: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
            texts.extend(record["content"].as_str().map(str::to_owned));
        }
    }
    texts.retain(|text| Scanner::builtin().find(text).is_empty());
    texts
}

fn fastest(mut work: impl FnMut() -> usize) -> Duration {
    (0..3).map(|_| time(&mut work)).min().unwrap_or_default()
}

fn time(work: impl FnOnce() -> usize) -> Duration {
    let begin = Instant::now();
    std::hint::black_box(work());
    begin.elapsed()
}
