//! MCP tasks: calls whose results are fetched later, in both of their shapes (SEP-1686 of 2025-11-25, SEP-2663 of
//! 2026-07-28).
//!
//! | | begun by | state | result |
//! |---|---|---|---|
//! | 2025-11-25 | `params.task`, answered with `result.task` | `tasks/get`, `tasks/list`, `notifications/tasks/status` | `tasks/result`, which waits |
//! | 2026-07-28 | the server, with `resultType: "task"` | `tasks/get`, `notifications/tasks` | inside of either |
//!
//! Where all servers are one, the id of a task is `prefix__ID`, as the names of tools are: so it is known whose it is, also
//! after a restart.

mod kept_call;
mod registry;

pub(crate) use kept_call::KeptCall;
pub(crate) use registry::{TASK_BYTES, TASKS, TaskKey, TaskRegistry};

use crate::era::{CAPABILITIES_KEY, Era};
use crate::message::{Message, Sort};
use crate::names::{prefixed, split};
use serde_json::{Value, json};
use tokenforge_json::{Edit, Node, ValueKind, quote};

/// The extension of the modern era.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// Where a message says which task it belongs to, in its `_meta`.
const RELATED: &str = "io.modelcontextprotocol/related-task";

/// What a server of the legacy era says when the state of a task changed.
pub(crate) const STATUS: &str = "notifications/tasks/status";

/// The same in the modern era, on a stream that a client asked for.
const MODERN_STATUS: &str = "notifications/tasks";

/// Where the result of a tool is in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResultPlace {
    /// It is the answer.
    Whole,
    /// It is inside of the state of a task.
    Inside,
}

impl ResultPlace {
    /// Where it is in the answer to a request about a task.
    pub(crate) fn in_answer_to(method: &str) -> Self {
        match method {
            "tasks/result" => ResultPlace::Whole,
            _ => ResultPlace::Inside,
        }
    }

    /// The result, if there is one.
    pub(crate) fn find<'a>(self, message: &Message<'a>) -> Option<Node<'a>> {
        match self {
            ResultPlace::Whole => message.result().cloned(),
            ResultPlace::Inside => inner_result(message),
        }
    }
}

/// Is this a request about one task, which it names by `taskId`?
pub(crate) fn is_about_task(method: &str) -> bool {
    matches!(method, "tasks/get" | "tasks/result" | "tasks/update" | "tasks/cancel")
}

/// May a server take this for a request about a task, in a version that is not known here?
pub(crate) fn may_be_about_task(method: &str) -> bool {
    method.starts_with("tasks/")
}

/// The id of the task that an answer to a call begins; `None`: it is the result itself, or an error.
pub(crate) fn begun(answer: &Message<'_>) -> Option<String> {
    let legacy = || answer.result_member("task")?.get("taskId");
    let modern = || answer.result_member("taskId").filter(|_| is_task(answer));
    Some(legacy().or_else(modern)?.text()?.into_owned())
}

fn is_task(answer: &Message<'_>) -> bool {
    answer.result_member("resultType").is_some_and(|kind| kind.is("task"))
}

/// The result that the state of a task holds: in the answer to `tasks/get` and in a notification of the modern era.
pub(crate) fn inner_result<'a>(message: &Message<'a>) -> Option<Node<'a>> {
    let inner = match message.sort() {
        Sort::Answer => message.result_member("result"),
        _ if message.method() == MODERN_STATUS => message.param("result"),
        _ => None,
    };
    inner.filter(|result| result.kind() == ValueKind::Object)
}

/// The id of the task that a server's notification or question is about.
pub(crate) fn subject(message: &Message<'_>) -> Option<String> {
    let related =
        || related(message).into_iter().flatten().next()?.text().map(|id| id.into_owned());
    announced(message).or_else(related)
}

/// The id of the task that a notification is about.
pub(crate) fn announced(message: &Message<'_>) -> Option<String> {
    let is_status = matches!(message.method(), STATUS | MODERN_STATUS);
    message.text_param("taskId").filter(|_| is_status).map(|id| id.into_owned())
}

/// A server's message with the ids of its tasks as a client of all servers knows them; `None`: it names no task.
pub(crate) fn outward(message: &Message<'_>, prefix: &str) -> Option<String> {
    let mut edits = Edit::new(message.text());
    write_outward(message, prefix, false, &mut edits);
    (!edits.is_empty()).then(|| edits.done().into_owned())
}

/// Writes the ids of a server's tasks as a client of all servers knows them. `is_state`: the result of an answer is the state
/// of a task.
pub(crate) fn write_outward(
    message: &Message<'_>,
    prefix: &str,
    is_state: bool,
    edits: &mut Edit<'_>,
) {
    let begun = message.result_member("task").and_then(|task| task.get("taskId"));
    let state = message.result_member("taskId").filter(|_| is_state || is_task(message));
    let told = announced(message).and_then(|_| message.param("taskId"));
    // The result inside of a state may say which task it is of, too.
    let inner = inner_result(message).filter(|_| is_state || told.is_some());
    let inner = inner.and_then(|result| result.get("_meta")?.get(RELATED)?.get("taskId"));
    for node in related(message).into_iter().chain([begun, state, told, inner]).flatten() {
        if let Some(id) = node.text() {
            edits.replace(&node, quote(&prefixed(prefix, &id)));
        }
    }
}

/// A client's answer with the id of the server's task that it belongs to as the server knows it; `None`: it names none. A
/// task that it begins is the client's own.
pub(crate) fn inward(message: &Message<'_>) -> Option<String> {
    let mut edits = Edit::new(message.text());
    for node in related(message).into_iter().flatten() {
        if let Some((_, own)) = node.text().as_deref().and_then(split) {
            edits.replace(&node, quote(own));
        }
    }
    (!edits.is_empty()).then(|| edits.done().into_owned())
}

/// The id of the task that a message belongs to.
fn related<'a>(message: &Message<'a>) -> [Option<Node<'a>>; 2] {
    let id = |meta: Option<Node<'a>>| meta?.get(RELATED)?.get("taskId");
    [id(message.param("_meta")), id(message.result_member("_meta"))]
}

/// Does a client of the modern era say that it knows tasks?
pub(crate) fn knows_tasks(message: &Message<'_>) -> bool {
    let capabilities = message.meta(CAPABILITIES_KEY);
    capabilities.is_some_and(|all| all.at(["extensions", EXTENSION]).is_some())
}

/// What a client hears that wants to know of tasks and did not say so: the capability that it lacks.
pub(crate) fn required_capability() -> String {
    json!({"requiredCapabilities": {"extensions": {EXTENSION: {}}}}).to_string()
}

/// A client's message of the legacy era without the extension of the modern one, in which it cannot be served; `None`: it
/// says no such thing.
pub(crate) fn without_extension(message: &Message<'_>, era: Era) -> Option<String> {
    let capabilities = message.param("capabilities");
    let own = capabilities.filter(|_| era == Era::Legacy && message.method() == "initialize")?;
    let mut edits = Edit::new(message.text());
    edits.cut(&own.get("extensions")?, EXTENSION);
    (!edits.is_empty()).then(|| edits.done().into_owned())
}

/// What several servers can do about tasks, as one server says it: the members of its capabilities.
pub(crate) fn capabilities<'a>(
    servers: impl Iterator<Item = &'a str>,
    era: Era,
) -> Vec<(&'static str, Value)> {
    let (mut tasks, mut is_there, mut has_extension) = (json!({}), false, false);
    for server in servers {
        let Ok(node) = Node::read(server) else { continue };
        has_extension |= node.at(["extensions", EXTENSION]).is_some();
        let Some(own) = node.get("tasks") else { continue };
        is_there = true;
        for what in ["list", "cancel"] {
            if own.get(what).is_some() {
                tasks[what] = json!({});
            }
        }
        if own.at(["requests", "tools", "call"]).is_some() {
            tasks["requests"] = json!({"tools": {"call": {}}});
        }
    }
    match era {
        Era::Legacy if is_there => vec![("tasks", tasks)],
        Era::Modern if has_extension => vec![("extensions", json!({ EXTENSION: {} }))],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Message<'_> {
        Message::read(text).unwrap()
    }

    #[test]
    fn m24_the_task_that_a_call_begins_is_known_in_both_shapes() {
        let legacy =
            r#"{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"a","status":"working"}}}"#;
        let modern = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"a","status":"working"}}"#;
        let result = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"taskId":"a"}}"#;
        assert_eq!(begun(&read(legacy)).as_deref(), Some("a"));
        assert_eq!(begun(&read(modern)).as_deref(), Some("a"));
        assert_eq!(begun(&read(result)), None);
        assert_eq!(outward(&read(legacy), "s").unwrap(), legacy.replace("\"a\"", "\"s__a\""));
        assert_eq!(outward(&read(modern), "s").unwrap(), modern.replace("\"a\"", "\"s__a\""));
        assert_eq!(outward(&read(result), "s"), None, "a tool may say what it likes");
    }

    #[test]
    fn m24_every_id_of_a_task_has_the_prefix_of_its_server_and_goes_back_without_it() {
        for text in [
            r#"{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"a","status":"working"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"a"}}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"a"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"a","status":"completed","result":{"content":[],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"a"}}}}}"#,
        ] {
            let there = outward(&read(text), "s").unwrap();
            assert_eq!(there, text.replace("\"a\"", "\"s__a\""));
        }
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"my__own"},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"s__a"}}}}"#;
        assert_eq!(inward(&read(answer)).unwrap(), answer.replace("s__a", "a"));
        let state = r#"{"jsonrpc":"2.0","id":1,"result":{"taskId":"a","status":"working"}}"#;
        let message = read(state);
        let mut edits = Edit::new(state);
        write_outward(&message, "s", true, &mut edits);
        assert_eq!(edits.done(), state.replace("\"a\"", "\"s__a\""));
        let other =
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"taskId":"a"}}"#;
        assert_eq!(outward(&read(other), "s"), None);
        let ours = r#"{"jsonrpc":"2.0","id":1,"result":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"without"}}}}"#;
        assert_eq!(inward(&read(ours)), None);
    }

    #[test]
    fn m24_the_result_inside_of_a_state_is_found() {
        let got = r#"{"jsonrpc":"2.0","id":1,"result":{"taskId":"a","status":"completed","result":{"content":[]}}}"#;
        assert_eq!(inner_result(&read(got)).unwrap().raw(), r#"{"content":[]}"#);
        let working = r#"{"jsonrpc":"2.0","id":1,"result":{"taskId":"a","status":"working"}}"#;
        assert!(inner_result(&read(working)).is_none());
    }

    #[test]
    fn m24_servers_that_know_tasks_are_one_that_does() {
        let servers = [
            r#"{"tasks":{"list":{},"requests":{"tools":{"call":{}}}}}"#,
            r#"{"tasks":{"cancel":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#,
            "{}",
        ];
        let all = json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}});
        assert_eq!(capabilities(servers.into_iter(), Era::Legacy), [("tasks", all)]);
        let modern = json!({ EXTENSION: {} });
        assert_eq!(capabilities(servers.into_iter(), Era::Modern), [("extensions", modern)]);
        assert!(capabilities(["{}"].into_iter(), Era::Legacy).is_empty());
    }
}
