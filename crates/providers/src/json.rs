//! JSON read from its bytes: validated, never built, nothing allocated per value.
//!
//! [`Blocks`](blocks::Blocks) turns 64 bytes at a time into a mask of where tokens start; [`Reader`] walks those tokens
//! and gives out spans. [`Node`] looks up what it is asked for in a small text. [`text`] is what stands between the
//! quotes, [`canonical`] the one spelling of what can be spelled in many ways.

mod blocks;
mod canonical;
mod lanes;
mod node;
mod reader;
mod scalar;
pub(crate) mod text;

pub use canonical::canonical;
pub use node::Node;
pub use reader::Kind;
pub(crate) use reader::{Key, Reader, Value};

/// How deep a document may nest: deeper than any request, and no stack is used for it.
pub const MAX_DEPTH: usize = 512;
