//! The plugins that settings ask for, in the chains that requests meet.

use std::sync::Arc;
use tokenforge_config::{OnError, PluginSettings, Settings};
use tokenforge_plugin::{
    Chain, ConfigError, ErrorPolicy, Placement, Plugin, PluginMetrics, Registry,
};

/// The chains that requests meet.
#[derive(Default)]
pub(crate) struct Chains {
    /// For requests to model providers. Nothing that encodes is in it: what a provider says is no tool's output.
    models: Chain,
    /// For requests to routes: all plugins.
    routes: Chain,
}

impl Chains {
    /// Makes the plugins. Those whose name stays go on counting where they were.
    pub(crate) fn new(
        settings: &Settings,
        registry: &Registry,
        previous: &Self,
    ) -> Result<Self, ConfigError> {
        let mut plugins = Vec::new();
        for plugin in &settings.plugins {
            // One that is off is made too, so that a mistake shows before it is turned on.
            let made = registry.build(&plugin.name, plugin.config.expose()).map_err(explained)?;
            if plugin.enabled {
                plugins.push((made, placement(plugin)));
            }
        }
        for name in tokenforge_plugin::builtin::ENABLED_BY_DEFAULT {
            if settings.plugins.iter().all(|plugin| plugin.name != *name) {
                let plugin = PluginSettings::named(*name);
                plugins.push((registry.build(name, plugin.config.expose())?, placement(&plugin)));
            }
        }
        let is_for_models = |(plugin, _): &&(Arc<dyn Plugin>, Placement)| !plugin.encodes();
        let models = plugins.iter().filter(is_for_models).cloned().collect();
        let routes = previous.routes.replaced_by(plugins);
        Ok(Self { models: routes.replaced_by(models), routes })
    }

    /// The chain of a request.
    pub(crate) fn of(&self, is_routed: bool) -> &Chain {
        if is_routed { &self.routes } else { &self.models }
    }

    /// What the calls came to so far. Both chains count in the same places, and this one has all of them.
    pub(crate) fn metrics(&self) -> impl Iterator<Item = PluginMetrics> {
        self.routes.metrics()
    }
}

/// Makes the plugins known that come with the gateway.
pub(crate) fn register(registry: &mut Registry) -> Result<(), ConfigError> {
    tokenforge_plugin::builtin::register(registry)?;
    #[cfg(feature = "wasm")]
    registry.register(tokenforge_plugin::wasm::factory())?;
    Ok(())
}

/// Says how to get a plugin that a program may be built with, and this one is not.
fn explained(error: ConfigError) -> ConfigError {
    match error {
        ConfigError::UnknownPlugin { name, .. } if name == "wasm" => ConfigError::Invalid {
            plugin: name,
            problem: "this program was built without WebAssembly, which takes some megabytes; build it with \
                      `cargo install --path crates/cli --features wasm`"
                .into(),
        },
        error => error,
    }
}

fn placement(plugin: &PluginSettings) -> Placement {
    let on_error = match plugin.on_error {
        OnError::Open => ErrorPolicy::Open,
        OnError::Closed => ErrorPolicy::Closed,
    };
    Placement { priority: plugin.priority, on_error, timeout: plugin.timeout }
}
