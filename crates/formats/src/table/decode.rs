//! A typed table to minified JSON.

use super::Type;
use crate::lexeme;
use tokenforge_json::error::{Error, Fault, FaultKind};
use tokenforge_json::output::TextOutput;

/// Reads a typed table and writes minified JSON of at most `max_output` bytes: every row repeats the names.
///
/// ```
/// use tokenforge_formats::table;
///
/// let json = table::decode("[2]{id:int,path:string}\n1,a.rs\n2,\n", tokenforge_formats::MAX_OUTPUT)?;
/// assert_eq!(json, r#"[{"id":1,"path":"a.rs"},{"id":2}]"#);
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
pub fn decode(text: &str, max_output: usize) -> Result<String, Error> {
    let mut decoder = TableDecoder {
        text,
        bytes: text.as_bytes(),
        at: 0,
        max_output,
        out: TextOutput::with_capacity(text.len().min(max_output)),
    };
    decoder.table().map_err(|fault| fault.locate(text))?;
    Ok(decoder.out.into_string())
}

struct TableDecoder<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    max_output: usize,
    out: TextOutput,
}

struct DecodedColumn {
    /// The name as a JSON key with its colon.
    key: String,
    kind: Type,
}

impl TableDecoder<'_> {
    fn table(&mut self) -> Result<(), Fault> {
        let (rows, behind) = lexeme::count(self.bytes, lexeme::white_space(self.bytes, 0))?;
        self.at = behind;
        let columns = self.columns()?;
        self.out.push(b'[');
        for row in 0..rows {
            if self.line_end().is_err() {
                let problem = FaultKind::Count { of: "rows", declared: rows, found: row };
                return Err(Fault::new(problem, self.at));
            }
            if row > 0 {
                self.out.push(b',');
            }
            self.row(&columns)?;
        }
        self.out.push(b']');
        // A final line end is welcome, not required.
        let _ = self.line_end();
        match self.peek() {
            None => self.check_output(),
            Some(_) => Err(Fault::expected("nothing after the declared rows", self.at)),
        }
    }

    fn columns(&mut self) -> Result<Vec<DecodedColumn>, Fault> {
        let mut columns = Vec::new();
        self.expect(b'{', "`{` after the count")?;
        loop {
            columns.push(self.column()?);
            if self.peek() != Some(b',') {
                break;
            }
            self.at += 1;
        }
        self.expect(b'}', "`,` or `}` after the type")?;
        Ok(columns)
    }

    fn column(&mut self) -> Result<DecodedColumn, Fault> {
        let mut key = TextOutput::with_capacity(32);
        if self.peek() == Some(b'"') {
            self.at = read_quoted(self.text, self.at, &mut key)?;
        } else {
            let end = lexeme::word(self.bytes, self.at);
            if end == self.at {
                return Err(Fault::expected("a column name", self.at));
            }
            key.push(b'"');
            key.copy(self.bytes, self.at, end);
            key.push(b'"');
            self.at = end;
        }
        self.expect(b':', "`:` after the column name")?;
        key.push(b':');
        let end = lexeme::word(self.bytes, self.at);
        let name = &self.text[self.at..end];
        let kind = Type::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or(Fault::expected("a type: int, float, string, bool, null or any", self.at))?;
        self.at = end;
        Ok(DecodedColumn { key: key.into_string(), kind })
    }

    fn row(&mut self, columns: &[DecodedColumn]) -> Result<(), Fault> {
        self.out.push(b'{');
        let mut is_first = true;
        for (index, column) in columns.iter().enumerate() {
            if index > 0 {
                if self.peek() != Some(b',') {
                    return Err(self.wrong_width(columns, index));
                }
                self.at += 1;
            }
            if matches!(self.peek(), None | Some(b',' | b'\n' | b'\r')) {
                if columns.len() == 1 {
                    return Err(Fault::expected("a cell", self.at));
                }
                continue;
            }
            if !std::mem::take(&mut is_first) {
                self.out.push(b',');
            }
            self.out.push_str(&column.key);
            self.cell(column.kind)?;
        }
        if self.peek() == Some(b',') {
            return Err(self.wrong_width(columns, columns.len() + 1));
        }
        self.out.push(b'}');
        self.check_output()
    }

    fn wrong_width(&self, columns: &[DecodedColumn], found: usize) -> Fault {
        Fault::new(FaultKind::Count { of: "cells", declared: columns.len(), found }, self.at)
    }

    fn cell(&mut self, kind: Type) -> Result<(), Fault> {
        let (start, text) = (self.at, self.text);
        if self.peek() == Some(b'"') {
            if !matches!(kind, Type::String | Type::Any) {
                return Err(Fault::expected("a cell of the column's type, without quotes", start));
            }
            self.at = read_quoted(text, start, &mut self.out)?;
            return self.cell_end("`,` or the end of the line after the closing quote");
        }
        if kind == Type::String {
            self.at = bare_string(self.bytes, start)?;
            if &text[start..self.at] == "null" {
                self.out.push_str("null");
            } else {
                self.out.push(b'"');
                self.out.copy(self.bytes, start, self.at);
                self.out.push(b'"');
            }
            return Ok(());
        }
        self.at = lexeme_of(kind, text, start)?;
        self.out.copy(self.bytes, start, self.at);
        self.cell_end("`,` or the end of the line after the cell")
    }

    fn cell_end(&self, what: &'static str) -> Result<(), Fault> {
        match self.peek() {
            None | Some(b',' | b'\n' | b'\r') => Ok(()),
            Some(_) => Err(Fault::expected(what, self.at)),
        }
    }

    /// Steps over a line end.
    fn line_end(&mut self) -> Result<(), Fault> {
        let rest = &self.bytes[self.at..];
        self.at += match rest {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => return Err(Fault::expected("the end of the line", self.at)),
        };
        Ok(())
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), Fault> {
        if self.peek() != Some(byte) {
            return Err(Fault::expected(what, self.at));
        }
        self.at += 1;
        Ok(())
    }

    fn check_output(&self) -> Result<(), Fault> {
        self.out.check(self.max_output, self.at)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}

/// The end of a number or literal that a column of this type may hold.
fn lexeme_of(kind: Type, text: &str, start: usize) -> Result<usize, Fault> {
    let (allowed, what): (&[&str], _) = match kind {
        Type::Bool => (&["true", "false", "null"], "`true`, `false` or `null`"),
        Type::Any => (&["true", "false", "null"], "a read_quoted string, a number or a literal"),
        Type::Int => (&["null"], "an integer or `null`"),
        Type::Float => (&["null"], "a number or `null`"),
        Type::Null | Type::String => (&["null"], "`null`"),
    };
    if let Some(literal) = allowed.iter().find(|literal| text[start..].starts_with(**literal)) {
        return Ok(start + literal.len());
    }
    match lexeme::number(text.as_bytes(), start) {
        Ok((end, is_integer)) => match kind {
            Type::Float | Type::Any => Ok(end),
            Type::Int if is_integer => Ok(end),
            _ => Err(Fault::expected(what, start)),
        },
        Err(_) => Err(Fault::expected(what, start)),
    }
}

/// The end of a bare string: the text between the quotes of a JSON string, without quote or comma.
fn bare_string(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    let mut at = start;
    loop {
        at = lexeme::plain(bytes, at);
        match bytes.get(at) {
            None | Some(b',' | b'\n' | b'\r') => return Ok(at),
            Some(b'\\') if bytes.get(at + 1) != Some(&b'"') => at = lexeme::escape_end(bytes, at)?,
            Some(b'"' | b'\\') => {
                return Err(Fault::expected("quotes around a cell that contains a quote", at));
            }
            Some(_) => return Err(Fault::expected("control characters to be escaped", at)),
        }
    }
}

/// Reads the quoted cell at `open` and writes it as a JSON string; returns the offset behind it.
fn read_quoted(text: &str, open: usize, out: &mut TextOutput) -> Result<usize, Fault> {
    let bytes = text.as_bytes();
    let mut at = open + 1;
    out.push(b'"');
    loop {
        let end = lexeme::plain(bytes, at);
        out.copy(bytes, at, end);
        at = end;
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b','), _) => {
                out.push(b',');
                at += 1;
            }
            (Some(b'"'), Some(b'"')) => {
                out.push_str("\\\"");
                at += 2;
            }
            (Some(b'"'), _) => {
                out.push(b'"');
                return Ok(at + 1);
            }
            (Some(b'\\'), Some(b'"')) => {
                return Err(Fault::expected("`\"\"` for a quote inside quotes", at));
            }
            (Some(b'\\'), _) => {
                let end = lexeme::escape_end(bytes, at)?;
                out.copy(bytes, at, end);
                at = end;
            }
            (Some(_), _) => return Err(Fault::expected("control characters to be escaped", at)),
            (None, _) => return Err(Fault::expected("the closing `\"` of the cell", at)),
        }
    }
}
