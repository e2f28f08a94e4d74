//! Which tool is called.

use std::sync::Arc;

/// Which tool is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolId {
    /// The name of the server it belongs to, as the settings have it.
    pub server: Arc<str>,
    /// Its name, as its server knows it.
    pub name: Arc<str>,
}

impl ToolId {
    /// A tool of a server.
    pub fn new(server: impl Into<Arc<str>>, name: impl Into<Arc<str>>) -> Self {
        Self { server: server.into(), name: name.into() }
    }
}
