//! The text being written: short slices are copied in steps of a fixed size.
//!
//! Encoders and decoders copy millions of slices of a few bytes each. A step of 32 bytes that overshoots is
//! two moves where a copy of exact length is a function call, so the buffer is kept longer than its content.

/// Bytes of the step; also how far the buffer always reaches beyond the content.
const STEP: usize = 32;

/// Text that grows at its end.
pub(crate) struct Output {
    /// The content, and room behind it.
    buffer: Vec<u8>,
    length: usize,
}

impl Output {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { buffer: vec![0; capacity + STEP], length: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Appends one ASCII character.
    #[inline]
    pub(crate) fn push(&mut self, ascii: u8) {
        debug_assert!(ascii.is_ascii());
        self.reserve(1);
        self.buffer[self.length] = ascii;
        self.length += 1;
    }

    /// Appends a text; best for literals, whose length the compiler knows.
    #[inline]
    pub(crate) fn push_str(&mut self, text: &str) {
        self.reserve(text.len());
        let end = self.length + text.len();
        self.buffer[self.length..end].copy_from_slice(text.as_bytes());
        self.length = end;
    }

    /// Appends `source[start..end]`; the range must lie on character boundaries.
    #[inline]
    pub(crate) fn copy(&mut self, source: &str, start: usize, end: usize) {
        debug_assert!(source.is_char_boundary(start) && source.is_char_boundary(end));
        let bytes = source.as_bytes();
        let count = end - start;
        self.reserve(count);
        if count <= STEP
            && let Some(step) = bytes.get(start..start + STEP)
        {
            self.buffer[self.length..self.length + STEP].copy_from_slice(step);
        } else {
            self.buffer[self.length..self.length + count].copy_from_slice(&bytes[start..end]);
        }
        self.length += count;
    }

    /// Appends `count` spaces.
    #[inline]
    pub(crate) fn indent(&mut self, count: usize) {
        self.reserve(count);
        if count <= STEP {
            self.buffer[self.length..self.length + STEP].copy_from_slice(&[b' '; STEP]);
        } else {
            self.buffer[self.length..self.length + count].fill(b' ');
        }
        self.length += count;
    }

    /// Appends a number in decimal.
    pub(crate) fn push_count(&mut self, count: usize) {
        self.push_str(&count.to_string());
    }

    /// The text, once it is complete.
    pub(crate) fn into_string(mut self) -> String {
        self.buffer.truncate(self.length);
        String::from_utf8(self.buffer).expect("only whole characters were appended")
    }

    /// Makes room for `count` bytes and a step behind them.
    #[inline]
    fn reserve(&mut self, count: usize) {
        if self.length + count + STEP > self.buffer.len() {
            self.grow(count);
        }
    }

    #[cold]
    fn grow(&mut self, count: usize) {
        let needed = self.length + count + STEP;
        self.buffer.resize(needed.max(self.buffer.len() * 2), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_of_every_length_are_copied_exactly() {
        let source = "0123456789abcdefghijklmnopqrstuvwxyz é";
        let mut out = Output::with_capacity(0);
        let mut expected = String::new();
        for start in 0..source.len() {
            for end in start..source.len() {
                if source.is_char_boundary(start) && source.is_char_boundary(end) {
                    out.copy(source, start, end);
                    out.push(b'|');
                    out.indent(end - start);
                    expected += &source[start..end];
                    expected.push('|');
                    expected += &" ".repeat(end - start);
                }
            }
        }
        assert_eq!(out.len(), expected.len());
        assert_eq!(out.into_string(), expected);
    }
}
