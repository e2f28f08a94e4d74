//! Markdown writer: words with the blanks, lines, quotes and bullets between them that a page asks for.

use super::entity;

/// Quotes and lists inside more others than this are not indented further.
const MOST_PREFIXES: usize = 16;

/// What stands before the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    Nothing,
    Space,
    Line,
    Paragraph,
}

/// What the lines of a quote or an item begin with.
struct Prefix {
    /// The bullet or the number, until a line begins with it.
    bullet: Option<String>,
    /// What the other lines begin with.
    indent: String,
}

/// Text whose blanks count.
#[derive(Default)]
struct Verbatim {
    is_open: bool,
    /// Line ends that are written once something follows.
    line_ends: usize,
}

/// What is written of a page.
pub(super) struct TextWriter {
    out: String,
    gap: Gap,
    prefixes: Vec<Prefix>,
    /// How many more there would be.
    deeper: usize,
    /// Where the first words of the marked elements that are open begin; `None` from `first_unset` on.
    marks: Vec<Option<usize>>,
    first_unset: usize,
    /// Separators of cells that are written once a cell is not empty.
    separators: usize,
    /// In the cell of a data table, which is one line.
    pub(super) is_one_line: bool,
    verbatim: Option<Verbatim>,
    /// No more is written than this: what becomes longer than the page is of no use.
    limit: usize,
}

impl TextWriter {
    pub(super) fn new(limit: usize) -> Self {
        TextWriter {
            out: String::with_capacity(limit / 4),
            gap: Gap::Nothing,
            prefixes: Vec::new(),
            deeper: 0,
            marks: Vec::new(),
            first_unset: 0,
            separators: 0,
            is_one_line: false,
            verbatim: None,
            limit,
        }
    }

    /// What was written; `None` if that was cut off.
    pub(super) fn finish(mut self) -> Option<String> {
        self.out.push('\n');
        (self.out.len() <= self.limit).then_some(self.out)
    }

    /// Text with its character references. Of blanks one is left, but where they count.
    pub(super) fn text(&mut self, text: &str) {
        for c in entity::decode(text) {
            match c {
                // Where a word may be broken; a reader does not see it.
                '\u{ad}' | '\u{200b}' => {}
                _ if self.verbatim.is_some() => self.verbatim_char(c),
                _ if c.is_whitespace() => self.space(),
                _ => {
                    self.flush();
                    self.push(c);
                }
            }
        }
    }

    /// A word of our own.
    pub(super) fn word(&mut self, word: &str) {
        if self.verbatim.is_none() {
            self.flush();
            self.out.push_str(word);
        }
    }

    pub(super) fn space(&mut self) {
        self.ask_for(Gap::Space);
    }

    pub(super) fn line(&mut self) {
        match &mut self.verbatim {
            Some(verbatim) if verbatim.is_open => verbatim.line_ends = verbatim.line_ends.max(1),
            _ => self.ask_for(if self.is_one_line { Gap::Space } else { Gap::Line }),
        }
    }

    pub(super) fn paragraph(&mut self) {
        let is_begun = self.prefixes.last().is_none_or(|prefix| prefix.bullet.is_none());
        if is_begun && !self.is_one_line && self.verbatim.is_none() {
            self.ask_for(Gap::Paragraph)
        } else {
            self.line()
        }
    }

    fn ask_for(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// From here on lines begin with this: `- ` in the first of an item, two blanks in the others.
    pub(super) fn indent(&mut self, bullet: Option<String>, indent: &str) {
        self.line();
        if self.prefixes.len() < MOST_PREFIXES {
            self.prefixes.push(Prefix { bullet, indent: indent.to_owned() });
        } else {
            self.deeper += 1;
        }
    }

    pub(super) fn outdent(&mut self) {
        match self.deeper.checked_sub(1) {
            Some(deeper) => self.deeper = deeper,
            None => drop(self.prefixes.pop()),
        }
        self.next_line();
    }

    /// A new line without a blank one before it, which says nothing between items.
    pub(super) fn next_line(&mut self) {
        self.gap = Gap::Line;
    }

    /// Cells end here that may turn out to be empty.
    pub(super) fn separate_cells(&mut self, separators: usize) {
        self.separators += separators;
        self.space();
    }

    pub(super) fn end_row(&mut self) {
        self.separators = 0;
        self.is_one_line = false;
        self.line();
    }

    /// Marks the place where the next word will begin.
    pub(super) fn mark(&mut self) {
        self.marks.push(None);
    }

    /// What was written since the last mark, between what `around` makes of it.
    pub(super) fn wrap(&mut self, around: impl FnOnce(&str) -> Option<(String, String)>) {
        let mark = self.marks.pop().flatten();
        self.first_unset = self.first_unset.min(self.marks.len());
        if let Some(at) = mark.filter(|_| self.verbatim.is_none())
            && let Some((before, behind)) = self.out.get(at..).and_then(around)
        {
            self.out.insert_str(at, &before);
            self.out.push_str(&behind);
        }
    }

    /// Was nothing written since the last mark?
    pub(super) fn is_empty_since_mark(&self) -> bool {
        self.marks.last().is_some_and(Option::is_none)
    }

    pub(super) fn start_verbatim(&mut self) {
        self.paragraph();
        self.verbatim.get_or_insert_default();
    }

    pub(super) fn end_verbatim(&mut self) {
        if self.verbatim.take().is_some_and(|verbatim| verbatim.is_open) {
            self.new_line();
            self.out.push_str("```");
            self.gap = Gap::Paragraph;
        }
    }

    fn verbatim_char(&mut self, c: char) {
        let Some(verbatim) = &mut self.verbatim else { return };
        match (c, verbatim.is_open) {
            ('\n', is_open) => verbatim.line_ends += usize::from(is_open),
            ('\r', _) => {}
            (c, true) => {
                for _ in 0..std::mem::take(&mut verbatim.line_ends) {
                    self.new_line();
                }
                self.push(c);
            }
            (c, false) => {
                verbatim.is_open = true;
                self.flush();
                self.out.push_str("```");
                self.new_line();
                self.push(c);
            }
        }
    }

    fn push(&mut self, c: char) {
        if self.out.len() < self.limit {
            self.out.push(c);
        }
    }

    /// The gap before a word, and the marks of the elements that begin with it.
    fn flush(&mut self) {
        match std::mem::replace(&mut self.gap, Gap::Nothing) {
            _ if self.out.is_empty() => self.begin_line(),
            Gap::Nothing => {}
            Gap::Space => self.push(' '),
            Gap::Line => self.new_line(),
            Gap::Paragraph => {
                self.push('\n');
                self.new_line();
            }
        }
        for _ in 0..std::mem::take(&mut self.separators) {
            self.out.push_str("| ");
        }
        let start = self.out.len();
        self.marks[self.first_unset..].fill(Some(start));
        self.first_unset = self.marks.len();
    }

    fn new_line(&mut self) {
        self.push('\n');
        self.begin_line();
    }

    fn begin_line(&mut self) {
        if self.out.len() < self.limit {
            for prefix in &mut self.prefixes {
                match prefix.bullet.take() {
                    Some(bullet) => self.out.push_str(&bullet),
                    None => self.out.push_str(&prefix.indent),
                }
            }
        }
    }
}
