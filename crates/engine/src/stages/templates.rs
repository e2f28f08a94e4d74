//! Log template mining: lines that share a shape are written once, and then only what varies in them.
//!
//! ```text
//! [Forge templates: "A= ..." is a line with * for what varies, rows below it give only those values; ...]
//! A= [*] INFO Rolled segment * of '*' in * ms (store.log)
//! 2024-05-06 10:00:00,250 17 orders-1 3
//! 2024-05-06 10:00:00,371 18 ~ 5
//! = java.io.IOException: disk is full
//! A 2024-05-06 10:00:02,010 19 orders-1 4
//! ```
//!
//! - The text begins with a legend. Lines keep their order: each line of the body stands for one line of the text, but
//!   for definitions (`A= ...`), which say what the rows below them are rows of.
//! - A row has the values of its line in order, with a space between them; the last one may contain spaces. A name
//!   before it (`A 1 2`) says of which template it is, where that is not the one of the line above.
//! - A definition in which nothing varies is itself the line; its name alone (`B`) is the line again.
//! - `~` is the value that the row above has in the same place.
//! - `= ` comes before a line that is no row, where rows come before it or it could be read as something else.
//!
//! A template is made of fields as `scan` cuts them, so a value is a whole word, path, name or number. `mine` finds
//! the templates: lines of one shape (`rows`) are told apart by the value of a field where that saves tokens
//! (`split`), and what is left may at least begin alike (`heads`). Texts that are no logs are given up early.

mod align;
mod column;
mod ditto;
mod heads;
mod mine;
mod read;
mod rows;
mod scan;
mod spelling;
mod split;
mod tally;
mod template;
mod word;
mod write;

pub use read::decode;
pub use write::encode;

use super::kinds::{LineCodec, Lossless};

pub(super) static STAGE: Lossless =
    Lossless::notation("log_templates", LineCodec { encode, has_written, decode });

/// Are the lines of this text written by templates?
pub(crate) fn has_written(text: &str) -> bool {
    text.starts_with(spelling::SIGNATURE)
}
