//! A progress bar for work that takes a person's time: on a terminal, and only for large inputs.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Smaller inputs are done before a bar could be read.
const LARGE: u64 = 16 << 20;

/// A bar over `bytes`, drawn on standard error; hidden for small inputs and where there is no terminal.
pub(crate) fn bar(bytes: u64, doing: &'static str) -> ProgressBar {
    if bytes < LARGE {
        return ProgressBar::hidden();
    }
    let template = "{msg} {wide_bar} {bytes}/{total_bytes}, {eta} left";
    let style = ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar());
    ProgressBar::new(bytes).with_style(style).with_message(doing)
}

/// A sign of life for work on `bytes` whose progress is not known; shown and hidden like [`bar`].
pub(crate) fn spinner(bytes: usize, doing: &'static str) -> ProgressBar {
    if (bytes as u64) < LARGE {
        return ProgressBar::hidden();
    }
    let spinner = ProgressBar::new_spinner().with_message(doing);
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}
