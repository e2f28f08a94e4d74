//! The sections of `RESULTS.md` that are measured, between markers.

use anyhow::Context;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Replaces what is between `<!-- name -->` and `<!-- /name -->`, and says when that was measured.
pub(crate) fn replace_section(path: &Path, name: &str, content: &str) -> anyhow::Result<()> {
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let (before, rest) = text.split_once(&start).with_context(|| format!("no marker {start}"))?;
    let (_, after) = rest.split_once(&end).with_context(|| format!("no marker {end}"))?;
    let gap = if content.starts_with('|') { "\n\n" } else { " " };
    let today = format!("Measured {}.{gap}", today()?);
    fs::write(path, [before, &start, &today, content, &end, after].concat())?;
    Ok(())
}

/// The date in UTC, as `2026-11-18`.
fn today() -> anyhow::Result<String> {
    let said = Command::new("date").args(["-u", "+%F"]).output().context("date")?;
    Ok(String::from_utf8(said.stdout)?.trim().to_owned())
}

/// The processor's name, for a reader who compares figures from two machines.
pub(crate) fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.to_owned())
}
