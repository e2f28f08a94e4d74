//! Parse errors: what went wrong in a text, where, and what would be right.

use std::fmt;

/// An error in a JSON, TOON, STC or table text.
///
/// ```
/// let error = tokenforge_json::Json::parse("{\"a\": 1,\n \"b\" 2}").unwrap_err();
/// assert_eq!((error.offset(), error.line(), error.column()), (14, 2, 6));
/// assert_eq!(error.to_string(), "expected `:` after the key, found `2` (line 2, column 6, byte 14)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (line {line}, column {column}, byte {offset})")]
pub struct Error {
    kind: ErrorKind,
    offset: usize,
    line: usize,
    column: usize,
}

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Where, in bytes from the start of the text.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column in characters, counted from 1.
    pub fn column(&self) -> usize {
        self.column
    }
}

/// The kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Something else stands where `what` should.
    Expected {
        /// What would be right here.
        what: &'static str,
        /// The character that is here, or `None` at the end of the text.
        found: Option<char>,
    },
    /// A declared count and the content disagree.
    Count {
        /// What is counted: values, rows, cells.
        of: &'static str,
        /// The number declared.
        declared: usize,
        /// The number found (at least, when there is more than declared).
        found: usize,
    },
    /// Two members of one object have the same key.
    DuplicateKey,
    /// Values are nested deeper than the limit.
    TooDeep {
        /// The deepest nesting that is read.
        limit: usize,
    },
    /// The decoded text would be larger than the caller allows.
    OutputTooLarge {
        /// The caller's `max_output` in bytes.
        limit: usize,
    },
    /// The text is larger than the 4 GiB that offsets can address.
    InputTooLarge,
    /// The bytes are not UTF-8.
    NotUtf8,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Expected { what, found: None } => {
                write!(f, "expected {what}, found the end of the text")
            }
            Self::Expected { what, found: Some(found) } if found.is_control() => {
                write!(f, "expected {what}, found U+{:04X}", u32::from(found))
            }
            Self::Expected { what, found: Some(found) } => {
                write!(f, "expected {what}, found `{found}`")
            }
            Self::Count { of, declared, found } => {
                write!(f, "expected {declared} {of} as declared, found {found}")
            }
            Self::DuplicateKey => write!(f, "expected each key once in an object, found it again"),
            Self::TooDeep { limit } => {
                write!(f, "expected at most {limit} nested levels, found more")
            }
            Self::OutputTooLarge { limit } => {
                write!(f, "expected an output of at most {limit} bytes, it would be larger")
            }
            Self::InputTooLarge => write!(f, "expected a text of at most 4 GiB, found more"),
            Self::NotUtf8 => write!(f, "expected UTF-8, found other bytes"),
        }
    }
}

/// An error before it is located: one pointer, so that results travel through hot code in registers.
///
/// Line and column cost a pass over the text, so they are found only once, at the edge.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault(Box<(FaultKind, usize)>);

/// [`ErrorKind`] without what can be read from the text at the offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of ErrorKind")]
pub enum FaultKind {
    /// [`ErrorKind::Expected`]
    Expected(&'static str),
    /// [`ErrorKind::Count`]
    Count { of: &'static str, declared: usize, found: usize },
    /// [`ErrorKind::DuplicateKey`]
    DuplicateKey,
    /// [`ErrorKind::TooDeep`]
    TooDeep { limit: usize },
    /// [`ErrorKind::OutputTooLarge`]
    OutputTooLarge { limit: usize },
}

impl Fault {
    /// The everyday fault: `what` should stand at `offset`.
    #[cold]
    pub fn expected(what: &'static str, offset: usize) -> Self {
        Self::new(FaultKind::Expected(what), offset)
    }

    /// Any other fault.
    #[cold]
    pub fn new(problem: FaultKind, offset: usize) -> Self {
        Self(Box::new((problem, offset)))
    }

    /// Finds line, column and the offending character in the text the fault is about.
    #[cold]
    pub fn locate(self, text: &str) -> Error {
        let (problem, offset) = *self.0;
        let offset = text.floor_char_boundary(offset);
        let kind = match problem {
            FaultKind::Expected(what) => {
                ErrorKind::Expected { what, found: text[offset..].chars().next() }
            }
            FaultKind::Count { of, declared, found } => ErrorKind::Count { of, declared, found },
            FaultKind::DuplicateKey => ErrorKind::DuplicateKey,
            FaultKind::TooDeep { limit } => ErrorKind::TooDeep { limit },
            FaultKind::OutputTooLarge { limit } => ErrorKind::OutputTooLarge { limit },
        };
        Error::at(kind, text, offset)
    }
}

impl Error {
    /// An error at an offset of a text.
    #[cold]
    pub fn at(kind: ErrorKind, text: &str, offset: usize) -> Self {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            kind,
            offset,
            line: 1 + before.bytes().filter(|&byte| byte == b'\n').count(),
            column: 1 + before[line_start..].chars().count(),
        }
    }
}
