//! Text to templates and rows.

use super::mine::{Plan, Template, mine};
use super::scan::{Line, Scan};
use super::spelling::{self, DITTOS, HOLES, LITERAL, MAX_TEMPLATES, SIGNATURE, Signs, clock};

/// Writes lines that share a shape as a template and rows of values; `None` where that does not pay.
pub fn encode(text: &str) -> Option<String> {
    if text.starts_with(SIGNATURE) {
        return None;
    }
    let scan = Scan::new(text)?;
    let plan = mine(&scan, MAX_TEMPLATES);
    if plan.templates.is_empty() {
        return None;
    }
    let mut writer = Writer::new(&scan, &plan)?;
    for (number, line) in scan.lines.iter().enumerate() {
        writer.line(number, *line);
    }
    Some(writer.finish())
}

struct Writer<'a> {
    scan: &'a Scan<'a>,
    plan: &'a Plan,
    signs: Signs,
    out: String,
    /// The template of the line before.
    current: Option<u32>,
    /// The number each template was given when it was first used, and how many there are.
    numbers: Vec<Option<usize>>,
    known: usize,
    above: Vec<&'a str>,
    values: Vec<&'a str>,
}

impl<'a> Writer<'a> {
    fn new(scan: &'a Scan<'a>, plan: &'a Plan) -> Option<Self> {
        let mut writer = Self {
            scan,
            plan,
            signs: Signs { hole: "*", ditto: "~" },
            out: String::with_capacity(scan.text.len() / 2),
            current: None,
            numbers: vec![None; plan.templates.len()],
            known: 0,
            above: Vec::new(),
            values: Vec::new(),
        };
        writer.signs = writer.choose()?;
        writer.out.push_str(&writer.signs.legend());
        writer.out.push('\n');
        Some(writer)
    }

    /// Signs that nothing in the templates or at the start of a value is mistaken for.
    fn choose(&mut self) -> Option<Signs> {
        let mut holes = HOLES.to_vec();
        for template in &self.plan.templates {
            let pieces = self.pieces(template, *self.scan.lines.get(template.line as usize)?);
            holes.retain(|hole| !pieces.iter().any(|piece| piece.contains(hole)));
        }
        let mut dittos = DITTOS.to_vec();
        for (number, &line) in self.scan.lines.iter().enumerate() {
            if let Some(template) = self.template(number) {
                self.cut(template, line);
                dittos.retain(|ditto| !self.values.iter().any(|value| value.starts_with(ditto)));
            }
        }
        Some(Signs { hole: holes.first()?, ditto: dittos.first()? })
    }

    fn template(&self, number: usize) -> Option<&'a Template> {
        let id = (*self.plan.of_line.get(number)?)?;
        self.plan.templates.get(id as usize)
    }

    fn line(&mut self, number: usize, line: Line) {
        let id = self.plan.of_line.get(number).copied().flatten();
        let template = id.and_then(|id| self.plan.templates.get(id as usize));
        match (id, template) {
            (Some(id), Some(template)) if self.fits(template, line) => self.row(id, template, line),
            _ => self.literal(line),
        }
        if (line.end as usize) < self.scan.text.len() {
            self.out.push('\n');
        }
    }

    fn literal(&mut self, line: Line) {
        let text = self.scan.slice(line.start, line.end);
        if self.current.is_some() || self.misread(text) {
            self.out.push_str(LITERAL);
        }
        self.current = None;
        self.out.push_str(text);
    }

    fn row(&mut self, id: u32, template: &Template, line: Line) {
        let number = match self.numbers.get(id as usize).copied().flatten() {
            Some(number) => number,
            None => self.define(id, template),
        };
        self.cut(template, line);
        let mut row = String::new();
        for (column, value) in self.values.iter().enumerate() {
            if column > 0 {
                row.push(' ');
            }
            push_value(&mut row, value, self.above.get(column), self.signs.ditto);
        }
        let marked = self.current != Some(id) || row.is_empty() || self.misread(&row);
        if marked {
            self.out.push_str(&spelling::name(number));
            if !row.is_empty() {
                self.out.push(' ');
            }
        }
        self.out.push_str(&row);
        self.current = Some(id);
        std::mem::swap(&mut self.above, &mut self.values);
    }

    fn define(&mut self, id: u32, template: &Template) -> usize {
        let number = self.known;
        self.known += 1;
        if let Some(slot) = self.numbers.get_mut(id as usize) {
            *slot = Some(number);
        }
        let line = self.scan.lines.get(template.line as usize).copied();
        let pieces = line.map(|line| self.pieces(template, line)).unwrap_or_default();
        self.out.push_str(&spelling::name(number));
        self.out.push_str("= ");
        self.out.push_str(&pieces.join(self.signs.hole));
        self.out.push('\n');
        self.current = Some(id);
        number
    }

    /// Whether a line written as it is would be read as something else.
    fn misread(&self, line: &str) -> bool {
        line.starts_with(LITERAL)
            || spelling::named(line, self.known).is_some()
            || spelling::defined(line, self.known).is_some()
    }

    fn fits(&self, template: &Template, line: Line) -> bool {
        let Some(&shown) = self.scan.lines.get(template.line as usize) else { return false };
        self.pieces(template, shown) == self.pieces(template, line)
    }

    /// The text between the values.
    fn pieces(&self, template: &Template, line: Line) -> Vec<&'a str> {
        let fields = self.scan.fields(line);
        let mut from = line.start;
        let mut pieces = Vec::with_capacity(template.columns.len() + 1);
        for column in &template.columns {
            let Some(field) = fields.get(column.field) else { continue };
            pieces.push(self.scan.slice(from, field.start + column.front as u32));
            from = field.end - column.back as u32;
        }
        pieces.push(self.scan.slice(from, line.end));
        pieces
    }

    /// The values of a line, into `self.values`.
    fn cut(&mut self, template: &Template, line: Line) {
        self.values.clear();
        let fields = self.scan.fields(line);
        for column in &template.columns {
            if let Some(field) = fields.get(column.field) {
                let (start, end) = (field.start + column.front as u32, field.end - column.back as u32);
                self.values.push(self.scan.slice(start, end));
            }
        }
    }

    fn finish(self) -> String {
        self.out
    }
}

fn push_value(row: &mut String, value: &str, above: Option<&&str>, ditto: &str) {
    let Some(&above) = above else { return row.push_str(value) };
    if above == value && value.len() > 1 {
        row.push_str(ditto);
    } else if let Some(tail) = tail(value, above) {
        row.push_str(ditto);
        row.push_str(tail);
    } else {
        row.push_str(value);
    }
}

/// The end of a time from the first group that differs from the time above.
fn tail<'a>(value: &'a str, above: &str) -> Option<&'a str> {
    if value.len() != above.len() || !clock(value) || !clock(above) {
        return None;
    }
    let same = value.bytes().zip(above.bytes()).take_while(|(a, b)| a == b).count();
    let group = value.get(..same)?.rfind(|c: char| !c.is_ascii_digit())?;
    value.get(group + 1..).filter(|tail| !tail.is_empty())
}
