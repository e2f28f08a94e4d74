//! One tool output in, one smaller output out.

pub mod command;
pub mod context;
pub mod tool;
pub mod wrapper;
