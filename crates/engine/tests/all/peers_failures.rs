//! What other tools lose, and these filters keep.

use tokenforge_engine::filter::{FamilyFilter, FilterSet, Invocation};

/// The filter for a command, and what it leaves of an output.
fn run(command: &str, output: &str) -> (Option<&'static str>, String) {
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    let (program, args) = words.split_first().unwrap();
    let subcommand = args.iter().find(|argument| !argument.starts_with('-')).map(String::as_str);
    let filter = FilterSet::builtin().find(Some(&Invocation { program, subcommand, args }), output);
    let text = filter
        .and_then(|filter| filter.apply(output))
        .map_or(output.to_owned(), |filtered| filtered.text);
    (filter.map(FamilyFilter::name), text)
}

#[test]
fn git_log_oneline_is_not_emptied() {
    let log =
        "778a5cd fix status page\n5ec11b7 Add VAT\n406edcb Note 12 in the readme\n".repeat(60);
    for command in ["git log --oneline -180", "git log --format=%h%x20%s", "git log", "git reflog"]
    {
        assert_eq!(run(command, &log), (Some("git"), log.clone()), "{command}");
    }
}

#[test]
fn git_status_with_staged_files_is_not_called_clean() {
    let status = "On branch main\nYour branch is up to date with 'origin/main'.\n\nChanges to be committed:\n  (use \"git restore --staged <file>...\" to unstage)\n\tnew file:   docs/guide.md\n\tmodified:   src/stock.py\n\nChanges not staged for commit:\n  (use \"git add <file>...\" to update what will be committed)\n  (use \"git restore <file>...\" to discard changes in working directory)\n\tmodified:   src/cart.py\n\n";
    let (filter, text) = run("git status", status);
    assert_eq!(filter, Some("git-status"));
    assert_eq!(
        text,
        "On branch main\nYour branch is up to date with 'origin/main'.\n\nChanges to be committed:\n[Forge left out 3 hint lines, here and below]\n\tnew file:   docs/guide.md\n\tmodified:   src/stock.py\n\nChanges not staged for commit:\n\tmodified:   src/cart.py\n\n"
    );
    let short = "M  src/stock.py\nA  docs/guide.md\n";
    assert_eq!(run("git status --short", short).1, short);
}

#[test]
fn git_commit_with_status_in_its_message_is_a_commit() {
    let commit = "[main 778a5cd] fix status page\n 4 files changed, 3 insertions(+), 1 deletion(-)\n create mode 100644 docs/guide.md\n";
    assert_eq!(run("git commit -am 'fix status page'", commit).1, commit);
}

#[test]
fn diff_hunks_are_untouched() {
    let diff = "diff --git a/src/stock.py b/src/stock.py\nindex e89b317..efe6d01 100644\n--- a/src/stock.py\n+++ b/src/stock.py\n@@ -1,3 +1,3 @@\n def stock():\n-    return 1\n+    return 2\n test tests::empty ... ok\n".repeat(15);
    for command in
        ["git diff", "git show HEAD", "git log -p -3", "git stash show -p", "git status -vv"]
    {
        assert_eq!(run(command, &diff).1, diff, "{command}");
    }
}

#[test]
fn cargo_assertion_values_survive() {
    let log = "running 2 tests\ntest tests::one ... ok\ntest tests::vat ... FAILED\n\nfailures:\n\n---- tests::vat stdout ----\n\nthread 'tests::vat' panicked at src/lib.rs:15:56:\nassertion `left == right` failed: German VAT\n  left: 17.0\n right: 19.0\n\nfailures:\n    tests::vat\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.08s\n";
    let passes = "test tests::error_is_shown ... ok\n".repeat(50);
    let log = log.replace("test tests::one ... ok\n", &passes);
    let (_, text) = run("cargo test", &log);
    assert_eq!(text, log.replace(&passes, "[Forge left out 50 passed tests]\n"));
}

#[test]
fn pytest_assertion_values_survive() {
    let log = "=================================== FAILURES ===================================\n______________________________ test_vat[100-19.0] ______________________________\n\nnet = 100, expected = 19.0\n\n    @pytest.mark.parametrize(\"net, expected\", [(0, 0), (100, 19.0), (200, 38.0)])\n    def test_vat(net, expected):\n        got = vat(net)\n>       assert got == expected\nE       assert 17.0 == 19.0\n\ntests/test_shop.py:7: AssertionError\n=========================== short test summary info ============================\nFAILED tests/test_shop.py::test_vat[100-19.0] - assert 17.0 == 19.0\n========================= 1 failed, 2 passed in 0.08s ==========================\n";
    let (_, text) = run("pytest", log);
    for kept in [
        "test_vat[100-19.0]",
        "net = 100",
        "E       assert 17.0 == 19.0",
        "tests/test_shop.py:7",
        "1 failed, 2 passed",
    ] {
        assert!(text.contains(kept), "{kept} in {text}");
    }
}

#[test]
fn f19_a_failing_tests_own_source_stays() {
    let frame = |name: &str, lines: &str| format!("{name}\n\n{lines}E       assert 1 == 2\n\n");
    let own = "    def test_ships(till):\n        order = till.open(\"A-17\")\n        order.add(\"tea\", 3)\n>       till.ship(order)\n";
    let deeper = "    def ship(self, order):\n        for line in order.lines:\n            self.stock.take(line)\n        self.log(order)\n>       assert 1 == 2\n";
    let failure = |n: usize| {
        let title = format!(
            "______________________________ test_ships_{n} _______________________________"
        );
        format!(
            "{}tests/test_till.py:{n}: \n_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ \n{}shop/till.py:8: AssertionError\n",
            frame(&title, own),
            frame("", deeper)
        )
    };
    let failures: String = (1..9).map(failure).collect();
    let log = format!(
        "=================================== FAILURES ===================================\n{failures}============================== 8 failed in 0.08s ===============================\n"
    );
    let (_, text) = run("pytest", &log);
    assert_eq!(text.matches("order = till.open(\"A-17\")").count(), 8, "{text}");
    assert_eq!(text.matches("shop/till.py:8: AssertionError").count(), 8, "{text}");
    assert!(!text.contains("self.stock.take(line)"), "{text}");
}

#[test]
fn npm_install_counts_survive() {
    let log = "npm http fetch GET 200 https://registry.npmjs.org/unpipe 1216ms (cache miss)\n"
        .repeat(90)
        + "npm http fetch GET 404 https://registry.npmjs.org/gone 12ms (cache miss)\nnpm warn deprecated request@2.88.2: request has been deprecated\n\nadded 91 packages, and audited 92 packages in 4s\n\n3 moderate severity vulnerabilities\n";
    let (_, text) = run("npm install --loglevel=http", &log);
    assert_eq!(
        text,
        "[Forge left out 90 http requests that succeeded]\nnpm http fetch GET 404 https://registry.npmjs.org/gone 12ms (cache miss)\nnpm warn deprecated request@2.88.2: request has been deprecated\n\nadded 91 packages, and audited 92 packages in 4s\n\n3 moderate severity vulnerabilities\n"
    );
}

#[test]
fn p10_ls_output_with_a_dockerfile_keeps_all_names() {
    let names = "Dockerfile\ndocker-compose.yml\nCargo.toml\npytest.ini\nsrc\n";
    assert_eq!(run("ls -1", names), (Some("listing"), names.to_owned()));
}

#[test]
fn p6_every_match_of_a_search_stays() {
    let hits: String = (1..=60)
        .map(|line| format!("src/lib.rs:{line}:test tests::case_{line} ... ok\n"))
        .collect();
    assert_eq!(run("rg -n ok", &hits).1, hits);
    let array = format!(
        "[{}]",
        (1..=60).map(|n| format!(r#"{{"file":"a.rs","line":{n}}}"#)).collect::<Vec<_>>().join(",")
    );
    assert!(FilterSet::builtin().find(None, &array).is_none());
}

#[test]
fn find_of_237_paths_keeps_them_all() {
    let paths: String = (0..237).map(|n| format!("./src/module_{n}/failed.rs\n")).collect();
    assert_eq!(run("find . -name '*.rs'", &paths).1, paths);
}

#[test]
fn text_of_files_is_never_filtered_even_if_it_looks_like_a_log() {
    let log = "running 3 tests\ntest a ... ok\ntest b ... ok\ntest c ... ok\n".repeat(20);
    for command in
        ["cat test.log", "head -20 test.log", "sed -n 1,80p test.log", "grep ok test.log"]
    {
        assert_eq!(run(command, &log).1, log, "{command}");
    }
}

#[test]
fn output_of_a_script_is_known_by_its_shape() {
    let log = "running 3 tests\ntest parse::empty ... ok\ntest parse::one ... ok\ntest parse::two ... ok\n";
    for command in ["./ci.sh", "make test", "just test", "docker compose run app ci"] {
        assert_eq!(run(command, log).0, Some("cargo"), "{command}");
    }
}

#[test]
fn crlf_and_a_missing_last_newline_survive() {
    let log = "running 3 tests\r\ntest parse::empty ... ok\r\ntest parse::one ... ok\r\ntest parse::two ... ok\r\n\r\ntest result: ok.";
    let (_, text) = run("cargo test", log);
    assert_eq!(text, "running 3 tests\r\n[Forge left out 3 passed tests]\n\r\ntest result: ok.");
}

#[test]
fn non_ascii_text_is_cut_nowhere() {
    let log = "commit abcdé\n".to_owned() + &"test größe::é ... ok\n".repeat(9);
    assert_eq!(run("cargo test", &log).1, "commit abcdé\n[Forge left out 9 passed tests]\n");
}
