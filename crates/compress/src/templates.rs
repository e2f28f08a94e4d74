//! Log templates: lines that share a shape are written once, with a row of values for each of them.

mod align;
mod column;
mod cost;
mod ditto;
mod heads;
mod mine;
mod read;
mod scan;
mod spelling;
mod split;
mod template;
mod write;

pub use read::decode;
pub use write::encode;
