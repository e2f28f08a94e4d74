//! Manual pages.

use crate::kit::{Folder, failure, out, run_with};
use std::collections::BTreeSet;
use std::fs;

#[test]
fn the_page_of_the_program_names_its_commands() {
    let page = out("man", "");
    assert!(page.contains(r#".TH tokenforge 1  "tokenforge "#), "{page}");
    for command in ["encode", "serve", "mcp"] {
        assert!(page.contains(&format!(r"tokenforge\-{command}(1)")), "{command}: {page}");
    }
}

#[test]
fn the_page_of_a_command_has_its_options_and_examples() {
    let page = out("man mcp call", "");
    assert!(page.contains(".TH tokenforge-mcp-call 1"), "{page}");
    assert!(page.contains(r"\-\-format"), "{page}");
    assert!(out("man encode", "").contains("Examples:"));
}

#[test]
fn a_folder_gets_a_page_for_each_command_and_none_for_those_that_are_hidden() {
    let folder = Folder::new();
    let to = folder.path("share/man1");
    let run = run_with(&["man", "--folder", to.to_str().unwrap()], "");
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));

    let pages: BTreeSet<_> = fs::read_dir(&to)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for page in ["tokenforge.1", "tokenforge-serve.1", "tokenforge-mcp-call.1", "tokenforge-man.1"]
    {
        assert!(pages.contains(page), "{page}: {pages:?}");
    }
    assert!(!pages.iter().any(|page| page.contains("demo-tools") || page.contains("help")));
}

#[test]
fn a_command_that_does_not_exist_is_a_usage_error_that_names_those_that_do() {
    let error = failure(2, "man mcp press", "");
    assert!(error.contains("'tokenforge mcp' has no command 'press'"), "{error}");
    assert!(error.contains("call"), "{error}");
    failure(2, "man mcp --folder x", "");
}
