//! What holds for every command: help, exit codes, files, pipes, completions.

use crate::kit::{Folder, failure, out, run, run_with, start};
use std::io::{Read, Write};

const COMMANDS: [&str; 3] = ["encode", "decode", "tokens"];

#[test]
fn help_of_each_command_has_examples_and_is_a_success() {
    for command in COMMANDS.iter().chain(&["completions"]) {
        for help in
            [format!("{command} --help"), format!("{command} -h"), format!("help {command}")]
        {
            let text = out(&help, "");
            assert!(text.contains("Example"), "{help}: {text}");
            assert!(text.contains(&format!("Usage: tokenforge {command}")), "{help}: {text}");
        }
    }
    for command in COMMANDS {
        assert!(out(&format!("{command} --help"), "").contains("Examples:"), "{command}");
    }
}

#[test]
fn help_names_every_command_and_version_names_the_program() {
    let help = out("--help", "");
    for command in COMMANDS.iter().chain(&["completions"]) {
        assert!(help.contains(command), "{help}");
    }
    assert_eq!(out("--version", ""), concat!("tokenforge ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_usage_error_is_exit_code_2_and_says_what_is_possible() {
    for (arguments, possible) in [
        ("", "Usage: tokenforge"),
        ("press", "unrecognized subcommand 'press'"),
        ("encode --to yaml", "auto, toon, stc, table, json"),
        ("encode --spelling loose", "adr, dense, flat"),
        ("encode --delimiter ;", "comma, tab, pipe"),
        ("encode --numbers odd", "canonical, verbatim"),
        ("encode --indent 0", "1..=16"),
        ("encode a b", "unexpected argument 'b'"),
        ("encode --vocabulary o300k", "o200k"),
        ("decode --from yaml", "auto, toon, stc, table"),
        ("decode --indent 17", "1..=16"),
        ("decode --max-output=-1", "--max-output"),
        ("decode --max-output many", "--max-output"),
        ("tokens --bytes", "unexpected argument '--bytes'"),
        ("completions", "<SHELL>"),
        ("completions tcsh", "bash, elvish, fish, powershell, zsh"),
    ] {
        let error = failure(2, arguments, "[]");
        assert!(error.contains(possible), "{arguments}: {error}");
    }
}

#[test]
fn a_missing_file_is_exit_code_1_and_named() {
    let folder = Folder::new();
    let path = folder.path("not here.json").display().to_string();
    for command in COMMANDS {
        let run = run_with(&[command, &path], "");
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{command}");
        assert!(run.stderr.starts_with(&format!("tokenforge: {path}: ")), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
}

#[test]
fn a_folder_is_exit_code_1_and_named() {
    let folder = Folder::new();
    let path = folder.path("").display().to_string();
    for command in COMMANDS {
        let error = failure(1, &format!("{command} {path}"), "");
        assert!(error.starts_with(&format!("tokenforge: {path}: ")), "{error}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_an_error_with_the_place_of_the_first() {
    let folder = Folder::new();
    let path = folder.file("latin1", b"[\"caf\xe9\"]");
    for command in COMMANDS {
        let error = failure(1, &format!("{command} {path}"), "");
        let expected = "expected UTF-8, found other bytes at byte 5";
        assert_eq!(error, format!("tokenforge: {path}: {expected}\n"));
        let error = failure(1, command, b"[\"caf\xe9\"]");
        assert_eq!(error, format!("tokenforge: standard input: {expected}\n"));
    }
}

#[test]
fn a_file_name_with_spaces_and_a_leading_dash_can_be_given() {
    let folder = Folder::new();
    let path = folder.file("two words.json", "[1]");
    assert_eq!(run_with(&["encode", &path], "").stdout, "[1]\n");
    let error = run("encode -- -x", "").stderr;
    assert!(error.starts_with("tokenforge: -x: "), "{error}");
}

#[test]
fn completions_know_the_commands_in_every_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let script = out(&format!("completions {shell}"), "");
        for word in COMMANDS.iter().chain(&["max-output", "vocabulary"]) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

/// Larger than any pipe holds, so that the program is still writing when its reader leaves.
fn large() -> String {
    format!("[{}0]", "\"a string that is copied\",".repeat(100_000))
}

#[test]
fn d40_a_reader_that_is_gone_is_a_success_for_every_command_that_prints() {
    for command in [
        "config schema",
        "config table",
        "config show",
        "config check",
        "gain",
        "store stats",
        "filter list",
        "completions bash",
        "man",
        "tokens README.md",
        "--help",
    ] {
        let mut child = start(&command.split(' ').collect::<Vec<_>>());
        drop(child.stdout.take());
        drop(child.stdin.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(
            !stderr.contains("defect") && output.status.code() != Some(101),
            "{command}: {stderr}"
        );
    }
    // A pipe that takes some of it.
    for command in ["config schema", "config table"] {
        let mut child = start(&command.split(' ').collect::<Vec<_>>());
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 10]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{command}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_a_success() {
    for command in [&["encode", "--to", "json"][..], &["encode", "--to", "stc"], &["decode"]] {
        let mut child = start(command);
        child.stdin.take().unwrap().write_all(large().as_bytes()).unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 10]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{command:?}");
    }
}

#[test]
fn completions_for_a_reader_that_is_gone_do_not_panic() {
    for arguments in [&["completions", "bash"][..], &["tokens"], &["--help"]] {
        let mut child = start(arguments);
        drop(child.stdout.take());
        drop(child.stdin.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
    }
}

#[test]
fn a_large_document_goes_through_pipes_whole() {
    let json = large();
    assert_eq!(out("encode --to json", &json), json);
    assert_eq!(out("decode", &json), json);
}

#[test]
fn k11_a_document_nested_too_deep_is_an_error_and_not_a_crash() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    for command in ["encode", "decode --from stc"] {
        let error = failure(1, command, &deep);
        assert!(error.contains("at most 512 nested levels"), "{error}");
    }
}

#[test]
fn an_option_of_another_form_is_a_usage_error_and_not_ignored() {
    for arguments in [
        "encode --spelling dense",
        "encode --to stc --indent 4",
        "encode --to auto --numbers verbatim",
        "decode --from stc --lenient",
        "decode --from table --indent 4",
    ] {
        let run = run(arguments, "{}");
        assert_eq!((run.code, &*run.stdout), (2, ""), "{arguments}: {}", run.stderr);
    }
}

#[test]
fn an_option_that_only_toon_has_says_that_the_input_is_toon() {
    assert_eq!(run("decode --lenient", "a[3]: 1,2").stdout, "{\"a\":[1,2]}\n");
    assert_eq!(run("decode --indent 4", "a:\n    b: 1").stdout, "{\"a\":{\"b\":1}}\n");
}
