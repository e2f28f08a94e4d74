//! Secret redaction of what tool servers say: results of tools and tasks, resources, prompts, and questions to a model.

use crate::hub::HubSettings;
use crate::message::Message;
use crate::rpc::{self, ErrorCode};
use tokenforge_redact::{BodyShape, Unscannable, redact_body, redact_what_can_be};

/// A message of a server without its secrets.
///
/// # Errors
/// That was promised, and it cannot be checked.
pub(crate) fn redacted(message: String, settings: &HubSettings) -> Result<String, Unscannable> {
    if !settings.redacts() {
        return Ok(message);
    }
    let shape = BodyShape::ToolAnswer { structured: settings.must_redact };
    let redacted = match settings.must_redact {
        true => redact_body(message.as_bytes(), shape, &[])?,
        false => redact_what_can_be(message.as_bytes(), shape),
    };
    match redacted.map(String::from_utf8) {
        None => Ok(message),
        Some(text) => text.map_err(|_| Unscannable::NotText),
    }
}

/// An answer of a server without its secrets. Where it cannot be checked although that was promised, an error takes its
/// place.
pub(crate) fn redacted_answer(answer: String, settings: &HubSettings) -> String {
    if !settings.redacts() {
        return answer;
    }
    let id = Message::read(&answer).ok().and_then(|message| message.id().map(str::to_owned));
    redacted(answer, settings).unwrap_or_else(|why| refusal(id.as_deref(), &why.to_string()))
}

/// What a client hears in the place of an answer that nobody could check.
pub(crate) fn refusal(id: Option<&str>, why: &str) -> String {
    let text = format!(
        "the server's answer could not be checked for secrets, and was not passed on: {why}"
    );
    rpc::error(id, ErrorCode::Internal, &text)
}
