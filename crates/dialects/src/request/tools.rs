//! The list of tools, and the one tool that is appended to it.

use super::slot::Slot;
use crate::dialect::Dialect;
use crate::json::{Key, Reader};
use crate::refusal::Refusal;
use crate::splice::Splice;
use std::borrow::Cow;
use std::ops::Range;

/// The list of tools that a request offers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tools<'a> {
    /// The list, from bracket to bracket.
    pub list: Range<usize>,
    /// How many tools are in it.
    pub count: usize,
    /// Their names; tools of the provider's own may have none.
    pub names: Vec<Cow<'a, str>>,
}

/// What the tool that expands references is called.
pub(crate) const TOOL: &str = "expand_context";

impl<'a> Tools<'a> {
    /// Appends the tool that expands references: always the same bytes, at the end of the list.
    ///
    /// Nothing if the list is empty, or has that tool already.
    #[must_use]
    pub fn with_expand_tool(&self, dialect: Dialect) -> Option<Splice<'static>> {
        if !self.takes_expand_tool() {
            return None;
        }
        let end = self.list.end - 1;
        Some(Splice { range: end..end, with: Cow::Owned(format!(",{}", expand_tool(dialect))) })
    }

    /// Can the tool that expands references be appended?
    #[must_use]
    pub fn takes_expand_tool(&self) -> bool {
        self.count > 0 && !self.names.iter().any(|name| name == TOOL)
    }

    /// Puts another spelling of the list in its place, a shorter one say, and appends the tool that expands references
    /// if `with_expand`: both in one go, and where only one is wanted, only that.
    ///
    /// Nothing if the body stays as it is. A spelling that is no JSON list is not taken.
    #[must_use]
    pub fn replaced(
        &self,
        dialect: Dialect,
        body: &[u8],
        spelling: Option<&str>,
        with_expand: bool,
    ) -> Option<Splice<'static>> {
        let appended = if with_expand { self.with_expand_tool(dialect) } else { None };
        let inside = spelling
            .filter(|spelling| body.get(self.list.clone()) != Some(spelling.as_bytes()))
            .and_then(|spelling| spelling.trim().strip_prefix('[')?.strip_suffix(']'));
        let Some(inside) = inside else { return appended };
        let comma = if inside.trim().is_empty() { "" } else { "," };
        let with = match appended {
            Some(_) => format!("[{inside}{comma}{}]", expand_tool(dialect)),
            None => format!("[{inside}]"),
        };
        Some(Splice { range: self.list.clone(), with: Cow::Owned(with) })
    }

    pub(super) fn into_owned(self) -> Tools<'static> {
        let names = self.names.into_iter().map(|name| Cow::Owned(name.into_owned())).collect();
        Tools { names, ..self }
    }

    /// Reads a list of tools.
    pub(super) fn read(reader: &mut Reader<'a>) -> Result<Option<Self>, Refusal> {
        let (mut count, mut names) = (0, Vec::new());
        let list = reader.array(|reader| {
            count += 1;
            names.extend(name(reader)?);
            Ok(())
        })?;
        Ok(list.map(|list| Tools { list, count, names }))
    }
}

/// Reads the name of a tool: its own, or that of the object which some dialects wrap.
fn name<'a>(reader: &mut Reader<'a>) -> Result<Option<Cow<'a, str>>, Refusal> {
    let mut name = Slot::default();
    let mut member = |reader: &mut Reader<'a>, key: &Key<'a>| match &*key.name {
        "name" => name.set(key, reader.text()?),
        _ => reader.skip(),
    };
    reader.object(|reader, key| match &*key.name {
        "function" | "custom" | "toolSpec" => reader.object(|reader, key| member(reader, &key)),
        _ => member(reader, &key),
    })?;
    Ok(name.take())
}

/// The definition of the tool that expands references, as it is written in a dialect.
#[must_use]
pub const fn expand_tool(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Anthropic | Dialect::BedrockInvoke => {
            concat!("{", name_and_description!(), r#","input_schema":"#, schema!(), "}")
        }
        Dialect::OpenAiChat | Dialect::Ollama => concat!(
            r#"{"type":"function","function":{"#,
            name_and_description!(),
            r#","parameters":"#,
            schema!(),
            "}}"
        ),
        // Strict is the default here, and the schema has members that are not required.
        Dialect::OpenAiResponses => concat!(
            r#"{"type":"function","#,
            name_and_description!(),
            r#","parameters":"#,
            schema!(),
            r#","strict":false}"#
        ),
        Dialect::Gemini => {
            concat!("{", name_and_description!(), r#","parameters":"#, schema!(), "}")
        }
        Dialect::BedrockConverse => concat!(
            r#"{"toolSpec":{"#,
            name_and_description!(),
            r#","inputSchema":{"json":"#,
            schema!(),
            "}}}"
        ),
    }
}

macro_rules! name_and_description {
    () => {
        r#""name":"expand_context","description":"Returns the original of a tool result that begins with <<<SHADOW:id>>>, or a part of it.""#
    };
}

macro_rules! schema {
    () => {
        r#"{"type":"object","properties":{"id":{"type":"string"},"lines":{"type":"string","description":"e.g. 20-80"},"grep":{"type":"string","description":"regex"},"path":{"type":"string","description":"e.g. items[3].name"}},"required":["id"]}"#
    };
}

use {name_and_description, schema};
