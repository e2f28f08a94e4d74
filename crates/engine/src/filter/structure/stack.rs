//! Stack frames in code of others: a test's own frames and the message say what failed.

use std::sync::LazyLock;

use regex::Regex;

use super::super::signal;
use super::LineRole;
use super::result::{ResultLine, is_match};

/// A frame on one line, in a folder that is not the project's.
static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"^\s*(?:\[\w+\]\s+|│\s+)?(?:at |from |# |❯ |› )\S*.*?(?:{LIBRARY}|(?-u:\b)node:internal/|(?-u:\b)(?:java\.base|jdk\.internal|sun\.reflect|org\.junit|junit\.framework)[./]).*(?::\d+|Native Method|Unknown Source)"
    ))
    .ok()
});

/// A frame of Python: the source and its marks follow it.
static PYTHON_FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(r#"^\s*File "[^"]*(?:{LIBRARY}|<frozen )[^"]*", line \d+, in "#)).ok()
});

const LIBRARY: &str = r"/node_modules/|/site-packages/|/dist-packages/|/lib/python\d|/gems/|/usr/lib/|/usr/share/|/vendor/|/rustc/|/\.cargo/registry/";

/// Marks under the source of a frame.
static MARKS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\s+[\^~]+$").ok());

pub(super) fn mark_library_frames(lines: &[&str], roles: &mut [Option<LineRole>]) {
    for (at, line) in lines.iter().enumerate() {
        let is_python = is_match(&PYTHON_FRAME, line);
        if !(is_python || is_match(&FRAME, line)) || ResultLine::of(line) == ResultLine::Kept {
            continue;
        }
        roles[at] = Some(LineRole::LibraryFrame);
        if is_python {
            let below = |line: usize| lines.get(line).copied().unwrap_or_default();
            let has_source = indent(below(at + 1)) > indent(line) && is_source(below(at + 1));
            if has_source {
                roles[at + 1] = Some(LineRole::LibraryFrame);
            }
            if has_source && is_match(&MARKS, below(at + 2)) {
                roles[at + 2] = Some(LineRole::LibraryFrame);
            }
        }
    }
}

/// Source may raise an error; a message says what it is behind a colon.
fn is_source(line: &str) -> bool {
    ResultLine::of(line) == ResultLine::Other && !(signal::is_in(line) && line.contains(": "))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_libraries_go_and_the_message_stays() {
        let text = "Traceback (most recent call last):\n  File \"/home/dev/shop/cart.py\", line 3, in add\n    total()\n  \
                    File \"/home/dev/venv/lib/python3.11/site-packages/x/y.py\", line 9, in total\n    raise ValueError(\"no\")\n    ^^^^^\n\
                    ValueError: no\n    at Object.toBe (/home/dev/node_modules/expect/index.js:3:4)\n    at Object.<anonymous> (test/cart.js:1:2)\n";
        let lines: Vec<&str> = text.lines().collect();
        let mut roles = vec![None; lines.len()];
        mark_library_frames(&lines, &mut roles);
        let stays: Vec<&str> = lines
            .iter()
            .zip(roles)
            .filter(|(_, role)| role.is_none())
            .map(|(line, _)| *line)
            .collect();
        assert_eq!(
            stays,
            [
                "Traceback (most recent call last):",
                "  File \"/home/dev/shop/cart.py\", line 3, in add",
                "    total()",
                "ValueError: no",
                "    at Object.<anonymous> (test/cart.js:1:2)",
            ]
        );
    }
}
