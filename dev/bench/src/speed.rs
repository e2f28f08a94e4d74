//! Speed: every codec on the same four documents, in turns.

use crate::report;
use serde_json::Value;
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};
use tokenforge_formats::stc::{self, Spelling};
use tokenforge_formats::stc2::{self, Level};
use tokenforge_formats::{Form, Json, MAX_OUTPUT, cheapest, toon};
use tokenforge_samples::typical;
use tokenforge_tokens::Counter;

const DOCUMENT_BYTES: usize = 1 << 20;
const ROUNDS: usize = 40;

/// A thing to time, and its best time so far.
struct Contender<'a> {
    name: &'static str,
    run: Box<dyn FnMut() + 'a>,
    best: Duration,
}

impl<'a> Contender<'a> {
    fn new<R>(name: &'static str, mut run: impl FnMut() -> R + 'a) -> Self {
        let run = Box::new(move || drop(black_box(run())));
        Self { name, run, best: Duration::MAX }
    }
}

/// The table of megabytes of minified JSON per second, and the ratios that were promised.
pub(crate) fn measure() -> String {
    Counter::default().warm();
    let documents = typical::all(DOCUMENT_BYTES);
    let measured: Vec<Vec<(&str, Duration)>> =
        documents.iter().map(|(name, text)| measure_document(name, text)).collect();
    let mut out = format!(
        "Processor: {}. MB/s of minified JSON, best of {ROUNDS} rounds in turns, one core.\n\n| |",
        report::processor()
    );
    for (name, _) in &documents {
        let _ = write!(out, " {name} |");
    }
    out.push_str("\n|---|---|---|---|---|\n");
    for (index, (name, _)) in measured[0].iter().enumerate() {
        let _ = write!(out, "| {name} |");
        for (document, (_, text)) in measured.iter().zip(&documents) {
            let rate = text.len() as f64 / 1e6 / document[index].1.as_secs_f64();
            let _ = write!(out, " {rate:.0} |");
        }
        out.push('\n');
    }
    out.push_str("\n| ratio | promised |");
    for (name, _) in &documents {
        let _ = write!(out, " {name} |");
    }
    out.push_str("\n|---|---|---|---|---|---|\n");
    for (label, promise, ours, theirs) in RATIOS {
        let _ = write!(out, "| {label} | {promise} |");
        for document in &measured {
            let time = |name: &str| {
                let found = document.iter().find(|(other, _)| *other == name);
                found.map_or(f64::NAN, |(_, time)| time.as_secs_f64())
            };
            let _ = write!(out, " {:.2} |", time(theirs) / time(ours));
        }
        out.push('\n');
    }
    out
}

/// Label, promise, and the two whose times are divided: how many times as fast the first is.
const RATIOS: [(&str, &str, &str, &str); 12] = [
    ("TOON encode / toon-format", "≥ 20", TOON_ENCODE, "toon-format encode"),
    ("TOON encode / etoon", "≥ 1.5", TOON_ENCODE, "etoon encode"),
    ("TOON decode / toon-format", "≥ 10", TOON_DECODE, "toon-format decode"),
    ("STC adr encode / TOON encode", "≥ 1", "STC adr encode", TOON_ENCODE),
    ("STC dense encode / TOON encode", "≥ 0.5", "STC dense encode", TOON_ENCODE),
    ("STC adr decode / TOON decode", "≥ 1", "STC adr decode", TOON_DECODE),
    ("STC dense decode / TOON decode", "≥ 1", "STC dense decode", TOON_DECODE),
    (
        "STC 2 level 1 decode / STC dense decode",
        "≥ 0.5",
        "STC 2 level 1 decode",
        "STC dense decode",
    ),
    (
        "STC 2 level 2 decode / STC dense decode",
        "≥ 0.5",
        "STC 2 level 2 decode",
        "STC dense decode",
    ),
    (
        "STC 2 level 3 decode / STC dense decode",
        "≥ 0.5",
        "STC 2 level 3 decode",
        "STC dense decode",
    ),
    (
        "STC 2, all levels weighed, in plain o200k counts",
        "≤ 6",
        "o200k count",
        "STC 2, all weighed",
    ),
    ("auto, in plain o200k counts", "≤ 6", "o200k count", "auto over all forms"),
];

const TOON_ENCODE: &str = "**TOON encode**";
const TOON_DECODE: &str = "**TOON decode**";

fn measure_document(name: &str, text: &str) -> Vec<(&'static str, Duration)> {
    let parse = || Json::parse(text).expect("samples are JSON");
    let json = parse();
    let options = toon::EncodeOptions::default();
    let toon_text = toon::encode(&json, &options).expect("samples have no duplicate keys");
    let adr = stc::encode(&json, Spelling::Adr);
    let dense = stc::encode(&json, Spelling::Dense);
    let texts = Level::ALL.map(|level| stc2::encode(&json, level));
    let counter = Counter::default();
    let value = || serde_json::from_str::<Value>(text).expect("samples are JSON");
    let mut copy = String::with_capacity(text.len());

    let mut contenders = vec![
        Contender::new(TOON_ENCODE, || toon::encode(&parse(), &options)),
        Contender::new("etoon encode", || _etoon::toon::encode(text.as_bytes())),
        Contender::new("toon-format encode", || toon_format::encode_default(&value())),
        Contender::new("STC adr encode", || stc::encode(&parse(), Spelling::Adr)),
        Contender::new("STC dense encode", || stc::encode(&parse(), Spelling::Dense)),
        Contender::new(TOON_DECODE, || toon::decode(&toon_text, &Default::default())),
        Contender::new("toon-format decode", || {
            let value: Result<Value, _> = toon_format::decode_default(&toon_text);
            value.map(|value| value.to_string())
        }),
        Contender::new("STC adr decode", || stc::decode(&adr, MAX_OUTPUT)),
        Contender::new("STC dense decode", || stc::decode(&dense, MAX_OUTPUT)),
        Contender::new("STC 2 level 1 encode", || stc2::encode(&parse(), Level::Dense).len()),
        Contender::new("STC 2 level 2 encode", || stc2::encode(&parse(), Level::Nested).len()),
        Contender::new("STC 2 level 3 encode", || stc2::encode(&parse(), Level::Shared).len()),
        Contender::new("STC 2 level 1 decode", || stc2::decode(&texts[0], MAX_OUTPUT)),
        Contender::new("STC 2 level 2 decode", || stc2::decode(&texts[1], MAX_OUTPUT)),
        Contender::new("STC 2 level 3 decode", || stc2::decode(&texts[2], MAX_OUTPUT)),
        Contender::new("STC 2, all weighed", || {
            stc2::lightest(&parse(), &Level::ALL, counter).tokens
        }),
        Contender::new("o200k count", || counter.count(text)),
        Contender::new("auto over all forms", || cheapest(&parse(), Form::ALL, counter).tokens),
        Contender::new("our tape", || Json::parse(text)),
        Contender::new("limit: sonic-rs parse", || sonic_rs::from_str::<sonic_rs::Value>(text)),
        Contender::new("limit: memcpy", || {
            copy.clear();
            copy.push_str(black_box(text));
        }),
    ];
    for round in 0..ROUNDS {
        eprint!("\r{name}: round {} of {ROUNDS} ", round + 1);
        for contender in &mut contenders {
            let start = Instant::now();
            (contender.run)();
            contender.best = contender.best.min(start.elapsed());
        }
    }
    eprintln!();
    contenders.iter().map(|contender| (contender.name, contender.best)).collect()
}
