//! The text that a lossless mode was given, from the one it wrote: every stage's own `decode`, the last stage first.
//!
//! ```
//! use tokenforge_engine::{Engine, History, Mode, Output, Settings, restore};
//!
//! let text: String = (1..=40).map(|n| format!("{n:6}→let x{n} = {n};\n")).collect();
//! let output = Output { text: &text, tool: "Read", arguments: "{}", call: None, is_error: false };
//! let settings = Settings { mode: Mode::Lossless, ..Settings::default() };
//! let compressed = Engine::new(&settings).compress(&output, &History::default());
//! assert!(compressed.text(&text).len() < text.len());
//! assert_eq!(restore(compressed.text(&text))?, text);
//! # Ok::<(), tokenforge_engine::RestoreError>(())
//! ```

use crate::engine::is_marked;
use crate::history::has_pointers;
use crate::reference::Reference;
use crate::wrapper::unescaped::{self, UnescapedOutput};
use crate::{
    columns, csv, dictionary, diff_headers, fold, json, lines, numbers, paths, templates, wrapper,
};
use tokenforge_formats::MAX_OUTPUT;

/// How what a stage wrote is known, and read.
struct StageReader {
    stage: &'static str,
    is_written: fn(&str) -> bool,
    decode: fn(&str) -> Option<String>,
}

impl StageReader {
    fn read(&self, text: &str) -> Result<String, RestoreError> {
        (self.decode)(text).ok_or(RestoreError::Damaged(self.stage))
    }
}

/// The stages over whose text nothing is written: JSON in a form, diffs, and the column of a file, whose text stays exact. What
/// looks like a note in it is data.
const ALONE: &[StageReader] = &[
    StageReader {
        stage: "json_lines",
        is_written: json::lines::is_array,
        decode: json::lines::decode,
    },
    StageReader { stage: "csv_rows", is_written: csv::is_array, decode: csv::decode },
    StageReader {
        stage: "diff_headers",
        is_written: diff_headers::has_written,
        decode: diff_headers::decode,
    },
    StageReader {
        stage: "nested_json",
        is_written: json::nested::is_written,
        decode: json::nested::decode,
    },
    StageReader {
        stage: "python_repr",
        is_written: json::python_repr::is_written,
        decode: json::python_repr::decode,
    },
    StageReader {
        stage: "truncated_json",
        is_written: json::truncated::is_written,
        decode: json::truncated::decode,
    },
    StageReader { stage: "json", is_written: json::is_form, decode: json::decode },
    StageReader { stage: "line_numbers", is_written: has_column, decode: numbers::decode },
];

/// The other lossless stages, from the last to the first: repeats are folded in what a notation wrote. Not among them is
/// `embedded_json`, whose text stands for itself.
const READERS: &[StageReader] = &[
    StageReader { stage: "repeated_lines", is_written: fold::has_written, decode: fold::decode },
    StageReader {
        stage: "dictionary",
        is_written: dictionary::is_dictionary,
        decode: |text| dictionary::decode(text, MAX_OUTPUT).ok(),
    },
    StageReader {
        stage: "log_templates",
        is_written: templates::has_written,
        decode: templates::decode,
    },
    StageReader {
        stage: "repeated_columns",
        is_written: columns::has_written,
        decode: columns::decode,
    },
    StageReader { stage: "path_headings", is_written: paths::has_written, decode: paths::decode },
];

fn has_column(text: &str) -> bool {
    lines::split_lines(text).any(|line| line.starts_with(numbers::SIGNATURE))
}

/// Why a text cannot be restored from itself alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// Something was left out.
    #[error("something was left out of this text; `tokenforge expand {0}` prints all of it")]
    LeftOut(Reference),
    /// Something stands in other results.
    #[error("this text points to earlier results of its request, which are needed to restore it")]
    Points,
    /// It points to what the earlier results that were given do not have.
    #[error("it points to a result that is not in the history: {0}")]
    Nowhere(String),
    /// It stands for more than anybody wrote.
    #[error("this text stands for more than {} MiB", MAX_OUTPUT >> 20)]
    TooLarge,
    /// It looks like a text of ours, but no stage reads it.
    #[error(
        "this looks like a compressed output, but its {0} cannot be read; was it cut or edited?"
    )]
    Damaged(&'static str),
}

/// Does a text look as if a stage had written it, or a payload in it?
#[must_use]
pub fn is_compressed(text: &str) -> bool {
    is_marked(text) || wrapper::unwrap(text).payloads().any(is_marked)
}

/// The text that became this one: byte for byte, but for blanks in JSON and what a terminal does not show. A text that no
/// stage changed is given back as it is.
///
/// JSON in a form is recognised by writing it again. A text in which nothing says that it is one, and that is character for
/// character what TOON or STC 1 would make of some JSON, is taken for that.
///
/// # Errors
/// It does not hold all that it stands for, or it is damaged.
pub fn restore(text: &str) -> Result<String, RestoreError> {
    if let Some((reference, _)) = Reference::leading(text) {
        return Err(RestoreError::LeftOut(reference));
    }
    if has_pointers(text) {
        return Err(RestoreError::Points);
    }
    if unescaped::is_written(text) {
        let output =
            UnescapedOutput::parse(text).ok_or(RestoreError::Damaged("unescaped_strings"))?;
        return Ok(output.escape(&payloads(output.payloads().iter().copied())?));
    }
    let parts = wrapper::unwrap(text);
    Ok(parts.rewrap(&payloads(parts.payloads())?))
}

/// The texts that became these payloads of one text.
fn payloads<'t>(parts: impl Iterator<Item = &'t str>) -> Result<Vec<String>, RestoreError> {
    let (mut payloads, mut bytes) = (Vec::new(), 0);
    for part in parts {
        if let Some((reference, _)) = Reference::leading(part) {
            return Err(RestoreError::LeftOut(reference));
        }
        let restored = payload(part)?;
        // Each stage has this bound; a text of many payloads has it as well.
        bytes += restored.len();
        if bytes > MAX_OUTPUT {
            return Err(RestoreError::TooLarge);
        }
        payloads.push(restored);
    }
    Ok(payloads)
}

fn payload(text: &str) -> Result<String, RestoreError> {
    if let Some(reader) = ALONE.iter().find(|reader| (reader.is_written)(text)) {
        return reader.read(text);
    }
    let mut text = text.to_owned();
    for reader in READERS {
        if (reader.is_written)(&text) {
            text = reader.read(&text)?;
        }
    }
    Ok(text)
}
