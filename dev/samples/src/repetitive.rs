//! JSON texts full of what an encoder can leave out: equal shapes, equal values, runs, strings that start alike. And of
//! exceptions to it.

use fastrand::Rng;

/// A JSON text that repeats itself, the same for the same seed.
pub fn repetitive(seed: u64) -> String {
    let mut writer = Writer { rng: Rng::with_seed(seed), out: String::new() };
    match writer.rng.u8(..4) {
        0 => writer.table(0),
        1 => writer.map(0),
        _ => writer.document(),
    }
    writer.out
}

/// Texts of strings: what is written bare, what looks like syntax, what starts alike.
const TEXTS: &[&str] = &[
    "open",
    "closed",
    "a longer text that comes again",
    "https://api.example.com/repos/forge/token",
    "https://api.example.com/repos/forge/token/issues",
    "https://api.example.com/repos/forge/token/issues/12{?page}",
    "https://api.example.com/repos/forge/tokens",
    "/usr/share/doc/packages/readme.md",
    "/usr/share/doc/packages/licence.md",
    "2026-07-14T19:25:58Z",
    "2026-07-14T19:25:59Z",
    "",
    "-",
    "^",
    "|",
    "*1",
    "&1",
    "*",
    "1",
    "12",
    "-3",
    "1e5",
    "007",
    "null",
    "true",
    "stc2",
    "a b",
    "(a",
    "[2]{a}",
    "a\\nb and so on and so on",
    "a\\\\",
    "\\u00e9 and the rest of the text",
    "\\ud800",
    "é",
    "日本語のテキスト",
    "a:b=c?d+e",
];

const KEYS: &[&str] = &[
    "id",
    "name",
    "url",
    "state",
    "user",
    "a-b",
    "a b",
    "é",
    "a:b",
    "a+b",
    "x?",
    "1",
    "&a",
    "*",
    "",
    "\\u0061",
    "null",
    "created_at",
    "(",
    "comments_url",
];

/// What the cells of a column are.
#[derive(Clone, Copy)]
enum Column {
    Run { first: i64, step: i64 },
    Constant(usize),
    Text,
    Numbered,
    Derived,
    Number,
    Mixed,
    Nested,
    Tuple,
    List,
}

struct Writer {
    rng: Rng,
    out: String,
}

impl Writer {
    fn document(&mut self) {
        let keys = self.keys(5);
        self.out.push('{');
        for (index, key) in keys.iter().enumerate() {
            self.member(index, key);
            match self.rng.u8(..6) {
                0 | 1 => self.table(1),
                2 => self.map(1),
                3 => self.texts(),
                _ => self.scalar(),
            }
        }
        self.out.push('}');
    }

    fn table(&mut self, depth: usize) {
        let shape = Shape::new(self, depth);
        let rows = self.rng.usize(..12);
        self.out.push('[');
        for row in 0..rows {
            self.comma(row);
            shape.record(self, row, depth);
        }
        self.out.push(']');
    }

    fn map(&mut self, depth: usize) {
        let shape = Shape::new(self, depth);
        let keys = self.keys(8);
        self.out.push('{');
        for (row, key) in keys.iter().enumerate() {
            self.member(row, key);
            shape.record(self, row, depth);
        }
        self.out.push('}');
    }

    fn texts(&mut self) {
        self.out.push('[');
        for index in 0..self.rng.usize(..8) {
            self.comma(index);
            self.text();
        }
        self.out.push(']');
    }

    fn scalar(&mut self) {
        match self.rng.u8(..6) {
            0 => self.out.push_str("null"),
            1 => self.out.push_str("true"),
            2 => self.number(),
            3 => self.out.push_str("[]"),
            _ => self.text(),
        }
    }

    fn text(&mut self) {
        let index = self.rng.usize(..TEXTS.len());
        self.quoted(TEXTS[index]);
    }

    fn number(&mut self) {
        let numbers = ["0", "-0", "1", "42", "1.50", "1E3", "-7", "12345678901234567890"];
        let index = self.rng.usize(..numbers.len());
        self.out.push_str(numbers[index]);
    }

    /// Different keys, some of them, in the order of the list.
    fn keys(&mut self, most: usize) -> Vec<&'static str> {
        let count = self.rng.usize(1..=most);
        let mut picked: Vec<usize> = (0..count).map(|_| self.rng.usize(..KEYS.len())).collect();
        picked.sort_unstable();
        picked.dedup();
        picked.into_iter().map(|index| KEYS[index]).collect()
    }

    fn quoted(&mut self, text: &str) {
        self.out.push('"');
        self.out.push_str(text);
        self.out.push('"');
    }

    fn member(&mut self, index: usize, key: &str) {
        self.comma(index);
        self.quoted(key);
        self.out.push(':');
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push_str(if self.rng.u8(..20) == 0 { " ,\n" } else { "," });
        }
    }
}

/// The columns of similar objects.
struct Shape {
    columns: Vec<(&'static str, Column)>,
    /// Of nested objects.
    inner: Vec<(&'static str, Column)>,
    is_sparse: bool,
    is_odd: bool,
}

impl Shape {
    fn new(writer: &mut Writer, depth: usize) -> Self {
        let columns = Self::columns(writer, 6, depth);
        let inner = Self::columns(writer, 3, 9);
        let (is_sparse, is_odd) = (writer.rng.u8(..3) == 0, writer.rng.u8(..8) == 0);
        Self { columns, inner, is_sparse, is_odd }
    }

    fn columns(writer: &mut Writer, most: usize, depth: usize) -> Vec<(&'static str, Column)> {
        let column = |writer: &mut Writer| match writer.rng.u8(..if depth < 3 { 11 } else { 7 }) {
            0 => Column::Run { first: writer.rng.i64(-5..5), step: writer.rng.i64(-3..9) },
            1 => Column::Constant(writer.rng.usize(..TEXTS.len())),
            2 => Column::Text,
            3 => Column::Numbered,
            4 => Column::Derived,
            5 => Column::Number,
            6 => Column::Mixed,
            7 | 8 => Column::Nested,
            9 => Column::Tuple,
            _ => Column::List,
        };
        let keys = writer.keys(most);
        keys.into_iter().map(|key| (key, column(writer))).collect()
    }

    fn record(&self, writer: &mut Writer, row: usize, depth: usize) {
        let mut columns = self.columns.clone();
        if self.is_sparse {
            columns.retain(|_| writer.rng.u8(..4) > 0);
        }
        if self.is_odd && writer.rng.u8(..6) == 0 {
            match writer.rng.u8(..3) {
                0 => writer.rng.shuffle(&mut columns),
                1 => columns.extend(self.columns.first().copied()),
                _ => return writer.scalar(),
            }
        }
        self.object(writer, &columns, row, depth);
    }

    fn object(
        &self,
        writer: &mut Writer,
        columns: &[(&'static str, Column)],
        row: usize,
        depth: usize,
    ) {
        writer.out.push('{');
        for (index, (key, column)) in columns.iter().enumerate() {
            writer.member(index, key);
            self.cell(writer, *column, row, depth);
        }
        writer.out.push('}');
    }

    fn cell(&self, writer: &mut Writer, column: Column, row: usize, depth: usize) {
        match column {
            Column::Run { first, step } => {
                writer.out.push_str(&(first + step * row as i64).to_string());
            }
            Column::Constant(text) => writer.quoted(TEXTS[text]),
            Column::Text => writer.text(),
            Column::Numbered => {
                writer.quoted(&format!("https://example.com/items/{}.html", row / 2))
            }
            Column::Derived => writer.quoted(&format!("/{}/comments", row * 37)),
            Column::Number => writer.number(),
            Column::Mixed => writer.scalar(),
            Column::Tuple if writer.rng.u8(..4) == 0 => writer.out.push_str("null"),
            Column::Nested | Column::Tuple => {
                let same = writer.rng.usize(..3);
                self.object(writer, &self.inner, if depth == 0 { row } else { same }, depth + 1);
            }
            Column::List => {
                writer.out.push('[');
                for index in 0..writer.rng.usize(..4) {
                    writer.comma(index);
                    self.object(writer, &self.inner, index, depth + 1);
                }
                writer.out.push(']');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::repetitive;

    #[test]
    fn the_same_seed_gives_the_same_text() {
        assert_eq!(repetitive(3), repetitive(3));
        assert_ne!(repetitive(3), repetitive(4));
    }
}
