//! The typed table: an array of flat objects as a header of names and types, and a line of cells per row.
//!
//! ```text
//! [3]{id:int,status:string,path:string}
//! 1,passed,src/a.rs
//! 2,failed,
//! 3,null,"src/b,c.rs"
//! ```
//!
//! Lossless: an empty cell is a missing member, `null` is null, `""` is the empty string. Cells are escaped as in
//! CSV (`"` doubled inside quotes); JSON escapes stay as they were written, so a row is always one line.

mod decode;
mod encode;

pub use decode::decode;
pub use encode::encode;

/// What the cells of a column are, besides null and missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    /// Numbers of digits only.
    Int,
    /// Numbers.
    Float,
    /// Strings; quotes only where a cell needs them.
    String,
    /// `true` and `false`.
    Bool,
    /// Nothing but null.
    Null,
    /// More than one kind: strings are always in quotes.
    Any,
}

impl Type {
    const ALL: [Self; 6] =
        [Self::Int, Self::Float, Self::String, Self::Bool, Self::Null, Self::Any];

    fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Float => "float",
            Self::String => "string",
            Self::Bool => "bool",
            Self::Null => "null",
            Self::Any => "any",
        }
    }
}
