//! The rules of a rewrite: the settings of one moment, and what was made of them.

use std::sync::Arc;
use tokenforge_config::Settings;
use xxhash_rust::xxh3::xxh3_64;

/// The settings of one moment, and what was made of them.
#[derive(Debug)]
pub struct RewriteRules {
    /// The settings.
    pub settings: Arc<Settings>,
    /// What the engine is to do, unless a request asks otherwise.
    pub engine: tokenforge_engine::Settings,
    /// Tells strategies apart.
    pub(crate) strategy_print: u64,
}

impl RewriteRules {
    /// The rules of these settings.
    #[must_use]
    pub fn new(settings: Arc<Settings>) -> Self {
        RewriteRules {
            engine: settings.tool_output.engine_settings(),
            strategy_print: xxh3_64(format!("{:?}", settings.tool_output.strategy).as_bytes()),
            settings,
        }
    }
}
