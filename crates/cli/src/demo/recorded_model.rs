//! The model of the demo: it says what is in the recording, and its provider charges as one with a prompt cache does.

use super::bill::Bill;
use super::session::{CONCLUSION, EXPANSION, STEPS};
use crate::scripted_provider::{InputTokens, ModelReply, ScriptedModel};
use serde_json::{Value, json};

/// How a reference begins; what only explains the form, as a tool's description does, is none.
const REFERENCE: &str = "<<<SHADOW:shadow_";

/// A model at some place of the recording.
#[derive(Default)]
pub(super) struct RecordedModel {
    /// How many steps are done.
    steps: usize,
    has_expanded: bool,
    bill: Bill,
}

impl ScriptedModel for RecordedModel {
    fn reply(&mut self, request: &Value) -> ModelReply {
        if self.steps == EXPANSION.before && !self.has_expanded {
            self.has_expanded = true;
            return asks_back(request);
        }
        self.steps += 1;
        match STEPS.get(self.steps - 1) {
            Some(step) => {
                let arguments = serde_json::from_str(step.arguments).unwrap_or_default();
                ModelReply::from(step.says).call(step.tool, arguments)
            }
            None if self.steps == STEPS.len() + 1 => CONCLUSION.into(),
            None => "ok".into(),
        }
    }

    fn charge(&mut self, request: &Value, _bytes: usize) -> InputTokens {
        let (read, written) = self.bill.add(request);
        InputTokens { fresh: 0, cache_read: read as u64, cache_write: written as u64 }
    }
}

/// The model asks for what was left out of the newest output that has a reference.
fn asks_back(request: &Value) -> ModelReply {
    match newest_reference(&request["messages"].to_string()) {
        Some(id) => {
            let arguments = json!({"id": id, "grep": EXPANSION.grep});
            ModelReply::default().call("expand_context", arguments)
        }
        None => "There is nothing to ask for.".into(),
    }
}

fn newest_reference(text: &str) -> Option<&str> {
    let reference = text.get(text.rfind(REFERENCE)?..)?;
    let (id, _) = reference.strip_prefix("<<<SHADOW:")?.split_once(">>>")?;
    Some(id)
}
