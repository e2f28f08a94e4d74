//! What a request sees of the settings: all of one moment, whatever is changed meanwhile.

use crate::chains::PluginChains;
use crate::guard::{OriginRules, adds_credentials};
use crate::holds::ActiveHolds;
use crate::route::ApiRoutes;
use crate::tenant::KeyRing;
use std::sync::Arc;
use tokenforge_config::{SchemaCompression, Settings};
use tokenforge_conversation::{RequestOptions, RewriteRules};
use tokenforge_engine::Mode;
use tokenforge_plugin::{ConfigError, Registry};

/// The settings of one moment, and what was made of them.
pub(crate) struct GatewayState {
    pub(crate) settings: Arc<Settings>,
    /// What rewriting makes of them.
    pub(crate) rules: Arc<RewriteRules>,
    pub(crate) keys: KeyRing,
    /// From where requests may come.
    pub(crate) origin_rules: OriginRules,
    /// Is a credential of the operator added to requests to models?
    pub(crate) adds_credentials: bool,
    pub(crate) chains: PluginChains,
    pub(crate) routes: ApiRoutes,
    /// What was shown to do harm, and is not used.
    pub(crate) holds: ActiveHolds,
}

impl GatewayState {
    pub(crate) fn new(
        settings: Settings,
        registry: &Registry,
        previous: &PluginChains,
    ) -> Result<Self, ConfigError> {
        let settings = Arc::new(settings);
        Ok(GatewayState {
            rules: Arc::new(RewriteRules::new(settings.clone())),
            keys: KeyRing::new(&settings.keys),
            origin_rules: OriginRules::new(&settings),
            adds_credentials: adds_credentials(&settings),
            chains: PluginChains::new(&settings, registry, previous)?,
            routes: ApiRoutes::new(&settings),
            holds: ActiveHolds::default(),
            settings,
        })
    }

    /// The same, without what is held. Where nothing is measured nothing is held: turning the comparison off is how an
    /// operator ends all holds for good.
    pub(crate) fn with_holds(self, holds: ActiveHolds) -> Self {
        if self.settings.shadow.is_on() { GatewayState { holds, ..self } } else { self }
    }

    /// Is there anything to be done to a request that asks for this in its headers?
    pub(crate) fn has_work(&self, options: &RequestOptions) -> bool {
        let Settings { tool_output, schema_compression, redact_secrets, toon, .. } =
            &*self.settings;
        let mode = options.compression.mode.unwrap_or(tool_output.mode);
        (tool_output.enabled && mode != Mode::Disabled)
            || *schema_compression != SchemaCompression::Disabled
            || *redact_secrets
            || toon.enabled
    }
}
