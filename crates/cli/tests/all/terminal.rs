//! What a person sees: on 80 columns, in colour or not, as JSON, and where something is wrong.

use crate::kit::{Folder, Run, failure, finish, out, run, run_in};
use crate::mcp::shell::{Shell, program, variable};
use crate::serve::{Serving, question};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use tokenforge_mock::Mock;
use unicode_width::UnicodeWidthStr;

/// A user with recorded sessions, savings, filters, tool servers and texts of every kind.
struct User {
    shell: Shell,
    serving: Serving,
    _mock: Mock,
}

const COLUMNS: &str = "80";

impl User {
    fn new() -> Self {
        let (mock, mut shell) = (Mock::start(), Shell::new());
        let data = shell.folder.path("data").display().to_string();
        let arguments = ["--listen", "127.0.0.1:0", "--backend-url", &mock.url()];
        let serving = Serving::with(&arguments, &[("FORGE_DATA_DIR", &data)]);
        serving.send(&question(false));
        shell.listen = serving.url().trim_start_matches("http://").to_owned();
        shell.file("data.json", &rows());
        shell.file("build.log", &log());
        shell.file(
            "a/folder/whose/name/is/much/longer/than/a/terminal/is/wide/by/far/data.json",
            "[1]",
        );
        shell.file("session.jsonl", &session());
        shell.file("wrong.yaml", "lisen: 1\npipes: {tool_output: {mode: turbo}}\n");
        User { shell, serving, _mock: mock }
    }

    fn run(&self, line: &str, variables: &[(&str, &str)]) -> Run {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        self.shell.run_with(&arguments, variables)
    }
}

fn rows() -> String {
    let row = |n: u32| json!({"id": n, "name": format!("row {n}"), "nested": {"a": [n]}});
    serde_json::to_string_pretty(&(0..60).map(row).collect::<Vec<_>>()).unwrap()
}

fn log() -> String {
    let line = |n: u32| {
        format!(
            "2026-01-02T03:04:{:02} INFO service.handler request {n} took {n} ms, and this line goes on for longer than a terminal is wide\n",
            n % 60
        )
    };
    (0..200).map(line).collect()
}

/// A session of Claude Code with a tool of a long name.
fn session() -> String {
    let tool = "mcp__a_server_with_a_long_name__and_a_tool_with_a_longer_one";
    let lines = [
        json!({"type": "user", "sessionId": "s", "message": {"role": "user", "content": "look"}}),
        json!({"type": "assistant", "sessionId": "s", "message": {"id": "m1", "model": "claude-sonnet-4-5", "role": "assistant",
            "content": [{"type": "tool_use", "id": "t1", "name": tool, "input": {}}],
            "usage": {"input_tokens": 2_000_000, "output_tokens": 10}}}),
        json!({"type": "user", "sessionId": "s", "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": rows()}]}}),
        json!({"type": "assistant", "sessionId": "s", "message": {"id": "m2", "model": "claude-sonnet-4-5", "role": "assistant",
            "content": [{"type": "text", "text": "done"}],
            "usage": {"input_tokens": 2_000_000, "output_tokens": 10}}}),
    ];
    lines.map(|line| line.to_string()).join("\n")
}

/// Every command that prints for people.
const PRINTING: &[&str] = &[
    "demo --once",
    "gain",
    "gain --cost",
    "gain --by stage",
    "replay session.jsonl",
    "explain build.log",
    "explain --diff build.log",
    "encode --stats --to json data.json",
    "compress --stats --mode lossless data.json",
    "tokens data.json build.log a/folder/whose/name/is/much/longer/than/a/terminal/is/wide/by/far/data.json",
    "filter list",
    "filter test",
    "store stats",
    "config show",
    "config show --all",
    "config table",
    "config table --all",
    "config check",
    "doctor",
    "mcp list",
    "mcp call rows rows",
    "mcp wrap --dry-run .mcp.json",
    "init claude --dry-run",
    "uninit claude",
    "ready",
];

#[test]
fn every_line_for_people_fits_80_columns() {
    let user = User::new();
    let own = program();
    let add = ["mcp", "add", "rows", "--env", &variable(), "--", own[0], own[1], own[2]];
    let added = user.shell.run_with(&add, &[]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    let server = json!({"mcpServers": {"a": {"command": "x"}}});
    user.shell.file(".mcp.json", &serde_json::to_string_pretty(&server).unwrap());
    for line in PRINTING {
        let Run { code, stdout, stderr } = user.run(line, &[("COLUMNS", COLUMNS)]);
        assert_eq!(code, 0, "{line}\n{stdout}{stderr}");
        let is_text = line.starts_with("encode") || line.starts_with("compress");
        let shown = if is_text { stderr } else { stdout + &stderr };
        for shown in shown.lines() {
            // A path or an address is of no use in two pieces.
            let is_one_word = shown.trim().split(' ').any(|word| word.width() > 60);
            let is_diff = line.contains("--dry-run") && shown.starts_with(['+', '-', ' ']);
            let fits = shown.width() <= 80 || is_one_word || is_diff;
            assert!(fits, "{line}: {} columns\n{shown}", shown.width());
        }
    }
}

#[test]
fn a_wider_terminal_is_used() {
    let user = User::new();
    let long = "tokens a/folder/whose/name/is/much/longer/than/a/terminal/is/wide/by/far/data.json";
    let narrow = user.run(long, &[("COLUMNS", "80")]).stdout;
    let wide = user.run(long, &[("COLUMNS", "160")]).stdout;
    assert!(narrow.contains("…") && narrow.contains("/far/data.json"), "{narrow}");
    assert!(wide.contains("  a/folder/whose/name"), "{wide}");
}

/// Every command that prints for people, as JSON and with no other flag that is about it.
const AS_JSON: &[&str] = &[
    "demo",
    "gain",
    "replay session.jsonl",
    "explain build.log",
    "encode data.json",
    "compress --mode lossless data.json",
    "tokens data.json",
    "filter list",
    "filter test",
    "store stats",
    "store purge --yes",
    "config show",
    "config table",
    "config check",
    "doctor",
    "mcp list",
    "init claude --dry-run",
    "uninit claude",
    "ready",
    "dashboard",
];

#[test]
fn json_alone_is_one_document_on_standard_output() {
    let user = User::new();
    user.serving.wait_until_ready();
    for line in AS_JSON {
        let Run { code, stdout, stderr } = user.run(&format!("{line} --json"), &[]);
        assert_eq!(code, 0, "{line}\n{stdout}{stderr}");
        let document: Result<Value, _> = serde_json::from_str(&stdout);
        assert!(document.is_ok(), "{line}\n{stdout}");
    }
    let encoded: Value =
        serde_json::from_str(&user.run("encode --json --to json data.json", &[]).stdout).unwrap();
    assert!(encoded["text"].as_str().unwrap().starts_with("[{\"id\":0"), "{encoded}");
    assert_eq!(encoded["forms"][1]["form"], "json");
}

#[test]
fn colour_is_for_terminals_and_for_who_asks_for_it() {
    let is_coloured = |line: &str, variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tokenforge"));
        command.args(line.split(' ')).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command.envs(variables.iter().copied()).stdin(Stdio::piped());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let run = finish(child, "text");
        (run.stdout + &run.stderr).contains('\u{1b}')
    };
    for line in ["tokens", "--help", "gain --days 0"] {
        assert!(!is_coloured(line, &[]), "{line}: a pipe has no colours");
        assert!(is_coloured(line, &[("CLICOLOR_FORCE", "1")]), "{line}");
        assert!(is_coloured(&format!("--color always {line}"), &[]), "{line}");
        assert!(is_coloured(&format!("--color=always {line}"), &[("NO_COLOR", "1")]), "{line}");
        let both = [("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")];
        assert!(!is_coloured(line, &both), "{line}: NO_COLOR wins, as in other programs");
        assert!(!is_coloured(&format!("--color never {line}"), &both[1..]), "{line}");
    }
    let compress = "compress --mode lossless";
    assert!(!is_coloured(compress, &[("CLICOLOR_FORCE", "1")]), "what is for programs has none");
}

#[test]
fn a_port_that_is_taken_is_said_to_be_and_by_whom() {
    let gateway = Serving::with(&["--listen", "127.0.0.1:0"], &[]);
    let port = gateway.url().rsplit(':').next().unwrap().to_owned();
    let said = failure(1, &format!("serve --port {port}"), "");
    assert!(said.contains("a Tokenforge gateway (version "), "{said}");
    assert!(said.contains(&gateway.url()) && said.contains("tokenforge wrap claude"), "{said}");
    assert!(said.contains("tokenforge serve --port "), "{said}");

    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    std::thread::spawn(move || other.incoming().for_each(drop));
    let said = failure(1, &format!("serve --port {port}"), "");
    assert!(said.contains(&format!("port {port} is taken by another program")), "{said}");
    assert!(said.contains("tokenforge serve --port ") && said.contains("FORGE_LISTEN"), "{said}");
    let said = failure(1, &format!("demo --once --port {port}"), "");
    assert!(said.contains("tokenforge demo --port "), "{said}");
    let said = failure(1, &format!("ready --gateway http://127.0.0.1:{port}"), "");
    assert!(said.contains(&format!("http://127.0.0.1:{port}")), "{said}");
}

#[test]
fn ready_says_what_is_not() {
    let said = failure(1, "ready --gateway http://127.0.0.1:1", "");
    assert!(said.contains("nothing answers at http://127.0.0.1:1"), "{said}");
    assert!(said.contains("tokenforge serve"), "{said}");
    let mock = Mock::start();
    let said = failure(1, &format!("ready --gateway {}", mock.url()), "");
    assert!(said.contains("is not a Tokenforge gateway"), "{said}");
    let run = run("ready --json --gateway http://127.0.0.1:1", "");
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &document["ready"]), (1, &json!(false)));
}

#[test]
fn an_agent_that_a_command_cannot_help_with_is_told_what_can() {
    for (line, told) in [
        ("init codex", &["no hook", "tokenforge wrap codex", "tokenforge mcp wrap codex"][..]),
        ("init aider", &["tokenforge wrap aider"]),
        ("init cursor", &["tokenforge mcp wrap cursor"]),
        ("uninit gemini", &["tokenforge wrap gemini"]),
        ("wrap cursor", &["tokenforge mcp wrap cursor", "tokenforge serve", "https://"]),
        ("wrap vim", &["claude, codex, gemini", "--dialect"]),
        ("init vim", &["claude, opencode, pi"]),
    ] {
        let said = failure(2, line, "");
        for part in told {
            assert!(said.contains(part), "{line}: {part}\n{said}");
        }
    }
}

#[test]
fn config_check_lists_every_mistake_with_line_and_column() {
    let folder = Folder::new();
    let text = "lisen: 1\npipes:\n  tool_output:\n    mode: turbo\nstore: {original_ttl: soon}\n";
    let file = folder.file("tokenforge.yaml", text);
    let said = failure(1, &format!("config check {file}"), "");
    assert!(said.starts_with("tokenforge: 3 mistakes in the settings\n"), "{said}");
    for place in [":1:1: lisen: ", ":4:5: pipes.tool_output.mode: ", ":5:9: store.original_ttl: "] {
        assert!(said.contains(&format!("{file}{place}")), "{place}\n{said}");
    }
    let run = run(&format!("config check --json {file}"), "");
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, document["mistakes"].as_array().unwrap().len()), (1, 3));
    assert_eq!(document["mistakes"][1]["column"], 5);
    let said = failure(1, &format!("serve --config {file}"), "");
    assert!(said.contains("3 mistakes"), "{said}");
}

#[test]
fn explain_shows_the_result_first() {
    let text = out("explain --mode lossless --rows 3", log());
    let (first, rest) = text.split_once('\n').unwrap();
    assert!(first.contains(" -> ") && first.contains("% saved"), "{text}");
    let (seen, stages) = (rest.find("The model sees:"), rest.find("What each stage did:"));
    assert!(seen < stages && stages.is_some(), "{text}");
    assert!(!text.contains("Before and after:"), "{text}");
    let text = out("explain --mode lossless --rows 3 --diff", log());
    assert!(text.contains("Before and after:") && text.contains("--rows 0 shows all"), "{text}");
}

#[test]
fn completions_know_values() {
    for shell in ["bash", "zsh", "fish"] {
        let script = out(&format!("completions {shell}"), "");
        for value in ["aggressive", "opencode", "minify", "o200k_base", "verbatim"] {
            assert!(script.contains(value), "{shell}: {value}");
        }
        // What makes the script for fish knows values of options alone.
        assert!(shell == "fish" || script.contains("cursor"), "{shell}");
    }
}

#[test]
fn the_names_of_earlier_versions_are_still_understood() {
    let mock = Mock::start();
    let arguments = ["--listen", "127.0.0.1:0", "--backend-url", &mock.url()];
    for (flag, expected) in [("--mode", "lossless"), ("--tool-output-compression", "safe")] {
        let serving = Serving::with(&[&arguments[..], &[flag, expected]].concat(), &[]);
        let config = serving.get("/_forge/api/config").json();
        assert_eq!(config["pipes"]["tool_output"]["mode"], expected);
    }
    let folder = Folder::new();
    let shown = |name: &str| {
        run_in(Path::new(&folder.path("")), &[], &["config", "show"], "").stdout.contains(name)
    };
    assert!(shown("mode: standard") && !shown("cache_bytes"));
}

#[test]
fn every_help_fits_80_columns() {
    let commands = [
        "",
        "demo",
        "wrap",
        "doctor",
        "encode",
        "decode",
        "compress",
        "expand",
        "explain",
        "filter",
        "filter list",
        "replay",
        "serve",
        "dashboard",
        "ready",
        "gain",
        "config",
        "config check",
        "config show",
        "config table",
        "mcp",
        "mcp stdio",
        "mcp add",
        "mcp call",
        "mcp wrap",
        "init",
        "uninit",
        "hook",
        "tokens",
        "store",
        "store purge",
        "completions",
        "man",
    ];
    for command in commands {
        let arguments: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let mut child = Command::new(env!("CARGO_BIN_EXE_tokenforge"));
        child.args(&arguments).env("COLUMNS", COLUMNS).stdin(Stdio::piped());
        let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let help = finish(child, "").stdout;
        for line in help.lines() {
            assert!(line.width() <= 80, "{command}: {line}");
        }
    }
}
