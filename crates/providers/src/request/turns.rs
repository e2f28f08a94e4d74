//! Incremental reading: what was found in the turns of a conversation, for the next time it is read. It only grows.

use super::Request;
use super::result::ToolResult;
use super::shift::Shift;
use super::sites::{AnswerSite, CallSite, ThoughtSite};
use std::ops::Range;

/// What a reading found in the turns of a conversation.
///
/// An agent sends its whole conversation again and again, with something new at the end. An
/// [`EarlierReading`](crate::EarlierReading) that keeps the turns spares the next reading those that are the same.
#[derive(Debug, Clone)]
pub struct ConversationTurns {
    pub(crate) list: TurnList,
    pub(crate) calls: Vec<CallSite>,
    pub(crate) answers: Vec<AnswerSite>,
    pub(crate) results: Vec<ToolResult>,
    pub(crate) thoughts: Vec<ThoughtSite>,
}

/// The end of a turn is kept for so many times the bytes that it takes.
const BYTES_PER_BYTE: usize = 16;

/// The list of turns in a body.
#[derive(Debug, Clone, Default)]
pub(crate) struct TurnList {
    /// Where its bracket is.
    pub(crate) start: usize,
    /// The ends of its turns, but for tiny ones.
    pub(crate) marks: Vec<TurnMark>,
    /// So many of the marks were known.
    known: usize,
}

/// The end of a turn, and how much had been found by then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnMark {
    /// Where, counted from the start of the list, the comma or the bracket behind the turn is.
    pub(crate) end: usize,
    pub(crate) calls: usize,
    pub(crate) answers: usize,
    pub(crate) results: usize,
    pub(crate) thoughts: usize,
    /// How many of the answers the model had seen.
    pub(crate) seen: usize,
    /// The first call of the latest turn in which there were calls, and that of the latest message.
    pub(crate) first_calls: (usize, usize),
    /// What the calls of all texts of results have in bytes.
    pub(crate) call_bytes: usize,
}

impl TurnList {
    /// Adds the end of a turn, if it takes a small part of the room of the turns since the last one: someone may send
    /// millions of tiny ones, and to read a few again costs next to nothing.
    pub(crate) fn add(&mut self, mark: TurnMark) {
        let before = self.marks.last().map_or(0, |mark| mark.end);
        if mark.end - before >= BYTES_PER_BYTE * size_of::<TurnMark>() {
            self.marks.push(mark);
        }
    }
}

impl Request<'_> {
    /// What the next reading of this conversation need not read again, and the bytes of this body for which that is so.
    ///
    /// Nothing if all turns were known, or all but tiny ones, or if more is to be known of them than is kept.
    #[must_use]
    pub fn turns(&self) -> Option<(Range<usize>, ConversationTurns)> {
        let list = self.list.as_ref().filter(|list| list.known < list.marks.len())?;
        let turns = ConversationTurns {
            list: list.clone(),
            calls: self.calls.clone(),
            answers: self.answers.clone(),
            results: self.results.clone(),
            thoughts: self.thoughts.clone(),
        };
        Some((list.start..list.start + list.marks.last()?.end, turns))
    }
}

impl ConversationTurns {
    /// The end of the last turn among the first `same` bytes of a list, which are the same as they were.
    #[must_use]
    pub fn end_within(&self, same: usize, list: &[u8]) -> Option<usize> {
        let count = self.list.marks.partition_point(|mark| mark.end <= same);
        let ends = self.list.marks.iter().take(count).rev().map(|mark| mark.end);
        // What is no object may be longer now.
        ends.into_iter().find(|end| matches!(list.get(*end), Some(b',' | b']')))
    }

    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn size(&self) -> usize {
        size_of_val(&*self.list.marks)
            + size_of_val(&*self.calls)
            + size_of_val(&*self.answers)
            + size_of_val(&*self.results)
            + size_of_val(&*self.thoughts)
    }

    /// The turns up to this end, in a body where the list starts there.
    pub(crate) fn up_to(&self, end: usize, start: usize) -> Option<ConversationTurns> {
        let last = self.list.marks.binary_search_by_key(&end, |mark| mark.end).ok()?;
        let (marks, mark) = (self.list.marks.get(..=last)?, self.list.marks.get(last)?);
        let list = TurnList { start, marks: marks.to_vec(), known: marks.len() };
        let mut turns = ConversationTurns {
            list,
            calls: self.calls.get(..mark.calls)?.to_vec(),
            answers: self.answers.get(..mark.answers)?.to_vec(),
            results: self.results.get(..mark.results)?.to_vec(),
            thoughts: self.thoughts.get(..mark.thoughts)?.to_vec(),
        };
        let by = start.wrapping_sub(self.list.start);
        if by != 0 {
            turns.calls.shift(by);
            turns.answers.shift(by);
            turns.results.shift(by);
            turns.thoughts.shift(by);
        }
        Some(turns)
    }
}
