//! Deduplication across results: lines that an earlier result of the same request shows become a pointer to it.
//!
//! ```text
//! [Forge same as lines 434-440 of src/main.rs above]
//! ```
//!
//! Everything here is a function of the results that came before, as they were forwarded, and of the call that is
//! answered: a tool that repeats what it was given to write repeats what the model said itself. The earliest copy is
//! never touched, so what a provider has cached stays as it is.
//!
//! A pointer is resolved from what the model sees (L12): it names the file and the numbers of its lines, or the command, or
//! the tool and what it was asked for; never a call id, which most models are not shown. Who asks for a part of a file gets
//! it, and who asks again after a pointer gets the text: a pointer stands at most once in a row.
//! Numbers that a thinned column shows before a line are not part of it: text that moved down a file is still the same.

mod earlier;
mod line_index;
mod marker;
mod name;

pub use earlier::EarlierResult;
pub(crate) use marker::session_duplicate;
pub(crate) use marker::{has_pointers, is_duplicate};
pub use name::ToolCall;
pub(crate) use name::WholeFile;

use crate::density::has_dense_lines;
use crate::reference::Reference;
use crate::restore::RestoreError;
use crate::settings::CEILING_BYTES;
use crate::stages::numbers::{self, ThinnedNumbers};
use crate::{SIGNATURE, lines};
use line_index::{AskingCall, LineIndex, ShownRun};
use marker::{LinePointer, PointedLines};
use name::CallView;
use serde_json::Value;
use tokenforge_formats::MAX_OUTPUT;
use tokenforge_tokens::Counter;

/// A run of fewer lines is repeated rather than pointed to.
const FEWEST_LINES: usize = 3;

/// A run with fewer characters is repeated rather than pointed to.
const FEWEST_BYTES: usize = 40;

/// A run this many times as long as its pointer costs more tokens; below that they are counted.
const SURELY_LONGER: usize = 4;

/// Within a run of no more lines a better one is looked for.
const SHORT_RUN: usize = 64;

/// The results of a conversation so far, as the model sees them.
#[derive(Debug, Clone, Default)]
pub struct History {
    results: LineIndex,
}

/// What of a text may become a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PointerScope {
    /// All of it or nothing: its lines are in a notation, and mean nothing without the rest of it.
    Whole,
    /// Any run of its lines.
    Lines,
}

impl History {
    /// Remembers what was forwarded for a call. A result without a call id is not pointed to.
    pub fn add(&mut self, call: &ToolCall<'_>, forwarded: &str) {
        self.results.add(call, forwarded);
    }

    /// Is nothing there that could be pointed to?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.results.bytes()
    }

    /// Was this text forwarded for this call?
    #[must_use]
    pub fn shows(&self, call: &str, text: &str) -> bool {
        self.results.text_of(call) == Some(text)
    }

    /// What stands for a text that another call of the same tool was shown just so.
    #[must_use]
    pub(crate) fn duplicate_of(&self, text: &str, call: &ToolCall<'_>) -> Option<String> {
        let view = self.view(call)?;
        self.duplicate(text, &view, call.id?)
    }

    fn duplicate(&self, text: &str, view: &CallView, call: &str) -> Option<String> {
        let asking =
            AskingCall { call: Some(call), name: view.name.as_ref(), change: view.change.as_ref() };
        let (name, run) = self.results.name_of(self.results.same_as(text, &view.tool, asking)?)?;
        Some(marker::duplicate(name, run))
    }

    /// The call whose result may have pointers in it, if it may.
    fn view(&self, call: &ToolCall<'_>) -> Option<CallView> {
        let view = CallView::of(call);
        (!view.is_excerpt && !self.results.was_answered_by_pointer(&view)).then_some(view)
    }

    /// The text with pointers instead of what other calls' results show or is in its own call's arguments (JSON text);
    /// `None` if nothing is, or if nothing may be.
    #[must_use]
    pub(crate) fn point(
        &self,
        text: &str,
        call: &ToolCall<'_>,
        scope: PointerScope,
        counter: Counter,
    ) -> Option<String> {
        let own = own_words(call.arguments);
        if self.results.is_empty() && own.is_empty() {
            return None;
        }
        let view = self.view(call)?;
        if let Some(marker) = call.id.and_then(|id| self.duplicate(text, &view, id)) {
            return Some(marker);
        }
        let is_dense = || has_dense_lines(text, size_of::<ComparedLine<'_>>());
        if scope == PointerScope::Whole || text.len() > CEILING_BYTES || is_dense() {
            return None;
        }
        let asking =
            AskingCall { call: call.id, name: view.name.as_ref(), change: view.change.as_ref() };
        let lines = ComparedLine::all(text);
        let (mut out, mut copied) = (String::new(), 0);
        let (mut at, mut start) = (0, 0);
        while at < lines.len() {
            let rest = &lines[at..];
            let run = [&self.results, &own]
                .into_iter()
                .filter_map(|index| Some((index, index.longest_run(rest, asking)?)))
                .reduce(|best, run| if run.1.count > best.1.count { run } else { best })
                .filter(|(_, run)| run.count >= FEWEST_LINES);
            let Some((index, run)) = run else {
                start += rest[0].whole.len() + 1;
                at += 1;
                continue;
            };
            let is_own = std::ptr::eq(index, &own);
            let found =
                QuotableRun::of(index, run).map(|part| (part, part.pointer(index, rest, is_own)));
            let skipped = match found {
                Some((part, Some(pointer))) if is_shorter(&pointer, part.lines(rest), counter) => {
                    let begin = start + size(&rest[..part.skip]);
                    out.push_str(&text[copied..begin]);
                    out.push_str(&pointer);
                    // The line end behind the run stays.
                    copied = begin + size(part.lines(rest)) - 1;
                    part.skip + part.run.count
                }
                // A short run that costs too much: the next line may begin a longer one.
                Some(_) if run.count <= SHORT_RUN => 1,
                // Nor can any part of it be quoted for less. Trying each line would be quadratic.
                _ => run.count,
            };
            start += size(&rest[..skipped]);
            at += skipped;
        }
        if out.is_empty() {
            return None;
        }
        out.push_str(&text[copied..]);
        Some(out)
    }

    /// What a text with pointers stands for: they lead into these results, or into the arguments of its own call.
    ///
    /// # Errors
    /// A pointer leads nowhere, or the text stands for more than [`MAX_OUTPUT`], because a pointer repeats what it names.
    pub fn resolve(&self, text: &str, arguments: &str) -> Result<String, RestoreError> {
        let nowhere = |pointer: &str| RestoreError::Nowhere(pointer.trim_end().to_owned());
        let body = Reference::leading(text).map_or(text, |(_, body)| body);
        if let Some(name) = marker::duplicate_name(body) {
            // Sessions name the call and its tool.
            let by_call = || self.results.text_of(name.split_once(" (")?.0);
            let named =
                self.results.find_named(name, false).and_then(|text| self.results.text(text));
            return named.or_else(by_call).map(str::to_owned).ok_or_else(|| nowhere(body));
        }
        let own = own_words(arguments);
        let mut numbering = ThinnedNumbers::default();
        let mut out = String::new();
        let mut lines = lines::split_lines(text).peekable();
        while let Some(line) = lines.next() {
            if !marker::is_pointer(line) {
                numbering.read(line, lines.peek().copied());
                out.push_str(line);
                out.push('\n');
                continue;
            }
            let pointer = LinePointer::parse(line).ok_or_else(|| nowhere(line))?;
            let index = if pointer.is_own { &own } else { &self.results };
            let pointed = index.find_pointed(&pointer).ok_or_else(|| nowhere(line))?;
            for bare in index.lines_of(pointed) {
                numbering.write(bare, &mut out);
                out.push('\n');
            }
            if out.len() > MAX_OUTPUT {
                return Err(RestoreError::TooLarge);
            }
        }
        out.pop();
        Ok(out)
    }
}

/// A line of the text that is looked at.
struct ComparedLine<'a> {
    whole: &'a str,
    /// Without a number that is shown before it.
    bare: &'a str,
    /// Its number in a thinned column, shown or not.
    number: Option<u32>,
    /// Must it stay where it is? What we announce must, and the line that shows how numbers were written.
    is_fixed: bool,
}

impl<'a> ComparedLine<'a> {
    fn all(text: &'a str) -> Vec<Self> {
        let mut numbering = ThinnedNumbers::default();
        let mut all = Vec::with_capacity(lines::count(text));
        let mut lines = lines::split_lines(text).peekable();
        while let Some(whole) = lines.next() {
            let is_fixed = whole.starts_with(SIGNATURE) || numbering.is_at_first();
            let is_announcement = whole.starts_with(numbers::SIGNATURE);
            let number = numbering.next_number().filter(|_| !is_announcement);
            let bare = numbering.read(whole, lines.peek().copied());
            all.push(ComparedLine { whole, bare, number, is_fixed });
        }
        all
    }
}

/// The part of a run that a pointer can name.
#[derive(Clone, Copy)]
struct QuotableRun {
    run: ShownRun,
    /// How many lines before it stay.
    skip: usize,
}

impl QuotableRun {
    /// All of a run whose lines have numbers; else from its first line that can be quoted to its last.
    fn of(index: &LineIndex, run: ShownRun) -> Option<Self> {
        if index.numbers(run).is_some() {
            return Some(QuotableRun { run, skip: 0 });
        }
        let quoted = |at: &usize| index.quote(run.text, *at).is_some();
        let mut all = run.start..run.start + run.count;
        let first = all.find(quoted)?;
        let last = all.rfind(quoted)?;
        let (skip, count) = (first - run.start, last + 1 - first);
        (count >= FEWEST_LINES)
            .then_some(QuotableRun { run: ShownRun { start: first, count, ..run }, skip })
    }

    fn lines<'l, 't>(&self, rest: &'l [ComparedLine<'t>]) -> &'l [ComparedLine<'t>] {
        &rest[self.skip..self.skip + self.run.count]
    }

    fn pointer(
        &self,
        index: &LineIndex,
        rest: &[ComparedLine<'_>],
        is_own: bool,
    ) -> Option<String> {
        let ShownRun { text, start, count } = self.run;
        let (name, nth) = index.name_of(text)?;
        let name = marker::spell_name(name, nth);
        let lines = self.lines(rest);
        let number = |line: Option<&ComparedLine<'_>>| line.and_then(|line| line.number);
        let here = number(lines.first()).zip(number(lines.last()));
        let there = index.numbers(self.run);
        let here = here.filter(|here| there != Some(*here)).map(|(first, last)| first..=last);
        let written = match there {
            Some((first, last)) => {
                let lines = PointedLines::Numbered(first..=last);
                LinePointer { lines, name: &name, is_own, here }.write()
            }
            None => {
                let last = index.quote(text, start + count - 1)?;
                let lines =
                    PointedLines::Quoted { count, first: &index.quote(text, start)?, last: &last };
                LinePointer { lines, name: &name, is_own, here }.write()
            }
        };
        // What is not read as the same lines again is no pointer to them.
        let is_it = |run: &ShownRun| (run.text, run.start, run.count) == (text, start, count);
        let read = LinePointer::parse(&written).and_then(|pointer| index.find_pointed(&pointer));
        read.filter(is_it).map(|_| written)
    }
}

/// Do the lines cost more than the pointer to them?
fn is_shorter(pointer: &str, lines: &[ComparedLine<'_>], counter: Counter) -> bool {
    let bytes = size(lines);
    let text = || lines.iter().map(|line| line.whole).collect::<Vec<_>>().join("\n");
    bytes >= FEWEST_BYTES
        && (bytes > SURELY_LONGER * pointer.len() || counter.is_cheaper(pointer, &text()))
}

/// The bytes of lines, with their ends.
fn size(lines: &[ComparedLine<'_>]) -> usize {
    lines.iter().map(|line| line.whole.len() + 1).sum()
}

/// The texts of several lines in the arguments of the call, as things that were shown.
fn own_words(arguments: &str) -> LineIndex {
    let mut index = LineIndex::default();
    // Only a string with an escaped line end has several lines.
    if memchr::memmem::find(arguments.as_bytes(), b"\\n").is_some()
        && let Ok(Value::Object(arguments)) = serde_json::from_str(arguments)
    {
        for (key, value) in &arguments {
            if let Value::String(text) = value {
                index.add_argument(key, text);
            }
        }
    }
    index
}

#[cfg(test)]
mod tests;
