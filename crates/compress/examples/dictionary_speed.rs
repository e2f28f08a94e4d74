//! What the dictionary methods save and cost, next to a plain token count of the same text:
//!
//! ```sh
//! cargo run --release -p tokenforge-compress --example dictionary_speed -- FOLDER
//! ```
//!
//! FOLDER has a folder for each kind of output with JSON lines whose member `content` is a text. Without it only
//! texts made to be difficult are measured.

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use tokenforge_compress::dictionary::{Method, decode, encode};
use tokenforge_tokens::Counter;

/// Every text is measured this often, in turns, each time right after a count of it.
const TURNS: usize = 15;

fn main() -> Result<(), Box<dyn Error>> {
    Counter::default().warm();
    println!(
        "{:18}{:>6}{:>10}{:>12}   cost in counts: mean, worst (tokens saved)",
        "", "texts", "tokens", "count MB/s"
    );
    match env::args().nth(1) {
        Some(folder) => {
            for (kind, texts) in corpus(Path::new(&folder))? {
                report(&kind, &texts);
            }
        }
        None => println!("no folder given: only difficult texts are measured"),
    }
    for (name, text) in difficult() {
        report(name, &[text]);
    }
    Ok(())
}

fn report(kind: &str, texts: &[String]) {
    let counter = Counter::default();
    let tokens: usize = texts.iter().map(|text| counter.count(text)).sum();
    let bytes: usize = texts.iter().map(String::len).sum();
    let measured: Vec<Measured> = texts.iter().map(|text| measure(text)).collect();
    let counting: Duration = measured.iter().map(|text| text.count).sum();
    let speed = bytes as f64 / counting.as_secs_f64() / 1e6;
    print!("{kind:18}{:6}{tokens:10}{speed:12.0}", texts.len());
    for (index, method) in Method::ALL.iter().enumerate() {
        let cost = |text: &Measured| text.cost[index];
        let weighed = |text: &Measured| cost(text) * text.count.as_secs_f64();
        let mean = measured.iter().map(weighed).sum::<f64>() / counting.as_secs_f64();
        let worst = measured.iter().map(cost).fold(0.0, f64::max);
        let saved: usize = measured.iter().map(|text| text.saved[index]).sum();
        let percent = 100.0 * saved as f64 / tokens as f64;
        print!("   {method}: {mean:.1}, {worst:.1} ({saved}, {percent:.1} %)");
    }
    println!();
}

struct Measured {
    count: Duration,
    /// By method: how many counts an encode takes.
    cost: [f64; 3],
    /// By method, in tokens.
    saved: [usize; 3],
}

fn measure(text: &str) -> Measured {
    let counter = Counter::default();
    let mut count = Duration::MAX;
    let mut costs = [const { Vec::new() }; 3];
    let mut saved = [0; 3];
    for _ in 0..TURNS {
        for (index, method) in Method::ALL.iter().enumerate() {
            let (counting, tokens) = time(|| counter.count(text));
            let (encoding, encoded) = time(|| encode(text, *method, &counter));
            count = count.min(counting);
            costs[index].push(encoding.as_secs_f64() / counting.as_secs_f64());
            if let Some(encoded) = encoded {
                assert_eq!(decode(&encoded, text.len()).as_deref(), Ok(text));
                saved[index] = tokens - counter.count(&encoded);
            }
        }
    }
    Measured { count, cost: costs.map(median), saved }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = black_box(work());
    (start.elapsed(), result)
}

/// The texts of each kind that are not too large for the methods.
fn corpus(folder: &Path) -> Result<BTreeMap<String, Vec<String>>, Box<dyn Error>> {
    let mut kinds = BTreeMap::<String, Vec<String>>::new();
    for kind in fs::read_dir(folder)? {
        let kind = kind?;
        let texts = kinds.entry(kind.file_name().to_string_lossy().into_owned()).or_default();
        for file in fs::read_dir(kind.path())? {
            for line in fs::read_to_string(file?.path())?.lines() {
                let output: serde_json::Value = serde_json::from_str(line)?;
                texts.extend(
                    output["content"]
                        .as_str()
                        .filter(|text| (1..=50_000).contains(&text.len()))
                        .map(str::to_owned),
                );
            }
        }
    }
    Ok(kinds)
}

/// Texts of 50,000 bytes.
fn difficult() -> Vec<(&'static str, String)> {
    let mut state = 1u64;
    let mut random = move |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut fill = |piece: &mut dyn FnMut(&mut dyn FnMut(u64) -> u64, usize) -> String| {
        let mut text = String::new();
        for line in 0.. {
            text.push_str(&piece(&mut random, line));
            if text.len() >= 50_000 {
                break;
            }
        }
        text.truncate(text.floor_char_boundary(50_000));
        text
    };
    vec![
        ("one letter", fill(&mut |_, _| "a".into())),
        ("newlines", fill(&mut |_, _| "\n".into())),
        ("blanks", fill(&mut |_, _| " ".into())),
        ("one word", fill(&mut |_, _| "word ".into())),
        ("letters, blanks", fill(&mut |_, _| "a ".into())),
        ("brackets", fill(&mut |_, _| "{[(1".into())),
        ("random letters", fill(&mut |random, _| char::from(b'a' + random(26) as u8).into())),
        ("random bytes", fill(&mut |random, _| char::from(b' ' + random(95) as u8).into())),
        ("random of two", fill(&mut |random, _| ["a ", "b "][random(2) as usize].into())),
        (
            "two, two lines",
            fill(&mut |random, line| {
                if line == 20_000 { "\n" } else { ["a ", "b "][random(2) as usize] }.into()
            }),
        ),
        (
            "two, in lines",
            fill(&mut |random, _| ["a ", "b ", "\n"][random(21) as usize / 10].into()),
        ),
        (
            "blanks, in lines",
            fill(&mut |_, line| if line % 30 == 29 { "a\n" } else { "a " }.into()),
        ),
        (
            "digits, in lines",
            fill(&mut |random, line| {
                if line % 30 == 29 { "1\n".into() } else { format!("{},", random(3)) }
            }),
        ),
        (
            "random words",
            fill(&mut |random, _| {
                ["lorem ", "ipsum ", "dolor ", "sit ", "amet "][random(5) as usize].into()
            }),
        ),
        ("Thue-Morse", fill(&mut |_, line| ["a1", "b2"][line.count_ones() as usize % 2].into())),
        ("Fibonacci", fibonacci()),
        ("CJK", fill(&mut |random, _| ["你好", "世界", "。", "错误"][random(4) as usize].into())),
        ("blank runs", fill(&mut |random, _| format!("{:>1$}", "x", random(40) as usize + 1))),
        (
            "one line",
            fill(&mut |_, _| "2024-01-01 INFO worker started, waiting for the next job\n".into()),
        ),
        (
            "log",
            fill(&mut |random, line| {
                format!(
                    "2024-01-01T00:{:02}:{:02}Z INFO [worker-{}] processed job {} in {} ms\n",
                    line / 60 % 60,
                    line % 60,
                    random(8),
                    random(100_000),
                    random(900)
                )
            }),
        ),
        ("markers", fill(&mut |random, _| format!("<<F{}:1>> ", random(9000)))),
    ]
}

fn fibonacci() -> String {
    let (mut a, mut b) = ("a ".to_owned(), "b ".to_owned());
    while b.len() < 50_000 {
        (a, b) = (b.clone(), b + &a);
    }
    b.truncate(50_000);
    b
}
