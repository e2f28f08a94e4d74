//! Tables and paragraphs that fit a terminal: long texts are shortened, and numbers that do not fit go to the next line.
//!
//! ```
//! use tokenforge_replay::columns::{TextColumn, TextTable};
//!
//! let mut table = TextTable::new([TextColumn::text("tool"), TextColumn::number("tokens")]);
//! table.row(["mcp__files__read_text_file", "1,234"]);
//! assert_eq!(table.text(24), "tool              tokens\nmcp__files__rea…   1,234");
//! ```

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What is between two columns.
const GAP: usize = 2;

/// Texts are not shortened below this.
const LEAST: usize = 16;

/// How far numbers that went to the next line are moved in.
const INDENT: usize = 4;

/// A column: its title, and what is in it.
#[derive(Debug, Clone)]
pub struct TextColumn {
    title: String,
    kind: ColumnKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnKind {
    /// Shortened at its end.
    Text,
    /// Shortened at its beginning: the end says which file it is.
    Path,
    /// Never shortened.
    Number,
}

impl TextColumn {
    /// Texts, at the left; long ones lose their end.
    #[must_use]
    pub fn text(title: &str) -> Self {
        TextColumn { title: title.to_owned(), kind: ColumnKind::Text }
    }

    /// Paths, at the left; long ones lose their beginning.
    #[must_use]
    pub fn path(title: &str) -> Self {
        TextColumn { title: title.to_owned(), kind: ColumnKind::Path }
    }

    /// Numbers, at the right.
    #[must_use]
    pub fn number(title: &str) -> Self {
        TextColumn { title: title.to_owned(), kind: ColumnKind::Number }
    }
}

/// Rows below titles.
#[derive(Debug, Clone)]
pub struct TextTable {
    columns: Vec<TextColumn>,
    rows: Vec<Vec<String>>,
}

/// A table for a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableLines {
    /// The lines of the titles.
    pub heading: Vec<String>,
    /// The lines of the rows.
    pub rows: Vec<String>,
}

impl TextTable {
    /// A table without rows.
    #[must_use]
    pub fn new(columns: impl IntoIterator<Item = TextColumn>) -> Self {
        TextTable { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row: a cell for each column.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(|cell| printable(&cell.into())).collect());
    }

    /// The table in lines that are at most this wide.
    #[must_use]
    pub fn lay_out(&self, width: usize) -> TableLines {
        let (widths, lines) = self.layout(width);
        let titles: Vec<String> = self.columns.iter().map(|column| column.title.clone()).collect();
        let lay = |cells: &Vec<String>| self.lay(cells, &widths, &lines);
        TableLines { heading: lay(&titles), rows: self.rows.iter().flat_map(lay).collect() }
    }

    /// All of it as a text.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        let TableLines { mut heading, rows } = self.lay_out(width);
        heading.extend(rows);
        heading.join("\n")
    }

    /// Is there no row?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All of it as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let escaped = |cell: &str| cell.replace('|', "\\|");
        let line = |cells: Vec<&str>| {
            format!("| {} |", cells.into_iter().map(escaped).collect::<Vec<_>>().join(" | "))
        };
        let titles = self.columns.iter().map(|column| column.title.as_str()).collect();
        let align =
            |column: &TextColumn| if column.kind == ColumnKind::Number { "---:" } else { "---" };
        let rows = self.rows.iter().map(|row| line(row.iter().map(String::as_str).collect()));
        let heading = [line(titles), line(self.columns.iter().map(align).collect())];
        heading.into_iter().chain(rows).collect::<Vec<_>>().join("\n")
    }

    /// How wide each column is, and which columns stand on which line.
    fn layout(&self, width: usize) -> (Vec<usize>, Vec<Vec<usize>>) {
        let natural = |(index, column): (usize, &TextColumn)| {
            let cells = self.rows.iter().filter_map(|row| row.get(index)).map(|cell| cell.width());
            cells.chain([column.title.width()]).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = self.columns.iter().enumerate().map(natural).collect();
        let all: Vec<usize> = (0..widths.len()).collect();
        let total = |widths: &[usize]| line_width(widths, &all);
        let can_shrink = |widths: &[usize]| {
            let shrinks = |index: &usize| {
                self.columns[*index].kind != ColumnKind::Number && widths[*index] > LEAST
            };
            all.iter().copied().filter(shrinks).max_by_key(|index| widths[*index])
        };
        while total(&widths) > width {
            let Some(widest) = can_shrink(&widths) else { break };
            widths[widest] -= 1;
        }
        if total(&widths) <= width {
            return (widths, vec![all]);
        }
        let mut lines: Vec<Vec<usize>> = vec![Vec::new()];
        for index in all {
            let indent = if lines.len() > 1 { INDENT } else { 0 };
            let line = lines.len() - 1;
            let with = [&lines[line][..], &[index]].concat();
            if line_width(&widths, &with) + indent <= width || lines[line].is_empty() {
                lines[line] = with;
            } else {
                lines.push(vec![index]);
            }
        }
        (widths, lines)
    }

    fn lay(&self, cells: &[String], widths: &[usize], lines: &[Vec<usize>]) -> Vec<String> {
        let line = |(at, indices): (usize, &Vec<usize>)| {
            let shown = indices.iter().map(|index| {
                let cell = cells.get(*index).map(String::as_str).unwrap_or_default();
                fit(cell, widths[*index], self.columns[*index].kind)
            });
            let indent = if at > 0 { INDENT } else { 0 };
            let shown = shown.collect::<Vec<_>>().join(&" ".repeat(GAP));
            format!("{:indent$}{shown}", "").trim_end().to_owned()
        };
        lines.iter().enumerate().map(line).collect()
    }
}

fn line_width(widths: &[usize], indices: &[usize]) -> usize {
    let cells: usize = indices.iter().map(|index| widths[*index]).sum();
    cells + GAP * indices.len().saturating_sub(1)
}

/// A cell of exactly this width.
fn fit(cell: &str, width: usize, kind: ColumnKind) -> String {
    let cell = match kind {
        ColumnKind::Text => shorten(cell, width),
        ColumnKind::Path => shorten_path(cell, width),
        ColumnKind::Number => cell.to_owned(),
    };
    let blanks = " ".repeat(width.saturating_sub(cell.width()));
    if kind == ColumnKind::Number { blanks + &cell } else { cell + &blanks }
}

/// A text of at most this width; `…` is where it was cut.
#[must_use]
pub fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let kept = take_width(text.chars(), width);
    kept.into_iter().chain(['…']).collect()
}

/// A path of at most this width, which ends as it does; `…` is where it was cut.
#[must_use]
pub fn shorten_path(path: &str, width: usize) -> String {
    if path.width() <= width {
        return path.to_owned();
    }
    let kept = take_width(path.chars().rev(), width);
    ['…'].into_iter().chain(kept.into_iter().rev()).collect()
}

/// A text with blanks behind it, up to this width.
#[must_use]
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// So many characters as leave a column for `…`.
fn take_width(characters: impl Iterator<Item = char>, width: usize) -> Vec<char> {
    let mut used = 1;
    let fits = |character: &char| {
        used += character.width().unwrap_or(0);
        used <= width
    };
    characters.take_while(fits).collect()
}

/// A paragraph in lines of at most this width, the first with one text before it, the others with another. A word that
/// is longer stands alone: an address, a path or a command in backquotes is of no use in two pieces.
#[must_use]
pub fn wrap_paragraph(text: &str, width: usize, first: &str, others: &str) -> String {
    let (mut lines, mut line, mut is_begun) = (Vec::new(), first.to_owned(), false);
    for word in words(text) {
        if is_begun && line.width() + 1 + word.width() > width {
            lines.push(std::mem::replace(&mut line, others.to_owned()));
            is_begun = false;
        }
        if is_begun {
            line.push(' ');
        }
        line.push_str(&word);
        is_begun = true;
    }
    lines.push(line);
    lines.join("\n")
}

/// The words of a text; what is between two backquotes is one.
fn words(text: &str) -> Vec<String> {
    let quotes = |word: &str| word.matches('`').count();
    let is_paired = quotes(text).is_multiple_of(2);
    let (mut words, mut is_open) = (Vec::<String>::new(), false);
    for word in text.split_whitespace() {
        match words.last_mut().filter(|_| is_open) {
            Some(last) => *last += &format!(" {word}"),
            None => words.push(word.to_owned()),
        }
        is_open ^= is_paired && !quotes(word).is_multiple_of(2);
    }
    words
}

/// A text from another source, without the characters that would move a terminal's cursor.
fn printable(text: &str) -> String {
    let shown = |character: char| if character.is_control() { '\u{fffd}' } else { character };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> TextTable {
        let titles = ["results", "before", "after", "saved"].map(TextColumn::number);
        let mut table = TextTable::new([TextColumn::text("tool")].into_iter().chain(titles));
        table.row(["a tool with a very long name indeed", "1,000,000", "2,000,000", "3", "40 %"]);
        table.row(["sed\u{1b}[2J", "1", "2", "3", "4 %"]);
        table
    }

    #[test]
    fn every_line_fits_and_no_number_is_lost() {
        for width in 20..100 {
            let text = table().text(width);
            assert!(text.lines().all(|line| line.width() <= width), "{width}\n{text}");
            for number in ["1,000,000", "2,000,000", "40 %"] {
                assert!(text.contains(number), "{width}\n{text}");
            }
            assert!(!text.contains('\u{1b}'));
        }
    }

    #[test]
    fn texts_are_shortened_before_numbers_go_to_the_next_line() {
        let TableLines { heading, rows } = table().lay_out(60);
        assert_eq!((heading.len(), rows.len()), (1, 2), "{rows:?}");
        assert!(rows[0].starts_with("a tool with a very"), "{rows:?}");
        let TableLines { heading, rows } = table().lay_out(30);
        assert!(heading.len() > 1 && rows[1].starts_with("    "), "{rows:?}");
        assert_eq!(table().lay_out(200), table().lay_out(100));
    }

    #[test]
    fn markdown_has_a_line_for_each_row_and_nothing_is_shortened() {
        let text = table().markdown();
        assert!(
            text.starts_with("| tool | results |") && text.contains("\n| --- | ---: |"),
            "{text}"
        );
        assert!(text.contains("| a tool with a very long name indeed | 1,000,000 |"), "{text}");
        assert_eq!(text.lines().count(), 4);
    }

    #[test]
    fn a_path_keeps_its_end_and_wide_characters_are_wide() {
        assert_eq!(shorten_path("/home/me/project/src/main.rs", 12), "…src/main.rs");
        assert_eq!(shorten("日本語のツール", 7), "日本語…");
        assert_eq!(shorten("short", 5), "short");
    }

    #[test]
    fn paragraphs_break_between_words_and_long_words_stay_whole() {
        let text = "see https://example.com/a/very/long/address for more of it";
        let wrapped = wrap_paragraph(text, 20, "", "  ");
        assert_eq!(wrapped, "see\n  https://example.com/a/very/long/address\n  for more of it");
        let command = super::wrap_paragraph("or (`tokenforge init claude`) for all", 20, "", "");
        assert_eq!(command, "or\n(`tokenforge init claude`)\nfor all");
    }
}
