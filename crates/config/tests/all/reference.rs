//! The table of settings is complete, and what is made from it is what is saved.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use tokenforge_config::{
    ConfigFile, Overrides, SETTINGS, Settings, schema, settings_table, unknown_variables,
};
use tokenforge_engine::tool::SkipTools;

fn saved(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    fs::read_to_string(path).expect(name)
}

const HOW: &str = "is not up to date: cargo run -p tokenforge-config --example docs";

#[test]
fn the_saved_table_is_the_one_made() {
    assert!(saved("settings.md").ends_with(&settings_table()), "docs/settings.md {HOW}");
}

#[test]
fn the_saved_schema_is_the_one_made() {
    assert!(saved("tokenforge.schema.json") == schema(), "docs/tokenforge.schema.json {HOW}");
}

#[test]
fn the_table_lists_every_key_of_the_file_and_no_other() {
    let schema: Value = serde_json::from_str(&schema()).unwrap();
    let mut keys = BTreeSet::new();
    collect(&schema, "", &mut keys);
    let listed: BTreeSet<String> = SETTINGS.iter().map(|setting| setting.path.to_owned()).collect();
    assert_eq!(keys, listed);
    assert_eq!(listed.len(), SETTINGS.len(), "a setting is listed twice");
}

/// The paths of all keys that are no section.
fn collect(schema: &Value, around: &str, keys: &mut BTreeSet<String>) {
    let members = schema["properties"].as_object();
    let Some(members) = members else {
        keys.insert(around.to_owned());
        return;
    };
    for (key, member) in members {
        let dot = if around.is_empty() { "" } else { "." };
        let sections = member["anyOf"].as_array();
        let section =
            sections.into_iter().flatten().find(|choice| choice["properties"].is_object());
        collect(section.unwrap_or(member), &format!("{around}{dot}{key}"), keys);
    }
}

#[test]
fn c10_the_setting_names_every_category() {
    let setting = SETTINGS.iter().find(|it| it.path == "pipes.tool_output.skip_tools").unwrap();
    let words: BTreeSet<&str> =
        setting.about.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    for category in SkipTools::categories() {
        assert!(words.contains(category), "{category} is not in {:?}", setting.about);
    }
}

#[test]
fn there_are_no_more_than_80_settings() {
    // 66; the sizes of the caches (D46): who serves many long conversations at once has to be able to raise them; how many
    // calls of a strategy run at once, which the source document sets too.
    // Since then: what is kept for clients that clear, how models fetch, and shadow runs.
    assert!(SETTINGS.len() <= 80, "{}", SETTINGS.len());
}

#[test]
fn every_variable_is_asked_for_and_no_two_are_the_same() {
    let asked = std::cell::RefCell::new(BTreeSet::new());
    let environment = |name: &str| {
        assert!(asked.borrow_mut().insert(name.to_owned()), "{name} is asked for twice");
        None
    };
    Settings::load(None, &environment, &Overrides::default()).unwrap();
    let listed: BTreeSet<String> = SETTINGS
        .iter()
        .flat_map(|setting| setting.variable().into_iter().chain(setting.document_variable()))
        .collect();
    assert_eq!(asked.into_inner(), listed);
}

#[test]
fn every_default_in_the_table_can_be_written_in_a_file() {
    let text = Settings::default().show();
    let file = ConfigFile { name: "shown", text: &text };
    let again = Settings::load(Some(file), &|_| None, &Overrides::default());
    assert_eq!(again, Ok(Settings::default()));
}

#[test]
fn a_variable_that_is_no_setting_is_told_the_nearest() {
    let names = ["PATH", "FORGE_LISTEN", "FORGE_LISTN", "FORGE_ZZZ", "TOON_ENABLE"];
    let unknown = unknown_variables(names);
    let near = |name: &str| Some(name.to_owned());
    assert_eq!(
        unknown,
        [
            ("FORGE_LISTN".to_owned(), near("FORGE_LISTEN")),
            ("FORGE_ZZZ".to_owned(), None),
            ("TOON_ENABLE".to_owned(), near("TOON_ENABLED")),
        ]
    );
}

#[test]
fn about_twenty_settings_are_common_and_each_is_explained_in_a_sentence() {
    let common = SETTINGS.iter().filter(|setting| setting.is_common).count();
    assert!((18..=24).contains(&common), "{common}");
    for setting in SETTINGS {
        let about = setting.about;
        let starts = about.starts_with(|first: char| first.is_uppercase());
        assert!(starts && about.ends_with('.'), "{}: {about}", setting.path);
    }
}

#[test]
fn f2_the_documents_variable_counts_less_than_ours() {
    let mode = |variables: &[(&str, &str)]| {
        crate::kit::variables(variables).unwrap().tool_output.mode.name()
    };
    let documented = ("FORGE_TOOL_OUTPUT_COMPRESSION", "safe");
    assert_eq!(mode(&[documented]), "safe");
    assert_eq!(mode(&[documented, ("FORGE_MODE", "lossless")]), "lossless");
}

#[test]
fn what_is_shown_first_is_what_is_common_and_what_was_changed() {
    let shown = crate::kit::file("limits: {cached_sessions: 7}").unwrap().show_common();
    for line in ["listen: 127.0.0.1:8787", "    mode: standard", "  cached_sessions: 7"] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
    assert!(!shown.contains("cache_bytes") && !shown.contains("bedrock"), "{shown}");
    assert_eq!(crate::kit::file(&shown), crate::kit::file("limits: {cached_sessions: 7}"));
}
