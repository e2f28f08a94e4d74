//! A header, once read: what to do for each record.

use tokenforge_json::output::TextOutput;

/// The steps that make a record, in order.
#[derive(Default)]
pub(super) struct RowShape {
    pub(super) ops: Vec<RowStep>,
    /// For each step the value it made last, if it made one.
    pub(super) last: Vec<Option<OutputSpan>>,
    /// What the spans of the steps are parts of.
    pub(super) text: TextOutput,
}

/// A part of a text.
#[derive(Clone, Copy)]
pub(super) struct TextSpan {
    start: u32,
    end: u32,
}

impl TextSpan {
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
pub(super) struct OutputSpan {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A step. `key` is the key as JSON, with its colon.
#[derive(Clone, Copy)]
pub(super) enum RowStep {
    /// Any value.
    Cell { key: TextSpan, is_sparse: bool },
    /// A string with a fixed start and end, or null.
    Text { key: TextSpan, is_sparse: bool, prefix: TextSpan, suffix: TextSpan },
    /// An object in parentheses, or any other value.
    Tuple { key: TextSpan, is_sparse: bool, shape: u32 },
    /// An array of records, or any other value.
    List { key: TextSpan, is_sparse: bool, shape: u32 },
    /// `"key":value`, without a cell.
    Constant { member: TextSpan },
    /// A number, without a cell.
    Run { key: TextSpan, next: i64, step: i64 },
    /// A string made from that of an earlier step, without a cell.
    Derived { key: TextSpan, prefix: TextSpan, from: u32, suffix: TextSpan },
    /// The start of a nested object.
    Open { key: TextSpan },
    /// The end of a nested object.
    Close,
}

impl RowShape {
    pub(super) fn push(&mut self, op: RowStep) {
        self.ops.push(op);
        self.last.push(None);
    }
}
