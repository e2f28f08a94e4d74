//! Lists of tools, prompts and resources: of one server, or of many as one.

use crate::cursor::ListCursor;
use crate::era::Era;
use crate::message::{LONGEST_MESSAGE, Message};
use crate::names::prefixed;
use crate::policy::ToolAccess;
use std::borrow::Cow;
use tokenforge_json::{Edit, Node, ValueKind, quote};

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
    /// Tasks, which are named by their ids.
    Tasks,
}

impl ListKind {
    /// What is listed by this method.
    #[must_use]
    pub fn by(method: &str) -> Option<Self> {
        [Self::Tools, Self::Prompts, Self::Resources, Self::Templates, Self::Tasks]
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
            Self::Tasks => "tasks/list",
        }
    }

    /// The capability of a server that has it.
    #[must_use]
    pub fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources | Self::Templates => "resources",
            Self::Tasks => "tasks",
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
            Self::Tasks => "tasks",
        }
    }

    /// The member that is prefixed. Addresses are not: results of tools hold them too.
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Tools | Self::Prompts => Some("name"),
            Self::Tasks => Some("taskId"),
            Self::Resources | Self::Templates => None,
        }
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
        let (items, next) =
            (answer.result_member(listed.key()), answer.result_member("nextCursor"));
        let items = items.filter(|items| items.kind() == ValueKind::Array)?.elements();
        Some(ListPage { items, next: next.and_then(|next| next.text()) })
    }
}

/// The addresses that a server lists: those of its resources, or their patterns.
pub(crate) fn addresses(listed: ListKind, answer: &Message<'_>) -> Vec<String> {
    let member = match listed {
        ListKind::Resources => "uri",
        ListKind::Templates => "uriTemplate",
        ListKind::Tools | ListKind::Prompts | ListKind::Tasks => return Vec::new(),
    };
    let page = ListPage::of(answer, listed);
    let items = page.map(|page| page.items).unwrap_or_default();
    items.iter().filter_map(|item| Some(item.get(member)?.text()?.into_owned())).collect()
}

/// The ids of the tasks that a server lists.
pub(crate) fn task_ids(answer: &Message<'_>) -> Vec<String> {
    let page = ListPage::of(answer, ListKind::Tasks);
    let items = page.map(|page| page.items).unwrap_or_default();
    items.iter().filter_map(|item| Some(item.get("taskId")?.text()?.into_owned())).collect()
}

/// Takes the tasks that a client may not see out of a server's list.
pub(crate) fn hide_tasks(
    answer: &Message<'_>,
    is_seen: impl Fn(&str) -> bool,
    edits: &mut Edit<'_>,
) {
    let Some(items) = answer.result_member(ListKind::Tasks.key()) else { return };
    let is_kept = |item: &Node<'_>| {
        item.get("taskId").and_then(|id| id.text()).is_some_and(|id| is_seen(&id))
    };
    let all = items.elements();
    let kept: Vec<&str> = all.iter().filter(|item| is_kept(item)).map(Node::raw).collect();
    if kept.len() < all.len() {
        edits.relist(&items, kept);
    }
}

/// One server's part of a list.
#[derive(Debug)]
pub struct ListPart<'a> {
    /// Its prefix.
    pub prefix: &'a str,
    /// What it answered.
    pub answer: Message<'a>,
    /// From where it was asked to list.
    pub asked: Option<String>,
    /// Are the schemas of its tools' results left out?
    pub drops_schemas: bool,
    /// Which of its tools the client sees.
    pub access: ToolAccess<'a>,
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
        let Some(page) = ListPage::of(&part.answer, listed) else { continue };
        if !items.is_empty() && items.len() + part.answer.text().len() > LONGEST_MESSAGE / 2 {
            more.0.insert(part.prefix.to_owned(), part.asked.clone());
            continue;
        }
        for item in &page.items {
            if listed == ListKind::Tools && !is_seen(item, part.prefix, &part.access) {
                continue;
            }
            comma(&mut items);
            let name = listed.name().map(|member| (member, part.prefix));
            items += &shown(item, name, part.drops_schemas);
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
    let next = more.map(|more| format!(",\"nextCursor\":{}", quote(&more))).unwrap_or_default();
    let hints = match era {
        Era::Legacy => String::new(),
        Era::Modern => format!(r#","resultType":"complete",{HINTS}"#),
    };
    format!("{{{}:[{items}]{next}{hints}}}", quote(listed.key()))
}

/// What the modern era wants to know about what may be remembered: nothing may, since servers come and go.
const HINTS: &str = r#""ttlMs":0,"cacheScope":"private""#;

/// One server's list as it answered it, without the tools that the client does not see, without schemas of results if they
/// are dropped, and with an item of ours at its end.
pub(crate) fn alone(
    listed: ListKind,
    part: &ListPart<'_>,
    own: Option<&str>,
    edits: &mut Edit<'_>,
) {
    let Some(page) = ListPage::of(&part.answer, listed) else { return };
    let Some(items) = part.answer.result_member(listed.key()) else { return };
    let own = own.filter(|_| page.next.is_none());
    let is_hidden =
        |item: &Node<'_>| listed == ListKind::Tools && !is_seen(item, part.prefix, &part.access);
    if page.items.iter().any(is_hidden) {
        let kept = page.items.iter().filter(|item| !is_hidden(item));
        let kept = kept.map(|item| shown(item, None, part.drops_schemas));
        return edits.relist(&items, kept.chain(own.map(str::to_owned)));
    }
    if part.drops_schemas {
        page.items.iter().for_each(|item| edits.cut(item, SCHEMA));
    }
    if let Some(own) = own {
        edits.append(&items, own);
    }
}

/// Does the client see this tool?
fn is_seen(item: &Node<'_>, prefix: &str, access: &ToolAccess<'_>) -> bool {
    let name = item.get("name").and_then(|name| name.text());
    access.allows(prefix, name.as_deref().unwrap_or_default())
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

/// An item as a client is to see it: with a prefix before the name in this member.
pub(crate) fn shown(item: &Node<'_>, name: Option<(&str, &str)>, drops_schema: bool) -> String {
    // The item alone, so that what is cut is relative to it.
    let Ok(item) = Node::read(item.raw()) else { return String::new() };
    let mut edits = Edit::new(item.raw());
    if let Some((member, prefix)) = name
        && let Some(name) = item.get(member)
        && let Some(text) = name.text()
    {
        edits.replace(&name, quote(&prefixed(prefix, &text)));
    }
    if drops_schema {
        edits.cut(&item, SCHEMA);
    }
    edits.done().into_owned()
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
        let answer = Message::read(answer).unwrap();
        ListPart { prefix, answer, asked: None, drops_schemas, access: ToolAccess::default() }
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
    fn m24_tasks_of_many_servers_are_one_list() {
        let answer =
            r#"{"jsonrpc":"2.0","id":1,"result":{"tasks":[{"taskId":"a","status":"working"}]}}"#;
        let parts = [
            part("w", answer, false),
            part("o", r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":""}}"#, false),
        ];
        let text = merge_lists(ListKind::Tasks, &parts, ListCursor::default(), None, Era::Legacy);
        assert_eq!(text, r#"{"tasks":[{"taskId":"w__a","status":"working"}]}"#);
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
        let mut edits = Edit::new(WEATHER);
        alone(ListKind::Tools, &part("w", WEATHER, true), None, &mut edits);
        assert_eq!(edits.done(), WEATHER.replace(",\"outputSchema\":{}", ""));
    }

    #[test]
    fn m23_a_list_has_the_tools_that_the_client_may_call() {
        let text = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"log","outputSchema":{}},{"name":"push"},{}]}}"#;
        let patterns = ["git__l*".to_owned()];
        let mut seen = part("git", text, true);
        seen.access = ToolAccess::only(&patterns);
        let merged = merge_lists(
            ListKind::Tools,
            std::slice::from_ref(&seen),
            ListCursor::default(),
            None,
            Era::Legacy,
        );
        assert_eq!(merged, r#"{"tools":[{"name":"git__log"}]}"#);
        let mut edits = Edit::new(text);
        alone(ListKind::Tools, &seen, Some("{\"name\":\"e\"}"), &mut edits);
        assert!(edits.done().ends_with(r#"{"tools":[{"name":"log"},{"name":"e"}]}}"#));
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
        let parts = [part("w", r#"{"jsonrpc":"2.0","id":1,"error":{}}"#, false)];
        let text =
            merge_lists(ListKind::Resources, &parts, ListCursor::default(), None, Era::Legacy);
        assert_eq!(text, r#"{"resources":[]}"#);
    }
}
