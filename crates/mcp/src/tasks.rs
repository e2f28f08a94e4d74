//! MCP tasks: that a client knows them is told only to servers whose tasks it can ask for.

use crate::era::CAPABILITIES_KEY;
use crate::message::Message;
use tokenforge_json::Edit;

/// The extension of the modern era.
const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// A client's message without the word that it knows tasks; `None`: it says no such thing.
///
/// The endpoint of all servers does not know whose a task is, and answers that there is no such method. A server that
/// was told otherwise would begin tasks whose results nobody fetches.
pub(crate) fn without_tasks(message: &Message<'_>) -> Option<String> {
    let own = || message.param("capabilities").filter(|_| message.method() == "initialize");
    let capabilities = message.meta(CAPABILITIES_KEY).or_else(own)?;
    let mut edits = Edit::new(message.text());
    edits.cut(&capabilities, "tasks");
    if let Some(extensions) = capabilities.get("extensions") {
        edits.cut(&extensions, EXTENSION);
    }
    (!edits.is_empty()).then(|| edits.done().into_owned())
}
