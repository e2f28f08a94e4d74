//! Lookups in the index of shown lines: which text a name means, where a pointer leads, and which lines were shown before.

use super::{
    AskingCall, LineIndex, LinePlace, Namesakes, PLACES, ShownLine, ShownRun, ShownText, hash,
    quote_hash,
};
use crate::history::ComparedLine;
use crate::history::marker::{self, LinePointer, PointedLines};
use crate::history::name::{CallName, CallView, FileChange, NameKind, is_same_file};
use crate::tool::CalledTool;

impl LineIndex {
    /// Was a pointer the last answer to a call like this?
    pub(in crate::history) fn was_answered_by_pointer(&self, view: &CallView) -> bool {
        self.answered.get(&view.identity).is_some_and(|is_pointer| *is_pointer)
    }

    /// What was forwarded for a call, if it can be pointed to.
    pub(in crate::history) fn text_of(&self, call: &str) -> Option<&str> {
        self.shown.get(*self.by_call.get(call)? as usize).map(|shown| &*shown.text)
    }

    /// The text of one that was shown.
    pub(in crate::history) fn text(&self, index: u32) -> Option<&str> {
        self.shown.get(index as usize).map(|shown| &*shown.text)
    }

    /// Can a text be named without doubt in the result of this call?
    fn is_source(&self, index: u32, asking: AskingCall<'_>) -> bool {
        let Some(shown) = self.shown.get(index as usize) else { return false };
        let namesakes = self.by_name.get(&shown.name.text).filter(|all| !all.is_ambiguous);
        let is_read_again = || asking.name.is_some_and(|name| *name == shown.name);
        let is_changed = || match asking.change {
            None => false,
            Some(FileChange::Any) => true,
            Some(FileChange::Written(path) | FileChange::Edited(path)) => {
                is_same_file(path, &shown.name.text)
            }
        };
        asking.call != Some(&shown.call)
            && namesakes.is_some_and(|all| match all.kind {
                NameKind::File => {
                    let is_latest = all.latest == Some(index);
                    is_latest && (!all.is_edited || is_read_again()) && !is_changed()
                }
                _ => true,
            })
    }

    /// What a text is called, and which of the texts of that name it is.
    pub(in crate::history) fn name_of(
        &self,
        index: u32,
    ) -> Option<(&CallName, marker::CommandRun)> {
        let name = &self.shown.get(index as usize)?.name;
        let namesakes = self.by_name.get(&name.text)?;
        let run = match name.kind {
            NameKind::Command => {
                let number = namesakes.runs.iter().position(|run| *run == Some(index))? + 1;
                marker::CommandRun { number, of: namesakes.runs.len() }
            }
            _ => marker::CommandRun { number: 1, of: 1 },
        };
        Some((name, run))
    }

    /// The text of a name; commands may be `quoted`.
    pub(in crate::history) fn find_named(&self, name: &str, quoted: bool) -> Option<u32> {
        let find = |name: &str| {
            let bare = name.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
            let is_it = |all: &&Namesakes| !all.is_ambiguous;
            match bare.filter(|_| quoted) {
                Some(bare) => {
                    self.by_name.get(bare).filter(is_it).filter(|all| all.kind == NameKind::Command)
                }
                None => self.by_name.get(name).filter(is_it),
            }
        };
        let (bare, run) = marker::CommandRun::parse(name);
        let all = match run {
            None => find(name),
            // A name may end in such words itself.
            Some(_) => find(bare).or_else(|| find(name)),
        }?;
        match (all.kind, run) {
            (NameKind::Command, Some(run)) => *all.runs.get(run.number.checked_sub(1)?)?,
            (NameKind::Command, None) => *all.runs.first()?,
            _ => all.latest,
        }
    }

    /// The lines that a pointer leads to.
    pub(in crate::history) fn find_pointed(&self, pointer: &LinePointer<'_>) -> Option<ShownRun> {
        let text = self.find_named(pointer.name, true)?;
        let shown = self.shown.get(text as usize)?;
        match &pointer.lines {
            PointedLines::Numbered(range) => {
                let is_first = |line: &ShownLine| line.number == Some(*range.start());
                let start = shown.lines.iter().position(is_first)?;
                let count = range.end().checked_sub(*range.start())? as usize + 1;
                let last = shown.lines.get(start.checked_add(count)? - 1)?;
                (last.number == Some(*range.end())).then_some(ShownRun { text, start, count })
            }
            PointedLines::Quoted { count, first, last } => {
                let is = |at: usize, quote: &str| {
                    let line = shown.line(at).unwrap_or_default();
                    // Most lines begin otherwise, and need not be quoted to know.
                    let start = quote.strip_suffix('…').unwrap_or(quote);
                    line.trim_start().starts_with(start)
                        && marker::quote(line).as_deref() == Some(quote)
                };
                let start = (0..shown.lines.len()).find(|at| is(*at, first))?;
                let end = start.checked_add(*count)?.checked_sub(1)?;
                is(end, last).then_some(ShownRun { text, start, count: *count })
            }
        }
    }

    /// The text that was shown just so for another call of the same tool, and that no pointer stands for yet.
    pub(in crate::history) fn same_as(
        &self,
        text: &str,
        tool: &CalledTool,
        asking: AskingCall<'_>,
    ) -> Option<u32> {
        let is_it = |index: &&u32| {
            let is_free =
                |shown: &&ShownText| !shown.is_pointed_to && shown.tool.as_ref() == Some(tool);
            let shown = self.shown.get(**index as usize).filter(is_free);
            shown.is_some_and(|shown| *shown.text == *text) && self.is_source(**index, asking)
        };
        self.by_text.get(&self.hash_of(text))?.iter().rev().find(is_it).copied()
    }

    /// Where a line was shown, the latest place first: it is nearest to the reader.
    fn places_of(&self, line: &str) -> impl Iterator<Item = LinePlace> {
        let latest = self.places.get(&hash(line)).copied();
        let earlier = |place: &LinePlace| {
            self.shown.get(place.text as usize)?.lines.get(place.line as usize)?.earlier
        };
        std::iter::successors(latest, earlier).take(PLACES)
    }

    /// The longest run of lines, beginning with the first of `lines`, that was shown for another call than the one asking.
    pub(in crate::history) fn longest_run(
        &self,
        lines: &[ComparedLine<'_>],
        asking: AskingCall<'_>,
    ) -> Option<ShownRun> {
        if self.is_empty() {
            return None;
        }
        let first = lines.first()?;
        let runs = self.places_of(first.bare).filter_map(|LinePlace { text, line }| {
            let shown = self.shown.get(text as usize).filter(|_| self.is_source(text, asking))?;
            let (start, is_numbered) = (line as usize, first.number.is_some());
            let same =
                shown.lines.get(start..)?.iter().zip(lines).take_while(|(shown_line, line)| {
                    let is_same = shown.bare(shown_line) == line.bare;
                    is_same
                        && shown_line.is_free
                        && !line.is_fixed
                        && line.number.is_some() == is_numbered
                });
            Some(ShownRun { text, start, count: same.count() })
        });
        runs.reduce(|best, run| if run.count > best.count { run } else { best })
    }

    /// The lines of a run, without the numbers that are shown before them.
    pub(in crate::history) fn lines_of(&self, run: ShownRun) -> impl Iterator<Item = &str> {
        let shown = self.shown.get(run.text as usize).into_iter();
        shown.flat_map(move |shown| {
            shown.lines.iter().skip(run.start).take(run.count).map(|line| shown.bare(line))
        })
    }

    /// The numbers of the first and the last line of a run, if they have some.
    pub(in crate::history) fn numbers(&self, run: ShownRun) -> Option<(u32, u32)> {
        let lines = &self.shown.get(run.text as usize)?.lines;
        let number = |at: usize| lines.get(at)?.number;
        Some((number(run.start)?, number((run.start + run.count).checked_sub(1)?)?))
    }

    /// How a line is quoted, if no other line of its text is quoted so.
    pub(in crate::history) fn quote(&self, text: u32, line: usize) -> Option<String> {
        let quote = marker::quote(self.shown.get(text as usize)?.line(line)?)?;
        (self.quotes.get(&quote_hash(text, &quote)) == Some(&1)).then_some(quote)
    }
}
