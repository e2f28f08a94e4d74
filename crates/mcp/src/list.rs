//! Lists of tools, prompts and resources: of one server, or of many as one.

use crate::cursor::ListCursor;
use crate::edit::Edits;
use crate::era::Era;
use crate::message::{LONGEST_MESSAGE, Message};
use crate::names::prefixed;
use std::borrow::Cow;
use tokenforge_providers::{Kind, Node, quoted};

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListKind {
    /// Tools.
    Tools,
    /// Prompts.
    Prompts,
    /// Resources.
    Resources,
    /// Patterns of resources.
    Templates,
}

impl ListKind {
    /// What is listed by this method.
    #[must_use]
    pub fn by(method: &str) -> Option<Self> {
        [Self::Tools, Self::Prompts, Self::Resources, Self::Templates]
            .into_iter()
            .find(|listed| listed.method() == method)
    }

    /// The method that lists it.
    #[must_use]
    pub fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::Templates => "resources/templates/list",
        }
    }

    /// The capability of a server that has it.
    #[must_use]
    pub fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources | Self::Templates => "resources",
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
        }
    }

    /// Are its names prefixed? Addresses are not: results of tools hold them too.
    fn is_named(self) -> bool {
        matches!(self, Self::Tools | Self::Prompts)
    }
}

/// A page of a server's list.
#[derive(Debug)]
pub(crate) struct ListPage<'a> {
    pub(crate) items: Vec<Node<'a>>,
    pub(crate) next: Option<Cow<'a, str>>,
}

impl<'a> ListPage<'a> {
    /// Reads an answer; `None`: it holds no list.
    pub(crate) fn of(answer: &Message<'a>, listed: ListKind) -> Option<Self> {
        let [items, next] = answer.result()?.pick([listed.key(), "nextCursor"]);
        let items = items.filter(|items| items.kind() == Kind::Array)?.elements();
        Some(ListPage { items, next: next.and_then(|next| next.text()) })
    }
}

/// One server's part of a list.
#[derive(Debug)]
pub struct ListPart<'a> {
    /// Its prefix.
    pub prefix: &'a str,
    /// What it answered.
    pub answer: &'a str,
    /// From where it was asked to list.
    pub asked: Option<String>,
    /// Are the schemas of its tools' results left out?
    pub drops_schemas: bool,
}

/// Many servers' lists as one result. Each item is as its server wrote it, but for its name. `own` is an item of ours,
/// listed last. What does not fit into one message is on the next page.
#[must_use]
pub fn merge_lists(
    listed: ListKind,
    parts: &[ListPart<'_>],
    mut more: ListCursor,
    own: Option<&str>,
    era: Era,
) -> String {
    let mut items = String::new();
    for part in parts {
        let Ok(answer) = Message::read(part.answer) else { continue };
        let Some(page) = ListPage::of(&answer, listed) else { continue };
        if !items.is_empty() && items.len() + part.answer.len() > LONGEST_MESSAGE / 2 {
            more.0.insert(part.prefix.to_owned(), part.asked.clone());
            continue;
        }
        for item in &page.items {
            comma(&mut items);
            items += &shown(item, listed.is_named().then_some(part.prefix), part.drops_schemas);
        }
        if let Some(next) = page.next {
            more.0.insert(part.prefix.to_owned(), Some(next.into_owned()));
        }
    }
    let more = more.written();
    if let (Some(own), None) = (own, &more) {
        comma(&mut items);
        items += own;
    }
    let next = more.map(|more| format!(",\"nextCursor\":{}", quoted(&more))).unwrap_or_default();
    let hints = match era {
        Era::Legacy => String::new(),
        Era::Modern => format!(r#","resultType":"complete",{HINTS}"#),
    };
    format!("{{{}:[{items}]{next}{hints}}}", quoted(listed.key()))
}

/// What the modern era wants to know about what may be remembered: nothing may, since servers come and go.
const HINTS: &str = r#""ttlMs":0,"cacheScope":"private""#;

/// One server's list as it answered it, without schemas of results if they are dropped, and with an item of ours at
/// its end.
pub(crate) fn alone(
    answer: &Message<'_>,
    listed: ListKind,
    drops_schemas: bool,
    own: Option<&str>,
    edits: &mut Edits,
) {
    let Some(result) = answer.result() else { return };
    let Some(page) = ListPage::of(answer, listed) else { return };
    if drops_schemas {
        page.items.iter().for_each(|item| edits.remove(item, SCHEMA));
    }
    if let (Some(own), None, Some(items)) = (own, &page.next, result.get(listed.key())) {
        edits.append(&items, own);
    }
}

/// The schema of a tool's structured results.
const SCHEMA: &str = "outputSchema";

/// The tools of a page, and whether each promises structured results.
pub(crate) fn promises(answer: &Message<'_>) -> Vec<(String, bool)> {
    let page = ListPage::of(answer, ListKind::Tools);
    let promise = |item: &Node<'_>| {
        let [name, schema] = item.pick(["name", SCHEMA]);
        Some((name?.text()?.into_owned(), schema.is_some()))
    };
    page.iter().flat_map(|page| &page.items).filter_map(promise).collect()
}

fn shown(item: &Node<'_>, prefix: Option<&str>, drops_schema: bool) -> String {
    // The item alone, so that what is cut is relative to it.
    let Ok(item) = Node::read(item.raw()) else { return String::new() };
    let mut edits = Edits::default();
    if let (Some(prefix), Some(name)) = (prefix, item.get("name"))
        && let Some(text) = name.text()
    {
        edits.rename(&name, &prefixed(prefix, &text));
    }
    if drops_schema {
        edits.remove(&item, SCHEMA);
    }
    edits.applied(item.raw())
}

fn comma(items: &mut String) {
    if !items.is_empty() {
        items.push(',');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part<'a>(prefix: &'a str, answer: &'a str, drops_schemas: bool) -> ListPart<'a> {
        ListPart { prefix, answer, asked: None, drops_schemas }
    }

    const WEATHER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"x-own": 1.0 ,"name":"t","outputSchema":{}}],"nextCursor":"p2"}}"#;
    const OTHER: &str =
        r#"{"id":9,"jsonrpc":"2.0","result":{"tools":[{"name":"t","description":"d"}]}}"#;

    #[test]
    fn m1_tools_of_many_servers_are_one_list_and_each_is_as_it_was_written() {
        let parts = [part("w", WEATHER, false), part("o", OTHER, false)];
        let text = merge_lists(
            ListKind::Tools,
            &parts,
            ListCursor::default(),
            Some("{\"name\":\"e\"}"),
            Era::Legacy,
        );
        let next = ListCursor([("w".to_owned(), Some("p2".to_owned()))].into()).written().unwrap();
        let expected = format!(
            r#"{{"tools":[{{"x-own": 1.0 ,"name":"w__t","outputSchema":{{}}}},{{"name":"o__t","description":"d"}}],"nextCursor":"{next}"}}"#
        );
        assert_eq!(text, expected);
        let last = merge_lists(
            ListKind::Tools,
            &parts[1..],
            ListCursor::default(),
            Some("{\"name\":\"e\"}"),
            Era::Legacy,
        );
        assert!(last.ends_with(r#",{"name":"e"}]}"#), "{last}");
    }

    #[test]
    fn i12_schemas_go_where_structured_results_go() {
        let text = merge_lists(
            ListKind::Tools,
            &[part("w", WEATHER, true)],
            ListCursor::default(),
            None,
            Era::Modern,
        );
        assert!(text.starts_with(r#"{"tools":[{"x-own": 1.0 ,"name":"w__t"}]"#), "{text}");
        assert!(text.contains("\"ttlMs\":0"));
        let answer = Message::read(WEATHER).unwrap();
        let mut edits = Edits::default();
        alone(&answer, ListKind::Tools, true, None, &mut edits);
        assert_eq!(edits.applied(WEATHER), WEATHER.replace(",\"outputSchema\":{}", ""));
    }

    #[test]
    fn what_does_not_fit_comes_on_the_next_page() {
        let long = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{{"name":"t","description":"{}"}}]}}}}"#,
            "x".repeat(LONGEST_MESSAGE / 2)
        );
        let parts = [part("o", OTHER, false), part("w", &long, false)];
        let text = merge_lists(ListKind::Tools, &parts, ListCursor::default(), None, Era::Legacy);
        let next = ListCursor([("w".to_owned(), None)].into()).written().unwrap();
        assert!(text.len() < 1000 && text.contains(&next));
    }

    #[test]
    fn an_answer_that_is_no_list_adds_nothing() {
        let parts = [
            part("w", r#"{"jsonrpc":"2.0","id":1,"error":{}}"#, false),
            part("x", "garbage", false),
        ];
        let text =
            merge_lists(ListKind::Resources, &parts, ListCursor::default(), None, Era::Legacy);
        assert_eq!(text, r#"{"resources":[]}"#);
    }
}
