//! What a small model is given: plain text, every line number, and JSON as it is, or without the quotes around keys where
//! there are rows.

use tokenforge_engine::internals::json;
use tokenforge_engine::{
    DocumentKind, Engine, History, Mode, ModelClass, Output, Settings, restore,
};
use tokenforge_formats::Form;

fn forwarded_text(text: &str, tool: &str, arguments: &str, model_class: ModelClass) -> String {
    let settings = Settings { mode: Mode::Aggressive, model_class, ..Settings::default() };
    let output = Output { text, tool, arguments, call: None, is_error: false };
    Engine::new(&settings).compress(&output, &History::default()).text(text).to_owned()
}

fn rows() -> String {
    let rows: Vec<_> = (0..40).map(|n| format!("{{\"id\": {n}, \"name\": \"user{n}\"}}")).collect();
    format!("[{}]", rows.join(", "))
}

/// No rows, and much white space to take away.
fn pretty() -> String {
    let members: Vec<_> = (0..40).map(|n| format!("    \"key{n}\": \"value {n}\"")).collect();
    format!("{{\n  \"settings\": {{\n{}\n  }}\n}}\n", members.join(",\n"))
}

#[test]
fn decision_37_a_small_model_gets_rows_without_tables_and_all_else_as_it_is() {
    let json = rows();
    let flat: Vec<_> = (0..40).map(|n| format!("{{id:{n},name:\"user{n}\"}}")).collect();
    let json_lines = json[1..json.len() - 1].replace("}, ", "}\n");
    let embedded = format!("the answer of the server was\n{}\nand that is all", pretty());
    let log: String = (0..60)
        .map(|n| {
            format!(
                "2026-03-25 16:00:{n:02} INFO request {n} served from the cache of the worker\n"
            )
        })
        .collect();
    let files: String =
        (0..60).map(|n| format!("./crates/engine/src/part{}/file{n}.rs\n", n / 10)).collect();
    let file: String = (1..60).map(|n| format!("{n:6}\tlet value_{n} = compute({n});\n")).collect();
    for (text, tool, arguments, is_small) in [
        (&json, "list_users", "{}", Some(format!("[{}]", flat.join(",")))),
        (&pretty(), "get_settings", "{}", None),
        (&json_lines, "list_users", "{}", None),
        (&embedded, "Bash", r#"{"command":"./run"}"#, None),
        (&log, "Bash", r#"{"command":"./run"}"#, None),
        (&files, "Bash", r#"{"command":"find ."}"#, None),
        (&file, "Read", r#"{"file_path":"a.rs"}"#, None),
    ] {
        let small = forwarded_text(text, tool, arguments, ModelClass::Small);
        assert_eq!(small, is_small.unwrap_or_else(|| text.clone()));
        assert_ne!(forwarded_text(text, tool, arguments, ModelClass::Large), small);
    }
}

#[test]
fn decision_37_what_a_small_model_gets_of_rows_decodes_to_them() {
    let small = forwarded_text(&rows(), "list_users", "{}", ModelClass::Small);
    assert_eq!(restore(&small).unwrap(), json::minify(&rows()));
}

#[test]
fn decision_37_only_a_class_with_evidence_for_it_may_be_given_stc_without_tables() {
    let forms = |model_class, json_formats: &[Form], documents| {
        let json_formats = json_formats.to_vec();
        Settings { model_class, json_formats, ..Settings::default() }.json_forms_for(documents)
    };
    let (rows, other) = (DocumentKind::Rows, DocumentKind::Other);
    assert_eq!(forms(ModelClass::Small, Form::ALL, rows), [Form::StcFlat]);
    assert_eq!(forms(ModelClass::Small, Form::ALL, other), []);
    assert_eq!(forms(ModelClass::Small, &[Form::Json, Form::Toon], rows), [], "not asked for");
    for documents in [rows, other] {
        let large = forms(ModelClass::Large, Form::ALL, documents);
        assert_eq!(large, Settings::default().json_forms());
        assert!(large.len() == 5 && !large.contains(&Form::StcFlat), "{large:?}");
    }
}

#[test]
fn decision_37_json_whose_keys_keep_their_quotes_is_minified_json_and_stays_as_it_is() {
    let text = rows().replace("\"id\"", "\"the id\"").replace("\"name\"", "\"the name\"");
    assert_eq!(forwarded_text(&text, "list_users", "{}", ModelClass::Small), text);
}
