//! The tool a model calls to get back what was left out.

/// The definition, as one JSON text that never changes: it stands in the cached part of every request.
pub const DEFINITION: &str = r#"{"name":"expand_context","description":"Returns the original of a tool result that begins with <<<SHADOW:id>>>, or a part of it.","input_schema":{"type":"object","properties":{"id":{"type":"string"},"lines":{"type":"string","description":"e.g. 20-80"},"grep":{"type":"string","description":"regex"},"path":{"type":"string","description":"e.g. items[3].name"}},"required":["id"]}}"#;
