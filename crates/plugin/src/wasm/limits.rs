//! How much a module may take.

use schemars::JsonSchema;
use serde::Deserialize;

/// How much a module may take in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// How much it may compute: about one for each instruction. The default is a second or less.
    pub fuel: u64,
    /// How many bytes of memory it may have. A body lies in it at least once.
    pub memory_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { fuel: 200_000_000, memory_bytes: 64 << 20 }
    }
}
