//! Schema compression: what is done to the lists of tools of a request.

use tokenforge_config::SchemaCompression;
use tokenforge_engine::schema::{compact_tools, minify_tools};

/// What is done to lists of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SchemaShortening(pub(crate) SchemaCompression);

impl SchemaShortening {
    /// A list in fewer words; nothing if it stays as it is.
    pub(crate) fn apply(self, list: &[u8]) -> Option<String> {
        let text = || String::from_utf8_lossy(list);
        match self.0 {
            SchemaCompression::Disabled => None,
            SchemaCompression::Minify => minify_tools(&text()),
            SchemaCompression::Compact => compact_tools(&text()),
        }
    }

    /// What is told of a body in which it changed something.
    pub(crate) fn change(self) -> &'static str {
        match self.0 {
            SchemaCompression::Compact => "schemas_compacted",
            SchemaCompression::Disabled | SchemaCompression::Minify => "schemas_minified",
        }
    }
}
