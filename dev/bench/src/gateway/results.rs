//! What tools return, made up: a list of rows, a service's log, a test run, a file, a search.

use fastrand::Rng;
use serde_json::{Value, json};
use std::fmt::Write;

/// Stands once in the middle of each result; another in its place makes the result a new one.
pub(crate) const STAMP: &str = "5ca1ab1e0ddba11f";

/// A call and what it returned.
pub(crate) struct ToolResult {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
    pub(crate) text: String,
    /// Where the stamp stands in the text.
    stamp: usize,
}

impl ToolResult {
    pub(crate) const KINDS: [fn(&mut Rng, usize) -> Self; 5] =
        [Self::rows, Self::service_log, Self::file, Self::test_run, Self::search];

    fn new(tool: &'static str, arguments: Value, text: String) -> Self {
        let stamp = text.find(STAMP).unwrap_or_default();
        Self { tool, arguments, text, stamp }
    }

    /// Makes it a new one.
    pub(crate) fn renew(&mut self, stamp: &str) {
        self.text.replace_range(self.stamp..self.stamp + stamp.len(), stamp);
    }

    /// A query's rows, as JSON.
    pub(crate) fn rows(rng: &mut Rng, bytes: usize) -> Self {
        let text = fill(bytes, |n, stamp, out| {
            let sign = if n == 0 { '[' } else { ',' };
            let _ = write!(
                out,
                r#"{sign}{{"id":{},"name":"{} {}","status":"{}","amount":{}.{:02},"trace":"{}"}}"#,
                n + 4100,
                word(rng),
                word(rng),
                pick(rng, &["active", "waiting", "closed"]),
                rng.u32(1..9000),
                rng.u32(0..100),
                mark(rng, stamp),
            );
        });
        Self::new("query", json!({ "table": "parcels" }), text + "]")
    }

    /// What a service logged.
    pub(crate) fn service_log(rng: &mut Rng, bytes: usize) -> Self {
        let text = fill(bytes, |n, stamp, out| {
            let (minute, second) = (n / 60 % 60, n % 60);
            let level = pick(rng, &["INFO ", "INFO ", "INFO ", "WARN ", "DEBUG"]);
            let (service, verb, noun) = (word(rng), pick(rng, VERBS), word(rng));
            let (took, request) = (rng.u32(1..900), mark(rng, stamp));
            let _ = writeln!(
                out,
                "2026-03-04T09:{minute:02}:{second:02}.{:03}Z {level} {service}: {verb} {noun} in {took} ms request={request}",
                rng.u32(0..1000),
            );
        });
        Self::new("Bash", json!({ "command": "tail -n 500 app.log" }), text)
    }

    /// A test run: most of it can be left out.
    pub(crate) fn test_run(rng: &mut Rng, bytes: usize) -> Self {
        let mut text = String::from("running 999 tests\n");
        text += &fill(bytes.saturating_sub(300), |n, stamp, out| {
            let name = stamp.map_or_else(|| word(rng), str::to_owned);
            let _ = writeln!(out, "test {}::{}::{name}_{n} ... ok", word(rng), word(rng));
        });
        text +=
            "test import::nightly ... FAILED\n\nfailures:\n\n---- import::nightly stdout ----\n";
        text += "thread 'import::nightly' panicked at src/import.rs:41:9:\nassertion failed: rows == 12\n\n";
        text += "test result: FAILED. 998 passed; 1 failed; 0 ignored; finished in 1.20s\n";
        Self::new("Bash", json!({ "command": "cargo test" }), text)
    }

    /// A file, its lines numbered.
    pub(crate) fn file(rng: &mut Rng, bytes: usize) -> Self {
        let text = fill(bytes, |n, stamp, out| {
            let depth = "    ".repeat(rng.usize(0..4));
            let (left, right) = (word(rng), stamp.map_or_else(|| word(rng), str::to_owned));
            let _ = write!(out, "{:>6}\t{depth}", n + 1);
            let _ = match rng.u32(0..5) {
                0 => writeln!(out, "let {left} = {}({right}, {})?;", pick(rng, VERBS), word(rng)),
                1 => writeln!(out, "if {left}.is_empty() && {right} > {} {{", rng.u32(0..99)),
                2 => writeln!(out, "}} // {left} {right}"),
                3 => writeln!(out, "fn {}_{left}(&self, {right}: &str) {{", pick(rng, VERBS)),
                _ => writeln!(out, "self.{left}.push(\"{right} {}\");", word(rng)),
            };
        });
        let path = format!("src/{}.rs", word(rng));
        Self::new("Read", json!({ "file_path": path }), text)
    }

    /// Where a word was found.
    pub(crate) fn search(rng: &mut Rng, bytes: usize) -> Self {
        let text = fill(bytes, |n, stamp, out| {
            let name = stamp.map_or_else(|| word(rng), str::to_owned);
            let (folder, file) = (pick(rng, WORDS), word(rng));
            let line = 7 * n + 3;
            let verb = pick(rng, VERBS);
            let _ =
                writeln!(out, "src/{folder}/{file}.rs:{line}:    let {name} = {verb}(import)?;");
        });
        Self::new("Bash", json!({ "command": "grep -rn import src" }), text)
    }

    /// How long it is in a request, about: with what is escaped, and its call.
    pub(crate) fn written_len(&self) -> usize {
        Value::from(self.text.as_str()).to_string().len() + 230
    }
}

/// Lines until there are `bytes`; the one that passes the middle is given the stamp.
fn fill(bytes: usize, mut line: impl FnMut(usize, Option<&'static str>, &mut String)) -> String {
    let mut out = String::new();
    let mut stamp = Some(STAMP);
    for n in 0.. {
        let is_middle = 2 * out.len() >= bytes;
        line(n, if is_middle { stamp.take() } else { None }, &mut out);
        if out.len() >= bytes && stamp.is_none() {
            break;
        }
    }
    out
}

/// What tells one request from another in a log.
fn mark(rng: &mut Rng, stamp: Option<&str>) -> String {
    stamp.map_or_else(|| format!("{:016x}", rng.u64(..)), str::to_owned)
}

/// A name as programs have them: a word, two of them, or one that no dictionary has.
fn word(rng: &mut Rng) -> String {
    match rng.u32(0..4) {
        0 | 1 => pick(rng, WORDS).to_owned(),
        2 => format!("{}_{}", pick(rng, WORDS), pick(rng, VERBS)),
        _ => (0..rng.u32(2..5)).map(|_| pick(rng, SYLLABLES)).collect(),
    }
}

fn pick(rng: &mut Rng, words: &[&'static str]) -> &'static str {
    words[rng.usize(..words.len())]
}

const SYLLABLES: &[&str] =
    &["ka", "ren", "vo", "lim", "tor", "esh", "qui", "mar", "zen", "lo", "bri", "dan", "ux", "phe"];
const VERBS: &[&str] =
    &["read", "write", "fetch", "merge", "close", "parse", "retry", "verify", "open", "load"];
const WORDS: &[&str] = &[
    "order", "import", "ledger", "parcel", "account", "window", "cursor", "branch", "signal",
    "harbor", "matrix", "ticket", "voucher", "shelf", "region", "worker", "packet", "tariff",
    "invoice", "carrier", "segment", "planet", "bucket", "anchor", "filter", "reader", "station",
    "quota", "margin", "vector", "garden", "season",
];
