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
use crate::stage::Stage;
use crate::wrapper::unescaped::{self, UnescapedOutput};
use crate::{stages, wrapper};
use tokenforge_formats::MAX_OUTPUT;

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
    if let Some(stage) = stages::alone(text) {
        return decode(stage, text);
    }
    let mut text = text.to_owned();
    for stage in stages::last_first() {
        if stage.has_written(&text) {
            text = decode(stage, &text)?;
        }
    }
    Ok(text)
}

fn decode(stage: &dyn Stage, text: &str) -> Result<String, RestoreError> {
    stage.decode(text).ok_or(RestoreError::Damaged(stage.name()))
}
