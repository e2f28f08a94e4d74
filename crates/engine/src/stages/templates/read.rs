//! The decoder of templates: templates and rows to text.

use super::align::MAX_COLUMN;
use super::spelling::{self, LITERAL, MAX_TEXT, NotationSigns, SIGNATURE};
use crate::whole_lines::whole_lines;
use std::ops::Range;

/// The text that [`encode`](super::encode) was given; `None` for a text that it did not write.
pub fn decode(text: &str) -> Option<String> {
    if !text.starts_with(SIGNATURE) {
        return None;
    }
    let (legend, body) = text.split_once('\n')?;
    let mut reader = TemplateReader {
        signs: NotationSigns::read(legend)?,
        templates: Vec::new(),
        current: None,
        above: Vec::new(),
        values: Vec::new(),
        out: String::with_capacity(2 * text.len()),
    };
    for line in whole_lines(body) {
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

struct TemplateReader<'a> {
    signs: NotationSigns,
    /// The constant text around the values of each template.
    templates: Vec<Vec<Constant<'a>>>,
    current: Option<usize>,
    /// Where in `out` the values of the row above are, and those of this one.
    above: Vec<Range<usize>>,
    values: Vec<Range<usize>>,
    out: String,
}

impl<'a> TemplateReader<'a> {
    /// Whether the line stood for one of the text.
    fn line(&mut self, line: &'a str) -> Option<bool> {
        let known = self.templates.len();
        if let Some(text) = spelling::defined_template(line, known) {
            let texts = text.split(self.signs.hole);
            let texts: Option<Vec<_>> =
                texts.map(|text| Constant::read(text, self.signs.blank)).collect();
            let texts = texts?;
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
        } else if let Some((id, row)) = spelling::named_template(line, known) {
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
        let TemplateReader { signs, templates, above, values, out, .. } = self;
        let (first, others) = templates.get(id)?.split_first()?;
        let (start, mut rest) = (out.len(), row);
        first.write(start, out)?;
        values.clear();
        for (column, constant) in others.iter().enumerate() {
            let cell;
            (cell, rest) =
                if column + 1 == others.len() { (rest, "") } else { spelling::split_cell(rest)? };
            let from = out.len();
            if signs.ditto == Some(cell) {
                out.extend_from_within(above.get(column)?.clone())
            } else {
                out.push_str(cell)
            }
            values.push(from..out.len());
            constant.write(start, out)?;
        }
        if !values.is_empty() {
            std::mem::swap(above, values);
        }
        Some(())
    }
}

/// Text of a template between two values.
struct Constant<'a> {
    text: &'a str,
    /// Columns up to which blanks reach, and the text behind each.
    filled: Vec<(usize, &'a str)>,
}

impl<'a> Constant<'a> {
    fn read(text: &'a str, blank: Option<&str>) -> Option<Self> {
        let Some(blank) = blank else { return Some(Constant { text, filled: Vec::new() }) };
        let mut pieces = text.split(blank);
        let text = pieces.next()?;
        let filled = pieces.map(|piece| {
            let text = piece.trim_start_matches(|c: char| c.is_ascii_digit());
            let column = piece.strip_suffix(text)?.parse().ok()?;
            (column <= MAX_COLUMN).then_some((column, text))
        });
        Some(Constant { text, filled: filled.collect::<Option<_>>()? })
    }

    /// Writes it after what was written of the line since `start`, with its blanks filled.
    fn write(&self, start: usize, out: &mut String) -> Option<()> {
        out.push_str(self.text);
        for &(column, text) in &self.filled {
            let before = out.get(start..).filter(|before| before.len() < MAX_COLUMN)?;
            let spaces = column.saturating_sub(before.chars().count()).max(1);
            out.extend(std::iter::repeat_n(' ', spaces));
            out.push_str(text);
        }
        Some(())
    }
}
