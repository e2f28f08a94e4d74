//! JSON text to TOON, STC and typed tables, and back.

mod error;
mod json;
pub mod stc;

pub use error::{Error, ErrorKind};
pub use json::{Json, MAX_DEPTH};

/// The largest output a decoder writes unless told otherwise: 64 MiB.
pub const MAX_OUTPUT: usize = 64 << 20;
