//! A template over the lines of a scan: its constant text, and how its values are cut out of a line.

use super::align;
use super::column::{TemplateColumn, columns};
use super::mine::TemplateRows;
use super::rows::varying;
use super::scan::LineScan;

/// What a line consists of, seen through a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinePart<'a> {
    Text(&'a str),
    /// The place of a value.
    Hole,
    /// Spaces up to a column.
    Blank(usize),
}

/// One line whose columns vary.
pub(super) struct LogTemplate<'a> {
    pub(super) parts: Vec<LinePart<'a>>,
    columns: Vec<TemplateColumn>,
    /// Fields before which a blank reaches up to a column.
    blanks: Vec<(usize, usize)>,
    /// The field from which on the line is one value.
    rest: Option<usize>,
}

impl<'a> LogTemplate<'a> {
    pub(super) fn new(scan: &LineScan<'a>, found: &TemplateRows) -> Self {
        let mut varying = varying(scan, &found.rows);
        let mut blanks = Vec::new();
        match found.head {
            Some(head) => varying.truncate(head),
            None => blanks = align::columns(scan, &found.rows),
        }
        let columns = columns(scan, &found.rows, &varying);
        let mut template = Self { parts: Vec::new(), columns, blanks, rest: found.head };
        let (mut parts, mut values) = (Vec::new(), Vec::new());
        if let Some(&row) = found.rows.first() {
            template.cut_line(scan, row, &mut parts, &mut values);
        }
        template.parts = parts;
        template
    }

    /// The parts and the values of a line; it is a row if the parts are the template's.
    pub(super) fn cut_line(
        &self,
        scan: &LineScan<'a>,
        row: u32,
        parts: &mut Vec<LinePart<'a>>,
        values: &mut Vec<&'a str>,
    ) {
        parts.clear();
        values.clear();
        let line = scan.line(row);
        let fields = scan.fields(row);
        let mut from = line.start;
        let mut blanks = self.blanks.iter().peekable();
        for column in &self.columns {
            let Some(field) = fields.get(column.field) else { continue };
            while let Some((at, stop)) = blanks.next_if(|(at, _)| *at <= column.field) {
                self.blank(scan, row, *at, *stop, &mut from, parts);
            }
            let (start, end) = (field.start + column.front, field.end() - column.back);
            push_text(parts, scan.slice(from, start));
            parts.push(LinePart::Hole);
            values.push(scan.slice(start, end));
            from = end;
        }
        for (at, stop) in blanks {
            self.blank(scan, row, *at, *stop, &mut from, parts);
        }
        if let Some(rest) = self.rest.and_then(|rest| fields.get(rest)) {
            push_text(parts, scan.slice(from, rest.start));
            parts.push(LinePart::Hole);
            values.push(scan.slice(rest.start, line.end));
            from = line.end;
        }
        push_text(parts, scan.slice(from, line.end));
    }

    fn blank(
        &self,
        scan: &LineScan<'a>,
        row: u32,
        field: usize,
        column: usize,
        from: &mut u32,
        parts: &mut Vec<LinePart<'a>>,
    ) {
        if let Some(blank) = align::blank(scan, row, field)
            && align::reaches(scan, row, &blank, column)
        {
            push_text(parts, scan.slice(*from, blank.start));
            parts.push(LinePart::Blank(column));
            *from = blank.end;
        }
    }
}

fn push_text<'a>(parts: &mut Vec<LinePart<'a>>, text: &'a str) {
    if !text.is_empty() {
        parts.push(LinePart::Text(text));
    }
}
