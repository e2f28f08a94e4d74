//! JSON to TOON: one walk over the tape, line by line.

mod number;
mod scalar;

use super::quote;
use super::shape::SharedFields;
use super::{Delimiter, EncodeOptions};
use crate::key_filter::KeyFilter;
use crate::refusal::Refusal;
use tokenforge_json::output::TextOutput;
use tokenforge_json::tape::{Json, LexemeKind};

/// Indentation may grow a text to this many times its size before TOON is refused as pointless.
const MAX_GROWTH: usize = 8;
/// Small texts may grow more, in bytes: a single chain of the deepest nesting fits.
const GROWTH_ALLOWANCE: usize = 1 << 20;

/// Writes a JSON text as TOON.
///
/// ```
/// use tokenforge_formats::{Json, toon};
///
/// let json = Json::parse(r#"{"users": [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}]}"#)?;
/// let text = toon::encode(&json, &toon::EncodeOptions::default()).unwrap();
/// assert_eq!(text, "users[2]{id,name}:\n  1,Ada\n  2,Bob");
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
pub fn encode(json: &Json<'_>, options: &EncodeOptions) -> Result<String, Refusal> {
    let size = json.minified_len();
    let mut encoder = Encoder {
        json,
        options,
        out: TextOutput::with_capacity(size + size / 4),
        limit: size.saturating_mul(MAX_GROWTH).saturating_add(GROWTH_ALLOWANCE),
    };
    encoder.document()?;
    Ok(encoder.out.into_string())
}

struct Encoder<'j> {
    json: &'j Json<'j>,
    options: &'j EncodeOptions,
    out: TextOutput,
    limit: usize,
}

impl Encoder<'_> {
    fn document(&mut self) -> Result<(), Refusal> {
        match self.json.node(0).kind {
            LexemeKind::Object => match self.keyed_shape(0)? {
                Some(shape) => self.keyed_rows(0, &shape, 0),
                None => self.fields(0, 0, true),
            },
            LexemeKind::Array if self.json.count(0) == 0 => {
                self.out.push_str("[]");
                Ok(())
            }
            LexemeKind::Array => self.array(0, 0),
            // A leading byte order mark would be taken for the document's own.
            LexemeKind::String if self.value(0)?.starts_with('\u{feff}') => {
                quote::write_quoted(&self.value(0)?, &mut self.out);
                Ok(())
            }
            _ => self.scalar(0),
        }
    }

    /// The members of an object, one to a line; the first on the line that is open, if `is_open`.
    fn fields(&mut self, object: usize, depth: usize, mut is_open: bool) -> Result<(), Refusal> {
        let mut filter = KeyFilter::default();
        let mut may_repeat = false;
        for key in self.json.keys(object) {
            may_repeat |= filter.add(self.json.unquoted_bytes(key))
                || self.json.node(key).content.has_rare_escape();
            if !std::mem::take(&mut is_open) {
                self.line(depth)?;
            }
            self.field(key, depth)?;
        }
        if may_repeat { self.check_keys(object) } else { Ok(()) }
    }

    /// A member on the line that is open; what does not fit there goes below, at `depth + 1`.
    fn field(&mut self, key: usize, depth: usize) -> Result<(), Refusal> {
        let value = key + 1;
        self.key(key)?;
        match self.json.node(value).kind {
            LexemeKind::Array if self.json.count(value) == 0 => {
                self.out.push_str(": []");
                Ok(())
            }
            LexemeKind::Array => self.array(value, depth),
            LexemeKind::Object => match self.keyed_shape(value)? {
                Some(shape) => self.keyed_rows(value, &shape, depth),
                None => {
                    self.out.push(b':');
                    self.fields(value, depth + 1, false)
                }
            },
            _ => {
                self.out.push_str(": ");
                self.scalar(value)
            }
        }
    }

    /// The header of a non-empty array on the line that is open, and its content.
    fn array(&mut self, array: usize, depth: usize) -> Result<(), Refusal> {
        let json = self.json;
        if json.node(array + 1).kind == LexemeKind::Object
            && let Some(shape) = SharedFields::of(json, json.elements(array))
        {
            self.header(array, Some(&shape))?;
            for row in json.elements(array) {
                self.line(depth + 1)?;
                self.cells(row, &shape)?;
            }
            return Ok(());
        }
        self.list(array, depth)
    }

    /// An array that is not a table: on one line if it holds only scalars, else an item to a line.
    fn list(&mut self, array: usize, depth: usize) -> Result<(), Refusal> {
        let json = self.json;
        self.header(array, None)?;
        if self.all_scalars(array) {
            for (index, element) in json.elements(array).enumerate() {
                self.out.push(if index == 0 { b' ' } else { self.options.delimiter.byte() });
                self.scalar(element)?;
            }
            return Ok(());
        }
        for element in json.elements(array) {
            self.line(depth + 1)?;
            self.item(element, depth + 1)?;
        }
        Ok(())
    }

    fn item(&mut self, value: usize, depth: usize) -> Result<(), Refusal> {
        let json = self.json;
        self.out.push(b'-');
        if json.node(value).kind == LexemeKind::Object && json.count(value) == 0 {
            return Ok(());
        }
        self.out.push(b' ');
        match json.node(value).kind {
            LexemeKind::Object => self.fields(value, depth + 1, true),
            LexemeKind::Array => self.list(value, depth),
            _ => self.scalar(value),
        }
    }

    /// An object whose values make a table: one entry to a line.
    fn keyed_rows(
        &mut self,
        object: usize,
        shape: &SharedFields,
        depth: usize,
    ) -> Result<(), Refusal> {
        self.header(object, Some(shape))?;
        for key in self.json.keys(object) {
            self.line(depth + 1)?;
            self.key(key)?;
            self.out.push_str(": ");
            self.cells(key + 1, shape)?;
        }
        Ok(())
    }

    /// The shape of an object whose two or more values make a table.
    fn keyed_shape(&self, object: usize) -> Result<Option<SharedFields>, Refusal> {
        let json = self.json;
        if json.count(object) < 2 || json.node(object + 2).kind != LexemeKind::Object {
            return Ok(None);
        }
        let shape = SharedFields::of(json, json.keys(object).map(|key| key + 1));
        if shape.is_some() {
            self.check_keys(object)?;
        }
        Ok(shape)
    }

    /// `[N]:`, `[N]{fields}:` or, for an object, `[N:]{fields}:`.
    fn header(&mut self, container: usize, shape: Option<&SharedFields>) -> Result<(), Refusal> {
        self.out.push(b'[');
        self.out.push_count(self.json.count(container));
        if self.json.node(container).kind == LexemeKind::Object {
            self.out.push(b':');
        }
        if self.options.delimiter != Delimiter::Comma {
            self.out.push(self.options.delimiter.byte());
        }
        self.out.push(b']');
        if let Some(shape) = shape {
            self.columns(shape.first())?;
        }
        self.out.push(b':');
        Ok(())
    }

    fn columns(&mut self, object: usize) -> Result<(), Refusal> {
        self.check_keys(object)?;
        self.out.push(b'{');
        for (index, key) in self.json.keys(object).enumerate() {
            if index > 0 {
                self.out.push(self.options.delimiter.byte());
            }
            self.key(key)?;
            if self.json.node(key + 1).kind == LexemeKind::Object {
                self.columns(key + 1)?;
            }
        }
        self.out.push(b'}');
        Ok(())
    }

    fn cells(&mut self, row: usize, shape: &SharedFields) -> Result<(), Refusal> {
        let json = self.json;
        let mut is_first = true;
        shape.for_each_cell(json, row, |cell| {
            if !std::mem::take(&mut is_first) {
                self.out.push(self.options.delimiter.byte());
            }
            self.scalar(cell)
        })
    }

    fn all_scalars(&self, array: usize) -> bool {
        self.json.elements(array).all(|element| !self.json.node(element).kind.is_container())
    }

    fn check_keys(&self, object: usize) -> Result<(), Refusal> {
        match self.json.first_duplicate(object) {
            None => Ok(()),
            Some(key) => Err(Refusal::DuplicateKey { offset: self.json.offset(key) }),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn line(&mut self, depth: usize) -> Result<(), Refusal> {
        let indent = depth.saturating_mul(self.options.indent.max(1));
        if self.out.len().saturating_add(indent) > self.limit {
            return Err(Refusal::TooIndented);
        }
        self.out.new_line(indent);
        Ok(())
    }
}
