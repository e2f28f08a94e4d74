//! Recorded bodies, ways to spell them, and an independent reading of them.

pub(crate) mod blocks;
pub(crate) mod eventstream;
pub(crate) mod example;
pub(crate) mod pairing;
pub(crate) mod talk;
pub(crate) mod walk;

use serde::Deserialize;
use serde_json::value::RawValue;
use std::fs;
use std::path::Path;
use tokenforge_providers::{Dialect, Request};

/// A body that a real client sent.
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) dialect: Dialect,
    pub(crate) body: String,
}

#[derive(Deserialize)]
struct File<'a> {
    path: String,
    #[serde(borrow)]
    body: &'a RawValue,
}

pub(crate) fn recordings() -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dev/samples/recorded");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |file: &Path| {
        let text = fs::read_to_string(file).unwrap();
        let recording: File<'_> = serde_json::from_str(&text).unwrap();
        let detected = Dialect::detect("POST", &recording.path, |_| None);
        Recording {
            name: file.file_stem().unwrap().to_string_lossy().into_owned(),
            dialect: detected
                .unwrap_or_else(|| panic!("{}: {}", file.display(), recording.path))
                .dialect,
            body: recording.body.get().to_owned(),
        }
    };
    files.iter().map(|file| read(file)).collect()
}

/// How a client may spell the same JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    Compact,
    Spaced,
    /// What is not ASCII, and control characters, as `\uXXXX`.
    Ascii,
    /// A slash as `\/`.
    Slashes,
}

impl Spelling {
    pub(crate) const ALL: [Spelling; 4] =
        [Spelling::Compact, Spelling::Spaced, Spelling::Ascii, Spelling::Slashes];

    /// Escapes are the shortest possible.
    pub(crate) fn is_canonical(self) -> bool {
        matches!(self, Spelling::Compact | Spelling::Spaced)
    }

    /// The same members in the same order, spelled like this.
    pub(crate) fn spell(self, json: &str) -> String {
        let mut spelled = String::new();
        let mut rest = json;
        while let Some(first) = rest.chars().next() {
            let mut length = first.len_utf8();
            match first {
                '"' => {
                    length = literal(rest);
                    let text: String = serde_json::from_str(&rest[..length]).unwrap();
                    spelled.push_str(&self.string(&text));
                }
                ' ' | '\n' | '\r' | '\t' => {}
                ',' | ':' if self == Spelling::Spaced => {
                    spelled.push_str(if first == ',' { " ,\n\t" } else { "  : " });
                }
                _ => spelled.push(first),
            }
            rest = &rest[length..];
        }
        spelled
    }

    pub(crate) fn string(self, text: &str) -> String {
        let canonical = serde_json::to_string(text).unwrap();
        match self {
            Spelling::Compact | Spelling::Spaced => canonical,
            Spelling::Slashes => canonical.replace('/', "\\/"),
            Spelling::Ascii => {
                let mut units = [0; 2];
                let spell = |character: char| match character {
                    ' '..='~' if character != '"' && character != '\\' => character.to_string(),
                    '"' | '\\' => format!("\\{character}"),
                    _ => character
                        .encode_utf16(&mut units)
                        .iter()
                        .map(|unit| format!("\\u{unit:04X}"))
                        .collect(),
                };
                format!("\"{}\"", text.chars().map(spell).collect::<String>())
            }
        }
    }
}

/// The length of the string literal that a text begins with.
fn literal(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.unwrap() + 2
}

pub(crate) fn read(body: &[u8], dialect: Dialect) -> Request<'_> {
    Request::read(body, dialect).unwrap()
}

/// The texts of the results of a body.
#[track_caller]
pub(crate) fn texts(body: &str, dialect: Dialect) -> Vec<String> {
    let request = read(body.as_bytes(), dialect);
    let text = |result: &tokenforge_providers::ToolResult| {
        result.text(body.as_bytes()).unwrap().into_owned()
    };
    request.results.iter().map(text).collect()
}
