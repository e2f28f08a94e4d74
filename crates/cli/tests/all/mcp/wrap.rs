//! `tokenforge mcp wrap` and `unwrap`: clients' files, and back.

use super::shell::{Shell, program, variable};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

const KEY: &str = "private-words-of-a-user";

/// A project's file, as a person writes it.
fn file() -> String {
    format!(
        r#"{{
    // what we use
    "mcpServers": {{
        "files":  {{ "command": "npx", "args": ["-y", "server"], "env": {{ "TOKEN": "{KEY}" }} }},
        "far": {{ "type": "http", "url": "https://far.example/mcp" }}, // not ours
    }}
}}
"#
    )
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn backup(path: &Path) -> std::path::PathBuf {
    path.with_file_name(format!("{}.tokenforge-backup", path.file_name().unwrap().display()))
}

#[test]
fn a_client_s_file_is_wrapped_and_restored_byte_for_byte() {
    let shell = Shell::new();
    let path = shell.file(".mcp.json", &file());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let said = shell.mcp(&["wrap", "claude", "--yes"]);
    assert!(said.starts_with(".mcp.json\n  files: goes behind Tokenforge\n  far: left alone; the gateway has no server"), "{said}");
    assert!(
        said.contains("\n-        \"files\":") && said.contains("\n+        \"files\":"),
        "{said}"
    );
    assert!(!said.contains(KEY), "{said}");
    let program = env!("CARGO_BIN_EXE_tokenforge");
    let expected = file()
        .replace("\"npx\"", &json!(program).to_string())
        .replace("[\"-y\"", "[\"mcp\", \"stdio\", \"--\", \"npx\", \"-y\"");
    assert_eq!(text(&path), expected);
    assert_eq!(text(&backup(&path)), file());
    for path in [&path, &backup(&path)] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o640);
    }
    let again = shell.mcp(&["wrap", "claude", "--yes"]);
    assert!(again.contains("files: left alone; it is behind Tokenforge already"), "{again}");
    assert!(again.ends_with("nothing to change\n"), "{again}");
    assert_eq!(text(&path), expected);
    let said = shell.mcp(&["unwrap", "claude", "--yes"]);
    assert!(said.ends_with("restored .mcp.json, byte for byte\n"), "{said}");
    assert_eq!(text(&path), file());
    assert!(!backup(&path).exists());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn nothing_is_written_unless_that_is_meant() {
    let shell = Shell::new();
    let path = shell.file(".cursor/mcp.json", &file());
    let said = shell.mcp(&["wrap", "cursor", "--dry-run"]);
    assert!(
        said.contains("+++ .cursor/mcp.json") && said.ends_with("dry run: nothing was changed\n"),
        "{said}"
    );
    let run = shell.run(&["mcp", "wrap", "cursor"]);
    assert_eq!(run.code, 1);
    assert_eq!(
        run.stderr,
        "tokenforge: this changes this file; add --yes to do it without asking\n"
    );
    assert!(run.stdout.contains("+++ .cursor/mcp.json"), "{}", run.stdout);
    assert_eq!(text(&path), file());
    assert!(!backup(&path).exists());
}

#[test]
fn what_a_person_changed_since_stays() {
    let shell = Shell::new();
    let path = shell.file("mcp.json", &file());
    shell.mcp(&["wrap", "mcp.json", "--yes"]);
    let edit = |text: &str| text.replace("// not ours", "// theirs");
    fs::write(&path, edit(&text(&path))).unwrap();
    let said = shell.mcp(&["unwrap", "mcp.json", "--yes"]);
    assert!(
        said.contains("mcp.json was edited since it was wrapped: only the entries above"),
        "{said}"
    );
    assert_eq!(text(&path), edit(&file()));
    assert_eq!(text(&backup(&path)), file(), "and nothing is lost");
}

#[test]
fn a_server_that_is_added_later_is_wrapped_and_unwrapped_with_the_others() {
    let shell = Shell::new();
    let path = shell.file("mcp.json", &file());
    shell.mcp(&["wrap", "mcp.json", "--yes"]);
    let edit =
        |text: &str| text.replace("\"far\":", "\"late\": {\"command\": \"late\"},\n\"far\":");
    fs::write(&path, edit(&text(&path))).unwrap();
    let said = shell.mcp(&["wrap", "mcp.json", "--yes"]);
    assert!(said.contains("late: goes behind") && said.contains("files: left alone"), "{said}");
    let said = shell.mcp(&["unwrap", "mcp.json", "--yes"]);
    assert!(said.ends_with("restored mcp.json, byte for byte\n"), "{said}");
    assert_eq!(text(&path), edit(&file()));
}

#[test]
fn a_link_stays_a_link() {
    let shell = Shell::new();
    let real = shell.file("dotfiles/mcp.json", &file());
    let link = shell.folder.path("project/mcp.json");
    symlink("dotfiles/mcp.json", &link).unwrap();
    shell.mcp(&["wrap", "mcp.json", "--yes"]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(text(&real).contains("stdio"));
    assert!(backup(&real).exists() && !backup(&link).exists());
    shell.mcp(&["unwrap", "mcp.json", "--yes"]);
    assert_eq!(text(&real), file());
}

#[test]
fn an_address_goes_through_the_gateway_that_has_it() {
    let shell = Shell::new();
    let path = shell
        .file(".vscode/mcp.json", r#"{"servers": {"far": {"url": "https://far.example/mcp"}}}"#);
    shell.mcp(&["add", "distant", "--url", "https://far.example/mcp"]);
    shell.mcp(&["wrap", "vscode", "--yes"]);
    assert_eq!(text(&path), r#"{"servers": {"far": {"url": "http://127.0.0.1:1/mcp/distant"}}}"#);
    let edited = text(&path).replace("\"servers\"", "\"inputs\": [], \"servers\"");
    fs::write(&path, edited).unwrap();
    shell.mcp(&["unwrap", "vscode", "--yes"]);
    assert_eq!(
        text(&path),
        r#"{"inputs": [], "servers": {"far": {"url": "https://far.example/mcp"}}}"#
    );
}

#[test]
fn codex_s_file_is_toml() {
    let shell = Shell::new();
    let file = "[mcp_servers.files]\ncommand = \"npx\" # mine\n";
    let path = shell.file(".codex/config.toml", file);
    shell.mcp(&["wrap", "codex", "--yes"]);
    assert!(
        text(&path).contains("\nargs = [\"mcp\", \"stdio\", \"--\", \"npx\"] # mine\n"),
        "{}",
        text(&path)
    );
    shell.mcp(&["unwrap", "codex", "--yes"]);
    assert_eq!(text(&path), file);
}

#[test]
fn mistakes_are_said() {
    let shell = Shell::new();
    let said = shell.fail(&["wrap", "claude"]);
    assert!(
        said.contains("claude has no settings with tool servers: there is no .mcp.json and no "),
        "{said}"
    );
    let said = shell.fail(&["wrap", "nothing.json"]);
    assert!(said.contains("nothing.json` is neither a file nor one of claude, cursor"), "{said}");
    shell.file("bad.json", "{\n  \"mcpServers\": nothing}");
    let said = shell.fail(&["wrap", "bad.json", "--yes"]);
    assert!(said.contains("bad.json: line 2, column 17: expected a value"), "{said}");
    shell.file("other.json", "{}");
    let said = shell.mcp(&["unwrap", "other.json", "--yes"]);
    assert_eq!(said, "other.json\n  no tool server behind Tokenforge\nnothing to change\n");
}

#[test]
fn what_the_file_says_afterwards_runs() {
    let shell = Shell::new();
    let entry = json!({"mcp": {"shop": {"type": "local", "command": program()}}});
    let path = shell.file("opencode.json", &entry.to_string());
    shell.mcp(&["wrap", "opencode", "--yes"]);
    let entry: Value = serde_json::from_str(&text(&path)).unwrap();
    let words = entry["mcp"]["shop"]["command"].as_array().unwrap();
    let words: Vec<&str> = words.iter().map(|word| word.as_str().unwrap()).collect();
    let (name, value) =
        variable().split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let mut child = Command::new(words[0])
        .args(&words[1..])
        .env(name, value)
        .env("FORGE_DATA_DIR", shell.folder.path("data"))
        .current_dir(shell.folder.path("project"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(
        stdin,
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"rows","_meta":{{"io.modelcontextprotocol/clientInfo":{{"name":"opencode","version":"1"}}}}}}}}"#
    )
    .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert!(
        answer["result"]["_meta"]["dev.tokenforge/result"]["tokens_saved"].as_i64() > Some(0),
        "{line}"
    );
    drop(stdin);
    assert!(child.wait().unwrap().success());
}
