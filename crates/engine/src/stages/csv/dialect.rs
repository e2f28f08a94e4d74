//! CSV dialect: the delimiter, when cells are quoted, and how lines end.

use super::records::{self, is_number};
use std::borrow::Cow;
use tokenforge_json::{quote, unescape};

/// How the first line of rows begins that became an array; what differs from `a,"b c"` follows.
pub(super) const ANNOUNCEMENT: &str = "[Forge CSV rows as one array";

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CsvDialect {
    delimiter: Delimiter,
    quoting: Quoting,
    is_crlf: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Delimiter {
    Comma,
    Tab,
    Semicolon,
    Bar,
}

/// Which cells stand in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quoting {
    /// Those that must: with a delimiter, a quote or a line end.
    Needed,
    /// None: a quote is a sign like any other.
    Never,
    /// All but numbers and what is missing.
    Strings,
    /// All but what is missing.
    All,
    /// Those with a blank, a quote or a sign beyond ASCII, and empty strings.
    Sqlite,
}

impl Delimiter {
    const ALL: [Delimiter; 4] =
        [Delimiter::Comma, Delimiter::Tab, Delimiter::Semicolon, Delimiter::Bar];

    fn sign(self) -> u8 {
        match self {
            Delimiter::Comma => b',',
            Delimiter::Tab => b'\t',
            Delimiter::Semicolon => b';',
            Delimiter::Bar => b'|',
        }
    }

    fn said(self) -> &'static str {
        match self {
            Delimiter::Comma => "",
            Delimiter::Tab => ", tab",
            Delimiter::Semicolon => ", semicolon",
            Delimiter::Bar => ", bar",
        }
    }
}

impl Quoting {
    const ALL: [Quoting; 5] =
        [Quoting::Needed, Quoting::Never, Quoting::Strings, Quoting::All, Quoting::Sqlite];

    fn said(self) -> &'static str {
        match self {
            Quoting::Needed => "",
            Quoting::Never => ", without quotes",
            Quoting::Strings => ", strings quoted",
            Quoting::All => ", all quoted",
            Quoting::Sqlite => ", quoted as by sqlite3",
        }
    }

    /// Is an empty cell without quotes another one than an empty string?
    fn tells_missing(self) -> bool {
        matches!(self, Quoting::Strings | Quoting::All | Quoting::Sqlite)
    }

    fn quotes(self, content: &str, delimiter: u8) -> bool {
        let must = |byte: u8| byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r');
        let sqlite = |byte: u8| byte <= b' ' || byte >= 0x7f || byte == b'\'' || must(byte);
        match self {
            Quoting::Needed => content.bytes().any(must),
            Quoting::Never => false,
            Quoting::Strings => !is_number(content),
            Quoting::All => true,
            Quoting::Sqlite => content.is_empty() || content.bytes().any(sqlite),
        }
    }
}

impl CsvDialect {
    /// The dialect of a text and its rows, if it is rows of as many cells as the first, and writing them again gives the text.
    pub(super) fn read(text: &str) -> Option<(Self, Vec<Vec<&str>>)> {
        let is_crlf = text.split('\n').next().is_some_and(|line| line.ends_with('\r'));
        let read = |delimiter, quotings: &[Quoting]| {
            let dialect = |quoting| CsvDialect { delimiter, quoting, is_crlf };
            let dialects = quotings.iter().copied().map(dialect);
            let rows = records::read(text, dialects.clone().next()?)?;
            let writes =
                |dialect: &CsvDialect| rows.iter().flatten().all(|raw| dialect.writes(raw));
            dialects.clone().find(writes).map(|dialect| (dialect, rows))
        };
        let [needed, never, ..] = Quoting::ALL;
        let quoted = [&[needed][..], &Quoting::ALL[2..]].concat();
        Delimiter::ALL
            .into_iter()
            .find_map(|delimiter| read(delimiter, &quoted).or_else(|| read(delimiter, &[never])))
    }

    pub(super) fn delimiter(self) -> u8 {
        self.delimiter.sign()
    }

    /// Is a quote at the beginning of a cell no part of it?
    pub(super) fn has_quotes(self) -> bool {
        self.quoting != Quoting::Never
    }

    pub(super) fn line_end(self) -> &'static str {
        if self.is_crlf { "\r\n" } else { "\n" }
    }

    /// The line that says what is below it.
    pub(super) fn announcement(self) -> String {
        let line_end = if self.is_crlf { ", CRLF" } else { "" };
        format!("{ANNOUNCEMENT}{}{}{line_end}]\n", self.delimiter.said(), self.quoting.said())
    }

    /// The dialect that the first line of a text announces, and what follows that line.
    pub(super) fn announced(text: &str) -> Option<(Self, &str)> {
        let rest = text.strip_prefix(ANNOUNCEMENT)?;
        // What is said by nothing is tried last.
        let (delimiter, rest) = strip_said(rest, Delimiter::ALL.map(|own| (own, own.said())))?;
        let (quoting, rest) = strip_said(rest, Quoting::ALL.map(|own| (own, own.said())))?;
        let (is_crlf, rest) = strip_said(rest, [(false, ""), (true, ", CRLF")])?;
        Some((CsvDialect { delimiter, quoting, is_crlf }, rest.strip_prefix("]\n")?))
    }

    /// A cell as a JSON value: numbers as they are written, what is missing as `null`.
    pub(super) fn value(self, raw: &str) -> Option<String> {
        let content = self.content(raw)?;
        Some(match &*content {
            "" if raw.is_empty() && self.quoting.tells_missing() => "null".to_owned(),
            content if is_number(content) => content.to_owned(),
            content => quote(content),
        })
    }

    /// Appends a row of JSON values.
    pub(super) fn write_row<'v>(
        self,
        values: impl Iterator<Item = &'v str>,
        out: &mut String,
    ) -> Option<()> {
        for (at, value) in values.enumerate() {
            if at > 0 {
                out.push(self.delimiter.sign().into());
            }
            let content = match value.as_bytes().first()? {
                b'"' => unescape(value.get(1..value.len() - 1)?)?,
                b'-' | b'0'..=b'9' => value.into(),
                _ if value == "null" && self.quoting.tells_missing() => continue,
                _ => return None,
            };
            self.write_cell(&content, out);
        }
        Some(())
    }

    fn write_cell(self, content: &str, out: &mut String) {
        if !self.quoting.quotes(content, self.delimiter.sign()) {
            return out.push_str(content);
        }
        out.push('"');
        for (at, part) in content.split('"').enumerate() {
            out.push_str(if at == 0 { "" } else { "\"\"" });
            out.push_str(part);
        }
        out.push('"');
    }

    /// Is a cell written as this dialect writes it?
    fn writes(self, raw: &str) -> bool {
        if raw.is_empty() && self.quoting.tells_missing() {
            return true;
        }
        let mut written = String::with_capacity(raw.len());
        self.content(raw).is_some_and(|content| {
            self.write_cell(&content, &mut written);
            written == raw
        })
    }

    /// What a cell says.
    fn content(self, raw: &str) -> Option<Cow<'_, str>> {
        let is_quoted = self.has_quotes() && raw.starts_with('"');
        if !is_quoted {
            return Some(raw.into());
        }
        let inside = raw.get(1..raw.len().checked_sub(1)?)?;
        Some(if inside.contains('"') { inside.replace("\"\"", "\"").into() } else { inside.into() })
    }
}

/// Which of some words, the first of which is none, a text begins with.
fn strip_said<'t, T: Copy, const N: usize>(
    text: &'t str,
    words: [(T, &'static str); N],
) -> Option<(T, &'t str)> {
    let strip = |(value, word): &(T, &'static str)| Some((*value, text.strip_prefix(word)?));
    words.iter().rev().find_map(strip)
}
