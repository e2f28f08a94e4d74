//! `tokenforge init` and `uninit`: agents' own files, and back.

#![cfg(unix)]

use crate::mcp::shell::Shell;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const SECRET: &str = "private-words-of-a-user";

fn said(shell: &Shell, words: &[&str]) -> String {
    let run = shell.run(words);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{words:?}\n{}", run.stdout);
    run.stdout
}

/// Everything below a folder, with what is in it.
fn tree(folder: &Path) -> Vec<(PathBuf, Option<String>)> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).ok();
            if text.is_none() {
                left.push(path.clone());
            }
            found.push((path, text));
        }
    }
    found.sort();
    found
}

#[test]
fn settings_that_are_there_get_an_entry_and_are_restored_byte_for_byte() {
    let shell = Shell::new();
    let text = format!(
        "{{\n    // mine\n    \"env\": {{\"K\": \"{SECRET}\"}}, \"model\" : \"opus\",\n}}\n"
    );
    let file = shell.file("../home/.claude/settings.json", &text);
    let before = tree(&shell.folder.path("home"));
    let dry = said(&shell, &["init", "claude", "--dry-run"]);
    assert!(
        dry.contains("\n+    \"hooks\": {\"PostToolUse\": [{\"matcher\": \"Bash|Read|Grep|Glob|WebFetch|Task|Agent|mcp__.*\""),
        "{dry}"
    );
    assert!(dry.ends_with("dry run: nothing was changed\n") && !dry.contains(SECRET), "{dry}");
    assert_eq!(tree(&shell.folder.path("home")), before);
    let done = said(&shell, &["init", "claude", "--yes"]);
    assert!(done.contains("undo: tokenforge uninit claude\n"), "{done}");
    let doctor = shell.run_with(&["doctor"], &[("COLUMNS", "500")]).stdout;
    assert!(doctor.contains("settings.json: claude runs the hook"), "{doctor}");
    let new = fs::read_to_string(&file).unwrap();
    let command = format!("{} hook claude || true", env!("CARGO_BIN_EXE_tokenforge"));
    assert!(new.contains(&json!(command).to_string()), "{new}");
    assert!(said(&shell, &["init", "claude", "--yes"]).contains("has it already"));
    let done = said(&shell, &["uninit", "claude", "--yes"]);
    assert!(done.contains("restored") && done.contains("byte for byte"), "{done}");
    assert_eq!(tree(&shell.folder.path("home")), before);
    assert!(said(&shell, &["uninit", "claude", "--yes"]).contains("nothing to change"));
}

#[test]
fn files_that_were_not_there_are_gone_again_with_their_folders() {
    for client in ["claude", "opencode", "pi"] {
        for scope in ["--global", "--project"] {
            let shell = Shell::new();
            let roots = || [tree(&shell.folder.path("home")), tree(&shell.folder.path("project"))];
            let before = roots();
            said(&shell, &["init", client, scope, "--yes"]);
            let [home, project] = roots();
            let (with, without) =
                if scope == "--global" { (home, project) } else { (project, home) };
            assert!(!with.is_empty() && without.is_empty(), "{client} {scope}");
            said(&shell, &["init", client, scope, "--yes"]);
            said(&shell, &["uninit", client, scope, "--yes"]);
            assert_eq!(roots(), before, "{client} {scope}");
        }
    }
}

#[test]
fn of_settings_that_were_changed_since_only_the_entry_goes() {
    let shell = Shell::new();
    let file = shell.folder.path("project/.claude/settings.local.json");
    said(&shell, &["init", "claude", "--project", "--yes"]);
    let mut settings: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    settings["permissions"] = json!({"allow": ["Bash(ls)"]});
    fs::write(&file, serde_json::to_string_pretty(&settings).unwrap()).unwrap();
    said(&shell, &["uninit", "claude", "--project", "--yes"]);
    let left: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(left, json!({"permissions": {"allow": ["Bash(ls)"]}}));
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn what_was_kept_of_an_earlier_time_is_not_restored() {
    let shell = Shell::new();
    let file = shell.file(".claude/settings.local.json", "{\"first\": 1}");
    said(&shell, &["init", "claude", "--project", "--yes"]);
    let changed = fs::read_to_string(&file).unwrap().replace("first", "second");
    fs::write(&file, changed).unwrap();
    let done = said(&shell, &["uninit", "claude", "--project", "--yes"]);
    assert!(done.contains("was edited since"), "{done}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"second\": 1}");
    fs::write(&file, "{ \"third\": 1 }").unwrap();
    said(&shell, &["init", "claude", "--project", "--yes"]);
    let done = said(&shell, &["uninit", "claude", "--project", "--yes"]);
    assert!(done.contains("byte for byte"), "{done}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{ \"third\": 1 }");
    fs::remove_file(&file).unwrap();
    said(&shell, &["init", "claude", "--project", "--yes"]);
    said(&shell, &["uninit", "claude", "--project", "--yes"]);
    assert!(!file.exists());
}

#[test]
fn a_plugin_that_was_changed_since_is_kept_aside() {
    let shell = Shell::new();
    let file = shell.folder.path("project/.opencode/plugins/tokenforge.js");
    said(&shell, &["init", "opencode", "--project", "--yes"]);
    let changed = fs::read_to_string(&file).unwrap() + "// mine\n";
    fs::write(&file, &changed).unwrap();
    said(&shell, &["uninit", "opencode", "--project", "--yes"]);
    assert!(!file.exists());
    let kept = file.with_file_name("tokenforge.js.tokenforge-backup");
    assert_eq!(fs::read_to_string(kept).unwrap(), changed);
}

#[test]
fn a_plugin_that_fails_leaves_the_result_as_it_is() {
    let shell = Shell::new();
    said(&shell, &["init", "opencode", "--project", "--yes"]);
    let plugin = shell.folder.path("project/.opencode/plugins/tokenforge.js");
    // The name tells Node that it is a module; opencode needs no telling.
    let module = plugin.with_extension("mjs");
    fs::copy(plugin, &module).unwrap();
    let script = format!(
        r#"const {{ Tokenforge }} = await import({:?})
        const hooks = await Tokenforge({{ directory: "/" }})
        const call = {{ tool: "bash", args: {{}} }}
        call.args.self = call
        const result = {{ output: "as it was" }}
        await hooks["tool.execute.after"](call, result)
        console.log(result.output)"#,
        module.to_str().unwrap()
    );
    let node = std::process::Command::new("node")
        .args(["--input-type=module", "--eval", &script])
        .output();
    let Ok(ran) = node else { return println!("skipped: there is no node") };
    let said = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(said, "as it was\n", "{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn a_foreign_file_comes_back() {
    let shell = Shell::new();
    let file = shell.file(".pi/extensions/tokenforge.ts", "export default () => {}\n");
    assert!(
        said(&shell, &["uninit", "pi", "--project", "--yes"])
            .contains("does not mention Tokenforge")
    );
    said(&shell, &["init", "pi", "--project", "--yes"]);
    assert!(fs::read_to_string(&file).unwrap().contains(env!("CARGO_BIN_EXE_tokenforge")));
    said(&shell, &["uninit", "pi", "--project", "--yes"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "export default () => {}\n");
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn settings_that_cannot_be_read_are_not_touched() {
    let shell = Shell::new();
    let file = shell.file("../home/.claude/settings.json", "{\"hooks\": 1}");
    let run = shell.run(&["init", "claude", "--yes"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("settings.json: `hooks` is not an object"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(file).unwrap(), "{\"hooks\": 1}");
}

#[test]
fn without_a_terminal_it_must_be_meant() {
    let shell = Shell::new();
    let run = shell.run(&["init", "claude"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("add --yes"), "{}", run.stderr);
    assert_eq!(shell.run(&["init", "claude", "--project", "--global"]).code, 2);
}
