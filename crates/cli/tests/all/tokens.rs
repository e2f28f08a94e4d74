//! `tokenforge tokens`, seen from a shell.

use crate::kit::{Folder, failure, out};
use serde_json::{Value, json};

fn report(arguments: &str, stdin: &str) -> Value {
    let text = out(&format!("tokens --json {arguments}"), stdin);
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn json_has_the_total_and_each_file_with_its_bytes_and_tokens() {
    let folder = Folder::new();
    let (one, two) = (folder.file("one", "hello world"), folder.file("two", "héllo"));
    let two_tokens = report(&two, "")["total"].clone();
    let total = 2 + two_tokens.as_u64().unwrap();
    assert_eq!(
        report(&format!("{one} {two}"), ""),
        json!({"total": total, "files": [
            {"path": one, "bytes": 11, "tokens": 2},
            {"path": two, "bytes": 6, "tokens": two_tokens},
        ]})
    );
}

#[test]
fn standard_input_is_a_dash_or_the_default() {
    let expected = json!({"total": 2, "files": [{"path": "-", "bytes": 11, "tokens": 2}]});
    assert_eq!(report("", "hello world"), expected);
    assert_eq!(report("-", "hello world"), expected);
    let nothing = json!({"total": 0, "files": [{"path": "-", "bytes": 0, "tokens": 0}]});
    assert_eq!(report("", ""), nothing);
}

#[test]
fn people_get_a_table_with_a_total_where_there_are_several_files() {
    let folder = Folder::new();
    let (one, two) = (folder.file("one", "hello world"), folder.file("two", "a ".repeat(3000)));
    let table = out(&format!("tokens {one} {two}"), "");
    let cells: Vec<Vec<_>> = table.lines().map(|l| l.split_whitespace().collect()).collect();
    assert_eq!(cells[0], ["tokens", "bytes", "file"]);
    assert_eq!(cells[1], ["2", "11", one.as_str()]);
    assert_eq!(cells[2][1..], ["6,000", two.as_str()]);
    assert_eq!(cells[3][1..], ["6,011", "total"]);
    assert_eq!(out(&format!("tokens {one}"), "").lines().count(), 2);
}

#[test]
fn a_vocabulary_and_the_model_that_uses_it_count_the_same() {
    let text = "fn main() { println!(\"héllo 你好 {}\", 12345); }\n".repeat(3);
    for (vocabulary, model) in [("o200k_base", "gpt-4o"), ("cl100k", "gpt-4"), ("Qwen2", "qwen3")] {
        let named = report(&format!("--vocabulary {vocabulary}"), &text);
        assert_eq!(named, report(&format!("--model {model}"), &text), "{vocabulary}");
    }
    assert_eq!(report("", &text), report("--vocabulary o200k", &text));
    assert_ne!(report("", &text), report("--vocabulary qwen2", &text));
}

#[test]
fn an_unknown_vocabulary_is_a_usage_error_that_lists_the_known_ones() {
    let error = failure(2, "tokens --vocabulary o300k", "");
    for name in ["o300k", "--vocabulary", "o200k", "cl100k", "qwen2", "glm5", "deepseek_v4"] {
        assert!(error.contains(name), "{name} not in: {error}");
    }
}

#[test]
fn a_vocabulary_and_a_model_together_are_a_usage_error() {
    let error = failure(2, "tokens --vocabulary o200k --model gpt-4", "");
    assert!(error.contains("cannot be used with"), "{error}");
}

#[test]
fn one_missing_file_among_several_is_named_and_nothing_is_written() {
    let folder = Folder::new();
    let (here, gone) = (folder.file("here", "x"), folder.path("gone").display().to_string());
    let error = failure(1, &format!("tokens {here} {gone}"), "");
    assert!(error.starts_with(&format!("tokenforge: {gone}: ")), "{error}");
}

#[test]
fn text_that_looks_like_special_tokens_is_counted_as_text() {
    let total = report("", "<|endoftext|>")["total"].as_u64().unwrap();
    assert!(total > 1, "{total}");
}

#[test]
fn a_count_that_is_not_the_models_own_is_said_to_be_approximate() {
    let claude = crate::kit::run("tokens --model claude-sonnet-4-5 --json", "hello world");
    let note = "note: the tokenizer of claude-sonnet-4-5 is not public; counts are approximate, by o200k_base\n";
    assert_eq!((claude.code, &*claude.stderr), (0, note));
    assert_eq!(crate::kit::run("tokens --model gpt-4o --json", "hello world").stderr, "");
}
