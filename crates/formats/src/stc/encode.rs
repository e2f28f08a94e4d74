//! JSON to STC: every string and number is copied as it was written.

use super::Spelling;
use tokenforge_json::output::TextOutput;
use tokenforge_json::tape::{Json, LexemeKind};

/// Writes a JSON text as STC. Every JSON text can be written, and [`decode`](super::decode) gives back
/// its minified form byte for byte.
///
/// ```
/// use tokenforge_formats::{Json, stc};
///
/// let json = Json::parse(r#"[{"id": 1, "name": "users"}, {"id": 2, "name": "orders"}]"#)?;
/// assert_eq!(stc::encode(&json, stc::Spelling::Adr), r#"[2]{id,name}: 1,"users" / 2,"orders""#);
/// assert_eq!(stc::encode(&json, stc::Spelling::Dense), r#"[2]{id,name}:1,"users"/2,"orders""#);
/// assert_eq!(stc::encode(&json, stc::Spelling::Flat), r#"[{id:1,name:"users"},{id:2,name:"orders"}]"#);
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
#[must_use]
pub fn encode(json: &Json<'_>, spelling: Spelling) -> String {
    match spelling {
        Spelling::Adr => Encoder::<false, true>::encode(json),
        Spelling::Dense => Encoder::<true, true>::encode(json),
        Spelling::Flat => Encoder::<true, false>::encode(json),
    }
}

struct Encoder<'j, const DENSE: bool, const TABLES: bool> {
    json: &'j Json<'j>,
    out: TextOutput,
}

impl<'j, const DENSE: bool, const TABLES: bool> Encoder<'j, DENSE, TABLES> {
    /// Between members, and between elements of mixed or nested arrays.
    const COMMA: &'static str = if DENSE { "," } else { ", " };
    /// Behind a key or a header.
    const COLON: &'static str = if DENSE { ":" } else { ": " };
    /// Between the rows of a table.
    const ROW_END: &'static str = if DENSE { "/" } else { " / " };

    fn encode(json: &'j Json<'j>) -> String {
        let size = json.text().len();
        let mut encoder = Self { json, out: TextOutput::with_capacity(size + size / 8) };
        encoder.value(0);
        encoder.out.into_string()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(&mut self, at: usize) {
        match self.json.node(at).kind {
            LexemeKind::Object => self.object(at),
            LexemeKind::Array if self.is_table(at) => self.table(at),
            LexemeKind::Array => self.array(at),
            _ => self.json.copy_raw(at, &mut self.out),
        }
    }

    fn object(&mut self, at: usize) {
        self.out.push(b'{');
        for (index, key) in self.json.keys(at).enumerate() {
            if index > 0 {
                self.out.push_str(Self::COMMA);
            }
            self.key(key);
            self.member_value(key + 1);
        }
        self.out.push(b'}');
    }

    /// What follows a key: a header with its rows or values, or a colon and the value.
    fn member_value(&mut self, at: usize) {
        let kind = self.json.node(at).kind;
        if kind == LexemeKind::Array {
            if self.is_table(at) {
                return self.table(at);
            }
            if !DENSE && self.is_homogeneous(at) {
                self.count(at);
                self.out.push_str(Self::COLON);
                return self.homogeneous(at);
            }
        }
        self.out.push_str(Self::COLON);
        self.value(at);
    }

    fn array(&mut self, at: usize) {
        self.out.push(b'[');
        if self.is_homogeneous(at) {
            self.homogeneous(at);
        } else {
            for (index, element) in self.json.elements(at).enumerate() {
                if index > 0 {
                    self.out.push_str(Self::COMMA);
                }
                self.value(element);
            }
        }
        self.out.push(b']');
    }

    /// Scalars of one family, without spaces in between.
    fn homogeneous(&mut self, at: usize) {
        for (index, element) in self.json.elements(at).enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            self.json.copy_raw(element, &mut self.out);
        }
    }

    fn table(&mut self, at: usize) {
        self.count(at);
        self.out.push(b'{');
        for (index, key) in self.json.keys(at + 1).enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            self.key(key);
        }
        self.out.push(b'}');
        self.out.push_str(Self::COLON);
        for (row, object) in self.json.elements(at).enumerate() {
            if row > 0 {
                self.out.push_str(Self::ROW_END);
            }
            for (index, key) in self.json.keys(object).enumerate() {
                if index > 0 {
                    self.out.push(b',');
                }
                self.value(key + 1);
            }
        }
    }

    fn count(&mut self, at: usize) {
        self.out.push(b'[');
        self.out.push_count(self.json.count(at));
        self.out.push(b']');
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn key(&mut self, at: usize) {
        let first = self.json.unquoted_bytes(at).first();
        let starts_well = first.is_some_and(|first| !first.is_ascii_digit());
        if starts_well && self.json.node(at).content.is_word() {
            self.json.copy_unquoted(at, &mut self.out);
        } else {
            self.json.copy_raw(at, &mut self.out);
        }
    }

    /// All strings, all numbers or all booleans?
    fn is_homogeneous(&self, at: usize) -> bool {
        let family = |kind| match kind {
            LexemeKind::String => Some(0),
            LexemeKind::Integer | LexemeKind::Decimal => Some(1),
            LexemeKind::True | LexemeKind::False => Some(2),
            LexemeKind::Null | LexemeKind::Object | LexemeKind::Array | LexemeKind::Key => None,
        };
        let mut elements =
            self.json.elements(at).map(|element| family(self.json.node(element).kind));
        elements.next().flatten().is_some_and(|first| elements.all(|other| other == Some(first)))
    }

    /// Two or more objects with the same keys in the same order; `adr` asks for scalar cells as well.
    fn is_table(&self, at: usize) -> bool {
        let json = self.json;
        let first = at + 1;
        if !TABLES
            || json.count(at) < 2
            || json.node(first).kind != LexemeKind::Object
            || json.count(first) == 0
        {
            return false;
        }
        json.elements(at).all(|row| {
            json.node(row).kind == LexemeKind::Object
                && json.count(row) == json.count(first)
                && json.keys(row).zip(json.keys(first)).all(|(key, column)| {
                    json.same_raw(key, column) && (DENSE || !json.node(key + 1).kind.is_container())
                })
        })
    }
}
