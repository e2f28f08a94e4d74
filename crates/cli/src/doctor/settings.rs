//! Can the settings be used?

use super::finding::Finding;
use crate::settings::{SettingsSource, file};
use std::env;
use std::path::Path;
use tokenforge_config::{Overrides, Settings, unknown_variables};
use tokenforge_gateway::Gateway;

const CHECK: &str = "settings";

/// Variables of ours that are no settings of the gateway.
const OTHERS: [&str; 3] = ["FORGE_DATA_DIR", "FORGE_CONFIG_DIR", "FORGE_KEY"];

/// The settings, or the defaults where they cannot be used, so that everything else can still be looked at.
pub(super) fn check(config: Option<&Path>) -> (Settings, Vec<Finding>) {
    let source = SettingsSource { file: file(config), flags: Overrides::default() };
    let place = match &source.file {
        Some(path) => path.display().to_string(),
        None => "no tokenforge.yaml: defaults".to_owned(),
    };
    let loaded = source.load().and_then(|settings| {
        Gateway::check(&settings)?;
        Ok(settings)
    });
    let (settings, found) = match loaded {
        Ok(settings) => {
            let mode = settings.tool_output.mode;
            (settings, Finding::ok(CHECK, format!("{place} ({mode})")))
        }
        Err(error) => {
            let broken = Finding::broken(CHECK, format!("{error:#}"));
            let broken = broken.remedied_by("correct it, then run `tokenforge config check`");
            (Settings::default(), broken)
        }
    };
    let mut findings = vec![found];
    findings.extend(strange_variables());
    (settings, findings)
}

fn strange_variables() -> Vec<Finding> {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let names = names.filter(|name| !OTHERS.contains(&name.as_str()));
    let strange = |(name, meant): (String, Option<String>)| {
        let found = Finding::note(CHECK, format!("the variable {name} is not a setting"));
        match meant {
            Some(meant) => found.remedied_by(format!("did you mean {meant}?")),
            None => found.remedied_by("`tokenforge config table --all` lists them"),
        }
    };
    unknown_variables(names).into_iter().map(strange).collect()
}
