//! Git diff headers: the four lines above the hunks of each file as one. Hunks stay as they are.
//!
//! ```text
//! diff --git a/src/a.rs b/src/a.rs      [Forge diff: "file P A..B" stands for "diff --git a/P b/P", "index A..B 100644", "--- a/P", "+++ b/P"]
//! index 50329928..4b88a75b 100644       file src/a.rs 50329928..4b88a75b
//! --- a/src/a.rs                        @@ -1,3 +1,4 @@
//! +++ b/src/a.rs
//! @@ -1,3 +1,4 @@
//! ```
//!
//! Files that were made, removed, renamed or whose mode changed keep their lines, which say so.

use crate::fidelity::Fidelity;
use crate::lines::{LineOffsets, MAX_TEXT};
use crate::nature::Nature;
use crate::stage::{Stage, StageContext, StageOutput};

const LEGEND: &str = r#"[Forge diff: "file P A..B" stands for "diff --git a/P b/P", "index A..B 100644", "--- a/P", "+++ b/P"]"#;
const FILE: &str = "file ";
const MODE: &str = " 100644";
/// With so many headers the legend is paid for: what is left of them is less than four fifths.
const FEWEST: usize = 3;

/// The headers of the files in a diff. Hunks stay as they are, and so do patches that are files.
pub(super) struct DiffHeaders;

impl Stage for DiffHeaders {
    fn name(&self) -> &'static str {
        "diff_headers"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn is_for(&self, subject: &StageContext<'_>) -> bool {
        let reads_heads = subject.settings.model_class.reads().includes(self.name());
        subject.nature == Nature::Diff && !subject.context.is_file_text() && reads_heads
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        encode(text).map(Into::into)
    }

    fn has_written(&self, text: &str) -> bool {
        has_written(text)
    }

    fn decode(&self, text: &str) -> Option<String> {
        decode(text)
    }
}

/// The text with its headers as one line each; `None` if there are too few of them.
///
/// ```
/// use tokenforge_engine::internals::diff_headers::{decode, encode};
///
/// let file = |n: u32| format!("diff --git a/a{n}.rs b/a{n}.rs\nindex 50329928..4b88a75b 100644\n--- a/a{n}.rs\n+++ b/a{n}.rs\n@@ -1 +1 @@\n-a\n+b\n");
/// let diff: String = (0..4).map(file).collect();
/// let short = encode(&diff).unwrap();
/// assert!(short.ends_with("\nfile a3.rs 50329928..4b88a75b\n@@ -1 +1 @@\n-a\n+b\n"));
/// assert_eq!(decode(&short).as_deref(), Some(&*diff));
/// ```
pub fn encode(text: &str) -> Option<String> {
    let mut out = format!("{LEGEND}\n");
    let (mut headers, mut at) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some((path, blobs, length)) = header(rest) {
            out.extend([FILE, path, " ", blobs, "\n"]);
            headers += 1;
            at += length;
            continue;
        }
        let (_, line) = LineOffsets::new(rest).next()?;
        if file(line).is_some() || line.starts_with(crate::SIGNATURE) {
            return None;
        }
        let end = (line.len() + 1).min(rest.len());
        out.push_str(&rest[..end]);
        at += end;
    }
    (headers >= FEWEST && out.len() < text.len()).then_some(out)
}

/// Are the headers of a diff written as one line each?
pub(crate) fn has_written(text: &str) -> bool {
    text.strip_prefix(LEGEND).is_some_and(|rest| rest.starts_with('\n'))
}

/// The diff whose headers [`encode`] shortened; `None` if it did not make this text.
pub fn decode(text: &str) -> Option<String> {
    let rest = text.strip_prefix(LEGEND)?.strip_prefix('\n')?;
    let mut out = String::with_capacity(text.len() * 2);
    let mut lines = LineOffsets::new(rest);
    while let Some((start, line)) = lines.next() {
        match file(line) {
            Some((path, blobs)) => {
                out.extend(["diff --git a/", path, " b/", path, "\nindex ", blobs, MODE]);
                out.extend(["\n--- a/", path, "\n+++ b/", path]);
            }
            None => out.push_str(line),
        }
        out.push_str(rest.get(start + line.len()..lines.offset())?);
        (out.len() <= MAX_TEXT).then_some(())?;
    }
    Some(out)
}

/// The path and the blobs of the header that a text begins with, and how long that is.
fn header(text: &str) -> Option<(&str, &str, usize)> {
    let mut lines = LineOffsets::new(text);
    let mut line = || lines.next().map(|(_, line)| line);
    let paths = line()?.strip_prefix("diff --git a/")?;
    // Both are the same, so the second begins behind the middle.
    let path = paths.get(..paths.len().checked_sub(3)? / 2)?;
    let is_same = paths.get(path.len()..)?.strip_prefix(" b/") == Some(path) && !path.is_empty();
    let blobs =
        line()?.strip_prefix("index ")?.strip_suffix(MODE).filter(|blobs| are_blobs(blobs))?;
    let is_whole = is_same
        && line()?.strip_prefix("--- a/") == Some(path)
        && line()?.strip_prefix("+++ b/") == Some(path);
    let length = lines.offset();
    let has_end = text.get(..length)?.ends_with('\n');
    (is_whole && has_end).then_some((path, blobs, length))
}

/// The path and the blobs of a line of ours.
fn file(line: &str) -> Option<(&str, &str)> {
    let (path, blobs) = line.strip_prefix(FILE)?.rsplit_once(' ')?;
    (!path.is_empty() && are_blobs(blobs)).then_some((path, blobs))
}

/// `50329928..4b88a75b`
fn are_blobs(text: &str) -> bool {
    let is_blob = |blob: &str| {
        (4..=64).contains(&blob.len())
            && blob.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    };
    text.split_once("..").is_some_and(|(old, new)| is_blob(old) && is_blob(new))
}
