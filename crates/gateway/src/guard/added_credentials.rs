//! Credentials of the operator that the gateway adds to requests of its clients, whatever their path.
//!
//! Routes and tool servers are not looked for here, because they have paths of their own. A signature of AWS is added only
//! for a client that has the key itself, or shows a gateway key.

use crate::tenant::PROVIDER_KEYS;
use http::header::COOKIE;
use serde_json::Value;
use tokenforge_config::{PluginSettings, Settings, Strategy};

/// The plugin that comes with the gateway and sets headers.
const HEADER_INJECT: &str = "header-inject";

/// Does the gateway add a credential of the operator to requests to models, or to what it asks about their results?
pub(crate) fn adds_credentials(settings: &Settings) -> bool {
    settings.plugins.iter().any(sets_credential) || strategy_has_key(settings)
}

fn strategy_has_key(settings: &Settings) -> bool {
    match settings.tool_output.strategy {
        Strategy::Api => settings.tool_output.api.api_key.is_some(),
        Strategy::ExternalProvider => {
            settings.asked_provider().is_some_and(|provider| provider.api_key.is_some())
        }
        Strategy::Passthrough | Strategy::Simple => false,
    }
}

fn sets_credential(plugin: &PluginSettings) -> bool {
    let is_credential = |(name, _): (&String, &Value)| {
        let is_key = PROVIDER_KEYS.iter().any(|known| known.as_str().eq_ignore_ascii_case(name));
        is_key || name.eq_ignore_ascii_case(COOKIE.as_str())
    };
    let set = plugin.config.expose()["request"]["set"].as_object();
    let is_set = set.is_some_and(|set| set.iter().any(is_credential));
    plugin.enabled && plugin.name == HEADER_INJECT && is_set
}
