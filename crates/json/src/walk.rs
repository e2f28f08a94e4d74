//! The walker: JSON read from its bytes into spans, validated, never built, nothing allocated per value.
//!
//! [`Blocks`](blocks::Blocks) turns 64 bytes at a time into a mask of where tokens start; [`Walker`] walks those tokens
//! and gives out spans. [`Node`] looks up what it is asked for in a small text. [`canonical`] is the one spelling of what can
//! be spelled in many ways.

mod blocks;
mod canonical;
mod lanes;
mod node;
mod scalar;
mod tokens;
mod walker;

pub use canonical::canonical;
pub use node::Node;
pub use tokens::{JsonToken, is_json_sequence, tokens};
pub use walker::{MemberKey, ValueKind, ValueSpan, Walker};
