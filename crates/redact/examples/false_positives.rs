//! Walks folders and tells how many files are flagged, and by which rules, without showing a secret.
//!
//! ```text
//! cargo run --release -p tokenforge-redact --example false_positives -- [--list] DIR...
//! ```
//!
//! In a file that ends in `.jsonl` every line with a field `content` counts as a file. `--list` prints where each
//! finding is: path, line and rule, and the line with the secret replaced by its marker.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use tokenforge_redact::{Finding, Scanner};

fn main() {
    let (options, folders): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let mut report =
        Report { list: options.iter().any(|option| option == "--list"), ..Report::default() };
    for path in folders.iter().flat_map(|folder| files_in(Path::new(folder))) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue }; // not UTF-8: not text
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            for (number, line) in text.lines().enumerate() {
                let record: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
                if let Some(content) = record["content"].as_str() {
                    report.add(&format!("{}#{}", path.display(), number + 1), content);
                }
            }
        } else {
            report.add(&path.display().to_string(), &text);
        }
    }
    report.print();
}

/// Counts of what was seen.
#[derive(Default)]
struct Report {
    list: bool,
    files: usize,
    bytes: usize,
    flagged: usize,
    flagged_beside_keys: usize,
    by_rule: BTreeMap<&'static str, (usize, usize)>,
}

impl Report {
    fn add(&mut self, name: &str, text: &str) {
        self.files += 1;
        self.bytes += text.len();
        let Some(redacted) = Scanner::builtin().redact(text) else { return };
        self.flagged += 1;
        self.flagged_beside_keys +=
            usize::from(redacted.findings.iter().any(|found| !is_key_block(found)));
        let mut seen = vec![];
        for found in &redacted.findings {
            let counts = self.by_rule.entry(found.rule).or_default();
            counts.0 += 1;
            counts.1 += usize::from(!seen.contains(&found.rule));
            seen.push(found.rule);
            if self.list {
                println!("{name}:{} {}", line_number(text, found), outline(text, found));
            }
        }
    }

    fn print(&self) {
        println!("{} files, {} MB", self.files, self.bytes / 1_000_000);
        println!(
            "{} flagged, {} of them for more than key blocks",
            self.flagged, self.flagged_beside_keys
        );
        for (rule, (findings, files)) in &self.by_rule {
            println!("{findings:6} in {files:4} files  {rule}");
        }
    }
}

fn is_key_block(found: &Finding) -> bool {
    found.rule.ends_with("private-key")
}

fn line_number(text: &str, found: &Finding) -> usize {
    text[..found.range.start].matches('\n').count() + 1
}

/// What stands before the secret on its line, and the kind of each of its first bytes.
fn outline(text: &str, found: &Finding) -> String {
    let line = text[..found.range.start].rfind('\n').map_or(0, |at| at + 1);
    let start = text.ceil_char_boundary(line.max(found.range.start.saturating_sub(60)));
    let shape = |byte: char| match byte {
        '0'..='9' => '9',
        'a'..='z' => 'a',
        'A'..='Z' => 'A',
        other => other,
    };
    let shape: String = text[found.range.clone()].chars().take(40).map(shape).collect();
    format!(
        "{} | {} | {} bytes like {shape:?}",
        found.rule,
        &text[start..found.range.start],
        found.range.len()
    )
}

fn files_in(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let Ok(entries) = std::fs::read_dir(path) else { return vec![] };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    entries.iter().filter(|entry| !entry.is_symlink()).flat_map(|entry| files_in(entry)).collect()
}
