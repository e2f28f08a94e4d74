//! Fidelity (lossless, cosmetic, reversible, safety): what a stage may cost the reader.

/// How faithful the text that a stage writes is to the one it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fidelity {
    /// Decodes to the same text; for JSON, to the same minified JSON.
    Lossless,
    /// A terminal would show the same: escapes, progress bars, trailing and padding blanks. Not for the text of
    /// files and diffs.
    Cosmetic,
    /// Leaves something out that a reference gives back. Only where the original can be fetched.
    Reversible,
    /// Takes away what must not or cannot pass: secrets, binary, what is far too long. The one kind that is kept even
    /// if the result is larger.
    Safety,
}
