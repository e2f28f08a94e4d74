//! What the built-in filters make of outputs that real tools printed: `dev/samples/outputs`.

use std::fs;
use std::path::PathBuf;

use tokenforge_engine::filter::{FamilyFilter, FilterSet, FilteredOutput, Invocation};

/// A recorded output and the command that printed it.
struct RecordedCommand {
    file: String,
    command: Option<String>,
    text: String,
}

impl RecordedCommand {
    fn all() -> Vec<Self> {
        let index: toml::Table = read_recording("index.toml").parse().unwrap();
        let output = |entry: &toml::Value| {
            let file = entry["file"].as_str().unwrap().to_owned();
            let command = entry.get("command").map(|command| command.as_str().unwrap().to_owned());
            Self { text: read_recording(&file), file, command }
        };
        index["output"].as_array().unwrap().iter().map(output).collect()
    }

    fn of(file: &str) -> Self {
        Self::all().into_iter().find(|output| output.file == file).unwrap()
    }

    /// The built-in filter for it; `npx` only finds the program.
    fn filter(&self) -> Option<&'static FamilyFilter> {
        let words: Vec<String> = self
            .command
            .iter()
            .flat_map(|command| command.split_whitespace())
            .filter(|word| *word != "npx")
            .map(str::to_owned)
            .collect();
        let Some((program, args)) = words.split_first() else {
            return FilterSet::builtin().find(None, &self.text);
        };
        let subcommand =
            args.iter().find(|argument| !argument.starts_with('-')).map(String::as_str);
        FilterSet::builtin().find(Some(&Invocation { program, subcommand, args }), &self.text)
    }

    fn filter_output(&self) -> Option<FilteredOutput> {
        self.filter().and_then(|filter| filter.apply(&self.text))
    }

    /// The filtered text has all of these, and fewer lines than the output had.
    fn assert_keeps(&self, needles: &[&str]) {
        let filtered = self.filter_output().unwrap();
        assert!(filtered.left_out_lines > 0, "{}", self.file);
        for needle in needles {
            assert!(self.text.contains(needle), "{needle:?} is not in {}", self.file);
            assert!(filtered.text.contains(needle), "{needle:?} is gone: {}", filtered.text);
        }
    }
}

fn read_recording(file: &str) -> String {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../dev/samples/outputs"));
    fs::read_to_string(folder.join(file)).unwrap()
}

#[test]
fn every_recording_is_listed_once() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../dev/samples/outputs");
    let mut on_disk: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".txt"))
        .collect();
    on_disk.sort();
    let mut listed: Vec<_> = RecordedCommand::all().into_iter().map(|output| output.file).collect();
    listed.sort();
    assert_eq!(on_disk, listed);
}

#[test]
fn filters_only_leave_lines_out_and_count_them() {
    for output in RecordedCommand::all() {
        let Some(filtered) = output.filter_output() else { continue };
        let notes = filtered.text.lines().filter(|line| line.starts_with("[Forge ")).count();
        assert!(filtered.text.len() < output.text.len(), "{}", output.file);
        assert_eq!(
            output.text.split_terminator('\n').count(),
            filtered.text.split_terminator('\n').count() - notes + filtered.left_out_lines,
            "{}",
            output.file
        );
    }
}

#[test]
fn what_a_file_tool_read_is_never_filtered() {
    for output in RecordedCommand::all().iter().filter(|output| output.command.is_none()) {
        assert_eq!(output.filter_output(), None, "{}", output.file);
    }
}

#[test]
fn every_output_of_a_failure_still_says_so() {
    for (file, needle) in [
        ("biome-check.txt", "Found 7 errors."),
        ("cargo-test-failing.txt", "test result: FAILED. "),
        ("docker-build-failing.txt", "exit code: 1"),
        ("docker-pull-error.txt", "manifest unknown"),
        ("eslint-stylish.txt", " problems ("),
        ("go-test-failing.txt", "FAIL\texample.com/ledger/money"),
        ("gradle-compile-error.txt", "error: ';' expected"),
        ("make-error.txt", "Error 1"),
        ("mvn-compile-error.txt", "Till.java:[1,155] ';' expected"),
        ("mypy-errors.txt", "Found 18 errors in 4 files"),
        ("npm-error-404.txt", "npm error code E404"),
        ("npm-install.txt", "6 vulnerabilities (1 moderate, 3 high, 2 critical)"),
        ("pip-install-conflict.txt", "No matching distribution found"),
        ("pnpm-error.txt", "ERR_PNPM_FETCH_404"),
        ("poetry-conflict.txt", "version solving failed"),
        ("psql-script.txt", "violates not-null constraint"),
        ("pytest-collection-error.txt", "No module named 'bank.ledger'"),
        ("rspec-load-error.txt", "1 error occurred outside of examples"),
        ("ruff-check.txt", "Found 45 errors."),
        ("terraform-apply-change.txt", "no such table: orders"),
        ("terraform-validate-error.txt", "An argument named \"inptu\" is not expected here"),
        ("tsc-errors.txt", "error TS2551: Property 'cuont' does not exist"),
        ("uv-conflict.txt", "requirements are unsatisfiable"),
        ("vitest-failing.txt", "Tests  3 failed | 24 passed"),
        ("yarn-error.txt", "Couldn't find package"),
    ] {
        let output = RecordedCommand::of(file);
        let text = output.filter_output().map_or(output.text, |filtered| filtered.text);
        assert!(text.contains(needle), "{needle:?} is not in {file}: {text}");
    }
}

#[test]
fn jest_assertion_values_survive() {
    RecordedCommand::of("jest-verbose.txt").assert_keeps(&[
        "Expected: 99\n    Received: 101",
        "-     \"cents\": 315,\n    +     \"cents\": 350,",
        "Expected substring: \"no item called cake\"\n    Received message:   \"no item called tea\"",
        "at Object.toBe (test/cart.test.js:14:79)",
        "Cannot find module '../src/not-there' from 'test/broken.test.js'",
        "○ skipped keeps items over a restart",
        "Tests:       3 failed, 1 skipped, 1 todo, 35 passed, 40 total",
    ]);
}

#[test]
fn jest_passes_are_counted() {
    let text = RecordedCommand::of("jest-passing.txt").filter_output().unwrap().text;
    assert!(text.starts_with("[Forge left out 10 test files that passed, here and below]\n"));
    assert!(text.contains("Tests:       23 passed, 23 total\n") && !text.contains('✓'), "{text}");
}

#[test]
fn jest_is_known_behind_npm_test() {
    let output = RecordedCommand::of("npm-test-jest.txt");
    assert_eq!(output.filter().map(FamilyFilter::name), Some("jest"));
    output.assert_keeps(&["Received: 101", "Tests:       3 failed"]);
}

#[test]
fn vitest_assertion_values_survive() {
    RecordedCommand::of("vitest-failing.txt").assert_keeps(&[
        "AssertionError: expected 101 to be 99",
        "- 99\n+ 101",
        "❯ vt/cart.spec.js:17:51",
        "-     \"cents\": 315,\n+     \"cents\": 350,",
        "❯ vt/broken.spec.js (0 test)",
    ]);
}

#[test]
fn go_test_failures_survive_with_values_and_places() {
    RecordedCommand::of("go-test-verbose.txt").assert_keeps(&[
        "=== RUN   TestFormat/0.05\n    money_test.go:21: formatting 5\n    money_test.go:23: Format(5) = \"0.5\"; want \"0.05\"",
        "    --- FAIL: TestFormat/0.05 (0.00s)",
        "--- SKIP: TestSlow (0.00s)",
        "got:\n3\nwant:\n4",
        "panic: runtime error: index out of range [0] with length 0",
        "/home/dev/ledger/money/money.go:18",
        "FAIL\texample.com/ledger/report",
    ]);
}

#[test]
fn go_test_packages_that_do_not_build_survive() {
    let output = RecordedCommand::of("go-test-many-packages.txt");
    output.assert_keeps(&[
        "broken/broken_test.go:5:39: undefined: undefinedName",
        "FAIL\texample.com/ledger/broken [build failed]",
    ]);
    let text = output.filter_output().unwrap().text;
    assert!(text.contains("\n[Forge left out 7 packages that passed]\n"), "{text}");
}

#[test]
fn maven_failures_survive() {
    RecordedCommand::of("mvn-test-failing.txt").assert_keeps(&[
        "java.lang.AssertionError: vat of 100 expected:<19> but was:<20>\n\tat shop.TillTest.vat(TillTest.java:7)",
        "TillTest.fails:8 NullPointer",
        "Tests run: 13, Failures: 1, Errors: 1, Skipped: 1",
        "BUILD FAILURE",
    ]);
}

#[test]
fn a_plan_keeps_every_change() {
    RecordedCommand::of("terraform-plan.txt").assert_keeps(&[
        "# terraform_data.service[\"worker\"] will be created",
        "+ replicas = 2",
        "Plan: 5 to add, 0 to change, 0 to destroy.",
    ]);
}
