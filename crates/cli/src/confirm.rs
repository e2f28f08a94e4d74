//! Confirmation prompt: asks before something is done that cannot be taken back easily.

use crate::output;
use anyhow::bail;
use std::io::{self, BufRead, IsTerminal};

/// Does the person at the terminal say yes? Where there is none, what would be done must be meant with `--yes`.
pub(crate) fn is_confirmed(question: &str, does: &str) -> anyhow::Result<bool> {
    let mut input = io::stdin().lock();
    if !input.is_terminal() {
        bail!("{does}; add --yes to do it without asking");
    }
    output::ask(&format!("{question} [y/N] "));
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
