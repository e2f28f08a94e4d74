//! `tokenforge filter`, seen from a shell.

use crate::kit::{Folder, Run, run_in};

const FILTER: &str = r#"
name = "shout"
family = "mine"
verified = true

[match]
programs = ["shout"]

[[strip]]
say = "quiet line{s}"
lines = ['^quiet']

[[tests]]
command = "shout"
input = """
quiet as a mouse and twice as small
quiet as a mouse and twice as small
LOUD
"""
must_keep = ["LOUD"]
"#;

fn run(folder: &Folder, arguments: &[&str], stdin: &str) -> Run {
    run_in(
        &folder.path(""),
        &[("FORGE_DATA_DIR", "data"), ("FORGE_CONFIG_DIR", "config")],
        arguments,
        stdin,
    )
}

fn output() -> String {
    (0..30).map(|n| format!("quiet and of no use to anybody {n}\n")).collect::<String>() + "LOUD\n"
}

fn is_filtered(folder: &Folder) -> bool {
    run(folder, &["compress", "--command", "shout"], &output()).stdout.contains("SHADOW")
}

#[test]
fn f16_every_built_in_filter_passes_its_own_tests() {
    let folder = Folder::new();
    let built_in = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/src/filters");
    let files = std::fs::read_dir(built_in).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|end| end == "toml"));
    let files: Vec<String> = files.map(|file| file.to_str().unwrap().to_owned()).collect();
    let arguments = ["filter", "test"].into_iter().chain(files.iter().map(String::as_str));
    let run = run(&folder, &arguments.collect::<Vec<_>>(), "");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let tests: usize = run.stdout.split(' ').next().unwrap().parse().unwrap();
    assert!(tests >= 50, "{tests} tests");
}

#[test]
fn the_list_says_which_filters_were_verified_on_real_output() {
    let folder = Folder::new();
    let list = run(&folder, &["filter", "list"], "").stdout;
    assert!(list.contains("verified") && list.contains("cargo"), "{list}");
}

#[test]
fn ones_own_filters_are_used() {
    let folder = Folder::new();
    assert!(!is_filtered(&folder));
    std::fs::create_dir_all(folder.path("config/filters")).unwrap();
    folder.file("config/filters/shout.toml", FILTER);
    assert!(is_filtered(&folder));
}

#[test]
fn filters_of_a_project_are_used_once_trusted_and_no_longer_when_they_change() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path(".tokenforge/filters")).unwrap();
    folder.file(".tokenforge/filters/shout.toml", FILTER);
    assert!(!is_filtered(&folder));
    assert_eq!(run(&folder, &["filter", "trust"], "").code, 0);
    assert!(is_filtered(&folder));
    folder.file(".tokenforge/filters/shout.toml", FILTER.replace("quiet line{s}", "other line{s}"));
    assert!(!is_filtered(&folder));
}

#[test]
fn a_filter_with_an_unknown_key_is_an_error_that_names_file_and_key() {
    let folder = Folder::new();
    let file = folder.file("bad.toml", format!("colour = \"red\"\n{FILTER}"));
    let run = run(&folder, &["filter", "test", &file], "");
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("bad.toml") && run.stderr.contains("colour"), "{}", run.stderr);
}
