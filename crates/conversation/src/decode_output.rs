//! The way back from a compressed output, for callers that keep the conversation themselves.

use crate::error::EmbedError;
use tokenforge_engine::{EarlierResult, History, restore};

/// Restores the output that a lossless mode compressed to this text; a text that no stage changed is given back as it is.
///
/// Pointers lead to the results before it in its conversation, `history`, or into the `arguments` of its own call, which may be
/// empty.
///
/// ```
/// use tokenforge_conversation::{decode_output, parse_history};
///
/// let history = parse_history(r#"[{"tool": "Bash", "arguments": {"command": "make"}, "text": "cc a.c\nld a"}]"#)?;
/// let text = "[Duplicate of make; see earlier result]";
/// assert_eq!(decode_output(text, Some(&history), "")?, "cc a.c\nld a");
/// # Ok::<(), tokenforge_conversation::EmbedError>(())
/// ```
///
/// # Errors
/// Something was left out, a pointer leads to what is not given, or the text is damaged or stands for more than 64 MiB.
pub fn decode_output(
    text: &str,
    history: Option<&History>,
    arguments: &str,
) -> Result<String, EmbedError> {
    let nothing = History::default();
    // Without either, the error says what is needed, not that it was looked for.
    let restored = match history {
        None if arguments.is_empty() => restore(text),
        _ => history.unwrap_or(&nothing).resolve(text, arguments).and_then(|text| restore(&text)),
    };
    restored.map_err(|error| EmbedError::Undecodable(error.to_string()))
}

/// Reads earlier results from a JSON array of `{"tool", "arguments", "text"}`, each text as the model saw it.
///
/// # Errors
/// It is something else; the message has the place.
pub fn parse_history(json: &str) -> Result<History, EmbedError> {
    let results: Vec<EarlierResult> = serde_json::from_str(json).map_err(EmbedError::History)?;
    Ok(results.into_iter().collect())
}
