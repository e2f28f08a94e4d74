//! The text of files stays byte for byte as it is, whatever command printed it.

use tokenforge_engine::{Engine, History, Mode, Output, Settings};

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
