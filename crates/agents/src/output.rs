//! What an agent puts around the output of a tool before its model sees it.

use serde::Deserialize;

/// What an agent puts around outputs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutputEdges {
    /// Shapes that are parsed by code.
    pub wrappers: Vec<OutputWrapper>,
    /// A first line that is a heading: how it begins and ends.
    pub first_lines: Vec<LineEdges>,
    /// A heading of several lines: how its first line begins, and all of it ends.
    pub first_blocks: Vec<LineEdges>,
    /// Lines behind the output: how each begins and ends.
    pub last_lines: Vec<LineEdges>,
    /// Outputs between tags.
    pub tagged: Vec<TaggedOutput>,
}

/// How something begins and ends.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineEdges {
    /// How it begins.
    pub begins: String,
    /// How it ends; empty: with whatever.
    #[serde(default)]
    pub ends: String,
}

/// A text with outputs between tags.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaggedOutput {
    /// How the text begins.
    pub begins: String,
    /// The tags that hold outputs, in their order.
    pub tags: Vec<String>,
}

/// A shape around an output that takes code to parse. Those that belong to no agent in particular, such as the JSON of an
/// MCP result, have no name here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputWrapper {
    /// Errors in the use of a tool, and previews of outputs that were saved to a file: they stay as they are.
    UntouchableBlocks,
    /// `<system-reminder>` behind an output.
    SystemReminders,
    /// `Exit code 1` before an output.
    ExitCodeLine,
    /// Lines about the run of a command, and `Output:` before what it printed.
    OutputHeader,
    /// `<untrusted_context>` around an output.
    UntrustedContext,
    /// `Command:`, `Directory:`, `Output:` and a footer.
    CommandReport,
}
