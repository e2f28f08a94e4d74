//! Schema compression: what is done to the lists of tools of a request.

use super::{RewriteInput, RewritePlan};
use tokenforge_config::SchemaCompression;
use tokenforge_engine::schema::{compact_tools, minify_tools};

/// What is done to lists of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SchemaShortening(SchemaCompression);

impl SchemaShortening {
    /// What the request asks for, else what the settings say.
    pub(super) fn of(input: &RewriteInput, plan: &RewritePlan<'_>) -> Self {
        let asked = plan.options.schemas;
        SchemaShortening(asked.unwrap_or(input.state.settings.schema_compression))
    }

    /// A list in fewer words; nothing if it stays as it is.
    pub(super) fn apply(self, list: &[u8]) -> Option<String> {
        let text = || String::from_utf8_lossy(list);
        match self.0 {
            SchemaCompression::Disabled => None,
            SchemaCompression::Minify => minify_tools(&text()),
            SchemaCompression::Compact => compact_tools(&text()),
        }
    }

    /// What is told of a body in which it changed something.
    pub(super) fn change(self) -> &'static str {
        match self.0 {
            SchemaCompression::Compact => "schemas_compacted",
            SchemaCompression::Disabled | SchemaCompression::Minify => "schemas_minified",
        }
    }
}
