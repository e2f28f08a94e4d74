//! Log templates: lines that share a shape are written once, with a row of values for each of them.

mod column;
mod mine;
mod read;
mod scan;
mod spelling;
mod write;

pub use read::decode;
pub use write::encode;
