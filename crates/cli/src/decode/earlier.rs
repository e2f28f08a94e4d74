//! The results before an output, as a file tells of them.

use crate::input::InputText;
use anyhow::Context;
use std::path::Path;
use tokenforge_engine::{EarlierResult, History};

/// Reads a file of earlier results: a JSON array, or one object a line.
pub(super) fn read(file: &Path) -> anyhow::Result<History> {
    let input = InputText::read(file)?;
    Ok(parse(&input.text).with_context(|| input.name)?.into_iter().collect())
}

fn parse(text: &str) -> anyhow::Result<Vec<EarlierResult>> {
    const EXPECTED: &str = EarlierResult::EXPECTED;
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).context(EXPECTED);
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).with_context(|| format!("line {}: {EXPECTED}", at + 1))
        })
        .collect()
}
