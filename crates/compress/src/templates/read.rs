//! Templates and rows to text.

use super::align::MAX_COLUMN;
use super::ditto::expand;
use super::spelling::{self, LITERAL, MAX_TEXT, SIGNATURE, Signs};

/// The text that [`encode`](super::encode) was given; `None` for a text that it did not write.
pub fn decode(text: &str) -> Option<String> {
    if !text.starts_with(SIGNATURE) {
        return None;
    }
    let (legend, body) = text.split_once('\n')?;
    let signs = Signs::read(legend)?;
    let mut reader = Reader {
        signs,
        templates: Vec::new(),
        current: None,
        above: Vec::new(),
        out: String::with_capacity(text.len()),
    };
    for line in body.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        if reader.line(line)? {
            reader.out.push_str(end);
        }
        if reader.out.len() > MAX_TEXT {
            return None;
        }
    }
    Some(reader.out)
}

struct Reader<'a> {
    signs: Signs,
    /// The constant text around the values of each template.
    templates: Vec<Vec<&'a str>>,
    current: Option<usize>,
    above: Vec<String>,
    out: String,
}

impl<'a> Reader<'a> {
    /// Whether the line stood for one of the text.
    fn line(&mut self, line: &'a str) -> Option<bool> {
        let known = self.templates.len();
        if let Some(text) = spelling::defined(line, known) {
            let texts: Vec<&str> = text.split(self.signs.hole).collect();
            let whole = texts.len() == 1;
            self.templates.push(texts);
            self.current = Some(known);
            if whole {
                self.row(known, "")?;
            }
            return Some(whole);
        }
        if let Some(text) = line.strip_prefix(LITERAL) {
            self.current = None;
            self.out.push_str(text);
        } else if let Some((id, row)) = spelling::named(line, known) {
            self.current = Some(id);
            self.row(id, row)?;
        } else if let Some(id) = self.current {
            self.row(id, line)?;
        } else {
            self.out.push_str(line);
        }
        Some(true)
    }

    fn row(&mut self, id: usize, row: &str) -> Option<()> {
        let start = self.out.len();
        let (first, others) = self.templates.get(id)?.split_first()?;
        push_text(&mut self.out, start, first, self.signs.blank)?;
        let mut cells = row.splitn(others.len(), ' ');
        let mut values = Vec::with_capacity(others.len());
        for (column, text) in others.iter().enumerate() {
            let cell = cells.next()?;
            let value = match self.signs.ditto.and_then(|ditto| cell.strip_prefix(ditto)) {
                Some(ending) => expand(self.above.get(column)?, ending)?,
                None => cell.to_owned(),
            };
            self.out.push_str(&value);
            push_text(&mut self.out, start, text, self.signs.blank)?;
            values.push(value);
        }
        if !values.is_empty() {
            self.above = values;
        }
        Some(())
    }
}

/// Writes constant text after what was written of the line since `start`, with its blanks filled.
fn push_text(out: &mut String, start: usize, text: &str, blank: Option<&str>) -> Option<()> {
    let Some(blank) = blank else {
        out.push_str(text);
        return Some(());
    };
    let mut pieces = text.split(blank);
    out.push_str(pieces.next()?);
    for piece in pieces {
        let text = piece.trim_start_matches(|c: char| c.is_ascii_digit());
        let column: usize = piece.get(..piece.len() - text.len())?.parse().ok()?;
        let before =
            out.get(start..).filter(|before| before.len() < MAX_COLUMN && column <= MAX_COLUMN)?;
        let spaces = column.saturating_sub(before.chars().count()).max(1);
        out.extend(std::iter::repeat_n(' ', spaces));
        out.push_str(text);
    }
    Some(())
}
