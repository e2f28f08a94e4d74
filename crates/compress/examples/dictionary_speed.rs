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

/// Every text is measured this often, in turns, and the fastest turn counts.
const TURNS: usize = 40;

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
        let time: Duration = measured.iter().map(|text| text.encode[index]).sum();
        let mean = time.as_secs_f64() / counting.as_secs_f64();
        let worst = measured.iter().map(|text| text.cost(index)).fold(0.0, f64::max);
        let saved: usize = measured.iter().map(|text| text.saved[index]).sum();
        let percent = 100.0 * saved as f64 / tokens as f64;
        print!("   {method}: {mean:.1}, {worst:.1} ({saved}, {percent:.1} %)");
    }
    println!();
}

struct Measured {
    count: Duration,
    /// By method.
    encode: [Duration; 3],
    /// By method, in tokens.
    saved: [usize; 3],
}

impl Measured {
    /// How many counts an encode takes.
    fn cost(&self, method: usize) -> f64 {
        self.encode[method].as_secs_f64() / self.count.as_secs_f64()
    }
}

fn measure(text: &str) -> Measured {
    let counter = Counter::default();
    let mut measured = Measured { count: Duration::MAX, encode: [Duration::MAX; 3], saved: [0; 3] };
    for _ in 0..TURNS {
        let (counting, tokens) = time(|| counter.count(text));
        measured.count = measured.count.min(counting);
        for (index, method) in Method::ALL.iter().enumerate() {
            let (encoding, encoded) = time(|| encode(text, *method, &counter));
            measured.encode[index] = measured.encode[index].min(encoding);
            if let Some(encoded) = encoded {
                assert_eq!(decode(&encoded, text.len()).as_deref(), Ok(text));
                measured.saved[index] = tokens - counter.count(&encoded);
            }
        }
    }
    measured
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
    vec![
        ("one letter", fill(|_, _| "a".into())),
        ("newlines", fill(|_, _| "\n".into())),
        ("blanks", fill(|_, _| " ".into())),
        ("one word", fill(|_, _| "word ".into())),
        ("letters, blanks", fill(|_, _| "a ".into())),
        ("brackets", fill(|_, _| "{[(1".into())),
        ("random letters", fill(|random, _| random.among(&["k", "q", "x", "e", "z", "w"]))),
        ("random bytes", fill(|random, _| char::from(b' ' + random.below(95) as u8).into())),
        ("random of two", fill(|random, _| random.among(&["a ", "b "]))),
        ("two, two lines", fill(|random, nth| random.among(&["a ", "b "]) + line_end(nth, 20_000))),
        ("two, in lines", fill(|random, nth| random.among(&["a ", "b "]) + line_end(nth, 20))),
        ("blanks, in lines", fill(|_, nth| "a ".to_owned() + line_end(nth, 30))),
        ("digits, in lines", fill(|random, nth| random.among(&["0,", "1,"]) + line_end(nth, 30))),
        ("random words", fill(|random, _| random.among(&["lorem ", "ipsum ", "dolor ", "sit "]))),
        ("Thue-Morse", fill(|_, nth| ["a1", "b2"][nth.count_ones() as usize % 2].into())),
        ("Fibonacci", fibonacci()),
        ("CJK", fill(|random, _| random.among(&["你好", "世界", "。", "错误"]))),
        ("blank runs", fill(|random, _| " ".repeat(random.below(40)) + "x")),
        (
            "one line",
            fill(|_, _| "2024-01-01 INFO worker started, waiting for the next job\n".into()),
        ),
        ("log", fill(log_line)),
        ("markers", fill(|random, _| format!("<<F{}:1>> ", random.below(9000)))),
    ]
}

/// A text of pieces, each made from random numbers and its own number.
fn fill(mut piece: impl FnMut(&mut Random, usize) -> String) -> String {
    let mut random = Random(1);
    let mut text = String::new();
    for nth in 0.. {
        text.push_str(&piece(&mut random, nth));
        if text.len() >= 50_000 {
            break;
        }
    }
    text.truncate(text.floor_char_boundary(50_000));
    text
}

fn line_end(nth: usize, every: usize) -> &'static str {
    if (nth + 1).is_multiple_of(every) { "\n" } else { "" }
}

fn log_line(random: &mut Random, nth: usize) -> String {
    let (minute, second, worker) = (nth / 60 % 60, nth % 60, random.below(8));
    let (job, time) = (random.below(100_000), random.below(900));
    format!(
        "2024-01-01T00:{minute:02}:{second:02}Z INFO [worker-{worker}] processed job {job} in {time} ms\n"
    )
}

/// The same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn among(&mut self, choices: &[&str]) -> String {
        choices[self.below(choices.len())].to_owned()
    }
}

fn fibonacci() -> String {
    let (mut a, mut b) = ("a ".to_owned(), "b ".to_owned());
    while b.len() < 50_000 {
        (a, b) = (b.clone(), b + &a);
    }
    b.truncate(50_000);
    b
}
