//! `tokenforge tools`: unused tools, off in agents' own settings, and on again.

#![cfg(unix)]

use crate::mcp::shell::Shell;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const SECRET: &str = "private-words-of-a-user";

fn said(shell: &Shell, words: &[&str]) -> String {
    let run = shell.run(&[&["tools"], words].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{words:?}\n{}", run.stdout);
    run.stdout
}

fn failed(shell: &Shell, words: &[&str]) -> String {
    let run = shell.run(&[&["tools"], words].concat());
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{words:?}\n{}", run.stderr);
    run.stderr
}

/// The names of all files in a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A ledger of one request of Claude Code, which called one of its tools.
fn with_ledger(shell: &Shell) {
    let tool = |name: &str, tokens: u64| json!({"name": name, "tokens": tokens});
    let declared =
        [tool("Bash", 900), tool("mcp__files__read", 300), tool("mcp__files__write", 500)];
    let entry = json!({
        "v": 1, "time": 1_794_744_000, "source": "gateway", "client": "claude-cli", "model": "claude-sonnet-4-5",
        "tools": {"list": "00000000000000aa", "declared": declared, "called": [0]},
        "usage": {"input": 1000, "cache_read": 0, "cache_write": 0, "output": 10},
    });
    shell.file("../data/savings/2026-11-15.0001.jsonl", &format!("{entry}\n"));
}

#[test]
fn u3_a_tool_is_switched_off_in_claude_codes_settings_and_every_byte_comes_back() {
    let shell = Shell::new();
    let text = format!(
        "{{\n    // mine\n    \"env\": {{\"K\": \"{SECRET}\"}}, \"permissions\" : {{\"allow\": [\"Bash(ls)\"]}},\n}}\n"
    );
    let file = shell.file("../home/.claude/settings.json", &text);
    let agent = ["--agent", "claude"];
    let dry = said(&shell, &[&["disable", "Workflow", "--dry-run"], &agent[..]].concat());
    assert!(dry.contains("\n+") && dry.contains("\"deny\": [\"Workflow\"]"), "{dry}");
    assert!(dry.ends_with("dry run: nothing was changed\n") && !dry.contains(SECRET), "{dry}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);

    let done = said(
        &shell,
        &[&["disable", "Workflow", "mcp__files__write", "--yes"], &agent[..]].concat(),
    );
    assert!(
        done.contains("undo: tokenforge tools enable Workflow mcp__files__write --agent claude\n"),
        "{done}"
    );
    let new = fs::read_to_string(&file).unwrap();
    assert!(new.contains("\"deny\": [\"mcp__files__write\",\"Workflow\"]"), "{new}");
    let again = said(&shell, &[&["disable", "Workflow", "--yes"], &agent[..]].concat());
    assert!(again.contains("nothing to change: Workflow is off already"), "{again}");
    let listed = said(&shell, &["list"]);
    assert!(listed.contains("Off in Claude Code") && listed.contains("Workflow"), "{listed}");

    let one = said(&shell, &[&["enable", "mcp__files__write", "--yes"], &agent[..]].concat());
    assert!(one.contains("wrote"), "{one}");
    let done = said(&shell, &[&["enable", "Workflow", "--yes"], &agent[..]].concat());
    assert!(done.contains("byte for byte"), "{done}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    assert_eq!(files(file.parent().unwrap()), ["settings.json"]);
}

#[test]
fn u3_the_hook_and_the_switches_are_undone_each_on_its_own() {
    let shell = Shell::new();
    let text = "{\"model\": \"opus\"}\n";
    let file = shell.file("../home/.claude/settings.json", text);
    let tools = |what: &str| said(&shell, &[what, "Workflow", "--agent", "claude", "--yes"]);
    let hook = |what: &str| assert_eq!(shell.run(&[what, "claude", "--yes"]).code, 0);
    for tools_first in [true, false] {
        hook("init");
        tools("disable");
        if tools_first {
            tools("enable");
            hook("uninit");
        } else {
            hook("uninit");
            tools("enable");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{tools_first}");
        let kept = files(file.parent().unwrap());
        assert!(kept.iter().all(|name| !name.contains("tools")), "{kept:?}");
    }
}

#[test]
fn u3_settings_that_were_not_there_are_made_and_removed() {
    let shell = Shell::new();
    let words = ["Workflow", "--agent", "claude", "--yes"];
    said(&shell, &[&["disable"], &words[..]].concat());
    let file = shell.folder.path("home/.claude/settings.json");
    let made: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(made, json!({"permissions": {"deny": ["Workflow"]}}));
    let done = said(&shell, &[&["enable"], &words[..]].concat());
    assert!(done.contains("removed"), "{done}");
    assert!(!file.exists() && !file.parent().unwrap().exists());
}

#[test]
fn u3_each_agent_has_the_setting_that_it_documents() {
    let shell = Shell::new();
    let codex =
        "# mine\n[mcp_servers.files]\ncommand = \"npx\"\n[mcp_servers.files.env]\nKEY = \"v\"\n";
    let gemini = "{\"mcpServers\": {\"files\": {\"command\": \"npx\"}}}\n";
    let opencode = "{\"mcp\": {\"files\": {\"type\": \"local\"}}}\n";
    for (agent, name, text, words, expected) in [
        (
            "codex",
            ".codex/config.toml",
            codex,
            &["mcp__files__write"][..],
            "disabled_tools = [\"write\"]\n",
        ),
        ("codex", ".codex/config.toml", codex, &["files", "--server"], "enabled = false\n"),
        (
            "gemini",
            ".gemini/settings.json",
            gemini,
            &["mcp_files_write"],
            "\"excludeTools\": [\"write\"]",
        ),
        (
            "gemini",
            ".gemini/settings.json",
            gemini,
            &["write_todos"],
            "\"tools\": {\"exclude\": [\"write_todos\"]}",
        ),
        (
            "gemini",
            ".gemini/settings.json",
            gemini,
            &["files", "--server"],
            "\"mcp\": {\"excluded\": [\"files\"]}",
        ),
        (
            "opencode",
            ".config/opencode/opencode.json",
            opencode,
            &["files_write"],
            "\"tools\": {\"files_write\": false}",
        ),
        (
            "opencode",
            ".config/opencode/opencode.json",
            opencode,
            &["files", "--server"],
            "\"enabled\": false",
        ),
        (
            "claude",
            ".claude/settings.json",
            "{}\n",
            &["files", "--server"],
            "\"deny\": [\"mcp__files\"]",
        ),
    ] {
        let file = shell.file(&format!("../home/{name}"), text);
        let words = [words, &["--agent", agent, "--yes"]].concat();
        said(&shell, &[&["disable"], &words[..]].concat());
        let new = fs::read_to_string(&file).unwrap();
        assert!(new.contains(expected), "{agent}: {new}");
        said(&shell, &[&["enable"], &words[..]].concat());
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{agent}");
    }
}

#[test]
fn u3_what_an_agent_does_not_document_is_said() {
    let shell = Shell::new();
    shell.file("../home/.config/opencode/opencode.json", "{\"permission\": {\"*\": \"ask\"}}\n");
    shell.file("../home/.codex/config.toml", "model = \"x\"\n");
    for (words, expected) in [
        (
            &["exec_command", "--agent", "codex"][..],
            "Codex documents no setting that switches off a tool of its own",
        ),
        (&["mcp__files__write", "--agent", "codex"], "there is no tool server `files` in it"),
        (&["bash", "--agent", "copilot"], "Copilot documents no setting that switches tools off"),
        (&["bash", "--agent", "vim"], "`vim` is none of claude, codex, gemini, opencode"),
        (&["bash", "--agent", "opencode"], "`permission` has a rule for all tools"),
        (&["bash"], "which agent?"),
    ] {
        let error = failed(&shell, &[&["disable", "--yes"], words].concat());
        assert!(error.contains(expected), "{words:?}: {error}");
    }
    shell.file("../home/.codex/config.toml", "model = \n");
    let error = failed(&shell, &["disable", "--yes", "mcp__files__write", "--agent", "codex"]);
    assert!(error.contains("config.toml") && error.contains("line 1"), "{error}");
}

#[test]
fn u2_unused_tools_are_listed_with_their_price_and_the_ledger_knows_the_agent() {
    let shell = Shell::new();
    with_ledger(&shell);
    let page = said(&shell, &["list"]);
    // 800 tokens at 3 dollars a million, and Claude bills 1.18 for each that is counted.
    for part in [
        "2 of 3 declared tools were never called: 800 of 1,700 tokens",
        "$0.0028",
        "mcp__files__write",
        "files",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let run = shell.run(&["gain"]);
    assert!(run.stdout.contains("2 of 3 declared tools were never called"), "{}", run.stdout);
    let listed: Value = serde_json::from_str(&said(&shell, &["list", "--json"])).unwrap();
    assert_eq!(listed["declarations"]["unused"][0]["tool"], "mcp__files__write");
    assert_eq!(listed["declarations"]["servers"][0]["unused"], 2);

    shell.file("../home/.claude/settings.json", "{}");
    let done = said(&shell, &["disable", "mcp__files__write", "--dry-run"]);
    assert!(done.contains("\"deny\": [\"mcp__files__write\"]"), "{done}");
    let done = said(&shell, &["disable", "--server", "files", "--json", "--yes"]);
    assert_eq!(serde_json::from_str::<Value>(&done).unwrap()["changed"], true);
}

#[test]
fn u2_without_a_list_of_tools_nothing_is_guessed() {
    let shell = Shell::new();
    let page = said(&shell, &["list"]);
    assert!(page.contains("The ledger has no list of tools yet"), "{page}");
}
