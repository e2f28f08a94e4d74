//! The tool a model calls to get back what was left out.

/// The definition, as one JSON text that never changes: it stands in the cached part of every request.
pub const DEFINITION: &str = r#"{"name":"expand_context","description":"Original of <<<SHADOW:id>>>; lines: 20-80","input_schema":{"type":"object","properties":{"id":{"type":"string"},"lines":{"type":"string"},"grep":{"type":"string"}}}}"#;
