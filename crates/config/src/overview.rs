//! Every setting for a page that shows them: its value, where that is from, and what it may be.

use crate::error::SettingOrigin;
use crate::origin::Origins;
use crate::reference::schema;
use crate::settings::Settings;
use crate::show::at;
use crate::table::{SETTINGS, Setting, TakesEffect};
use serde_json::{Value, json};

/// Every setting in the order of the file, with secrets as `***`.
///
/// ```
/// use tokenforge_config::{Origins, Settings, overview};
///
/// let all = overview(&Settings::default(), &Origins::default());
/// assert_eq!(all[0]["path"], "listen");
/// assert_eq!(all[0]["origin"]["from"], "default");
/// ```
#[must_use]
pub fn overview(settings: &Settings, origins: &Origins) -> Vec<Value> {
    let (values, defaults) = (settings.to_json(), Settings::default().to_json());
    let schema: Value = serde_json::from_str(&schema()).unwrap_or_default();
    let shown = |setting: &Setting| {
        let value = at(&values, setting.path).cloned().unwrap_or_default();
        let default = at(&defaults, setting.path).cloned().unwrap_or_default();
        let place = setting.path.replace('.', "/properties/");
        let (kind, choices) = kind(schema.pointer(&format!("/properties/{place}")));
        json!({
            "path": setting.path,
            "about": setting.about,
            "common": setting.is_common,
            "origin": origin(origins.of(setting.path), value == default),
            "value": value,
            "default": default,
            "kind": kind,
            "choices": choices,
            "change": match setting.change {
                TakesEffect::AtOnce => "at_once",
                TakesEffect::Reload => "reload",
                TakesEffect::Restart => "restart",
            },
            "flag": setting.flag,
            "variable": setting.variable(),
        })
    };
    SETTINGS.iter().map(shown).collect()
}

fn origin(place: Option<&SettingOrigin>, is_default: bool) -> Value {
    match place {
        Some(SettingOrigin::File { name, line, .. }) => {
            json!({"from": "file", "name": name, "line": line})
        }
        Some(SettingOrigin::Variable(name)) => json!({"from": "variable", "name": name}),
        Some(SettingOrigin::Flag(name)) => json!({"from": "flag", "name": name}),
        Some(SettingOrigin::Patch | SettingOrigin::Together) => json!({"from": "change"}),
        None if is_default => json!({"from": "default"}),
        None => json!({"from": "program"}),
    }
}

/// How a value is written: `flag`, `choice` with what can be chosen, `list` or `text`.
fn kind(schema: Option<&Value>) -> (&'static str, Vec<Value>) {
    let Some(schema) = schema else { return ("text", Vec::new()) };
    let allowed = schema["anyOf"].as_array().into_iter().flatten();
    if let Some(Value::Array(choices)) = schema.get("enum") {
        return ("choice", choices.clone());
    }
    let is = |kind: &str| match &schema["type"] {
        Value::Array(types) => types.iter().any(|each| each == kind),
        each => each == kind,
    };
    if is("boolean") {
        return ("flag", Vec::new());
    }
    if is("array") {
        return ("list", kind(schema.get("items")).1);
    }
    let mut kinds = allowed.map(|schema| kind(Some(schema)));
    kinds.find(|(kind, _)| *kind != "text").unwrap_or(("text", Vec::new()))
}
