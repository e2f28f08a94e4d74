//! A rival, asked in the same run: the npm package of GCF, through Node.

use crate::corpus::CorpusDocument;
use anyhow::{Context, ensure};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The package, as `dev/bench/gcf/package.json` names it.
pub(super) const PACKAGE: &str = "npm `@blackwell-systems/gcf` 2.5.2";

/// Every document in GCF, or nothing where it fails.
pub(super) fn texts(documents: &[CorpusDocument]) -> anyhow::Result<Vec<Option<String>>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("gcf");
    if !folder.join("node_modules").is_dir() {
        let installed = Command::new("npm").args(["ci", "--silent"]).current_dir(&folder).status();
        ensure!(installed.context("npm is needed for GCF")?.success(), "npm ci failed");
    }
    let mut node = Command::new("node")
        .arg("encode.mjs")
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("node is needed for GCF")?;
    let mut input = node.stdin.take().context("node takes no input")?;
    let lines: Vec<String> = documents
        .iter()
        .map(|document| serde_json::to_string(&document.text))
        .collect::<Result<_, _>>()?;
    // Written beside the reading: both pipes have bounds.
    let writing = std::thread::spawn(move || writeln!(input, "{}", lines.join("\n")));
    let output = node.wait_with_output()?;
    writing.join().ok().context("writing to node failed")??;
    let texts: Vec<Option<String>> = String::from_utf8(output.stdout)?
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    ensure!(texts.len() == documents.len(), "GCF answered {} documents", texts.len());
    Ok(texts)
}
