//! Measures the cosmetic modules on a folder of recorded outputs: `KIND/*.jsonl`, each line with a `content`.
//!
//! `TOKENFORGE_CORPUS=DIR cargo test --release -p tokenforge-compress --test corpus -- --ignored --nocapture`

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokenforge_compress::{binary, padding, progress, terminal, whitespace};
use tokenforge_tokens::Counter;

type Stage = (&'static str, fn(&str) -> Option<String>);

const STAGES: [Stage; 6] = [
    ("progress", progress::settle),
    ("terminal", terminal::strip),
    ("binary", binary::suppress),
    ("base64", binary::suppress_base64),
    ("padding", padding::squeeze),
    ("whitespace", whitespace::trim_line_ends),
];

struct Output {
    kind: String,
    id: String,
    content: String,
}

#[derive(Default)]
struct Figures {
    outputs: usize,
    changed: usize,
    before: usize,
    after: usize,
}

#[test]
#[ignore = "needs a corpus"]
fn measure() -> Result<(), Box<dyn std::error::Error>> {
    let Ok(folder) = std::env::var("TOKENFORGE_CORPUS") else { return Ok(()) };
    let show = std::env::var("SHOW").ok();
    let counter = Counter::default();
    counter.warm();
    let mut counting = Duration::ZERO;
    let mut staging = [Duration::ZERO; STAGES.len()];
    let mut kinds: BTreeMap<String, [Figures; STAGES.len()]> = BTreeMap::new();
    for Output { kind, id, content } in outputs(&folder)? {
        let figures = kinds.entry(kind).or_default();
        let (time, before) = fastest(|| counter.count(&content));
        counting += time;
        for (index, (name, stage)) in STAGES.iter().enumerate() {
            let (time, result) = fastest(|| stage(&content));
            staging[index] += time;
            let after = result.as_ref().map_or(before, |text| counter.count(text));
            if let Some(text) = &result
                && show.as_deref() == Some(name)
            {
                println!(
                    "## {id} {before} -> {after}\n{}\n...",
                    text.lines().take(12).collect::<Vec<_>>().join("\n")
                );
            }
            figures[index].outputs += 1;
            figures[index].changed += usize::from(result.is_some());
            figures[index].before += before;
            figures[index].after += after.min(before);
        }
    }
    for (kind, figures) in &kinds {
        for ((name, _), figures) in
            STAGES.iter().zip(figures).filter(|(_, figures)| figures.changed > 0)
        {
            let saved = 100.0 - 100.0 * figures.after as f64 / figures.before as f64;
            println!(
                "{kind:16} {name:10} changed {:4} of {:4}, saved {saved:5.1} %",
                figures.changed, figures.outputs
            );
        }
    }
    println!("token count {counting:?}");
    for ((name, _), time) in STAGES.iter().zip(staging) {
        println!("{name:10} {:.1} % of it", 100.0 * time.as_secs_f64() / counting.as_secs_f64());
    }
    Ok(())
}

/// The shortest of five runs, and what the last one made.
fn fastest<T>(mut run: impl FnMut() -> T) -> (Duration, T) {
    let mut timed = || {
        let start = Instant::now();
        let made = run();
        (start.elapsed(), made)
    };
    let best = (1..5).map(|_| timed().0).min().unwrap_or_default();
    let (last, made) = timed();
    (best.min(last), made)
}

fn outputs(folder: &str) -> Result<Vec<Output>, Box<dyn std::error::Error>> {
    let mut outputs = Vec::new();
    for kind in std::fs::read_dir(folder)? {
        let kind = kind?;
        for file in std::fs::read_dir(kind.path())? {
            for line in std::fs::read_to_string(file?.path())?.lines() {
                let output: serde_json::Value = serde_json::from_str(line)?;
                let text = |key: &str| output[key].as_str().unwrap_or_default().to_owned();
                let id = format!("{} {}{}", text("id"), text("path"), text("command"));
                let kind = kind.file_name().to_string_lossy().into_owned();
                outputs.push(Output { kind, id, content: text("content") });
            }
        }
    }
    Ok(outputs)
}
