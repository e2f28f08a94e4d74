//! Secret redaction of what tool servers say: results of tools and tasks, resources, prompts, and questions to a model.

use crate::hub::HubSettings;
use crate::message::{ParsedMessage, Unreadable};
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
    Ok(changed(&message, settings)?.unwrap_or(message))
}

/// The same; `None`: it holds none.
fn changed(message: &str, settings: &HubSettings) -> Result<Option<String>, Unscannable> {
    let shape = BodyShape::ToolAnswer { structured: settings.must_redact };
    let redacted = if settings.must_redact {
        redact_body(message.as_bytes(), shape, &[])?
    } else {
        redact_what_can_be(message.as_bytes(), shape)
    };
    redacted.map(String::from_utf8).transpose().map_err(|_| Unscannable::NotText)
}

/// An answer of a server without its secrets. Where it cannot be checked although that was promised, an error takes its
/// place.
///
/// # Errors
/// What is left of it is no message.
pub(crate) fn redacted_answer(
    answer: ParsedMessage,
    settings: &HubSettings,
) -> Result<ParsedMessage, Unreadable> {
    if !settings.redacts() {
        return Ok(answer);
    }
    let text = match changed(answer.text(), settings) {
        Ok(None) => return Ok(answer),
        Ok(Some(text)) => text,
        Err(why) => refusal(answer.view().id(), &why.to_string()),
    };
    ParsedMessage::read(text)
}

/// The error that a client gets in the place of an answer that could not be checked.
pub(crate) fn refusal(id: Option<&str>, why: &str) -> String {
    let text = format!(
        "the server's answer could not be checked for secrets, and was not passed on: {why}"
    );
    rpc::error(id, ErrorCode::Internal, &text)
}
