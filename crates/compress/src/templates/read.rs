//! Templates and rows to text.

use super::spelling::{self, LITERAL, SIGNATURE, Signs};

/// The text that [`encode`](super::encode) was given; `None` for a text that it did not write.
pub fn decode(text: &str) -> Option<String> {
    if !text.starts_with(SIGNATURE) {
        return None;
    }
    let (legend, body) = text.split_once('\n')?;
    let signs = Signs::all().find(|signs| signs.legend() == legend)?;
    let mut reader = Reader { signs, templates: Vec::new(), current: None, above: Vec::new(), out: String::new() };
    for line in body.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        if reader.line(line)? {
            reader.out.push_str(end);
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
            self.templates.push(text.split(self.signs.hole).collect());
            self.current = Some(known);
            return Some(false);
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
        let (first, others) = self.templates.get(id)?.split_first()?;
        self.out.push_str(first);
        let mut cells = row.splitn(others.len(), ' ');
        let mut values = Vec::with_capacity(others.len());
        for (column, text) in others.iter().enumerate() {
            let value = self.value(cells.next()?, column)?;
            self.out.push_str(&value);
            self.out.push_str(text);
            values.push(value);
        }
        self.above = values;
        Some(())
    }

    fn value(&self, cell: &str, column: usize) -> Option<String> {
        let Some(tail) = cell.strip_prefix(self.signs.ditto) else { return Some(cell.to_owned()) };
        let above = self.above.get(column)?;
        let kept = above.get(..above.len().checked_sub(tail.len())?)?;
        Some([kept, tail].concat())
    }
}
