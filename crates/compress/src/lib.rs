//! One tool output in, one smaller output out.

pub mod filter;
