//! Rows: the arrays of objects in a JSON text, which a reader must count and compare, and which tables are made of.

use tokenforge_json::tape::{Json, LexemeKind};

/// Has the text rows: two or more objects in one array, none of them empty, wherever in the text? Their keys may differ.
///
/// Models read documents with rows in other ways than those without, so what was measured of the one says nothing about the
/// other. `dev/bench/readability` groups its documents by the same rule, over the same cases (`tests/rows.json`).
///
/// ```
/// use tokenforge_formats::{Json, has_rows};
///
/// assert!(has_rows(&Json::parse(r#"{"users": [{"id": 1}, {"name": "ada"}]}"#)?));
/// assert!(!has_rows(&Json::parse(r#"{"users": [{"id": 1}], "tags": ["a", "b"]}"#)?));
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
#[must_use]
pub fn has_rows(json: &Json<'_>) -> bool {
    let is_row = |at: usize| json.node(at).kind == LexemeKind::Object && json.count(at) > 0;
    let is_table = |at: usize| {
        let is_array = json.node(at).kind == LexemeKind::Array;
        is_array && json.count(at) > 1 && json.elements(at).all(is_row)
    };
    (0..json.next(0)).any(is_table)
}
