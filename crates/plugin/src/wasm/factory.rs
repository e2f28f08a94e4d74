//! `wasm`: the plugin that settings ask for, with the file of a module.

use crate::wasm::limits::Limits;
use crate::wasm::plugin::WasmPlugin;
use crate::{Error, Factory};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// What `wasm` can be told.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WasmSettings {
    /// The file of the module, in its binary form.
    module: PathBuf,
    /// The module's own settings.
    #[serde(default)]
    settings: Map<String, Value>,
    /// How much it may take.
    #[serde(default)]
    limits: Limits,
}

/// Makes plugins of modules, by the name `wasm`. Reads their files when they are made.
pub fn factory() -> impl Factory {
    crate::factory("wasm", |WasmSettings { module, settings, limits }| {
        let problem = |problem: &dyn std::fmt::Display| {
            Error::from(format!("{}: {problem}", module.display()))
        };
        let wasm = std::fs::read(&module).map_err(|error| problem(&error))?;
        WasmPlugin::new(&wasm, limits, settings.into()).map_err(|fault| problem(&fault))
    })
}
