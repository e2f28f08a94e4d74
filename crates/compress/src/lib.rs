//! One tool output in, one smaller output out: pure stages over text.

pub mod normalize;
pub mod templates;
