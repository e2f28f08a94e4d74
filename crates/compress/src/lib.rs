//! One tool output in, a smaller one out, nothing lost: pure stages over text.

pub mod columns;
pub mod diff;
pub mod fold;
mod lines;
pub mod numbers;
pub mod paths;
mod weight;
