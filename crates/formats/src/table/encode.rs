//! JSON to a typed table.

use super::Type;
use crate::refusal::Refusal;
use std::collections::{HashMap, HashSet};
use tokenforge_json::output::TextOutput;
use tokenforge_json::tape::{Json, LexemeKind};

/// A wider table is no help to a reader, and merging ragged rows into it would be slow.
const MAX_COLUMNS: usize = 4096;
/// More than this many places per cell, and most of the table would be empty.
const MAX_SPARSENESS: usize = 4;

/// Writes a non-empty array of objects with scalar members as a table.
///
/// ```
/// use tokenforge_formats::{Json, table};
///
/// let json = Json::parse(r#"[{"id": 1, "path": "a.rs"}, {"id": 2, "path": null}, {"id": 3}]"#)?;
/// assert_eq!(table::encode(&json).unwrap(), "[3]{id:int,path:string}\n1,a.rs\n2,null\n3,");
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
pub fn encode(json: &Json<'_>) -> Result<String, Refusal> {
    check_rows(json)?;
    let columns = columns(json)?;
    let mut out = TextOutput::with_capacity(json.text().len());
    write_header(json, &columns, &mut out);
    for row in json.elements(0) {
        out.push(b'\n');
        write_row(json, row, &columns, &mut out);
    }
    Ok(out.into_string())
}

struct EncodedColumn {
    /// Tape index of the key in the first row that has it.
    key: usize,
    kind: Type,
}

fn check_rows(json: &Json<'_>) -> Result<(), Refusal> {
    if json.node(0).kind != LexemeKind::Array || json.count(0) == 0 {
        return Err(Refusal::NotARow { offset: json.offset(0) });
    }
    for row in json.elements(0) {
        if json.node(row).kind != LexemeKind::Object {
            return Err(Refusal::NotARow { offset: json.offset(row) });
        }
        for key in json.keys(row) {
            if json.node(key + 1).kind.is_container() {
                return Err(Refusal::NestedCell { offset: json.offset(key + 1) });
            }
        }
    }
    Ok(())
}

/// The keys of all rows in an order that every row keeps, with their types.
fn columns(json: &Json<'_>) -> Result<Vec<EncodedColumn>, Refusal> {
    let cells: usize = json.elements(0).map(|row| json.count(row)).sum();
    let mut columns: Vec<EncodedColumn> = Vec::new();
    for row in json.elements(0) {
        if !take_in(json, row, &mut columns) {
            columns = merge_row(json, row, columns)?;
            take_in(json, row, &mut columns);
        }
        if columns.len() * json.count(0) > cells * MAX_SPARSENESS {
            return Err(Refusal::TooSparse);
        }
    }
    match json.elements(0).find(|&row| json.count(row) == 0) {
        Some(row) if columns.len() < 2 => Err(Refusal::EmptyRow { offset: json.offset(row) }),
        _ => Ok(columns),
    }
}

/// Widens the types of the columns to hold the row. False if its keys are not among them, in their order.
fn take_in(json: &Json<'_>, row: usize, columns: &mut [EncodedColumn]) -> bool {
    let mut columns = columns.iter_mut();
    json.keys(row).all(|key| {
        let Some(column) = columns.find(|column| json.same_raw(key, column.key)) else {
            return false;
        };
        column.kind = column.kind.with(type_of(json.node(key + 1).kind));
        true
    })
}

/// The columns with the new keys of a row put between them, each behind the key it follows in the row.
fn merge_row(
    json: &Json<'_>,
    row: usize,
    columns: Vec<EncodedColumn>,
) -> Result<Vec<EncodedColumn>, Refusal> {
    let places: HashMap<&str, usize> =
        columns.iter().enumerate().map(|(place, column)| (json.raw(column.key), place)).collect();
    let mut seen = HashSet::with_capacity(json.count(row));
    let mut merge_row = Vec::with_capacity(columns.len() + json.count(row));
    let mut known = columns.into_iter();
    let mut next = 0;
    for key in json.keys(row) {
        let offset = json.offset(key);
        if !seen.insert(json.raw(key)) {
            return Err(Refusal::DuplicateKey { offset });
        }
        match places.get(json.raw(key)) {
            Some(&place) if place < next => return Err(Refusal::KeyOrder { offset }),
            Some(&place) => {
                merge_row.extend(known.by_ref().take(place + 1 - next));
                next = place + 1;
            }
            None => merge_row.push(EncodedColumn { key, kind: Type::Null }),
        }
    }
    merge_row.extend(known);
    if merge_row.len() > MAX_COLUMNS {
        return Err(Refusal::TooWide { limit: MAX_COLUMNS });
    }
    Ok(merge_row)
}

fn type_of(kind: LexemeKind) -> Type {
    match kind {
        LexemeKind::String => Type::String,
        LexemeKind::Integer => Type::Int,
        LexemeKind::Decimal => Type::Float,
        LexemeKind::True | LexemeKind::False => Type::Bool,
        LexemeKind::Null => Type::Null,
        LexemeKind::Object | LexemeKind::Array | LexemeKind::Key => Type::Any,
    }
}

impl Type {
    /// The narrowest type that holds the cells of both.
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one,
            (Self::Null, other) | (other, Self::Null) => other,
            (Self::Int, Self::Float) | (Self::Float, Self::Int) => Self::Float,
            _ => Self::Any,
        }
    }
}

fn write_header(json: &Json<'_>, columns: &[EncodedColumn], out: &mut TextOutput) {
    out.push(b'[');
    out.push_count(json.count(0));
    out.push_str("]{");
    for (index, column) in columns.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let name = json.unquoted(column.key);
        let is_bare = json.node(column.key).content.is_word() && !name.is_empty();
        if is_bare {
            out.push_str(name)
        } else {
            write_quoted(name, out)
        }
        out.push(b':');
        out.push_str(column.kind.name());
    }
    out.push(b'}');
}

fn write_row(json: &Json<'_>, row: usize, columns: &[EncodedColumn], out: &mut TextOutput) {
    let mut keys = json.keys(row).peekable();
    for (index, column) in columns.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        if let Some(key) = keys.next_if(|&key| json.same_raw(key, column.key)) {
            write_cell(json, key + 1, column.kind, out);
        }
    }
}

fn write_cell(json: &Json<'_>, at: usize, column: Type, out: &mut TextOutput) {
    let node = json.node(at);
    if node.kind != LexemeKind::String {
        return json.copy_raw(at, out);
    }
    let text = json.unquoted(at);
    let needs_quotes = column == Type::Any
        || node.content.has_comma()
        || node.content.has_escape() && text.contains('"')
        || matches!(text, "" | "null")
        || text.starts_with(' ')
        || text.ends_with(' ');
    if needs_quotes { write_quoted(text, out) } else { json.copy_unquoted(at, out) }
}

/// Writes the text inside a JSON string as a quoted cell: `\"` becomes `""`, other escapes stay.
fn write_quoted(text: &str, out: &mut TextOutput) {
    out.push(b'"');
    let mut parts = text.split("\\\"");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str("\"\"");
        out.push_str(part);
    }
    out.push(b'"');
}
