//! What a header announces: inline values, a list, a table, or a keyed table.

use super::header::Header;
use super::table::{RowCells, RowPlace};
use super::token::{LineKind, LineToken, LineView, TokenStop};
use super::{ContentLine, ToonDecoder};
use tokenforge_json::error::{Fault, FaultKind};

impl ToonDecoder<'_> {
    /// Writes the array (keyed: the object) of a header at `depth`.
    pub(super) fn array(
        &mut self,
        header: Header,
        line: ContentLine,
        depth: usize,
    ) -> Result<(), Fault> {
        if header.is_keyed {
            return self.entries(header, depth);
        }
        self.enter(1, header.bracket)?;
        if header.has_fields {
            self.rows(header, depth)?;
        } else if header.inline < line.end {
            self.inline_values(header, line)?;
        } else {
            self.list(header, depth)?;
        }
        self.leave(1);
        Ok(())
    }

    fn inline_values(&mut self, header: Header, line: ContentLine) -> Result<(), Fault> {
        let json = b"\"[\",\"]";
        let mut cells = RowCells::new(self.view(line), header.inline, header.delimiter);
        let stop = TokenStop::cell(header.delimiter);
        cells.write(&mut self.out, json, 0..3, stop)?;
        let mut count = 1;
        while cells.more() {
            cells.write(&mut self.out, json, 2..5, stop)?;
            count += 1;
        }
        cells.close(&mut self.out, json, 4..6);
        self.check_count("values", header, count)
    }

    fn list(&mut self, header: Header, depth: usize) -> Result<(), Fault> {
        self.out.push(b'[');
        let mut count = 0;
        if let Some(below) = self.scope_below(depth)? {
            while let Some(line) = self.next_in_span("items", below, header, count)? {
                if count > 0 {
                    self.out.push(b',');
                }
                self.item(line, below)?;
                count += 1;
            }
            self.lines.leave_span();
        }
        self.out.push(b']');
        self.check_count("items", header, count)
    }

    fn item(&mut self, line: ContentLine, depth: usize) -> Result<(), Fault> {
        let view = self.view(line);
        match (view.byte(line.start), view.byte(line.start + 1)) {
            (Some(b'-'), None) => return self.empty(b"{}", line.start),
            (Some(b'-'), Some(b' ')) => {}
            _ => return Err(Fault::expected("a list item, `- ` and its value", line.start)),
        }
        let content = line.from(view.skip_spaces(line.start + 1));
        match view.kind(content.start)? {
            LineKind::Scalar => self.scalar(view, content.start),
            LineKind::Header { key } if key.is_empty() => {
                let header = self.header(view, key.end)?;
                if header.has_fields {
                    return Err(Fault::expected("a key before the header of a table", key.end));
                }
                self.array(header, content, depth)
            }
            kind => self.object(content, kind, depth + 1),
        }
    }

    fn rows(&mut self, header: Header, depth: usize) -> Result<(), Fault> {
        let levels = self.template.levels();
        self.enter(levels, header.bracket)?;
        let mut count = 0;
        if let Some(below) = self.scope_below(depth)? {
            while let Some(line) = self.next_in_span("rows", below, header, count)? {
                let place = if count == 0 { RowPlace::First } else { RowPlace::Later };
                let view = self.view(line);
                self.template.row(&mut self.out, view, line.start, place)?;
                count += 1;
            }
            self.lines.leave_span();
        }
        if count == 0 {
            self.out.push(b'[');
        }
        self.out.push(b']');
        self.leave(levels);
        self.check_count("rows", header, count)
    }

    fn entries(&mut self, header: Header, depth: usize) -> Result<(), Fault> {
        let mut object = self.open_object(header.bracket)?;
        let levels = self.template.levels();
        self.enter(levels, header.bracket)?;
        let mut count = 0;
        if let Some(below) = self.scope_below(depth)? {
            while let Some(line) = self.next_in_span("entries", below, header, count)? {
                let view = self.view(line);
                let key = entry_key(view, line.start)?;
                self.key(&mut object, view, key)?;
                let cells = view.skip_spaces(key.end + 1);
                self.template.row(&mut self.out, view, cells, RowPlace::Entry)?;
                count += 1;
            }
            self.lines.leave_span();
        }
        self.leave(levels);
        self.close_object(object)?;
        self.check_count("entries", header, count)
    }

    /// Takes the next line that belongs to a header. From the first one on, blank lines are faults.
    #[inline]
    fn next_in_span(
        &mut self,
        of: &'static str,
        depth: usize,
        header: Header,
        count: usize,
    ) -> Result<Option<ContentLine>, Fault> {
        let line = self.next_at(depth)?;
        if count == 0 {
            self.lines.enter_span();
        }
        match line {
            Some(line) if self.strict && count == header.declared => {
                let problem = FaultKind::Count { of, declared: header.declared, found: count + 1 };
                Err(Fault::new(problem, line.start))
            }
            _ => Ok(line),
        }
    }

    fn check_count(&self, of: &'static str, header: Header, found: usize) -> Result<(), Fault> {
        if self.strict && found != header.declared {
            let problem = FaultKind::Count { of, declared: header.declared, found };
            return Err(Fault::new(problem, header.bracket));
        }
        Ok(())
    }
}

/// The key of an entry, ending at its colon. Unlike elsewhere a bracket in it means nothing.
fn entry_key(view: LineView<'_>, start: usize) -> Result<LineToken, Fault> {
    let key = if view.byte(start) == Some(b'"') {
        match view.kind(start)? {
            LineKind::Pair { key } => Some(key),
            _ => None,
        }
    } else {
        Some(view.token(start, TokenStop::COLON)).filter(|key| key.end < view.end())
    };
    key.ok_or_else(|| Fault::expected("`:` after the key of the entry", view.end()))
}
