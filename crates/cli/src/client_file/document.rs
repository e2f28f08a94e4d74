//! A client's settings file, read as spans of its text: whatever is changed in it, the rest stays byte for byte.

use super::{jsonc, toml};
use std::fmt;
use std::ops::Range;
use std::path::Path;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileNotation {
    /// JSON, with or without comments and commas before the end.
    Json,
    Toml,
}

impl FileNotation {
    /// As the name of the file says.
    pub(crate) fn of(path: &Path) -> Self {
        let is_toml = path.extension().is_some_and(|extension| extension == "toml");
        if is_toml { FileNotation::Toml } else { FileNotation::Json }
    }
}

/// A file that was read.
#[derive(Debug)]
pub(crate) struct SettingsDocument<'a> {
    pub(crate) text: &'a str,
    pub(crate) notation: FileNotation,
    /// The first one is the whole file.
    nodes: Vec<DocumentNode>,
}

/// A value in the file. Of a TOML table with a header, the span is the header's.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DocumentNode {
    /// Where it begins, with its key if it has one.
    pub(crate) begins: usize,
    pub(crate) span: Range<usize>,
    /// Where the comma is that follows it, in JSON.
    pub(super) comma: Option<usize>,
    pub(crate) value: NodeValue,
}

/// What a value is. Numbers point to other nodes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NodeValue {
    Text(String),
    List(Vec<usize>),
    Table(Vec<(String, usize)>),
    /// Nothing that is looked into.
    Other,
}

/// A text, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextSpan {
    pub(crate) span: Range<usize>,
    pub(crate) text: String,
}

/// Why a file cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnreadableFile {
    line: usize,
    column: usize,
    problem: String,
}

impl UnreadableFile {
    pub(crate) fn new(text: &str, at: usize, problem: impl Into<String>) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        UnreadableFile {
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            problem: problem.into(),
        }
    }
}

impl fmt::Display for UnreadableFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.problem)
    }
}

impl std::error::Error for UnreadableFile {}

impl<'a> SettingsDocument<'a> {
    pub(crate) fn read(text: &'a str, notation: FileNotation) -> Result<Self, UnreadableFile> {
        let nodes = match notation {
            FileNotation::Json => jsonc::read_jsonc(text)?,
            FileNotation::Toml => toml::read_toml(text)?,
        };
        Ok(SettingsDocument { text, notation, nodes })
    }

    /// The place of the whole.
    pub(crate) fn root(&self) -> usize {
        0
    }

    pub(crate) fn node(&self, place: usize) -> &DocumentNode {
        &self.nodes[place]
    }

    /// How a value is written.
    pub(crate) fn raw(&self, span: &Range<usize>) -> &'a str {
        &self.text[span.clone()]
    }

    /// The members of a table; none, if it is no table.
    pub(crate) fn members(&self, place: usize) -> &[(String, usize)] {
        match &self.node(place).value {
            NodeValue::Table(members) => members,
            _ => &[],
        }
    }

    /// A member of a table. Of two with one name readers take the last.
    pub(crate) fn member(&self, place: usize, name: &str) -> Option<usize> {
        self.members(place).iter().rfind(|(member, _)| member == name).map(|(_, place)| *place)
    }

    /// A text.
    pub(crate) fn text_span(&self, place: usize) -> Option<TextSpan> {
        let DocumentNode { span, value: NodeValue::Text(text), .. } = self.node(place) else {
            return None;
        };
        Some(TextSpan { span: span.clone(), text: text.clone() })
    }

    /// The values directly in a table or a list.
    pub(crate) fn children(&self, place: usize) -> Vec<usize> {
        match &self.node(place).value {
            NodeValue::Table(members) => members.iter().map(|(_, place)| *place).collect(),
            NodeValue::List(items) => items.clone(),
            NodeValue::Text(_) | NodeValue::Other => Vec::new(),
        }
    }

    /// A list that has nothing but texts.
    pub(crate) fn text_spans(&self, place: usize) -> Option<Vec<TextSpan>> {
        let NodeValue::List(items) = &self.node(place).value else { return None };
        items.iter().map(|item| self.text_span(*item)).collect()
    }
}

/// Other words at some places of a text, which do not overlap.
#[derive(Debug, Default)]
pub(crate) struct TextEdits(Vec<(Range<usize>, String)>);

impl TextEdits {
    pub(crate) fn replace(&mut self, span: Range<usize>, with: impl Into<String>) {
        self.0.push((span, with.into()));
    }

    pub(crate) fn apply_to(mut self, text: &str) -> String {
        self.0.sort_by_key(|(span, _)| span.start);
        let (mut out, mut at) = (String::with_capacity(text.len()), 0);
        for (span, with) in &self.0 {
            out.push_str(&text[at..span.start]);
            out.push_str(with);
            at = span.end;
        }
        out.push_str(&text[at..]);
        out
    }
}

/// A text as JSON and TOML both write it.
pub(crate) fn quote_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
