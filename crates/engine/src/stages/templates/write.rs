//! The encoder of templates: text to templates and rows.

use super::ditto::is_ditto;
use super::mine::{TemplatePlan, mine};
use super::scan::LineScan;
use super::spelling::{
    self, BLANKS, DITTOS, HOLES, LITERAL, MAX_TEMPLATES, MAX_TEXT, NotationSigns, SIGNATURE,
};
use super::template::{LinePart, LogTemplate};

/// Writes lines that share a shape as a template and rows of values; `None` where that does not pay.
pub fn encode(text: &str) -> Option<String> {
    if text.starts_with(SIGNATURE) || text.len() > MAX_TEXT {
        return None;
    }
    let scan = LineScan::new(text)?;
    let plan = mine(&scan, MAX_TEMPLATES)?;
    let hole = HOLES.into_iter().find(|hole| !plan.says(hole))?;
    let blank = if plan.has_blanks() {
        Some(BLANKS.into_iter().find(|blank| !plan.says(blank))?)
    } else {
        None
    };
    DITTOS
        .into_iter()
        .find_map(|ditto| TemplateWriter::new(&scan, &plan, hole, ditto, blank).write())
}

impl TemplatePlan<'_> {
    /// Whether the text of a template contains a sign.
    fn says(&self, sign: &str) -> bool {
        self.parts().any(|part| matches!(part, LinePart::Text(text) if text.contains(sign)))
    }

    fn has_blanks(&self) -> bool {
        self.parts().any(|part| matches!(part, LinePart::Blank(_)))
    }

    fn parts(&self) -> impl Iterator<Item = &LinePart<'_>> {
        self.templates.iter().flat_map(|template| &template.parts)
    }
}

struct TemplateWriter<'a> {
    scan: &'a LineScan<'a>,
    plan: &'a TemplatePlan<'a>,
    hole: &'static str,
    ditto: &'static str,
    blank: Option<&'static str>,
    out: String,
    /// Whether a value was in the row above.
    repeated: bool,
    /// The template of the line before.
    current: Option<u32>,
    /// The number each template got when it was first used, and how many have one.
    numbers: Vec<Option<usize>>,
    known: usize,
    parts: Vec<LinePart<'a>>,
    values: Vec<&'a str>,
    above: Vec<&'a str>,
    row: String,
}

impl<'a> TemplateWriter<'a> {
    fn new(
        scan: &'a LineScan<'a>,
        plan: &'a TemplatePlan<'a>,
        hole: &'static str,
        ditto: &'static str,
        blank: Option<&'static str>,
    ) -> Self {
        Self {
            scan,
            plan,
            hole,
            ditto,
            blank,
            repeated: false,
            out: String::with_capacity(scan.text.len()),
            current: None,
            numbers: vec![None; plan.templates.len()],
            known: 0,
            parts: Vec::new(),
            values: Vec::new(),
            above: Vec::new(),
            row: String::new(),
        }
    }

    /// `None` if a value begins with the sign for the value above.
    fn write(mut self) -> Option<String> {
        for (row, id) in (0u32..).zip(&self.plan.of_line) {
            match id.and_then(|id| Some((id, self.plan.templates.get(id as usize)?))) {
                Some((id, template)) => self.row(id, template, row)?,
                None => self.literal(row),
            }
            if (self.scan.line(row).end as usize) < self.scan.text.len() {
                self.out.push('\n');
            }
        }
        let ditto = self.repeated.then_some(self.ditto);
        let legend = NotationSigns { hole: self.hole, ditto, blank: self.blank }.legend();
        Some([legend.as_str(), "\n", self.out.as_str()].concat())
    }

    fn literal(&mut self, row: u32) {
        let line = self.scan.line(row);
        let text = self.scan.slice(line.start, line.end);
        if self.current.is_some() || self.misread(text) {
            self.out.push_str(LITERAL);
        }
        self.current = None;
        self.out.push_str(text);
    }

    fn row(&mut self, id: u32, template: &'a LogTemplate<'a>, row: u32) -> Option<()> {
        template.cut_line(self.scan, row, &mut self.parts, &mut self.values);
        if self.parts != template.parts {
            self.literal(row);
            return Some(());
        }
        self.cells()?;
        if !self.is_read_back() {
            self.literal(row);
            return Some(());
        }
        let number = match self.numbers.get(id as usize).copied().flatten() {
            Some(number) => number,
            None => {
                let number = self.define(id, template);
                if self.values.is_empty() {
                    return Some(());
                }
                self.out.push('\n');
                number
            }
        };
        if self.current != Some(id) || self.row.is_empty() || self.misread(&self.row) {
            self.out.extend(spelling::template_name(number));
            if !self.row.is_empty() {
                self.out.push(' ');
            }
        }
        self.out.push_str(&self.row);
        self.current = Some(id);
        if !self.values.is_empty() {
            std::mem::swap(&mut self.above, &mut self.values);
        }
        Some(())
    }

    /// Writes the values to `self.row`.
    fn cells(&mut self) -> Option<()> {
        self.row.clear();
        for (column, value) in self.values.iter().enumerate() {
            if value.starts_with(self.ditto) {
                return None;
            }
            if column > 0 {
                self.row.push(' ');
            }
            if self.above.get(column).is_some_and(|above| is_ditto(value, above)) {
                self.repeated = true;
                self.row.push_str(self.ditto);
            } else {
                self.row.push_str(value);
            }
        }
        Some(())
    }

    /// Are the values in `self.row` told apart where they were put together? A time may seem to go on in the next value.
    fn is_read_back(&self) -> bool {
        let mut rest = self.row.as_str();
        self.values.iter().skip(1).zip(&self.values).enumerate().all(|(column, (_, value))| {
            let Some((cell, behind)) = spelling::split_cell(rest) else { return false };
            rest = behind;
            cell == *value || cell == self.ditto && self.above.get(column) == Some(value)
        })
    }

    fn define(&mut self, id: u32, template: &LogTemplate) -> usize {
        let number = self.known;
        self.known += 1;
        if let Some(slot) = self.numbers.get_mut(id as usize) {
            *slot = Some(number);
        }
        self.current = Some(id);
        self.out.extend(spelling::template_name(number));
        self.out.push_str(LITERAL);
        for part in &template.parts {
            match part {
                LinePart::Text(text) => self.out.push_str(text),
                LinePart::Hole => self.out.push_str(self.hole),
                LinePart::Blank(column) => {
                    self.out.push_str(self.blank.unwrap_or_default());
                    self.out.push_str(&column.to_string());
                }
            }
        }
        number
    }

    /// Whether a line written as it is would be read as something else.
    fn misread(&self, line: &str) -> bool {
        line.starts_with(LITERAL)
            || spelling::named_template(line, self.known).is_some()
            || spelling::defined_template(line, self.known).is_some()
    }
}
