//! Strings, numbers, literals and keys: copied as they are written wherever TOON writes them the same.

use super::super::{Numbers, quote};
use super::Encoder;
use super::number;
use crate::refusal::Refusal;
use std::borrow::Cow;
use tokenforge_json::content::StringContent;
use tokenforge_json::tape::LexemeKind;
use tokenforge_json::unescape;

impl Encoder<'_> {
    /// Writes a value that is no container.
    // Its callers recurse: inlined into them in an unoptimised build, it would overflow a small stack.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn scalar(&mut self, at: usize) -> Result<(), Refusal> {
        let node = self.json.node(at);
        match node.kind {
            LexemeKind::String if node.content.has_rare_escape() => {
                return self.respelled_string(at);
            }
            LexemeKind::String => {
                let text = self.json.unquoted_bytes(at);
                if quote::needs_quotes(text, node.content, self.options.delimiter) {
                    self.json.copy_raw(at, &mut self.out);
                } else {
                    self.json.copy_unquoted(at, &mut self.out);
                }
            }
            LexemeKind::Integer | LexemeKind::Decimal
                if self.options.numbers == Numbers::Canonical =>
            {
                let text = self.json.raw(at);
                if number::is_canonical(text, node.kind == LexemeKind::Integer) {
                    self.json.copy_raw(at, &mut self.out);
                } else {
                    number::write_canonical(text, &mut self.out);
                }
            }
            _ => self.json.copy_raw(at, &mut self.out),
        }
        Ok(())
    }

    /// Writes a key, without its colon.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn key(&mut self, at: usize) -> Result<(), Refusal> {
        let content = self.json.node(at).content;
        if content.has_rare_escape() {
            return self.respelled_key(at);
        }
        if quote::is_bare_key(self.json.unquoted_bytes(at), content) {
            self.json.copy_unquoted(at, &mut self.out);
        } else {
            self.json.copy_raw(at, &mut self.out);
        }
        Ok(())
    }

    /// A string with escapes that TOON does not have.
    #[cold]
    fn respelled_string(&mut self, at: usize) -> Result<(), Refusal> {
        let value = self.value(at)?;
        let content = StringContent::of(&value);
        if quote::needs_quotes(value.as_bytes(), content, self.options.delimiter) {
            quote::write_quoted(&value, &mut self.out);
        } else {
            self.out.push_str(&value);
        }
        Ok(())
    }

    /// A key with escapes that TOON does not have.
    #[cold]
    fn respelled_key(&mut self, at: usize) -> Result<(), Refusal> {
        let key = self.value(at)?;
        if quote::is_bare_key(key.as_bytes(), StringContent::of(&key)) {
            self.out.push_str(&key);
        } else {
            quote::write_quoted(&key, &mut self.out);
        }
        Ok(())
    }

    /// The value of a string or key.
    pub(super) fn value(&self, at: usize) -> Result<String, Refusal> {
        let value = unescape(self.json.unquoted(at)).map(Cow::into_owned);
        value.ok_or_else(|| Refusal::LoneSurrogate { offset: self.json.offset(at) })
    }
}
