//! The list of tools, and the one tool that is appended to it.

use super::boolean;
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
pub struct ToolList<'a> {
    /// The list, from bracket to bracket.
    pub list: Range<usize>,
    /// How many tools are in it.
    pub count: usize,
    /// Their names; tools of the provider's own may have none.
    pub names: Vec<Cow<'a, str>>,
    /// What the model can call at once: their names, or their types where they have none.
    pub callable: Vec<Cow<'a, str>>,
    /// Those of which the model is told only when it searches for them (`defer_loading`): where they stand.
    pub deferred: Vec<Range<usize>>,
}

/// What the tool that expands references is called.
pub(crate) const TOOL: &str = "expand_context";

impl<'a> ToolList<'a> {
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
    pub fn replacement(
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

    pub(crate) fn into_owned(self) -> ToolList<'static> {
        let owned = |names: Vec<Cow<'a, str>>| {
            names.into_iter().map(|name| Cow::Owned(name.into_owned())).collect()
        };
        let ToolList { list, count, names, callable, deferred } = self;
        ToolList { list, count, names: owned(names), callable: owned(callable), deferred }
    }

    /// Reads a list of tools.
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Option<Self>, Refusal> {
        let (mut count, mut names) = (0, Vec::new());
        let (mut callable, mut deferred) = (Vec::new(), Vec::new());
        let list = reader.array(|reader| {
            count += 1;
            let Definition { name, kind, is_deferred } = definition(reader)?;
            match is_deferred {
                true => deferred.extend(reader.last_object()),
                false => callable.extend(name.clone().or(kind)),
            }
            names.extend(name);
            Ok(())
        })?;
        Ok(list.map(|list| ToolList { list, count, names, callable, deferred }))
    }
}

/// What is read of a tool.
struct Definition<'a> {
    /// Its own name, or that of the object which some dialects wrap.
    name: Option<Cow<'a, str>>,
    kind: Option<Cow<'a, str>>,
    is_deferred: bool,
}

fn definition<'a>(reader: &mut Reader<'a>) -> Result<Definition<'a>, Refusal> {
    let (mut name, mut kind, mut is_deferred) = (Slot::default(), None, false);
    let mut member = |reader: &mut Reader<'a>, key: &Key<'a>| match &*key.name {
        "name" => name.set(key, reader.text()?),
        "defer_loading" => {
            is_deferred |= boolean(reader)? == Some(true);
            Ok(())
        }
        _ => reader.skip(),
    };
    reader.object(|reader, key| match &*key.name {
        "function" | "custom" | "toolSpec" => reader.object(|reader, key| member(reader, &key)),
        "type" => {
            kind = reader.text()?;
            Ok(())
        }
        _ => member(reader, &key),
    })?;
    Ok(Definition { name: name.take(), kind, is_deferred })
}

/// The definition of the tool that expands references, as it is written in a dialect.
#[must_use]
pub fn expand_tool(dialect: Dialect) -> &'static str {
    dialect.profile().expand_tool
}

/// The members of that definition that are the same everywhere.
macro_rules! name_and_description {
    () => {
        r#""name":"expand_context","description":"Original of <<<SHADOW:id>>>; lines: 20-80""#
    };
}

/// The schema of what the tool is called with.
macro_rules! schema {
    () => {
        r#"{"type":"object","properties":{"id":{"type":"string"},"lines":{"type":"string"},"grep":{"type":"string"}}}"#
    };
}

pub(crate) use {name_and_description, schema};
