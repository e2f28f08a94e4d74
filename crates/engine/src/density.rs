//! The density rule: a text with little between its line ends, words or JSON marks takes far more memory than its bytes
//! while a stage works on it, because a line, a word or a value is kept as a place of 16 bytes and more.
//!
//! It looks at nothing but the text, so that the same text is worked on by the same stages on every machine (L5).

use tokenforge_tokens::interrupt::tick;

/// Shorter texts are worked on however dense they are, since 16 MB are enough for them. Nearly all outputs are shorter.
pub(crate) const SHORT: usize = 256 << 10;

/// A stage may take so many bytes for each byte of a longer text, besides the text that it writes.
const BYTES_PER_BYTE: usize = 5;

/// What a stage keeps in bytes for each of these in its text, as `tests/memory.rs` measured it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryUse {
    pub(crate) line: usize,
    /// Letters and digits in a row.
    pub(crate) word: usize,
    /// What a value of JSON or a cell stands behind: `[`, `{`, `,` and `:`.
    pub(crate) mark: usize,
    /// `{`, beside that: each object may have keys of its own.
    pub(crate) object: usize,
    /// A carriage return.
    pub(crate) back: usize,
}

impl MemoryUse {
    const NONE: Self = MemoryUse { line: 0, word: 0, mark: 0, object: 0, back: 0 };

    /// What the stage of this name takes.
    pub(crate) fn of_stage(name: &str) -> Self {
        match name {
            "family" => MemoryUse { line: 72, ..Self::NONE },
            "progress" => MemoryUse { back: 60, line: 8, ..Self::NONE },
            "json" | "nested_json" | "truncated_json" | "embedded_json" | "python_repr" => {
                MemoryUse { mark: 26, object: 110, ..Self::NONE }
            }
            "json_lines" => MemoryUse { mark: 45, object: 110, ..Self::NONE },
            "csv_rows" => MemoryUse { mark: 26, line: 40, ..Self::NONE },
            "line_numbers" => MemoryUse { line: 24, ..Self::NONE },
            "log_templates" => MemoryUse { line: 56, word: 18, ..Self::NONE },
            "path_headings" => MemoryUse { line: 120, word: 24, ..Self::NONE },
            "repeated_columns" => MemoryUse { line: 56, word: 16, ..Self::NONE },
            "repeated_lines" => MemoryUse { line: 110, ..Self::NONE },
            "dictionary" => MemoryUse { line: 24, word: 24, ..Self::NONE },
            _ => Self::NONE,
        }
    }
}

/// How often each of them is in a text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TextCounts {
    bytes: usize,
    lines: usize,
    words: usize,
    marks: usize,
    objects: usize,
    backs: usize,
}

impl TextCounts {
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut counts = TextCounts { bytes: bytes.len(), ..TextCounts::default() };
        let mut is_in_word = false;
        for block in bytes.chunks(1 << 12) {
            tick(block.len());
            for byte in block {
                let is_word = byte.is_ascii_alphanumeric() || !byte.is_ascii();
                counts.words += usize::from(is_word && !is_in_word);
                is_in_word = is_word;
                counts.lines += usize::from(*byte == b'\n');
                counts.marks += usize::from(matches!(byte, b'[' | b'{' | b',' | b':'));
                counts.objects += usize::from(*byte == b'{');
                counts.backs += usize::from(*byte == b'\r');
            }
        }
        counts
    }

    /// Would a stage that takes so much take more than it may?
    pub(crate) fn exceed(&self, memory: MemoryUse) -> bool {
        let taken = memory.line * self.lines
            + memory.word * self.words
            + memory.mark * self.marks
            + memory.object * self.objects
            + memory.back * self.backs;
        self.bytes > SHORT && taken > BYTES_PER_BYTE * self.bytes
    }
}

/// Are the lines of a text too many to be remembered, or compared with those that were?
pub(crate) fn has_dense_lines(text: &str, bytes_per_line: usize) -> bool {
    text.len() > SHORT && {
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count();
        lines * bytes_per_line > BYTES_PER_BYTE * text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g91_a_long_dense_text_is_too_much_and_a_short_or_ordinary_one_is_not() {
        let log = "2026-01-01T00:00:00Z INFO worker 17 has done item 4711 in 12 ms and waits for the next\n";
        let templates = MemoryUse::of_stage("log_templates");
        for (line, is_dense) in [("a\n", true), (log, false)] {
            let of = |bytes: usize| TextCounts::of(&line.repeat(bytes / line.len()));
            assert_eq!(of(2 * SHORT).exceed(templates), is_dense, "{line}");
            assert!(!of(SHORT).exceed(templates), "{line}");
        }
        assert!(has_dense_lines(&"\n".repeat(SHORT + 1), 48));
        assert!(!has_dense_lines(&"\n".repeat(SHORT), 48));
    }
}
