//! TOON text to minified JSON text, in one pass: every value is copied from its line to the output.
//!
//! There is no tree and no list of lines. [`ContentLines`] yields one line at a time with its depth; a
//! [`Decoder`] writes the JSON of the scope the line belongs to. A scope ends at the first line
//! that is less deep, and the function that opened it rejects what is deeper than its own content.

mod array;
mod duplicates;
mod header;
mod lines;
mod object;
mod table;
mod template;
mod token;
mod write;

use lines::{ContentLine, ContentLines};
use object::Member;
use template::RowTemplate;
use token::{LineKind, LineView};
use tokenforge_json::MAX_DEPTH;
use tokenforge_json::error::{Error, Fault, FaultKind};
use tokenforge_json::output::TextOutput;

/// How [`decode`] reads a text.
///
/// ```
/// use tokenforge_formats::toon::{DecodeOptions, decode};
///
/// let lenient = DecodeOptions { strict: false, ..DecodeOptions::default() };
/// assert_eq!(decode("a: 1\na: 2", &lenient)?, r#"{"a":2}"#);
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodeOptions {
    /// Spaces per level of indentation, 2 by default; 0 is read as 1.
    pub indent: usize,
    /// Reject what the format does not allow (the default). Otherwise five things are forgiven: a
    /// wrong `[N]`, duplicate keys (the last one wins), uneven or tabbed indentation, blank lines
    /// inside arrays, and a scope that is indented too far.
    pub strict: bool,
    /// The largest output in bytes, 64 MiB by default: a short table can stand for much JSON.
    pub max_output: usize,
}

impl Default for DecodeOptions {
    fn default() -> Self {
        Self { indent: 2, strict: true, max_output: crate::MAX_OUTPUT }
    }
}

/// Turns a TOON 4.4 text into minified JSON.
///
/// Numbers keep their text, whatever their size or precision. Values nest at most
/// [`MAX_DEPTH`](crate::MAX_DEPTH) deep.
///
/// ```
/// use tokenforge_formats::toon::{DecodeOptions, decode};
///
/// let json = decode("rows[2]{id,price}:\n  1,1.50\n  2,null", &DecodeOptions::default())?;
/// assert_eq!(json, r#"{"rows":[{"id":1,"price":1.50},{"id":2,"price":null}]}"#);
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
pub fn decode(text: &str, options: &DecodeOptions) -> Result<String, Error> {
    let json = ToonDecoder::new(text, options).and_then(ToonDecoder::document);
    json.map(TextOutput::into_string).map_err(|fault| fault.locate(text))
}

struct ToonDecoder<'a> {
    text: &'a [u8],
    lines: ContentLines<'a>,
    strict: bool,
    max_output: usize,
    /// The JSON written so far.
    out: TextOutput,
    /// How many containers are open in `out`.
    open: usize,
    /// The members written so far of all open objects, innermost last.
    members: Vec<Member>,
    /// The fields of the table read last: rows hold no tables, so one is enough.
    template: RowTemplate<'a>,
}

impl<'a> ToonDecoder<'a> {
    fn new(text: &'a str, options: &DecodeOptions) -> Result<Self, Fault> {
        Ok(Self {
            text: text.as_bytes(),
            lines: ContentLines::new(text.as_bytes(), options.indent, options.strict)?,
            strict: options.strict,
            max_output: options.max_output,
            out: TextOutput::with_capacity(options.max_output.min(text.len() + text.len() / 2)),
            open: 0,
            members: Vec::new(),
            template: RowTemplate::default(),
        })
    }

    fn document(mut self) -> Result<TextOutput, Fault> {
        match self.next_at(0)? {
            None => self.out.push_str("{}"),
            Some(first) => self.root(first)?,
        }
        if let Some(line) = self.lines.peek() {
            return Err(Fault::expected("nothing after the value of the document", line.start));
        }
        self.check_output(self.text.len())?;
        Ok(self.out)
    }

    fn root(&mut self, first: ContentLine) -> Result<(), Fault> {
        let view = self.view(first);
        match view.kind(first.start)? {
            LineKind::Scalar => self.scalar(view, first.start),
            LineKind::Header { key } if key.is_empty() => {
                let header = self.header(view, key.end)?;
                self.array(header, first, 0)
            }
            kind => self.object(first, kind, 0),
        }
    }

    /// Takes the next line of a scope whose lines are at `depth`; `None` where the scope ends.
    #[inline]
    fn next_at(&mut self, depth: usize) -> Result<Option<ContentLine>, Fault> {
        match self.lines.peek() {
            Some(line) if line.depth == depth => {
                self.check_output(line.start)?;
                self.lines.advance()?;
                Ok(Some(line))
            }
            Some(line) if line.depth > depth => {
                Err(Fault::expected("a line that is indented less", line.start))
            }
            _ => Ok(None),
        }
    }

    /// The depth of the lines that belong to a line at `depth`, if there are any.
    fn scope_below(&self, depth: usize) -> Result<Option<usize>, Fault> {
        match self.lines.peek() {
            Some(line) if line.depth > depth => {
                if self.strict && line.depth > depth + 1 {
                    return Err(Fault::expected("one more level of indentation", line.start));
                }
                Ok(Some(line.depth))
            }
            _ => Ok(None),
        }
    }

    #[inline]
    fn view(&self, line: ContentLine) -> LineView<'a> {
        LineView::new(self.text, line)
    }

    /// Opens `levels` containers.
    #[inline]
    fn enter(&mut self, levels: usize, offset: usize) -> Result<(), Fault> {
        self.open += levels;
        if self.open > MAX_DEPTH {
            return Err(Fault::new(FaultKind::TooDeep { limit: MAX_DEPTH }, offset));
        }
        Ok(())
    }

    #[inline]
    fn leave(&mut self, levels: usize) {
        self.open -= levels;
    }

    #[inline]
    fn check_output(&self, offset: usize) -> Result<(), Fault> {
        self.out.check(self.max_output, offset)
    }
}
