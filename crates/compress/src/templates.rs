//! Log templates: lines that share a shape are written once, with a row of values for each of them.

mod align;
mod column;
mod ditto;
mod heads;
mod mine;
mod read;
mod rows;
mod scan;
mod spelling;
mod split;
mod template;
mod write;

pub use read::decode;
pub use write::encode;
/// x
pub fn scan_only(t: &str) -> usize {
    scan::Scan::new(t).map_or(0, |s| s.lines.len())
}
