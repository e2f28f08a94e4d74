//! Shifting byte offsets: sites in another body, where everything stands a little later or earlier.

use super::name_ref::NameRef;
use super::result::{CallArguments, ResultShape, ToolResult};
use super::sites::{AnswerSite, CallSite, ThoughtSite};
use std::ops::Range;

/// Has places in a body.
pub(crate) trait Shift {
    /// Everything stands so many bytes later; for earlier, the sum wraps around.
    fn shift(&mut self, by: usize);
}

impl Shift for usize {
    fn shift(&mut self, by: usize) {
        *self = self.wrapping_add(by);
    }
}

impl Shift for Range<usize> {
    fn shift(&mut self, by: usize) {
        self.start.shift(by);
        self.end.shift(by);
    }
}

impl<T: Shift> Shift for Option<T> {
    fn shift(&mut self, by: usize) {
        self.iter_mut().for_each(|one| one.shift(by));
    }
}

impl<T: Shift> Shift for [T] {
    fn shift(&mut self, by: usize) {
        self.iter_mut().for_each(|one| one.shift(by));
    }
}

impl Shift for NameRef {
    fn shift(&mut self, by: usize) {
        if let NameRef::At(span) = self {
            span.shift(by);
        }
    }
}

impl Shift for CallArguments {
    fn shift(&mut self, by: usize) {
        self.span.shift(by);
    }
}

impl Shift for CallSite {
    fn shift(&mut self, by: usize) {
        self.id.shift(by);
        self.name.shift(by);
        self.arguments.shift(by);
        self.element.shift(by);
    }
}

impl Shift for AnswerSite {
    fn shift(&mut self, by: usize) {
        self.call_id.shift(by);
        self.element.shift(by);
    }
}

impl Shift for ThoughtSite {
    fn shift(&mut self, by: usize) {
        self.seal.shift(by);
        self.element.shift(by);
    }
}

impl Shift for ToolResult {
    fn shift(&mut self, by: usize) {
        self.span.shift(by);
        if let ResultShape::JsonBlock { key } = &mut self.shape {
            key.shift(by);
        }
        self.call_id.shift(by);
        self.tool_name.shift(by);
        self.arguments.shift(by);
    }
}
