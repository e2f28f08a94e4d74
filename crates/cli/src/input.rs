//! A file or standard input, read whole.

use crate::{output, progress};
use anyhow::Context;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

/// A text and the name a person knows it by.
pub(crate) struct InputText {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl InputText {
    /// Reads a file, or standard input for `-`.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let (name, bytes) = read_bytes(path)?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            anyhow::anyhow!("{name}: expected UTF-8, found other bytes at byte {at}")
        })?;
        Ok(Self { name, text })
    }
}

/// What a tool printed, which may be anything.
pub(crate) enum ToolOutput {
    Text(String),
    /// Bytes of which some are not UTF-8: nothing that works on text can give them back (decision 35).
    Bytes(NotUtf8),
}

/// Bytes that are no text.
pub(crate) struct NotUtf8 {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Where the first of them is that is not UTF-8.
    pub(crate) at: usize,
}

impl ToolOutput {
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let (name, bytes) = read_bytes(path)?;
        Ok(match String::from_utf8(bytes) {
            Ok(text) => Self::Text(text),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                Self::Bytes(NotUtf8 { name, bytes: error.into_bytes(), at })
            }
        })
    }
}

fn read_bytes(path: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    let (name, bytes) = if path.as_os_str() == "-" {
        if io::stdin().is_terminal() {
            output::tell("reading from the terminal; end with Ctrl-D");
        }
        ("standard input".to_owned(), read_all(io::stdin().lock(), 0))
    } else {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| name.clone())?;
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        (name, read_all(file, size))
    };
    let bytes = bytes.with_context(|| name.clone())?;
    Ok((name, bytes))
}

fn read_all(source: impl Read, size: u64) -> io::Result<Vec<u8>> {
    let bar = progress::bar(size, "reading");
    let mut bytes = Vec::with_capacity(size as usize);
    bar.wrap_read(source).read_to_end(&mut bytes)?;
    bar.finish_and_clear();
    Ok(bytes)
}
