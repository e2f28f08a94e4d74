//! Which tools are left alone.

use super::ToolKind;

/// The tools whose results must not be changed.
///
/// A tool that passes calls on is covered by the category of the tool that its arguments name.
///
/// ```
/// use tokenforge_engine::tool::SkipTools;
///
/// let skip = SkipTools::parse(["read", "get_invoice"]);
/// assert!(skip.contains("read_file"));
/// assert!(skip.contains("get_invoice"));
/// assert!(!skip.contains("Bash"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SkipTools {
    tools: Vec<ToolKind>,
    names: Vec<String>,
}

impl SkipTools {
    /// Reads a list. An entry is a category, which covers the names of all agents, or else the exact name of a tool.
    pub fn parse<S: AsRef<str>>(entries: impl IntoIterator<Item = S>) -> Self {
        let mut skip = Self::default();
        for entry in entries {
            let entry = entry.as_ref().trim();
            match ToolKind::from_category(entry) {
                Some(tool) => skip.tools.push(tool),
                None if entry.is_empty() => {}
                None => skip.names.push(entry.to_owned()),
            }
        }
        skip
    }

    /// The categories, under their documented names.
    pub fn categories() -> impl Iterator<Item = &'static str> {
        CATEGORIES.iter().map(|(name, _)| *name)
    }

    /// Is a tool of this name on the list?
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.covers(name, ToolKind::canonical(name))
    }

    /// Like [`contains`](Self::contains), where the arguments of the call said more about the tool than its name.
    #[must_use]
    pub fn covers(&self, name: &str, tool: ToolKind) -> bool {
        self.tools.contains(&tool) || self.names.iter().any(|listed| listed == name)
    }
}

impl SkipTools {
    /// The entries of the list: categories, then names.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &str> {
        let category = |tool: &ToolKind| {
            let known = CATEGORIES.iter().find(|(_, category)| category == tool);
            known.map_or("", |(name, _)| *name)
        };
        self.tools.iter().map(category).chain(self.names.iter().map(String::as_str))
    }
}

/// What a skip list may call a tool. The first six are the documented ones.
pub(super) const CATEGORIES: &[(&str, ToolKind)] = &[
    ("read", ToolKind::Read),
    ("edit", ToolKind::Edit),
    ("write", ToolKind::Write),
    ("bash", ToolKind::Shell),
    ("glob", ToolKind::Glob),
    ("grep", ToolKind::Grep),
    ("shell", ToolKind::Shell),
    ("list", ToolKind::List),
    ("web_fetch", ToolKind::WebFetch),
    ("web_search", ToolKind::WebSearch),
    ("agent", ToolKind::Agent),
    ("todo", ToolKind::Todo),
    ("mcp", ToolKind::Mcp),
];
pub(super) const DOCUMENTED_CATEGORIES: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use tokenforge_agents::ToolRole;

    #[test]
    fn c10_a_category_covers_the_names_of_all_agents() {
        let skip = SkipTools::parse(["read", " bash "]);
        for name in ["Read", "read_file", "view", "mcp__fs__read_text_file", "Bash", "exec_command"]
        {
            assert!(skip.contains(name), "{name}");
        }
        for name in ["Edit", "grep", "mcp__weather__forecast"] {
            assert!(!skip.contains(name), "{name}");
        }
    }

    #[test]
    fn c10_every_agents_tool_belongs_to_a_category() {
        let agents = tokenforge_agents::all().iter().map(|agent| &agent.tools);
        let names = agents.chain([&tokenforge_agents::common().tools]).flatten();
        for (role, names) in names.filter(|(role, _)| **role != ToolRole::Router) {
            let kind = ToolKind::from(*role);
            let category = CATEGORIES.iter().find(|(_, covered)| *covered == kind);
            let (category, _) = category.unwrap_or_else(|| panic!("no category covers {role:?}"));
            let skip = SkipTools::parse([category]);
            for name in names {
                assert!(skip.contains(name), "{category} does not cover {name}");
            }
        }
        assert!(SkipTools::parse(["grep"]).contains("grep_files"));
    }

    #[test]
    fn c10_what_is_no_category_is_an_exact_name() {
        let skip = SkipTools::parse(["Bash", "mcp__weather__forecast", ""]);
        assert!(skip.contains("Bash") && skip.contains("mcp__weather__forecast"));
        assert!(!skip.contains("bash") && !skip.contains("shell") && !skip.contains(""));
    }

    #[test]
    fn c10_the_six_documented_categories_are_known() {
        for category in ["read", "edit", "write", "bash", "glob", "grep"] {
            assert!(ToolKind::from_category(category).is_some(), "{category}");
        }
        assert_eq!(ToolKind::from_category("Read"), None);
    }
}
