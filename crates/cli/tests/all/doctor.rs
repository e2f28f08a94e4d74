//! `tokenforge doctor`: what is broken is found, and what to do about it said.

#[cfg(unix)]
mod probe;

use crate::kit::{Folder, Run, run_in};
use serde_json::Value;

/// In a folder of its own, with these variables beside.
fn doctor(folder: &Folder, variables: &[(&str, &str)], arguments: &[&str]) -> Run {
    let folders = ["HOME", "FORGE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "PATH"];
    let own = folders.map(|name| (name, "."));
    let path = folder.path("");
    // `run_in` takes values for paths in the folder; an absolute one, or an address, must come from a settings file.
    run_in(&path, &[&own, variables].concat(), &[&["doctor"], arguments].concat(), "")
}

fn states(run: &Run, check: &str) -> Vec<String> {
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let findings = document["findings"].as_array().unwrap().iter();
    let findings = findings.filter(|finding| finding["check"] == check);
    findings.map(|finding| finding["state"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn where_all_is_well_it_says_so_and_makes_a_round_trip() {
    let folder = Folder::new();
    folder.file("tokenforge.yaml", "listen: 127.0.0.1:0\n");
    let run = doctor(&folder, &[], &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(run.stdout.contains(concat!("tokenforge ", env!("CARGO_PKG_VERSION"))));
    assert!(
        run.stdout.contains("a tool result of ") && !run.stdout.contains("BROKEN"),
        "{}",
        run.stdout
    );
    let run = doctor(&folder, &[], &["--json"]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["ok"], true, "{document}");
    for check in ["version", "settings", "gateway", "store", "ledger", "round trip"] {
        assert_eq!(states(&run, check), ["ok"], "{check}");
    }
    assert_eq!(states(&run, "clients"), ["note"]);
}

#[test]
fn settings_that_cannot_be_used_are_broken_and_the_rest_is_still_looked_at() {
    let folder = Folder::new();
    folder.file("tokenforge.yaml", "mood: good\n");
    let run = doctor(&folder, &[], &["--json"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("mood") && run.stdout.contains("tokenforge config check"));
    assert_eq!(states(&run, "settings"), ["broken"]);
    assert_eq!(states(&run, "round trip"), ["ok"]);
    assert!(run.stderr.contains("found 1 problem"), "{}", run.stderr);
}

#[test]
fn a_hook_whose_program_is_gone_is_broken_and_settings_that_cannot_be_read_are_said() {
    let folder = Folder::new();
    folder.file("tokenforge.yaml", "listen: 127.0.0.1:0\n");
    let claude = [("CLAUDE_CONFIG_DIR", ".")];
    let entry = |program: &str| {
        let hook = serde_json::json!({"type": "command", "command": format!("{program} hook claude || true")});
        serde_json::json!({"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [hook]}]}})
            .to_string()
    };
    folder.file("settings.json", entry("/no/such/tokenforge"));
    let run = doctor(&folder, &claude, &["--json"]);
    assert_eq!((run.code, states(&run, "routes")), (1, vec!["broken".into()]), "{}", run.stdout);
    assert!(run.stdout.contains("claude runs /no/such/tokenforge, which does not exist"));
    assert!(run.stdout.contains("tokenforge init claude"), "{}", run.stdout);

    let there = folder.file("tokenforge", "");
    folder.file("settings.json", entry(&there));
    let run = doctor(&folder, &claude, &["--json"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(run.stdout.contains("claude runs the hook in all projects"), "{}", run.stdout);

    folder.file("settings.json", "{\"hooks\" 1}");
    let run = doctor(&folder, &claude, &["--json"]);
    assert_eq!((run.code, states(&run, "routes")), (0, vec!["note".into()]), "{}", run.stdout);
    assert!(
        run.stdout
            .contains("settings.json: cannot tell whether claude runs the hook: line 1, column 10")
    );
}

#[test]
fn a_taken_port_and_a_store_that_cannot_be_are_broken_with_what_to_do() {
    let folder = Folder::new();
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap();
    std::thread::spawn(move || {
        // The listener is no gateway: it hangs up.
        other.incoming().for_each(drop);
    });
    let file = folder.file("file", "");
    folder
        .file("tokenforge.yaml", format!("listen: {address}\nstore:\n  url: disk:{file}/below\n"));
    let run = doctor(&folder, &[], &["--json"]);
    assert_eq!(run.code, 1);
    assert_eq!(
        (states(&run, "gateway"), states(&run, "store")),
        (vec!["broken".into()], vec!["broken".into()])
    );
    assert!(
        run.stdout.contains("FORGE_LISTEN") && run.stdout.contains("store.url"),
        "{}",
        run.stdout
    );
}
