//! JSON text to TOON, STC and typed tables, and back.

mod error;
mod json;
mod output;
mod refusal;
pub mod stc;
pub mod toon;

pub use error::{Error, ErrorKind};
pub use json::{Json, MAX_DEPTH};
pub use refusal::Refusal;

/// The largest output a decoder writes unless told otherwise: 64 MiB.
pub const MAX_OUTPUT: usize = 64 << 20;
