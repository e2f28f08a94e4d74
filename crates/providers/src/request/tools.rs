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
    /// Those that the client runs and of which the model is told at once: of these alone every call is in the conversation.
    pub declared: Vec<ToolDeclaration<'a>>,
}

/// A tool of the client's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolDeclaration<'a> {
    /// What a call names.
    pub name: Cow<'a, str>,
    /// The namespace that it is in, where there are some.
    pub namespace: Option<Cow<'a, str>>,
    /// Where it stands.
    pub span: Range<usize>,
}

/// What the tool that expands references is called.
pub(crate) const TOOL: &str = "expand_context";

impl<'a> ToolList<'a> {
    /// Appends the tool that expands references: always the same bytes, at the end of the list.
    ///
    /// Nothing if the list is empty, or has that tool already.
    #[must_use]
    pub fn with_expand_tool(&self, dialect: Dialect) -> Option<Splice<'static>> {
        self.with_definition(expand_tool(dialect))
    }

    fn with_definition(&self, definition: &str) -> Option<Splice<'static>> {
        if !self.takes_expand_tool() {
            return None;
        }
        let end = self.list.end - 1;
        Some(Splice { range: end..end, with: Cow::Owned(format!(",{definition}")) })
    }

    /// Can the tool that expands references be appended?
    #[must_use]
    pub fn takes_expand_tool(&self) -> bool {
        self.count > 0 && !self.names.iter().any(|name| name == TOOL)
    }

    /// Puts another spelling of the list in its place, a shorter one say, and appends the tool that expands references,
    /// by its definition: both in one go, and where only one is wanted, only that.
    ///
    /// Nothing if the body stays as it is. A spelling that is no JSON list is not taken.
    #[must_use]
    pub fn replacement(
        &self,
        body: &[u8],
        spelling: Option<&str>,
        expand_tool: Option<&str>,
    ) -> Option<Splice<'static>> {
        let appended = expand_tool.and_then(|definition| self.with_definition(definition));
        let inside = spelling
            .filter(|spelling| body.get(self.list.clone()) != Some(spelling.as_bytes()))
            .and_then(|spelling| spelling.trim().strip_prefix('[')?.strip_suffix(']'));
        let Some(inside) = inside else { return appended };
        let comma = if inside.trim().is_empty() { "" } else { "," };
        let with = match expand_tool.filter(|_| appended.is_some()) {
            Some(definition) => format!("[{inside}{comma}{definition}]"),
            None => format!("[{inside}]"),
        };
        Some(Splice { range: self.list.clone(), with: Cow::Owned(with) })
    }

    pub(crate) fn into_owned(self) -> ToolList<'static> {
        let owned = |names: Vec<Cow<'a, str>>| {
            names.into_iter().map(|name| Cow::Owned(name.into_owned())).collect()
        };
        let ToolList { list, count, names, callable, deferred, declared } = self;
        let declared = declared.into_iter().map(ToolDeclaration::into_owned).collect();
        let (names, callable) = (owned(names), owned(callable));
        ToolList { list, count, names, callable, deferred, declared }
    }

    /// Reads a list of tools.
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Option<Self>, Refusal> {
        let (mut count, mut names) = (0, Vec::new());
        let (mut callable, mut deferred, mut declared) = (Vec::new(), Vec::new(), Vec::new());
        let list = reader.array(|reader| {
            count += 1;
            let definition = definition(reader)?;
            let span = reader.last_object();
            let Definition { name, kind, is_deferred, .. } = &definition;
            if *is_deferred {
                deferred.extend(span.clone());
            } else {
                callable.extend(name.clone().or(kind.clone()));
            }
            names.extend(name.clone());
            declared.extend(definition.declarations(span));
            Ok(())
        })?;
        Ok(list.map(|list| ToolList { list, count, names, callable, deferred, declared }))
    }
}

impl ToolDeclaration<'_> {
    fn into_owned(self) -> ToolDeclaration<'static> {
        let owned = |name: Cow<'_, str>| Cow::Owned(name.into_owned());
        let ToolDeclaration { name, namespace, span } = self;
        ToolDeclaration { name: owned(name), namespace: namespace.map(owned), span }
    }
}

/// A tool's name, and where the tool stands.
type NamedSpan<'a> = (Cow<'a, str>, Range<usize>);

/// What is read of a tool.
struct Definition<'a> {
    /// Its own name, or that of the object which some dialects wrap.
    name: Option<Cow<'a, str>>,
    kind: Option<Cow<'a, str>>,
    is_deferred: bool,
    /// The tools in it, if it is a namespace: their names, and where they stand.
    inner: Vec<NamedSpan<'a>>,
}

impl<'a> Definition<'a> {
    /// The tools of the client's that it declares. What is of another type runs at the provider, and its calls look
    /// otherwise.
    fn declarations(self, span: Option<Range<usize>>) -> Vec<ToolDeclaration<'a>> {
        let Definition { name: Some(name), kind, is_deferred: false, inner } = self else {
            return Vec::new();
        };
        match (kind.as_deref(), span) {
            (Some("namespace"), _) => {
                let namespace = Some(name);
                let inner = inner.into_iter().map(|(name, span)| ToolDeclaration {
                    name,
                    namespace: namespace.clone(),
                    span,
                });
                inner.collect()
            }
            (None | Some("function" | "custom"), Some(span)) => {
                vec![ToolDeclaration { name, namespace: None, span }]
            }
            _ => Vec::new(),
        }
    }
}

fn definition<'a>(reader: &mut Reader<'a>) -> Result<Definition<'a>, Refusal> {
    let (mut name, mut kind, mut is_deferred) = (Slot::default(), None, false);
    let mut inner = Vec::new();
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
        "tools" => {
            inner = inner_tools(reader)?;
            Ok(())
        }
        _ => member(reader, &key),
    })?;
    Ok(Definition { name: name.take(), kind, is_deferred, inner })
}

/// The names of the tools of a namespace, and where they stand. Nothing is decided by them, so that a name which occurs
/// twice is no reason to leave a body alone.
fn inner_tools<'a>(reader: &mut Reader<'a>) -> Result<Vec<NamedSpan<'a>>, Refusal> {
    let mut tools = Vec::new();
    reader.array(|reader| {
        let (mut name, mut is_deferred) = (None, false);
        reader.object(|reader, key| match &*key.name {
            "name" => {
                name = reader.text()?;
                Ok(())
            }
            "defer_loading" => {
                is_deferred |= boolean(reader)? == Some(true);
                Ok(())
            }
            _ => reader.skip(),
        })?;
        tools.extend(name.zip(reader.last_object()).filter(|_| !is_deferred));
        Ok(())
    })?;
    Ok(tools)
}

/// The definition of the tool that expands references, as it is written in a dialect.
#[must_use]
pub fn expand_tool(dialect: Dialect) -> &'static str {
    dialect.profile().expand_tool
}

/// What the tool that expands references reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExpandScope {
    /// What references stand for.
    #[default]
    References,
    /// Earlier results of the conversation too, whatever the client has cleared of them.
    EarlierResults,
}

impl ExpandScope {
    /// The definition of the tool, as it is written in a dialect.
    #[must_use]
    pub fn definition(self, dialect: Dialect) -> Cow<'static, str> {
        let tool = expand_tool(dialect);
        match self {
            Self::References => Cow::Borrowed(tool),
            Self::EarlierResults => Cow::Owned(tool.replacen(
                "Original of <<<SHADOW:id>>>;",
                "Original of <<<SHADOW:id>>>, or of a cleared tool result by its call id; grep without id searches all earlier results;",
                1,
            )),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(tools: &str) -> Vec<(String, Option<String>, &str)> {
        let list = ToolList::read(&mut Reader::over(tools)).unwrap().unwrap();
        let shown = |tool: ToolDeclaration<'_>| {
            let namespace = tool.namespace.map(Cow::into_owned);
            (tool.name.into_owned(), namespace, &tools[tool.span])
        };
        list.declared.into_iter().map(shown).collect()
    }

    #[test]
    fn u1_tools_of_the_client_are_declared_with_their_places() {
        let none = |name: &str| (name.to_owned(), None);
        for (tools, names) in [
            (
                r#"[{"name":"Bash"},{"name":"b\u0061t","type":"custom"}]"#,
                vec![none("Bash"), none("bat")],
            ),
            (r#"[{"type":"function","function":{"name":"bash"}}]"#, vec![none("bash")]),
            (r#"[{"toolSpec":{"name":"bash"}}]"#, vec![none("bash")]),
            (
                r#"[{"type":"namespace","name":"mcp__d","tools":[{"type":"function","name":"a"},{"name":"b","defer_loading":true}]}]"#,
                vec![("a".to_owned(), Some("mcp__d".to_owned()))],
            ),
            // The provider's own, those it searches for, and those without a name.
            (
                r#"[{"type":"web_search"},{"type":"web_search_20250305","name":"web_search"}]"#,
                vec![],
            ),
            (r#"[{"name":"a","defer_loading":true},{"description":"x"},7,"a"]"#, vec![]),
        ] {
            let found = declared(tools);
            let found_names: Vec<_> =
                found.iter().map(|(name, space, _)| (name.clone(), space.clone())).collect();
            assert_eq!(found_names, names, "{tools}");
            for (_, _, text) in found {
                assert!(text.starts_with('{') && text.ends_with('}'), "{text}");
            }
        }
    }
}
