//! The JSON walker, by the names that this crate calls its parts.

pub(crate) use tokenforge_json::{
    MemberKey as Key, Node, ValueKind as Kind, ValueSpan as Value, Walker as Reader, canonical,
};

pub(crate) mod text {
    pub(crate) use tokenforge_json::{escape_into, quote as quoted, unescape};
}
