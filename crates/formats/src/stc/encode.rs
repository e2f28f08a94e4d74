//! JSON to STC: every string and number is copied as it was written.

use super::Spelling;
use crate::json::{Json, Kind};
use crate::output::Output;

/// Writes a JSON text as STC. Every JSON text can be written, and [`decode`](super::decode) gives back
/// its minified form byte for byte.
///
/// ```
/// use tokenforge_formats::{Json, stc};
///
/// let json = Json::parse(r#"[{"id": 1, "name": "users"}, {"id": 2, "name": "orders"}]"#)?;
/// assert_eq!(stc::encode(&json, stc::Spelling::Adr), r#"[2]{id,name}: 1,"users" / 2,"orders""#);
/// assert_eq!(stc::encode(&json, stc::Spelling::Dense), r#"[2]{id,name}:1,"users"/2,"orders""#);
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
pub fn encode(json: &Json<'_>, spelling: Spelling) -> String {
    let (comma, colon, row_end) = match spelling {
        Spelling::Adr => (", ", ": ", " / "),
        Spelling::Dense => (",", ":", "/"),
    };
    let out = Output::with_capacity(json.text().len());
    let mut encoder = Encoder { json, spelling, comma, colon, row_end, out };
    encoder.value(0);
    encoder.out.into_string()
}

struct Encoder<'j> {
    json: &'j Json<'j>,
    spelling: Spelling,
    /// Between members, and between elements of mixed or nested arrays.
    comma: &'static str,
    /// Behind a key or a header.
    colon: &'static str,
    /// Between the rows of a table.
    row_end: &'static str,
    out: Output,
}

impl Encoder<'_> {
    fn value(&mut self, at: usize) {
        match self.json.node(at).kind {
            Kind::Object => self.object(at),
            Kind::Array if self.is_table(at) => self.table(at),
            Kind::Array => self.array(at),
            _ => self.json.copy_raw(at, &mut self.out),
        }
    }

    fn object(&mut self, at: usize) {
        self.out.push(b'{');
        for (index, key) in self.json.keys(at).enumerate() {
            if index > 0 {
                self.out.push_str(self.comma);
            }
            self.key(key);
            self.member_value(key + 1);
        }
        self.out.push(b'}');
    }

    /// What follows a key: a header with its rows or values, or a colon and the value.
    fn member_value(&mut self, at: usize) {
        let kind = self.json.node(at).kind;
        if kind == Kind::Array {
            if self.is_table(at) {
                return self.table(at);
            }
            if self.spelling == Spelling::Adr && self.is_homogeneous(at) {
                self.count(at);
                self.out.push_str(self.colon);
                return self.list(at, ",");
            }
            self.out.push_str(self.colon);
            return self.array(at);
        }
        self.out.push_str(self.colon);
        self.value(at);
    }

    fn array(&mut self, at: usize) {
        let separator = if self.is_homogeneous(at) { "," } else { self.comma };
        self.out.push(b'[');
        self.list(at, separator);
        self.out.push(b']');
    }

    fn list(&mut self, at: usize, separator: &str) {
        for (index, element) in self.json.elements(at).enumerate() {
            if index > 0 {
                self.out.push_str(separator);
            }
            self.value(element);
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
        self.out.push_str(self.colon);
        for (row, object) in self.json.elements(at).enumerate() {
            if row > 0 {
                self.out.push_str(self.row_end);
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

    fn key(&mut self, at: usize) {
        let text = self.json.unquoted(at);
        let starts_well = text.bytes().next().is_some_and(|first| !first.is_ascii_digit());
        if starts_well && self.json.node(at).content.is_word() {
            self.json.copy_unquoted(at, &mut self.out);
        } else {
            self.json.copy_raw(at, &mut self.out);
        }
    }

    /// All strings, all numbers or all booleans?
    fn is_homogeneous(&self, at: usize) -> bool {
        let family = |kind| match kind {
            Kind::String => Some(0),
            Kind::Integer | Kind::Decimal => Some(1),
            Kind::True | Kind::False => Some(2),
            Kind::Null | Kind::Object | Kind::Array | Kind::Key => None,
        };
        let mut elements =
            self.json.elements(at).map(|element| family(self.json.node(element).kind));
        elements.next().flatten().is_some_and(|first| elements.all(|other| other == Some(first)))
    }

    /// Two or more objects with the same keys in the same order; `adr` asks for scalar cells as well.
    fn is_table(&self, at: usize) -> bool {
        let json = self.json;
        let first = at + 1;
        if json.count(at) < 2 || json.node(first).kind != Kind::Object || json.count(first) == 0 {
            return false;
        }
        let any_cell = self.spelling == Spelling::Dense;
        json.elements(at).all(|row| {
            json.node(row).kind == Kind::Object
                && json.count(row) == json.count(first)
                && json.keys(row).zip(json.keys(first)).all(|(key, column)| {
                    json.same_raw(key, column)
                        && (any_cell || !json.node(key + 1).kind.is_container())
                })
        })
    }
}
