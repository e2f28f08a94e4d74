//! A header, once read: what to do for each record.

use tokenforge_json::output::Output;

/// The steps that make a record, in order.
#[derive(Default)]
pub(super) struct Shape {
    pub(super) ops: Vec<Op>,
    /// For each step the value it made last, if it made one.
    pub(super) last: Vec<Option<Made>>,
    /// What the spans of the steps are parts of.
    pub(super) text: Output,
}

/// A part of a text.
#[derive(Clone, Copy)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Texts of shapes are made from texts that are not much shorter, and those are below 1 GiB.
    pub(super) fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    pub(super) fn start(self) -> usize {
        self.start as usize
    }

    pub(super) fn end(self) -> usize {
        self.end as usize
    }

    pub(super) fn len(self) -> usize {
        self.end() - self.start()
    }
}

/// A value in the output.
#[derive(Clone, Copy)]
pub(super) struct Made {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A step. `key` is the key as JSON, with its colon.
#[derive(Clone, Copy)]
pub(super) enum Op {
    /// Any value.
    Cell { key: Span, is_sparse: bool },
    /// A string with a fixed start and end, or null.
    Text { key: Span, is_sparse: bool, prefix: Span, suffix: Span },
    /// An object in parentheses, or any other value.
    Tuple { key: Span, is_sparse: bool, shape: u32 },
    /// An array of records, or any other value.
    List { key: Span, is_sparse: bool, shape: u32 },
    /// `"key":value`, without a cell.
    Constant { member: Span },
    /// A number, without a cell.
    Run { key: Span, next: i64, step: i64 },
    /// A string made from that of an earlier step, without a cell.
    Derived { key: Span, prefix: Span, from: u32, suffix: Span },
    /// The start of a nested object.
    Open { key: Span },
    /// The end of a nested object.
    Close,
}

impl Shape {
    pub(super) fn push(&mut self, op: Op) {
        self.ops.push(op);
        self.last.push(None);
    }
}
