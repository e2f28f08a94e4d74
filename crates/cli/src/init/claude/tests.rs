//! The laws of the entry, on settings of all layouts.

use super::*;
use proptest::prelude::*;
use serde_json::Value as Json;

const PROGRAM: &str = "/opt/token forge/tokenforge";
const TOOLS: &str = "Bash|mcp__.*";

fn with(text: &str) -> String {
    with_hook(text, &command(PROGRAM), TOOLS).unwrap()
}

fn without(text: &str, before: Option<&str>) -> Option<PriorState> {
    let before = before.map(|text| PriorState::Text(text.to_owned()));
    remove(text, before.as_ref()).unwrap()
}

fn text(text: &str) -> Option<PriorState> {
    Some(PriorState::Text(text.to_owned()))
}

#[test]
fn the_entry_goes_first_in_the_layout_of_what_is_there() {
    let file = "{\n  // mine\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\"hooks\": [{\"command\": \"x\"}]}\n    ]\n  }\n}\n";
    let entry = entry(&command(PROGRAM), TOOLS);
    assert_eq!(
        with(file),
        file.replace(
            "[\n      {\"hooks\": [{\"command\": \"x\"}]}",
            &format!("[\n      {entry},\n      {{\"hooks\": [{{\"command\": \"x\"}}]}}")
        )
    );
    assert!(entry.contains(r#""command": "'/opt/token forge/tokenforge' hook claude || true""#));
    let file = "{ \"model\": \"opus\" }";
    assert_eq!(
        with(file),
        format!("{{ \"hooks\": {{\"PostToolUse\": [{entry}]}}, \"model\": \"opus\" }}")
    );
}

#[test]
fn settings_that_are_not_understood_are_not_touched() {
    for (file, why) in [
        ("[]", "the file is not an object"),
        ("{\"hooks\": []}", "`hooks` is not an object"),
        ("{\"hooks\": {\"PostToolUse\": {}}}", "`hooks.PostToolUse` is not a list"),
        ("", "line 1, column 1: expected a value"),
        ("{\"a\" 1}", "line 1, column 6: expected `:`"),
    ] {
        assert_eq!(with_hook(file, "x", TOOLS).unwrap_err().to_string(), why, "{file}");
    }
}

#[test]
fn the_program_is_read_back_as_it_was_written() {
    for program in ["/usr/bin/tokenforge", PROGRAM, "/it's/a ' path/tokenforge"] {
        let text = with_hook("{}", &command(program), TOOLS).unwrap();
        assert_eq!(super::program(&text).as_deref(), Some(program));
    }
    assert_eq!(program_of("\"$HOME/tokenforge\" hook claude"), None);
    assert_eq!(super::program("{}"), None);
}

#[test]
fn a_program_of_another_name_is_not_put_in_since_it_would_not_be_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    for text in [None, Some("{}")] {
        if let Some(text) = text {
            std::fs::write(&path, text).unwrap();
        }
        let file = ClientFile::find(&path).unwrap();
        let error = install(&file, "/opt/tokenforge-nightly", TOOLS).unwrap_err().to_string();
        assert!(
            error.contains("/opt/tokenforge-nightly") && error.contains("`tokenforge`"),
            "{error}"
        );
        assert!(is_installed(&install(&file, PROGRAM, TOOLS).unwrap()));
    }
}

#[test]
fn an_entry_of_another_place_starts_this_program_and_there_is_only_one() {
    let file = "{\"hooks\": {\"PostToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"command\": \"/old/tokenforge hook claude\"}]}]}}";
    let new = with(file);
    assert_eq!(new, file.replace("/old/tokenforge hook claude", &command(PROGRAM)));
    assert_eq!(with(&new), new);
}

#[test]
fn what_was_made_for_the_entry_goes_with_it_and_what_was_there_stays() {
    for file in [
        "{}",
        "{\n}\n",
        "{\"hooks\": {}}",
        "{\"hooks\": { /* none */ }, }",
        "{\"hooks\": {\"PostToolUse\": []}}",
        "{\"hooks\": {\"PostToolUse\": [ ]}, \"x\": 1}",
        "\u{feff}{\r\n\t\"x\": 1\r\n}",
    ] {
        assert_eq!(without(&with(file), Some(file)), text(file), "{file}");
    }
    let created = whole(&command(PROGRAM), TOOLS);
    let nothing = PriorState::Nothing { folders: 2 };
    assert_eq!(remove(&created, Some(&nothing)).unwrap(), Some(PriorState::Nothing { folders: 0 }));
    assert_eq!(without(&created, None), text("{\n  \n}\n"));
    assert_eq!(without("{}", None), None);
}

#[test]
fn what_others_put_beside_the_entry_stays() {
    let created = whole(&command(PROGRAM), TOOLS);
    let nothing = Some(PriorState::Nothing { folders: 0 });
    let left = |file: &str| remove(file, nothing.as_ref()).unwrap();
    let behind = created.replace("  }\n}\n", "  },\n  \"model\": \"opus\"\n}\n");
    assert_eq!(left(&behind), text("{\n  \"model\": \"opus\"\n}\n"));
    let in_front =
        created.replace("{\n  \"hooks\": {\n", "{\n  \"model\": \"opus\",\n  \"hooks\": {\n");
    assert_eq!(left(&in_front), text("{\n  \"model\": \"opus\"\n}\n"));
    let other = "{\"type\": \"command\", \"command\": \"mine\"}";
    let same_entry = created.replace("}]}\n", &format!("}}, {other}]}}\n"));
    let Some(PriorState::Text(kept)) = left(&same_entry) else { panic!("{same_entry}") };
    assert!(kept.contains(&format!("\"hooks\": [{other}]")) && !is_installed(&kept), "{kept}");
}

#[test]
fn values_of_variables_are_not_shown() {
    let shown = mask_settings(
        r#"{"env": {"K": "private"}, "hooks": {"Stop": [{"hooks": [{"headers": {"A": "private"}}]}]}}"#,
    );
    assert!(!shown.contains("private") && shown.contains("***"), "{shown}");
}

/// Settings in many layouts, with comments and with hooks of others.
fn settings() -> impl Strategy<Value = String> {
    let blank = || {
        prop_oneof![
            Just(""),
            Just(" "),
            Just("\n  "),
            Just("\r\n\t"),
            Just(" // c\n "),
            Just("/* c */")
        ]
    };
    let hook = r#"{"matcher": "Edit", "hooks": [{"type": "command", "command": "mine"}]}"#;
    let member = prop_oneof![
        Just(r#""model": "opus""#.to_owned()),
        Just(r#""env": {"K": "v"}"#.to_owned()),
        Just(r#""hooks": {}"#.to_owned()),
        Just(r#""hooks": {"PostToolUse": []}"#.to_owned()),
        Just(format!(r#""hooks": {{"Stop": [{hook}]}}"#)),
        Just(format!("\"hooks\": {{\n \"PostToolUse\" : [ {hook}\n, ] , }}")),
    ];
    let members = proptest::collection::vec((blank(), member, blank()), 0..4);
    (blank(), members, any::<bool>(), blank()).prop_map(|(start, members, trailing, end)| {
        let mut seen = std::collections::HashSet::new();
        let members = members
            .into_iter()
            .filter(|(_, member, _)| seen.insert(member.split(':').next().map(str::to_owned)));
        let members: Vec<String> =
            members.map(|(a, member, b)| format!("{a}{member}{b}")).collect();
        let comma = if trailing && !members.is_empty() { "," } else { "" };
        format!("{start}{{{}{comma}{end}}}{start}", members.join(","))
    })
}

/// The settings as a client reads them.
fn read(text: &str) -> Json {
    fn value(document: &SettingsDocument<'_>, place: usize) -> Json {
        match &document.node(place).value {
            NodeValue::Text(text) => text.clone().into(),
            NodeValue::List(items) => items.iter().map(|item| value(document, *item)).collect(),
            NodeValue::Table(members) => members
                .iter()
                .map(|(name, member)| (name.clone(), value(document, *member)))
                .collect(),
            NodeValue::Other => document.raw(&document.node(place).span).into(),
        }
    }
    let document = SettingsDocument::read(text, FileNotation::Json).unwrap();
    value(&document, document.root())
}

/// Members at the end of an object, as a person or Claude Code itself adds them, with or without a layout of one's own.
fn edited(text: &str, member: &str) -> String {
    let document = SettingsDocument::read(text, FileNotation::Json).unwrap();
    let last = document.children(document.root()).last().map(|last| document.node(*last).span.end);
    let at = last.unwrap();
    format!("{}, {member}{}", &text[..at], &text[at..])
}

proptest! {
    #[test]
    fn what_was_put_in_is_taken_out_byte_for_byte(file in settings()) {
        let new = with(&file);
        prop_assert!(is_installed(&new) && !is_installed(&file));
        prop_assert_eq!(without(&new, Some(&file)), text(&file), "{}", new);
        prop_assert_eq!(with(&new), new);
    }

    #[test]
    fn of_a_file_that_was_changed_since_only_the_entry_goes(file in settings(), is_member in any::<bool>()) {
        let changed = if is_member {
            edited(&with(&file), "\"added\": [\"x\"]")
        } else {
            with(&file).replace("// c", "// another")
        };
        let Some(PriorState::Text(left)) = without(&changed, Some(&file)) else {
            return Err(TestCaseError::fail(changed));
        };
        let mut expected = read(&file);
        if is_member {
            expected["added"] = Json::from(vec!["x"]);
        }
        prop_assert_eq!(read(&left), expected, "{}", left);
        prop_assert_eq!(left.matches("c */").count(), file.matches("c */").count());
        prop_assert_eq!(left.matches("another").count() + left.matches("// c").count(), file.matches("// c").count());
    }

    #[test]
    fn without_a_backup_it_is_still_taken_out(file in settings()) {
        let Some(PriorState::Text(left)) = without(&with(&file), None) else {
            return Err(TestCaseError::fail(file));
        };
        prop_assert!(!is_installed(&left));
        prop_assert_eq!(with(&left).is_empty(), false);
    }
}
