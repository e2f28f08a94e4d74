//! Tool outputs recorded from real tools, and mutations of them.
//!
//! They are in `outputs/`, with the tool and command of each in `outputs/index.toml`.

use fastrand::Rng;
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// A tool output recorded from a real tool.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The file it is in.
    pub name: String,
    /// The tool, as an agent calls it.
    pub tool: String,
    /// The arguments of the call, as JSON.
    pub arguments: String,
    /// What the tool said.
    pub text: String,
}

#[derive(Deserialize)]
struct Index {
    output: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    tool: String,
    /// The command line, for a shell.
    command: Option<String>,
    /// The arguments as JSON, for any other tool.
    arguments: Option<String>,
}

/// Every recorded output.
///
/// # Panics
/// If the index or a file it names cannot be read.
#[must_use]
pub fn recorded() -> Vec<Recorded> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("outputs");
    let read = |file: &str| {
        let path = folder.join(file);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let index: Index = toml::from_str(&read("index.toml")).expect("outputs/index.toml is an index");
    let entries = index.output.into_iter();
    let outputs = entries.map(|Entry { file, tool, command, arguments }| Recorded {
        text: read(&file),
        name: file,
        tool,
        arguments: arguments.unwrap_or_else(|| match command {
            Some(line) => format!("{{\"command\":{line:?}}}"),
            None => "{}".to_owned(),
        }),
    });
    outputs.collect()
}

/// The text as something on its way might have left it: truncated, spliced with another, with other line ends, with
/// bytes that are no text. The same seed does the same.
#[must_use]
pub fn mutated(text: &str, other: &str, seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    match rng.u8(0..8) {
        0 => cut(text, &mut rng).to_owned(),
        1 => format!("{}{}", cut(text, &mut rng), cut(other, &mut rng)),
        2 => text.replace('\n', "\r\n"),
        3 => insert(text, "\0", &mut rng),
        4 => insert(text, "\u{fffd}", &mut rng),
        5 => shuffled(text, &mut rng),
        6 => text.replace('\n', " "),
        _ => format!("{text}{text}"),
    }
}

fn cut<'a>(text: &'a str, rng: &mut Rng) -> &'a str {
    &text[..text.floor_char_boundary(rng.usize(0..=text.len()))]
}

fn insert(text: &str, what: &str, rng: &mut Rng) -> String {
    let head = cut(text, rng);
    format!("{head}{what}{}", &text[head.len()..])
}

/// Some of the lines, in another order.
fn shuffled(text: &str, rng: &mut Rng) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    rng.shuffle(&mut lines);
    lines.truncate(rng.usize(0..=lines.len()));
    lines.concat()
}
