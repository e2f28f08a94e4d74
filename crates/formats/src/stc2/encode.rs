//! JSON to STC 2: every string and number is copied as it was written.

mod head;
mod row;

use super::audience::Audience;
use super::fingerprints::Fingerprints;
use super::plan::{ABSENT, Plan};
use super::share::{Shares, Sharing};
use super::{HEADER, Level, spell};
use std::borrow::Cow;
use tokenforge_json::output::TextOutput;
use tokenforge_json::tape::{Json, LexemeKind};

/// Writes a JSON text as STC 2, or minified where that is not shorter. Every JSON text can be written, and
/// [`decode`](super::decode) gives back its minified form byte for byte.
///
/// ```
/// use tokenforge_formats::Json;
/// use tokenforge_formats::stc2::{self, Level};
///
/// let json = Json::parse(r#"[{"id": 1, "name": "users"}, {"id": 2, "name": "orders"}]"#)?;
/// assert_eq!(stc2::encode(&json, Level::Dense), "stc2\n[2]{id name}\n1 users\n2 orders");
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
#[must_use]
pub fn encode<'a>(json: &Json<'a>, level: Level) -> Cow<'a, str> {
    let (out, _) = write_document(json, level, Audience::Program);
    if out.len() < json.minified_len() { out.into_string().into() } else { json.minify() }
}

/// Writes a JSON text as STC 2 for a model, or minified where that is not shorter. The first line says what the signs mean
/// that the text has, strings in lists have quotes, because `[UM3OG5 5RJ7UH]` was taken for one value, and constructs that made
/// agents ask again are left out (`audience.rs`). Every decoder of STC 2 reads it.
///
/// ```
/// use tokenforge_formats::Json;
/// use tokenforge_formats::stc2::{self, Level};
///
/// let json = Json::parse(r#"{"ids": ["UM3OG5", "5RJ7UH"], "name": "ann", "class": "gold", "city": "york", "open": true}"#)?;
/// let text = stc2::encode_for_model(&json, Level::Nested);
/// assert_eq!(text, "stc2 (JSON)\n{ids:[\"UM3OG5\" \"5RJ7UH\"] name:ann class:gold city:york open:true}");
/// assert_eq!(stc2::decode(&text, tokenforge_formats::MAX_OUTPUT)?, json.minify());
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
#[must_use]
pub fn encode_for_model<'a>(json: &Json<'a>, level: Level) -> Cow<'a, str> {
    let (out, signs) = write_document(json, level, Audience::Model);
    let body = out.into_string();
    let body = body.strip_prefix(HEADER).unwrap_or(&body);
    let text = format!("stc2 ({})\n{body}", signs.legend());
    if text.len() < json.minified_len() { text.into() } else { json.minify() }
}

/// Which signs a text has that a legend explains.
#[derive(Clone, Copy, Default)]
struct Signs {
    table: bool,
    /// A column of numbers that count on, which no row has.
    run: bool,
    /// A column whose texts have the same beginning or end.
    text: bool,
    absent: bool,
    ditto: bool,
    reference: bool,
}

impl Signs {
    fn legend(self) -> String {
        let said = [
            (true, "JSON"),
            (self.table, "columns above rows"),
            (self.run, "=1,2.. counts on, not in rows"),
            // A blind reader took null for the middle of such a text.
            (self.text, "+*+ stands for the cell, null stays null"),
            (self.absent, "- absent"),
            (self.ditto, "^ as above"),
            (self.reference, "*1 is what &1 names"),
        ];
        let said = said.into_iter().filter_map(|(is_used, words)| is_used.then_some(words));
        said.collect::<Vec<_>>().join("; ")
    }
}

fn write_document(json: &Json<'_>, level: Level, reader: Audience) -> (TextOutput, Signs) {
    let mut prints = (level == Level::Shared).then(|| Fingerprints::new(json));
    let plan = Plan::of(json, level, prints.as_mut(), reader);
    let mut shares = prints.map(|prints| Shares::new(prints, reader));
    if let Some(shares) = &mut shares {
        Writer::write(json, &plan, Some(shares), reader);
        shares.choose(json);
    }
    Writer::write(json, &plan, shares.as_mut(), reader)
}

struct Writer<'w, 'a> {
    json: &'w Json<'a>,
    plan: &'w Plan<'a>,
    /// At the level that shares, outside of headers.
    shares: Option<&'w mut Shares<'a>>,
    is_in_header: bool,
    out: TextOutput,
    /// What is begun and still to be ended, the innermost last.
    stack: Vec<Frame>,
    /// For each column of each shape, the value that a ditto mark would stand for: the last one that the reader may look up.
    last: Vec<u32>,
    /// Whether the last string is written out, and no reference or split behind one.
    is_written_out: bool,
    /// Does the next cell start a record?
    is_first_cell: bool,
    /// Did a table end just now? Then the line does as well.
    is_behind_table: bool,
    reader: Audience,
    signs: Signs,
}

/// What is to be written when everything begun inside of it is.
#[derive(Clone, Copy)]
enum Frame {
    /// Members of an object, from the key `next` on.
    Members { next: usize, left: usize },
    /// Elements of an array, from `next` on.
    Elements { next: usize, left: usize },
    /// Columns of a header, from `column` on.
    Columns { shape: usize, column: usize, close: u8 },
    /// Rows of a table; `next` is an element, or a key where the table is a map.
    Rows { shape: usize, next: usize, left: usize, is_map: bool },
    /// Cells of a record, from `column` on.
    Cells { shape: usize, record: usize, column: usize },
    /// Records of an array in a cell, from `next` on.
    Records { shape: usize, next: usize, left: usize, is_first: bool },
    /// The end of a record in parentheses.
    EndTuple,
}

impl<'w, 'a> Writer<'w, 'a> {
    fn write(
        json: &'w Json<'a>,
        plan: &'w Plan<'a>,
        shares: Option<&'w mut Shares<'a>>,
        reader: Audience,
    ) -> (TextOutput, Signs) {
        let mut writer = Self {
            json,
            plan,
            shares,
            is_in_header: false,
            out: TextOutput::with_capacity(json.minified_len()),
            stack: Vec::new(),
            last: vec![ABSENT; plan.column_count()],
            is_written_out: true,
            is_first_cell: false,
            is_behind_table: false,
            reader,
            signs: Signs::default(),
        };
        writer.out.push_str(HEADER);
        writer.value(0);
        while let Some(frame) = writer.stack.pop() {
            match frame {
                Frame::Members { next, left } => writer.members(next, left),
                Frame::Elements { next, left } => writer.elements(next, left),
                Frame::Columns { shape, column, close } => writer.columns(shape, column, close),
                Frame::Rows { shape, next, left, is_map } => writer.rows(shape, next, left, is_map),
                Frame::Cells { shape, record, column } => writer.cells(shape, record, column),
                Frame::Records { shape, next, left, is_first } => {
                    writer.records(shape, next, left, is_first);
                }
                Frame::EndTuple => writer.end_tuple(),
            }
        }
        (writer.out, writer.signs)
    }

    /// Writes a scalar, or begins a container.
    fn value(&mut self, at: usize) {
        let kind = self.json.node(at).kind;
        match kind {
            LexemeKind::String => self.string(at, false),
            LexemeKind::Object | LexemeKind::Array if self.json.count(at) > 0 => {
                if self.is_to_be_written(at) {
                    self.container(at, kind);
                }
            }
            LexemeKind::Object => self.out.push_str("{}"),
            LexemeKind::Array => self.out.push_str("[]"),
            _ => self.json.copy_raw(at, &mut self.out),
        }
    }

    fn container(&mut self, at: usize, kind: LexemeKind) {
        let (next, left) = (at + 1, self.json.count(at));
        let is_map = kind == LexemeKind::Object;
        if let Some(shape) = self.plan.table(at) {
            self.out.push(if is_map { b'{' } else { b'[' });
            self.out.push_count(left);
            self.out.push_str(if is_map { "}{" } else { "]{" });
            self.is_in_header = true;
            self.signs.table = true;
            self.stack.push(Frame::Rows { shape, next, left, is_map });
            self.stack.push(Frame::Columns { shape, column: 0, close: b'}' });
        } else if is_map {
            self.out.push(b'{');
            self.stack.push(Frame::Members { next, left });
        } else {
            self.out.push(b'[');
            self.stack.push(Frame::Elements { next, left });
        }
    }

    /// Members from `next` on, up to the first that has an inside; or the end of the object.
    fn members(&mut self, mut next: usize, mut left: usize) {
        while left > 0 {
            self.separate(b'{');
            self.key(next);
            self.out.push(b':');
            let value = next + 1;
            (next, left) = (self.json.next(value), left - 1);
            if self.json.node(value).kind.is_container() {
                self.stack.push(Frame::Members { next, left });
                return self.value(value);
            }
            self.value(value);
        }
        self.close(b'}');
    }

    /// Elements from `next` on, up to the first that has an inside; or the end of the array.
    fn elements(&mut self, mut next: usize, mut left: usize) {
        while left > 0 {
            self.separate(b'[');
            let value = next;
            (next, left) = (self.json.next(value), left - 1);
            if self.json.node(value).kind.is_container() {
                self.stack.push(Frame::Elements { next, left });
                return self.value(value);
            }
            match self.json.node(value).kind {
                LexemeKind::String => self.string(value, self.reader == Audience::Model),
                _ => self.value(value),
            }
        }
        self.close(b']');
    }

    /// What stands between members and elements: nothing behind the opening bracket.
    #[inline]
    fn separate(&mut self, open: u8) {
        if self.out.last() != Some(open) {
            self.out.push(if self.is_behind_table { b'\n' } else { b' ' });
        }
        self.is_behind_table = false;
    }

    fn close(&mut self, bracket: u8) {
        self.is_behind_table = false;
        self.out.push(bracket);
    }

    #[inline]
    fn key(&mut self, at: usize) {
        if spell::is_bare_key(self.json, at) {
            self.json.copy_unquoted(at, &mut self.out);
        } else {
            self.json.copy_raw(at, &mut self.out);
        }
    }

    #[inline]
    fn string(&mut self, at: usize, is_quoted: bool) {
        let (json, out) = (self.json, &mut self.out);
        let sharing = match &mut self.shares {
            Some(shares) if !self.is_in_header => shares.meet(json, at),
            _ => Sharing::Plain,
        };
        self.signs.reference |= !matches!(sharing, Sharing::Plain);
        self.is_written_out = matches!(sharing, Sharing::Plain | Sharing::Anchor(_));
        match sharing {
            Sharing::Plain if !is_quoted && spell::is_bare(json, at) => json.copy_unquoted(at, out),
            Sharing::Plain => json.copy_raw(at, out),
            Sharing::Anchor(number) => {
                mark(out, b'&', number);
                json.copy_raw(at, out);
            }
            Sharing::Reference(number) => mark(out, b'*', number),
            Sharing::Prefix { text, number, is_new } => {
                if is_new {
                    mark(out, b'&', number);
                    push_quoted(out, text);
                } else {
                    mark(out, b'*', number);
                }
                let (source, inside) = (json.text().as_bytes(), json.inside(at));
                let tail = inside.start + text.len()..inside.end;
                if spell::is_bare_tail(source, tail.clone()) {
                    out.copy(source, tail.start, tail.end);
                } else if !tail.is_empty() {
                    push_quoted(out, &json.text()[tail]);
                }
            }
        }
    }

    /// Writes a reference to a container that was written before, or the number by which it will be referred to. False
    /// if it was a reference, and nothing is left to write.
    fn is_to_be_written(&mut self, at: usize) -> bool {
        let sharing = match &mut self.shares {
            Some(shares) if !self.is_in_header => shares.meet(self.json, at),
            _ => Sharing::Plain,
        };
        self.signs.reference |= !matches!(sharing, Sharing::Plain);
        match sharing {
            Sharing::Reference(number) => mark(&mut self.out, b'*', number),
            Sharing::Anchor(number) => mark(&mut self.out, b'&', number),
            Sharing::Plain | Sharing::Prefix { .. } => {}
        }
        !matches!(sharing, Sharing::Reference(_))
    }
}

fn mark(out: &mut TextOutput, mark: u8, number: u32) {
    out.push(mark);
    out.push_count(number as usize);
}

fn push_quoted(out: &mut TextOutput, text: &str) {
    out.push(b'"');
    out.push_str(text);
    out.push(b'"');
}
