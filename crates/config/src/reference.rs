//! The table of all settings for people, and the schema for editors.

use crate::load::nearest;
use crate::raw::Raw;
use crate::settings::Settings;
use crate::show::at;
use crate::table::{SETTINGS, Setting};
use schemars::generate::SchemaSettings;
use serde_json::Value;
use std::fmt::Write;

/// Every setting with its default, flag, variable and use, as Markdown: a table of the common ones, and one of the rest.
#[must_use]
pub fn settings_table() -> String {
    format!("{}\n## Advanced\n\n{}", markdown(true), markdown(false))
}

fn markdown(is_common: bool) -> String {
    let mut table = String::from(
        "| setting | default | flag | variable | what it is for | a new value counts |\n\
         |---|---|---|---|---|---|\n",
    );
    for setting in SETTINGS.iter().filter(|setting| setting.is_common == is_common) {
        let default = default(setting).as_deref().map(code).unwrap_or_default();
        let flag = setting.flag.map(code).unwrap_or_default();
        let variable = setting.variable().as_deref().map(code).unwrap_or_default();
        let (path, about, when) = (setting.path, setting.about, setting.change.describe());
        // Writing to a String cannot fail.
        let _ =
            writeln!(table, "| `{path}` | {default} | {flag} | {variable} | {about} | {when} |");
    }
    table
}

/// A setting's default as it is written; `None` where there is none, or more than a line can say.
#[must_use]
pub fn default(setting: &Setting) -> Option<String> {
    let defaults = Settings::default().to_json();
    match at(&defaults, setting.path)? {
        value if is_empty(value) => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(values) => {
            let values: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
            Some(values.join(", "))
        }
        Value::Object(_) => None,
        other => Some(other.to_string()),
    }
}

/// The JSON Schema of tokenforge.yaml.
#[must_use]
pub fn schema() -> String {
    let inlined = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = inlined.into_generator().into_root_schema_for::<Raw>().to_value();
    let defaults = Settings::default().to_json();
    for setting in SETTINGS {
        let place = setting.path.replace('.', "/properties/");
        let Some(Value::Object(place)) = schema.pointer_mut(&format!("/properties/{place}")) else {
            continue;
        };
        place.insert("description".to_owned(), setting.about.into());
        let default = at(&defaults, setting.path).filter(|default| !is_empty(default));
        if let Some(default) = default {
            place.insert("default".to_owned(), default.clone());
        }
    }
    // Their order depends on a feature of serde_json that any crate in a build may ask for.
    schema.sort_all_objects();
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// Which of these variables look like settings and are none, and what may have been meant. For a warning only: other
/// programs may have variables of such names.
pub fn unknown_variables<S: AsRef<str>>(
    names: impl IntoIterator<Item = S>,
) -> Vec<(String, Option<String>)> {
    let names_of =
        |setting: &Setting| setting.variable().into_iter().chain(setting.document_variable());
    let known: Vec<String> = SETTINGS.iter().flat_map(names_of).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let looks_ours = |name: &str| name.starts_with("FORGE_") || name.starts_with("TOON_");
    let unknown = names.into_iter().filter(|name| {
        let name = name.as_ref();
        looks_ours(name) && !known.contains(&name)
    });
    unknown
        .map(|name| (name.as_ref().to_owned(), nearest(name.as_ref(), &known).map(str::to_owned)))
        .collect()
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(values) => values.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}
