//! What is kept of a call that was answered with a task: the result may be fetched after a restart, or from another replica.

use crate::hub::Originals;
use crate::tasks::TaskKey;
use serde::{Deserialize, Serialize};
use tokenforge_redact::{BodyShape, redact_what_can_be};

/// Calls with longer arguments are not kept.
const ARGUMENTS: usize = 64 << 10;

/// A call that was answered with a task, as it is kept.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptCall {
    /// The tool, as its server calls it.
    pub(crate) tool: String,
    /// Its arguments, as JSON, without secrets.
    pub(crate) arguments: String,
}

impl KeptCall {
    /// Keeps a call. Blocks.
    pub(crate) fn keep(key: &TaskKey, tool: &str, arguments: &str, originals: &dyn Originals) {
        let redacted = redact_what_can_be(arguments.as_bytes(), BodyShape::Unknown);
        let arguments = match redacted.map(String::from_utf8) {
            None => arguments.to_owned(),
            Some(Ok(redacted)) => redacted,
            Some(Err(_)) => return,
        };
        let call = KeptCall { tool: tool.to_owned(), arguments };
        if call.arguments.len() <= ARGUMENTS
            && let Ok(text) = serde_json::to_string(&call)
        {
            originals.keep_task(&key.tenant, &key.prefix, &key.id, &text);
        }
    }

    /// The call that was kept. Blocks.
    pub(crate) fn find(key: &TaskKey, originals: &dyn Originals) -> Option<Self> {
        let text = originals.find_task(&key.tenant, &key.prefix, &key.id)?;
        serde_json::from_str(&text).ok()
    }
}
