//! What comes before the messages of a conversation: its tools and its system prompt.

use crate::transcript::MessagePart;
use tokenforge_conversation::expand_payoff::expand_tool_pays;
use tokenforge_engine::{Settings, expand_tool};

/// What a picture or a document costs, about.
const IMAGE_TOKENS: usize = 1500;

/// The tools of a session that did not record its own: those of a coding agent, with filler for descriptions.
const TOOLS: &str = include_str!("tools.json");

/// What comes before the messages of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Preamble {
    /// Are there any tools?
    pub(crate) has_tools: bool,
    /// Does one of them run commands?
    pub(crate) has_shell: bool,
    /// Tokens of tools and system prompt.
    pub(crate) tokens: f64,
}

impl Preamble {
    /// Does our tool pay for itself from the first request on (`when_it_pays`)?
    pub(crate) fn pays(&self, settings: &Settings) -> bool {
        expand_tool_pays(self.has_shell, |times| {
            self.tokens >= (times * expand_tool_tokens(settings)) as f64
        })
    }
}

/// Tokens of the definition of our tool.
pub(crate) fn expand_tool_tokens(settings: &Settings) -> usize {
    settings.counter.count(expand_tool::DEFINITION)
}

/// Tokens of a list of tools, or of a coding agent's where none was recorded.
pub(crate) fn tool_tokens(tools: Option<&str>, settings: &Settings) -> usize {
    settings.counter.count(tools.unwrap_or(TOOLS))
}

/// Tokens of a part of a message that is no tool result.
pub(crate) fn part_tokens(part: &MessagePart, settings: &Settings) -> usize {
    match part {
        MessagePart::Image => IMAGE_TOKENS,
        MessagePart::Result(result) => settings.counter.count(&result.text),
        said => said.said().map_or(0, |text| settings.counter.count(&text)),
    }
}
