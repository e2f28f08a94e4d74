//! `tokenforge compress`, `expand` and `explain`, seen from a shell.

use crate::kit::{Folder, Run, failure, run_in, start};
use serde_json::Value;
use std::collections::HashSet;
use std::io::Write;

/// Forty test results, one of them a failure.
fn cargo_test() -> String {
    let passed: String = (0..40).map(|n| format!("test parser::case_{n:02} ... ok\n")).collect();
    format!(
        "running 41 tests\n{passed}test parser::broken ... FAILED\n\nfailures:\n\n---- parser::broken stdout ----\n\n\
         thread 'parser::broken' panicked at src/parser.rs:17:9:\nassertion `left == right` failed\n  left: 41\n right: 42\n\n\
         failures:\n    parser::broken\n\ntest result: FAILED. 40 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s\n"
    )
}

/// A folder with its own store and settings.
struct Home(Folder);

impl Home {
    fn new() -> Self {
        Home(Folder::new())
    }

    fn run(&self, arguments: &[&str], stdin: &str) -> Run {
        let home = self.0.path("");
        run_in(
            &home,
            &[("FORGE_DATA_DIR", "data"), ("FORGE_CONFIG_DIR", "config")],
            arguments,
            stdin,
        )
    }

    /// Standard output of a run that succeeds.
    fn out(&self, arguments: &[&str], stdin: &str) -> String {
        let run = self.run(arguments, stdin);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    }
}

fn reference(output: &str) -> &str {
    let line = output.lines().next().expect("a line");
    line.strip_prefix("<<<SHADOW:").and_then(|rest| rest.strip_suffix(">>>")).expect("a reference")
}

#[test]
fn c3_what_was_left_out_begins_with_a_reference_and_expands_to_the_original() {
    let home = Home::new();
    let text = cargo_test();
    let short = home.out(&["compress", "--command", "cargo test"], &text);
    assert!(short.len() < text.len() / 2, "{short}");
    assert_eq!(home.out(&["expand", reference(&short)], ""), text);
}

#[test]
fn c3_the_same_content_has_the_same_reference() {
    let home = Home::new();
    let arguments = ["compress", "--command", "cargo test"];
    assert_eq!(home.out(&arguments, &cargo_test()), home.out(&arguments, &cargo_test()));
}

#[test]
fn f16_a_failure_keeps_its_assertion_values_location_and_counts() {
    let short = Home::new().out(&["compress", "--command", "cargo test"], &cargo_test());
    for kept in
        ["left: 41", "right: 42", "src/parser.rs:17:9", "40 passed; 1 failed", "parser::broken"]
    {
        assert!(short.contains(kept), "{kept} is gone:\n{short}");
    }
    assert!(short.contains("left out 40 passed tests"), "{short}");
}

#[test]
fn d70_lossless_shows_rules_and_borders_as_a_terminal_does() {
    let rule = |left: &str, cross: &str, right: &str| {
        format!("{left}{}{cross}{}{right}\n", "─".repeat(30), "─".repeat(20))
    };
    let row = |(name, city): (&str, &str)| format!("│ {name:<28} │ {city:<18} │\n");
    let rows: String =
        [("Ada", "London"), ("Grace", "New York"), ("Linus", "Helsinki")].map(row).concat();
    let [top, middle, bottom] = [rule("┌", "┬", "┐"), rule("├", "┼", "┤"), rule("└", "┴", "┘")];
    let text = format!("{top}{}{middle}{rows}{bottom}", row(("Name", "City")));
    let out = Home::new().out(&["compress", "--mode", "lossless"], &text);
    let shown = |text: &str| -> String { text.chars().filter(|c| *c != ' ').collect() };
    assert!(out.len() < text.len(), "{out}");
    assert_eq!(shown(&out), shown(&text));
}

#[test]
fn an_expansion_can_be_a_range_of_lines_or_a_search() {
    let home = Home::new();
    let short = home.out(&["compress", "--command", "cargo test"], &cargo_test());
    let id = reference(&short);
    let lines = home.out(&["expand", id, "--lines", "2-3"], "");
    assert_eq!(lines, "test parser::case_00 ... ok\ntest parser::case_01 ... ok\n");
    let found = home.out(&["expand", id, "--grep", "case_3[89]"], "");
    assert_eq!(found, "40:test parser::case_38 ... ok\n41:test parser::case_39 ... ok\n");
}

#[test]
fn an_expansion_can_be_a_path_into_json() {
    let home = Home::new();
    let rows: Vec<String> = (0..400).map(|n| format!("{{\"id\": {n}}}")).collect();
    let text = format!("{{\"items\": [{}]}}", rows.join(", "));
    let short = home.out(&["compress", "--mode", "safe", "--max-output-bytes", "1000"], &text);
    let id = reference(&short);
    assert_eq!(home.out(&["expand", id, "--path", "items[200].id"], ""), "200");
    let run = home.run(&["expand", id, "--path", "items[0].name"], "");
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("no member `name` at `items[0]`; there are: id"), "{}", run.stderr);
}

#[test]
fn c7_an_unknown_reference_is_explained() {
    let home = Home::new();
    let short = home.out(&["compress", "--command", "cargo test"], &cargo_test());
    let other = Home::new();
    let run = other.run(&["expand", reference(&short)], "");
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("is not in the store"), "{}", run.stderr);
    let run = other.run(&["expand", "shadow_nonsense"], "");
    assert!(run.stderr.contains("not a reference"), "{}", run.stderr);
}

#[test]
fn f2_modes_are_named_and_an_unknown_one_lists_them() {
    let home = Home::new();
    let text = cargo_test();
    for mode in ["disabled", "observe"] {
        assert_eq!(home.out(&["compress", "--mode", mode], &text), text);
    }
    let run = home.run(&["compress", "--mode", "turbo"], &text);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("disabled, observe, safe, lossless, standard, aggressive"),
        "{}",
        run.stderr
    );
}

#[test]
fn f3_methods_are_named_and_only_aggressive_uses_them() {
    let home = Home::new();
    let text = "error: repeated dependency resolution failure in crate alpha\nnote: see the crate's manifest for details\n\
                error: repeated dependency resolution failure in crate beta\nwarning: unused variable\n\
                error: repeated dependency resolution failure in crate gamma of the other workspace\n"
        .repeat(3);
    for method in ["lzw", "repair", "auto"] {
        let arguments = ["compress", "--mode", "standard", "--method", method];
        assert!(!home.out(&arguments, &text).contains("Dictionary]"));
    }
    assert_eq!(home.run(&["compress", "--method", "zip"], "").code, 2);
}

#[test]
fn f6_secrets_are_removed_before_anything_is_stored() {
    let home = Home::new();
    let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let text = format!("token {key}\n{}", cargo_test());
    let short = home.out(&["compress", "--command", "cargo test"], &text);
    assert!(!short.contains(&key) && short.contains("[REDACTED:"), "{short}");
    assert!(!home.out(&["expand", reference(&short)], "").contains(&key));
}

#[test]
fn f8_a_long_output_is_capped_around_its_first_error() {
    let home = Home::new();
    let noise = |from: usize| -> String {
        (from..from + 400)
            .map(|n| format!("{:x} a line of its own\n", n * 2_654_435_761_usize))
            .collect()
    };
    let text = format!("{}error: the one that matters\n{}", noise(0), noise(1000));
    let capped = home.out(&["compress", "--mode", "safe", "--max-output-bytes", "2000"], &text);
    assert!(capped.len() < 2600, "{}", capped.len());
    assert!(capped.contains("error: the one that matters"), "{capped}");
    assert_eq!(home.out(&["expand", reference(&capped)], ""), text);
}

#[test]
fn g6_of_a_failed_call_only_passes_are_left_out() {
    let home = Home::new();
    let text = cargo_test();
    let short = home.out(&["compress", "--command", "cargo test", "--error"], &text);
    assert!(!short.contains("case_00"), "{short}");
    assert_eq!(home.out(&["expand", reference(&short)], ""), text);
    let kept =
        home.out(&["compress", "--command", "make deploy", "--error"], &text.replace("ok", "oh"));
    assert!(!kept.contains("SHADOW"), "{kept}");
}

#[test]
fn g10_the_text_of_a_file_stays_byte_for_byte() {
    let home = Home::new();
    let source: String = (0..60).map(|n| format!("    let value_{n} = {n};   \n\n\n\n")).collect();
    for tool in ["Read", "Edit", "Write", "read_file"] {
        assert_eq!(
            home.out(&["compress", "--tool", tool, "--mode", "aggressive"], &source),
            source
        );
    }
}

#[test]
fn g45_without_a_writable_home_nothing_is_left_out_and_the_output_still_comes() {
    let folder = Folder::new();
    let file = folder.file("file", "");
    let environment = [("FORGE_DATA_DIR", file.as_str()), ("FORGE_CONFIG_DIR", file.as_str())];
    let run = run_in(
        &folder.path(""),
        &environment,
        &["compress", "--command", "cargo test"],
        cargo_test(),
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("nothing is left out"), "{}", run.stderr);
    assert!(!run.stdout.contains("SHADOW"));
}

#[test]
fn l7_an_output_whose_original_cannot_be_stored_still_comes_whole() {
    let home = Home::new();
    std::fs::create_dir(home.0.path("data")).expect("a folder");
    for shard in 0..=u8::MAX {
        std::fs::write(home.0.path(&format!("data/{shard:02x}")), "").expect("a file in the way");
    }
    let text = home.out(&["compress", "--command", "cargo test"], &cargo_test());
    assert!(!text.contains("SHADOW") && text.contains("case_39"), "{text}");
}

#[test]
fn d62_l4_a_long_output_that_cannot_be_stored_comes_whole() {
    let folder = Folder::new();
    let file = folder.file("file", "");
    let lines: Vec<String> =
        (0..12_000_usize).map(|n| format!("{:x} a line of its own", n * 2_654_435_761)).collect();
    for mode in ["safe", "standard", "aggressive"] {
        let environment = [("FORGE_DATA_DIR", file.as_str()), ("FORGE_CONFIG_DIR", file.as_str())];
        let arguments = ["compress", "--mode", mode];
        let run = run_in(&folder.path(""), &environment, &arguments, lines.join("\n"));
        assert_eq!(run.code, 0, "{}", run.stderr);
        let shown: HashSet<&str> = run.stdout.split(|c: char| !c.is_alphanumeric()).collect();
        let mut words = lines.iter().filter_map(|line| line.split(' ').next());
        assert!(words.all(|word| shown.contains(word)), "{mode}");
    }
}

#[test]
fn d08_bytes_that_are_not_utf8_go_on_as_they_came_and_it_is_said() {
    let bytes = [b"caf\xe9 is open\n".as_slice(); 400].concat();
    for mode in ["safe", "lossless", "standard", "aggressive"] {
        let mut child = start(&["compress", "--mode", mode, "--stats"]);
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stdout == bytes, "{mode}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("byte 3 is not UTF-8") && told.contains("(not_utf8)"), "{told}");
    }
}

#[test]
fn d08_a_secret_among_bytes_that_are_not_utf8_does_not_go_on() {
    let secret = b"\xe9 ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\n";
    let told = failure(1, "compress", secret);
    assert!(told.contains("secret") && !told.contains("a1B2"), "{told}");
    let mut child = start(&["compress", "--keep-secrets"]);
    child.stdin.take().unwrap().write_all(secret).unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, secret);
}

#[test]
fn stats_say_what_was_saved_and_by_what() {
    let home = Home::new();
    let run =
        home.run(&["compress", "--command", "cargo test", "--stats", "--json"], &cargo_test());
    let stats: Value = serde_json::from_str(run.stderr.lines().next().unwrap()).unwrap();
    assert_eq!(stats["verdict"], "compressed");
    assert!(stats["strategies"].as_array().unwrap().contains(&"family".into()), "{stats}");
    assert!(stats["after_tokens"].as_u64() < stats["before_tokens"].as_u64());
}

#[test]
fn explain_shows_every_stage_and_both_sides() {
    let home = Home::new();
    let report = home.out(&["explain", "--command", "cargo test", "--diff"], &cargo_test());
    for part in ["family", "reversible", "applied", "nothing to do", "compressed", "left: 41"] {
        assert!(report.contains(part), "{part} is missing:\n{report}");
    }
    let json: Value =
        serde_json::from_str(&home.out(&["explain", "--json"], &cargo_test())).unwrap();
    assert!(json["steps"].as_array().unwrap().len() > 5);
}
