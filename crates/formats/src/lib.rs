//! JSON text to TOON, STC and typed tables, and back.

mod error;
mod json;

pub use error::{Error, ErrorKind};
pub use json::{Json, MAX_DEPTH};
