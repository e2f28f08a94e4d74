//! One tool output in, a smaller one out, nothing lost.

pub mod expansion;
pub mod prompt;
pub mod reference;
pub mod schema;
