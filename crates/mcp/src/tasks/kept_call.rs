//! The call that began a task, as the store keeps it: after a restart, or on another replica, the task still belongs to the
//! tenant that made the call, and its result is that of the call.

use crate::bounded_map::LONGEST_KEY;
use crate::hub::Originals;
use crate::tasks::TaskKey;
use serde::{Deserialize, Serialize};
use tokenforge_redact::{BodyShape, redact_what_can_be};

/// Longer arguments are not kept.
const ARGUMENTS: usize = 64 << 10;

/// A call that was answered with a task, as it is kept under the tenant that made it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptCall {
    /// The tool, as its server calls it.
    pub(crate) tool: String,
    /// Its arguments, as JSON, without secrets; `None`: too long to keep.
    pub(crate) arguments: Option<String>,
}

impl KeptCall {
    /// Keeps a call. Blocks.
    pub(crate) fn keep(key: &TaskKey, tool: &str, arguments: &str, originals: &dyn Originals) {
        if key.id.len().max(tool.len()) > LONGEST_KEY {
            return;
        }
        let call = KeptCall { tool: tool.to_owned(), arguments: without_secrets(arguments) };
        if let Ok(text) = serde_json::to_string(&call) {
            originals.keep_task(&key.tenant, &key.prefix, &key.id, &text);
        }
    }

    /// The call that was kept. Blocks.
    pub(crate) fn find(key: &TaskKey, originals: &dyn Originals) -> Option<Self> {
        let text = originals.find_task(&key.tenant, &key.prefix, &key.id)?;
        serde_json::from_str(&text).ok()
    }
}

fn without_secrets(arguments: &str) -> Option<String> {
    let redacted = match redact_what_can_be(arguments.as_bytes(), BodyShape::Unknown) {
        None => arguments.to_owned(),
        Some(redacted) => String::from_utf8(redacted).ok()?,
    };
    (redacted.len() <= ARGUMENTS).then_some(redacted)
}
