//! The fields of a table, rendered once as the JSON that stands between the cells of every row.

use super::duplicates::{first_repeat, last_occurrences};
use super::token::LineView;
use super::write;
use std::ops::Range;
use tokenforge_json::MAX_DEPTH;
use tokenforge_json::error::{Fault, FaultKind};
use tokenforge_json::output::TextOutput;

/// How a row becomes an object: piece, cell, piece, cell, ..., closing.
///
/// For `{id,by{name}}` the pieces are `",{"id":"` and `","by":{"name":"` and the closing is `"}}`.
/// Their outer quotes belong to the cells: they are left out next to a cell that is no bare string.
#[derive(Debug, Default)]
pub(super) struct RowTemplate<'a> {
    /// The field list as it was written, with its braces.
    list: &'a [u8],
    delimiter: u8,
    fields: Vec<Field>,
    /// The names in `fields` as JSON strings.
    names: TextOutput,
    /// The pieces and the closing, one after the other, and a chunk of padding.
    json: TextOutput,
    /// Where each piece ends.
    ends: Vec<usize>,
    /// Where the closing ends.
    end: usize,
    /// Which cell each piece is for.
    cells: Vec<usize>,
    /// Cells in a row.
    width: usize,
    /// Objects inside each other in a row.
    levels: usize,
    /// Are some cells not shown and others moved, because of duplicate names?
    is_rearranged: bool,
}

/// A field or, when others follow up to `behind`, a group of fields.
#[derive(Debug, Clone)]
struct Field {
    name: Range<usize>,
    /// Offset in the input.
    source: usize,
    /// The index in `fields` behind its last descendant.
    behind: usize,
    /// For a leaf its cell.
    cell: usize,
}

impl<'a> RowTemplate<'a> {
    pub(super) fn list(&self) -> &'a [u8] {
        self.list
    }

    pub(super) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn levels(&self) -> usize {
        self.levels
    }

    pub(super) fn is_rearranged(&self) -> bool {
        self.is_rearranged
    }

    pub(super) fn cells(&self) -> &[usize] {
        &self.cells
    }

    /// The JSON that the pieces and the closing are in.
    #[inline]
    pub(super) fn json(&self) -> &[u8] {
        self.json.bytes()
    }

    #[inline]
    pub(super) fn pieces(&self) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        self.ends.iter().map(move |&end| std::mem::replace(&mut start, end)..end)
    }

    #[inline]
    pub(super) fn closing(&self) -> Range<usize> {
        self.ends.last().copied().unwrap_or(0)..self.end
    }

    /// Reads the field list whose `{` is at `brace`.
    pub(super) fn read(
        &mut self,
        view: LineView<'a>,
        brace: usize,
        delimiter: u8,
        strict: bool,
    ) -> Result<(), Fault> {
        *self = Self { delimiter, ..Self::default() };
        let end = self.parse(view, brace + 1)?;
        self.list = &view.text[brace..end];
        self.json.push_str("\",");
        self.render(0..self.fields.len(), strict)?;
        self.end = self.json.len();
        self.json.pad();
        self.is_rearranged = self.cells.len() < self.width;
        Ok(())
    }

    /// Fills `fields` from the names that start at `at`; returns the end of the list.
    fn parse(&mut self, view: LineView<'_>, mut at: usize) -> Result<usize, Fault> {
        let mut groups = Vec::new();
        loop {
            at = self.name(view, at)?;
            match view.byte(at) {
                Some(b'{') => {
                    if view.byte(at - 1) == Some(b' ') {
                        return Err(Fault::expected("no space before a field group", at - 1));
                    }
                    groups.push(self.fields.len() - 1);
                    if groups.len() >= MAX_DEPTH {
                        let problem = FaultKind::TooDeep { limit: MAX_DEPTH };
                        return Err(Fault::new(problem, at));
                    }
                    at += 1;
                    continue;
                }
                Some(b'}') => {}
                _ if view.class(at) & self.delimiter != 0 => {}
                _ => return Err(Fault::expected("the delimiter or the end of the field list", at)),
            }
            self.levels = self.levels.max(groups.len() + 1);
            self.width += 1;
            while view.byte(at) == Some(b'}') {
                let Some(group) = groups.pop() else { return Ok(at + 1) };
                self.fields[group].behind = self.fields.len();
                at = view.skip_spaces(at + 1);
            }
            if view.class(at) & self.delimiter == 0 {
                return Err(Fault::expected("the delimiter or the end of the field list", at));
            }
            at += 1;
        }
    }

    /// Reads the name of a field; returns the offset of what follows it.
    fn name(&mut self, view: LineView<'_>, at: usize) -> Result<usize, Fault> {
        let source = view.skip_spaces(at);
        let from = self.names.len();
        let end = if view.byte(source) == Some(b'"') {
            let close = write::quoted_token(&mut self.names, view, source)?;
            view.skip_spaces(close)
        } else {
            let token = view.field_name(source);
            let name = view.trimmed(token);
            if name.is_empty() {
                return Err(Fault::expected("a field name", source));
            }
            write::bare_token(&mut self.names, view, name);
            token.end
        };
        self.fields.push(Field {
            name: from..self.names.len(),
            source,
            behind: self.fields.len() + 1,
            cell: self.width,
        });
        Ok(end)
    }

    /// Appends the object made of the sibling fields in the range.
    fn render(&mut self, siblings: Range<usize>, strict: bool) -> Result<(), Fault> {
        let indices: Vec<usize> = std::iter::successors(Some(siblings.start), |&index| {
            Some(self.fields[index].behind).filter(|&next| next < siblings.end)
        })
        .collect();
        let names =
            indices.iter().map(|&index| &self.names.bytes()[self.fields[index].name.clone()]);
        let shown = match first_repeat(names.clone(), indices.len()) {
            None => indices,
            Some(repeat) if strict => {
                let offset = self.fields[indices[repeat]].source;
                return Err(Fault::new(FaultKind::DuplicateKey, offset));
            }
            Some(_) => last_occurrences(names).into_iter().map(|last| indices[last]).collect(),
        };
        for (position, &index) in shown.iter().enumerate() {
            let Field { name, behind, cell, .. } = self.fields[index].clone();
            self.json.push(if position == 0 { b'{' } else { b',' });
            self.json.push_bytes(&self.names.bytes()[name]);
            self.json.push(b':');
            if behind > index + 1 {
                self.render(index + 1..behind, strict)?;
            } else {
                self.json.push(b'"');
                self.ends.push(self.json.len());
                self.cells.push(cell);
                self.json.push(b'"');
            }
        }
        self.json.push(b'}');
        Ok(())
    }
}
