//! The output buffer: short slices are copied in steps of a fixed size.
//!
//! Encoders and decoders copy millions of slices of a few bytes each. Copying a whole step and cutting it back is
//! a few moves, where a copy of exact length is a call of `memcpy`.

use crate::error::{Fault, FaultKind};
use crate::escape::escape;

/// Slices up to this length are copied with a fixed size.
const STEP: usize = 32;

/// Text that grows at its end. It is UTF-8, since only ASCII and whole pieces of UTF-8 texts are appended.
#[derive(Debug, Default)]
pub struct TextOutput {
    bytes: Vec<u8>,
}

impl TextOutput {
    /// No text yet, and room for so many bytes.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { bytes: Vec::with_capacity(capacity + STEP) }
    }

    /// What was written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Was nothing written yet?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// How many bytes were written.
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The last byte, if there is one.
    #[inline]
    pub fn last(&self) -> Option<u8> {
        self.bytes.last().copied()
    }

    /// Appends a whole piece of what was written before.
    #[inline]
    pub fn repeat(&mut self, start: usize, end: usize) {
        let count = end - start;
        match self.bytes[start..].first_chunk::<STEP>().copied() {
            Some(step) if count <= STEP => self.push_step(&step, count),
            _ => self.bytes.extend_from_within(start..end),
        }
    }

    /// Forgets what was written behind so many bytes.
    pub fn truncate(&mut self, length: usize) {
        self.bytes.truncate(length);
    }

    /// Appends one ASCII character.
    #[inline]
    pub fn push(&mut self, ascii: u8) {
        self.bytes.push(ascii);
    }

    /// Appends a text; best for literals, whose length the compiler knows.
    #[inline]
    pub fn push_str(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Appends a few bytes of ASCII, or a whole piece of a text.
    #[inline]
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends what stands between the quotes of a JSON string that says this, a whole piece of a text.
    #[cold]
    pub fn push_escaped(&mut self, raw: &[u8]) {
        for &byte in raw {
            match byte {
                b'"' | b'\\' | 0..0x20 => self.push_str(escape(byte)),
                _ => self.push(byte),
            }
        }
    }

    /// Appends `source[start..end]`, a whole piece of a text. Fast where the source goes on for a step.
    #[inline(always)]
    pub fn copy(&mut self, source: &[u8], start: usize, end: usize) {
        let count = end - start;
        if count <= STEP
            && let Some(step) = source[start..].first_chunk::<STEP>()
        {
            self.push_step(step, count);
        } else {
            self.bytes.extend_from_slice(&source[start..end]);
        }
    }

    /// Appends a line feed and `indent` spaces.
    #[inline]
    pub fn new_line(&mut self, indent: usize) {
        const LINE: [u8; STEP] = {
            let mut line = [b' '; STEP];
            line[0] = b'\n';
            line
        };
        if indent < STEP {
            self.push_step(&LINE, 1 + indent);
        } else {
            self.bytes.push(b'\n');
            self.bytes.resize(self.bytes.len() + indent, b' ');
        }
    }

    /// Appends bytes that are never read as text, so that a [`copy`](Self::copy) of the last piece can take a step.
    pub fn pad(&mut self) {
        self.bytes.extend_from_slice(&[b' '; STEP]);
    }

    /// Appends a number in decimal.
    pub fn push_count(&mut self, count: usize) {
        self.push_digits(count as u64);
    }

    /// Appends a number in decimal, with its sign if that is minus.
    pub fn push_integer(&mut self, number: i64) {
        if number < 0 {
            self.push(b'-');
        }
        self.push_digits(number.unsigned_abs());
    }

    fn push_digits(&mut self, mut number: u64) {
        let mut digits = [b'0'; 20];
        let mut start = digits.len() - 1;
        while number > 9 {
            digits[start] += (number % 10) as u8;
            number /= 10;
            start -= 1;
        }
        digits[start] += number as u8;
        self.push_bytes(&digits[start..]);
    }

    /// Fails once there are more than `max_output` bytes; `offset` is how far the input was read.
    #[inline]
    pub fn check(&self, max_output: usize, offset: usize) -> Result<(), Fault> {
        if self.bytes.len() > max_output {
            return Err(Fault::new(FaultKind::OutputTooLarge { limit: max_output }, offset));
        }
        Ok(())
    }

    /// The text, once it is complete.
    pub fn into_string(self) -> String {
        String::from_utf8(self.bytes).expect("only whole pieces of UTF-8 were appended")
    }

    #[inline(always)]
    fn push_step(&mut self, step: &[u8; STEP], count: usize) {
        let length = self.bytes.len() + count;
        self.bytes.extend_from_slice(step);
        self.bytes.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_decimal() {
        for number in [0, 1, -1, 9, 10, -10, 12_345, i64::MAX, i64::MIN] {
            let mut out = TextOutput::default();
            out.push_integer(number);
            assert_eq!(out.into_string(), number.to_string());
        }
    }

    #[test]
    fn pieces_written_before_are_appended_again() {
        let text = "0123456789abcdefghijklmnopqrstuvwxyz0123456789";
        for start in 0..text.len() {
            for end in start..text.len() {
                let mut out = TextOutput::default();
                out.push_str(text);
                out.repeat(start, end);
                assert_eq!(out.into_string(), format!("{text}{}", &text[start..end]));
            }
        }
    }

    #[test]
    fn slices_of_every_length_are_copied_exactly() {
        let source = "0123456789abcdefghijklmnopqrstuvwxyz0123456789 é";
        let mut out = TextOutput::with_capacity(0);
        let mut expected = String::new();
        for start in 0..source.len() {
            for end in start..source.len() {
                if source.is_char_boundary(start) && source.is_char_boundary(end) {
                    out.copy(source.as_bytes(), start, end);
                    out.push(b'|');
                    out.new_line(end - start);
                    expected += &source[start..end];
                    expected.push('|');
                    expected.push('\n');
                    expected += &" ".repeat(end - start);
                }
            }
        }
        assert_eq!(out.len(), expected.len());
        assert_eq!(out.into_string(), expected);
    }
}
