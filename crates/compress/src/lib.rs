//! One tool output in, a smaller one out, nothing lost: pure stages over text.

mod lines;
pub mod numbers;
pub mod paths;
