//! The wire format of a reply: how it is framed.

use crate::dialect::Dialect;

/// How a reply is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WireFormat {
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

impl WireFormat {
    /// The framing of a reply, from its content type and whether a stream was asked for. Nothing if it is none we know.
    ///
    /// ```
    /// use tokenforge_providers::{Dialect, WireFormat};
    ///
    /// let wire = WireFormat::of(Dialect::Anthropic, "text/event-stream; charset=utf-8", true);
    /// assert_eq!(wire, Some(WireFormat::Events));
    /// assert_eq!(WireFormat::of(Dialect::Anthropic, "text/html", true), None);
    /// ```
    #[must_use]
    pub fn of(dialect: Dialect, content_type: &str, streams: bool) -> Option<WireFormat> {
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        let profile = dialect.profile();
        let (stream_type, framing) = profile.stream_type;
        match media_type {
            _ if media_type.eq_ignore_ascii_case(stream_type) => Some(framing),
            _ if !media_type.eq_ignore_ascii_case("application/json") => None,
            _ if streams => Some(profile.json_stream),
            _ => Some(WireFormat::Whole),
        }
    }
}
