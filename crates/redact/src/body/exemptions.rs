//! Exemptions from redaction: what in a request or an answer is no text for a model, so that changing it breaks something.
//!
//! They are told by names and types, which mean the same in all dialects that have them. Free maps, whose names are
//! chosen by a user or a tool (variables of a prompt, the JSON that a tool put out), have no exemptions.

use crate::index::StringIndex;

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyShape {
    /// Of unknown shape: every string is looked at.
    Unknown,
    /// A request in a dialect that we know: ids, names, calls, schemas, thoughts and what the provider made are left alone.
    ModelRequest,
    /// An answer of a tool server: ids, names and metadata are left alone.
    ToolAnswer {
        /// Are structured copies looked at? Programs read them.
        structured: bool,
    },
}

/// What is done to what stands in some place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// Looked at, as far as its names do not say that it is exempt.
    Structure,
    /// Looked at, whatever its names are.
    Free,
    /// Left alone.
    Exempt,
}

/// Members that are schemas, calls, thoughts, or credentials for the provider's own use.
const EXEMPT_OBJECTS: &[&str] = &[
    "tools",
    "functions",
    "toolConfig",
    "tool_config",
    "response_format",
    "format",
    "output_format",
    "output_config",
    "responseSchema",
    "response_schema",
    "responseJsonSchema",
    "response_json_schema",
    "mcp_servers",
    "tool_calls",
    "function_call",
    "functionCall",
    "toolUse",
    "executableCode",
    "executable_code",
    "codeExecutionResult",
    "code_execution_result",
    "reasoningContent",
    "_forge",
];

/// Members whose own members are named by a user or a tool.
const FREE_OBJECTS: &[&str] = &["variables", "response", "result", "json", "metadata", "labels"];

/// Types of blocks and items that calls and thoughts have.
const EXEMPT_TYPES: &[&str] = &[
    "tool_use",
    "server_tool_use",
    "mcp_tool_use",
    "thinking",
    "thought",
    "redacted_thinking",
    "reasoning",
    "compaction",
    "mcp_list_tools",
    "mcp_approval_request",
];

/// Types of steps that Google's own tools make, and sign.
const PROVIDERS_RESULTS: &[&str] = &[
    "code_execution_result",
    "file_search_result",
    "google_maps_result",
    "google_search_result",
    "processing_result",
    "retrieval_result",
    "url_context_result",
];

/// Strings that something else depends on.
const EXEMPT_STRINGS: &[&str] = &[
    "type",
    "role",
    "name",
    "model",
    "signature",
    "thoughtSignature",
    "thought_signature",
    "encrypted_content",
    "encrypted_index",
    "prompt_cache_key",
    "safety_identifier",
    "mimeType",
    "media_type",
];

impl BodyShape {
    /// What is done in each container.
    pub(crate) fn treatments(self, json: &str, index: &StringIndex) -> Vec<Treatment> {
        let mut treatments: Vec<Treatment> = Vec::with_capacity(index.containers.len());
        for (at, container) in index.containers.iter().enumerate() {
            let within = if at == 0 { self.outermost() } else { treatments[container.parent] };
            treatments.push(match within {
                Treatment::Structure => self.of_object(&container.key(json), &container.kind(json)),
                within => within,
            });
        }
        treatments
    }

    fn outermost(self) -> Treatment {
        if self == BodyShape::Unknown { Treatment::Free } else { Treatment::Structure }
    }

    fn of_object(self, key: &str, kind: &str) -> Treatment {
        let is_exempt = match self {
            BodyShape::Unknown => false,
            BodyShape::ModelRequest => EXEMPT_OBJECTS.contains(&key) || is_the_models(kind),
            BodyShape::ToolAnswer { structured } => {
                key == "_meta" || (key == "structuredContent" && !structured)
            }
        };
        let is_free = match self {
            BodyShape::ModelRequest => FREE_OBJECTS.contains(&key),
            _ => key == "structuredContent",
        };
        match (is_exempt, is_free) {
            (true, _) => Treatment::Exempt,
            (false, true) => Treatment::Free,
            (false, false) => Treatment::Structure,
        }
    }

    /// What is done to a string under this name.
    pub(crate) fn of_string(self, within: Treatment, key: &str) -> Treatment {
        let is_id = || key == "id" || key.ends_with("_id") || key.ends_with("Id");
        match within {
            Treatment::Structure if is_id() || EXEMPT_STRINGS.contains(&key) => Treatment::Exempt,
            within => within,
        }
    }
}

/// Is a block or an item of this type a call, a thought, or the result of a provider's own tool? The provider made it, so it
/// knows it already, and it signs or encrypts many.
fn is_the_models(kind: &str) -> bool {
    let is_providers_result = kind.ends_with("_tool_result") || PROVIDERS_RESULTS.contains(&kind);
    EXEMPT_TYPES.contains(&kind) || kind.ends_with("_call") || is_providers_result
}
