//! How a reply is framed.

use crate::dialect::Dialect;

/// How a reply is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// One JSON document.
    Whole,
    /// Server-sent events.
    Events,
    /// One JSON document a line (Ollama).
    Lines,
    /// One JSON array that grows (Gemini, unless events are asked for).
    Array,
    /// Amazon's binary event stream (Bedrock).
    EventStream,
}

impl Wire {
    /// The framing of a reply, from its content type and whether a stream was asked for. Nothing if it is none we know.
    ///
    /// ```
    /// use tokenforge_providers::{Dialect, Wire};
    ///
    /// let wire = Wire::of(Dialect::Anthropic, "text/event-stream; charset=utf-8", true);
    /// assert_eq!(wire, Some(Wire::Events));
    /// assert_eq!(Wire::of(Dialect::Anthropic, "text/html", true), None);
    /// ```
    #[must_use]
    pub fn of(dialect: Dialect, content_type: &str, streams: bool) -> Option<Wire> {
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        let is_bedrock = matches!(dialect, Dialect::BedrockConverse | Dialect::BedrockInvoke);
        match media_type.to_ascii_lowercase().as_str() {
            "text/event-stream" if !is_bedrock && dialect != Dialect::Ollama => Some(Wire::Events),
            "application/vnd.amazon.eventstream" if is_bedrock => Some(Wire::EventStream),
            "application/x-ndjson" if dialect == Dialect::Ollama => Some(Wire::Lines),
            "application/json" => Some(match dialect {
                Dialect::Gemini if streams => Wire::Array,
                Dialect::Ollama if streams => Wire::Lines,
                _ => Wire::Whole,
            }),
            _ => None,
        }
    }
}
