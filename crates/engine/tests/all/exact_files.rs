//! The text of files stays byte for byte as it is, whatever command printed it.

use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Engine, History, Mode, Output, Settings, Vault};

const MODES: [Mode; 3] = [Mode::Lossless, Mode::Standard, Mode::Aggressive];

fn package() -> String {
    let dependency = |n: usize| format!("    \"package-{n}\": \"^{n}.2.0\"");
    let all: Vec<_> = (0..40).map(dependency).collect();
    format!("{{\n  \"name\": \"app\",\n  \"dependencies\": {{\n{}\n  }}\n}}\n", all.join(",\n"))
}

fn code() -> String {
    (0..60)
        .map(|n| format!("    self.assertEqual(parse(\"{n}\"), {n}, msg=\"case {n}\")\n"))
        .collect()
}

fn forwarded_text(text: &str, tool: &str, arguments: &str, mode: Mode) -> String {
    let settings = Settings { mode, ..Settings::default() };
    let output = Output { text, tool, arguments, call: None, is_error: false };
    Engine::new(&settings).compress(&output, &History::default()).text(text).to_owned()
}

#[test]
fn d6_a_file_that_a_shell_prints_is_exact_json_too() {
    for (tool, arguments) in [
        ("Bash", r#"{"command":"cat package.json"}"#),
        ("Bash", r#"{"command":"cd web && sed -n 1,200p package.json"}"#),
        ("Bash", r#"{"command":"head -n 50 package.json"}"#),
        ("Bash", r#"{"command":"tail -n +1 package.json | head -100"}"#),
        ("Bash", r#"{"command":"cat < package.json"}"#),
        ("Bash", r#"{"command":"cat package.json | awk 'NR>=1 && NR<=400'"}"#),
        ("Bash", r#"{"command":"gawk 'FNR<400' package.json"}"#),
        ("shell", r#"{"command":["bash","-lc","cat package.json"]}"#),
        ("exec_command", r#"{"cmd":"cat package.json"}"#),
        ("PowerShell", r#"{"command":"type package.json"}"#),
        ("PowerShell", r#"{"command":"Get-Content package.json"}"#),
        ("get_file_contents", r#"{"path":"package.json"}"#),
        ("mcp__github__get_file_contents", r#"{"path":"package.json"}"#),
    ] {
        for text in [package(), code()] {
            for mode in MODES {
                assert_eq!(
                    forwarded_text(&text, tool, arguments, mode),
                    text,
                    "{arguments} in {mode}"
                );
            }
        }
    }
}

#[test]
fn d6_logs_and_what_a_program_makes_of_a_file_are_not_exact() {
    let log: String = (0..60)
        .map(|n| format!("2026-03-25 16:00:{n:02} INFO request {n} served from the cache\n"))
        .collect();
    for (text, command) in [
        (&log, "cat app.log"),
        (&log, "tail -n 100 /var/log/syslog"),
        (&log, "grep -A 3 request app.log"),
        (&log, "cat app.log.1"),
        (&log, "tail -n 100 access_log"),
        (&package(), "jq . package.json"),
        (&package(), "curl -s localhost/package"),
    ] {
        let arguments = serde_json::json!({ "command": command }).to_string();
        assert_ne!(&forwarded_text(text, "Bash", &arguments, Mode::Lossless), text, "{command}");
    }
}

#[test]
fn d81_code_around_matches_is_exact() {
    let text: String = (0..60)
        .map(|n| {
            let sign = if n % 5 == 2 { ':' } else { '-' };
            format!("src/cases.py{sign}{n}{sign}    self.assertEqual(parse(\"{n}\"), {n}, msg=\"case {n}\")\n")
        })
        .collect();
    for (tool, arguments) in [
        ("Bash", r#"{"command":"grep -n -A 3 assert src/cases.py"}"#),
        ("Bash", r#"{"command":"grep -rnC2 assert src"}"#),
        ("Bash", r#"{"command":"grep -B5 assert src/cases.py | head -40"}"#),
        ("Bash", r#"{"command":"rg --context=2 assert"}"#),
        ("Bash", r#"{"command":"git grep -3 assert"}"#),
        ("Bash", r#"{"command":"cat src/cases.py | grep -A 2 assert"}"#),
        ("Grep", r#"{"pattern":"assert","output_mode":"content","-C":2}"#),
        ("grep_search", r#"{"pattern":"assert","context":3}"#),
    ] {
        for mode in MODES {
            assert_eq!(forwarded_text(&text, tool, arguments, mode), text, "{arguments} in {mode}");
        }
    }
    let plain = r#"{"command":"grep -rn assert src"}"#;
    assert_ne!(forwarded_text(&text, "Bash", plain, Mode::Lossless), text);
}

#[test]
fn d6_what_stands_in_a_file_like_line_numbers_is_not_thinned() {
    let text: String = (1..=40).map(|n| format!("{n}: value of the entry {n}\n")).collect();
    for command in
        ["awk 'NR<=40' codes.yaml", "bat codes.yaml", "bat -p codes.yaml", "cat codes.yaml"]
    {
        let arguments = serde_json::json!({ "command": command }).to_string();
        assert_eq!(forwarded_text(&text, "Bash", &arguments, Mode::Lossless), text, "{command}");
    }
}

/// The same where all that is left out can be fetched back, within a limit of the caller's own if there is one.
fn reversibly_forwarded(text: &str, tool: &str, arguments: &str, limit: Option<usize>) -> String {
    let (key, settings) = (
        ReferenceSecret::from_bytes([7; 32]),
        Settings { max_output_bytes: limit, ..Settings::default() },
    );
    let output = Output { text, tool, arguments, call: None, is_error: false };
    let engine = Engine::new(&settings).with_vault(Vault::for_reader(&key));
    engine.compress(&output, &History::default()).text(text).to_owned()
}

fn long_code(line_start: impl Fn(usize) -> String) -> String {
    let line = |n: usize| {
        format!(
            "{}    let value_{:x} = compute({n});\n",
            line_start(n),
            n.wrapping_mul(2_654_435_761) % 99_991
        )
    };
    (1..2_500).map(line).collect()
}

/// A diff of at least 70 KB.
fn long_diff() -> String {
    let hunk = |n: usize| {
        format!("@@ -{n},1 +{n},1 @@\n-old line {n} of it\n+new line {} of it\n", n * 31)
    };
    let hunks: String = (1..1_800).map(hunk).collect();
    format!(
        "diff --git a/src/a.rs b/src/a.rs\nindex 1a2b3c4..5d6e7f8 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n{hunks}"
    )
}

fn notebook() -> String {
    let cell = |n: usize| {
        format!(
            "  {{\n   \"cell_type\": \"code\",\n   \"source\": [\"x{n} = {}\"]\n  }}",
            n * 7_919
        )
    };
    let cells: Vec<String> = (0..1_500).map(cell).collect();
    format!("{{\n \"cells\": [\n{}\n ],\n \"nbformat\": 4\n}}\n", cells.join(",\n"))
}

#[test]
fn f21_file_text_and_diffs_are_not_capped_unasked() {
    let (code, numbered) = (long_code(|_| String::new()), long_code(|n| format!("{n:6}\t")));
    let (diff, notebook) = (long_diff(), notebook());
    let commit = format!("commit 1a2b3c4\nAuthor: A <a@b.c>\n\n    Do it\n\n{diff}");
    for (text, tool, arguments) in [
        (&code, "Read", r#"{"file_path":"a.rs"}"#),
        (&code, "Bash", r#"{"command":"cat a.rs"}"#),
        (&code, "Bash", r#"{"command":"sed -n 1,2500p a.rs"}"#),
        (&numbered, "Bash", r#"{"command":"nl a.rs"}"#),
        (&diff, "Bash", r#"{"command":"git diff"}"#),
        (&commit, "Bash", r#"{"command":"git show"}"#),
        (&diff, "get_diff", "{}"),
        (&notebook, "Bash", r#"{"command":"cat a.ipynb"}"#),
        (&notebook, "Read", r#"{"file_path":"a.ipynb"}"#),
    ] {
        assert!(text.len() > 70_000, "{arguments}: {}", text.len());
        let shown = reversibly_forwarded(text, tool, arguments, None);
        assert!(!shown.contains("[Forge left out "), "{arguments}: {}", shown.len());
        assert_eq!(tokenforge_engine::restore(&shown).as_deref(), Ok(text.as_str()), "{arguments}");
    }
}

#[test]
fn f21_a_limit_of_the_callers_own_caps_diffs_and_printed_files() {
    for (text, command) in [(long_code(|_| String::new()), "cat a.rs"), (long_diff(), "git diff")] {
        let arguments = serde_json::json!({ "command": command }).to_string();
        let shown = reversibly_forwarded(&text, "Bash", &arguments, Some(9_000));
        assert!(
            shown.len() < 9_500 && shown.contains("[Forge left out "),
            "{command}: {}",
            shown.len()
        );
    }
}

/// A file with two tokens in it.
fn file_with_secrets() -> String {
    let token = |last: &str| format!("{}a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7{last}", "ghp_");
    format!("{}first = {}\nsecond = {}\n", code(), token("R8"), token("S9"))
}

#[test]
fn f22_a_redacted_file_says_once_that_edits_must_not_quote_it() {
    let text = file_with_secrets();
    let noted = format!(
        "{}first = [REDACTED:github-token; edits must not quote lines with this mark]\nsecond = [REDACTED:github-token]\n",
        code()
    );
    let plain =
        format!("{}first = [REDACTED:github-token]\nsecond = [REDACTED:github-token]\n", code());
    for (tool, arguments, expected) in [
        ("Read", r#"{"file_path":"a.env"}"#, &noted),
        ("Bash", r#"{"command":"cat a.env"}"#, &noted),
        ("Bash", r#"{"command":"printenv"}"#, &plain),
    ] {
        for mode in [Mode::Safe, Mode::Standard, Mode::Aggressive] {
            let shown = forwarded_text(&text, tool, arguments, mode);
            let restored = tokenforge_engine::restore(&shown).unwrap();
            assert_eq!(&restored, expected, "{arguments} in {mode}");
            assert_eq!(
                forwarded_text(&shown, tool, arguments, mode),
                shown,
                "{arguments} in {mode}"
            );
        }
    }
}

#[test]
fn f22_line_numbers_of_a_redacted_file_stay() {
    let numbered: String = file_with_secrets()
        .lines()
        .enumerate()
        .map(|(n, line)| format!("{:6}\t{line}\n", n + 1))
        .collect();
    let shown = forwarded_text(&numbered, "Read", r#"{"file_path":"a.env"}"#, Mode::Standard);
    let restored = tokenforge_engine::restore(&shown).unwrap();
    assert_eq!(restored.lines().count(), numbered.lines().count());
    assert!(restored.ends_with("    62\tsecond = [REDACTED:github-token]\n"), "{restored}");
}
