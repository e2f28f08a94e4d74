//! A tool result as the engine takes it: plain text, without JSON escapes.

use std::borrow::Cow;
use tokenforge_engine::Output;
use tokenforge_providers::ToolResult;

/// What a result says, and what was called, without escapes.
pub(crate) struct PlainOutput<'b> {
    pub(crate) text: Cow<'b, str>,
    tool: Cow<'b, str>,
    arguments: Cow<'b, str>,
    call: Option<Cow<'b, str>>,
    is_error: bool,
}

impl<'b> PlainOutput<'b> {
    /// Nothing if half a character is in the result, which no text can hold.
    pub(crate) fn of(result: &ToolResult, body: &'b [u8]) -> Option<Self> {
        let arguments = result.arguments.as_ref().and_then(|arguments| arguments.text(body));
        Some(PlainOutput {
            text: result.text(body)?,
            tool: result.tool(body),
            arguments: arguments.unwrap_or_default(),
            call: result.id(body),
            is_error: result.is_error,
        })
    }

    pub(crate) fn output(&self) -> Output<'_> {
        Output {
            text: &self.text,
            tool: &self.tool,
            arguments: &self.arguments,
            call: self.call.as_deref(),
            is_error: self.is_error,
        }
    }
}
