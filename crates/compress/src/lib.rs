//! One tool output in, one smaller output out.

pub mod binary;
pub mod cap;
pub mod diff;
mod grouped;
pub mod padding;
pub mod progress;
pub mod terminal;
pub mod whitespace;
mod whole_lines;
