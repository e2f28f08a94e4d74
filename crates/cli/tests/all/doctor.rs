//! `tokenforge doctor`: what is broken is found, and what to do about it said.

use crate::kit::{Folder, Run, run_in};
use serde_json::Value;

/// In a folder of its own, with these variables beside.
fn doctor(folder: &Folder, variables: &[(&str, &str)], arguments: &[&str]) -> Run {
    let own = [("HOME", "."), ("XDG_CONFIG_HOME", "."), ("XDG_DATA_HOME", "."), ("PATH", ".")];
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
        // Whoever it is, it is no gateway: it hangs up.
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

/// Sends a request to the host and port of the address in a variable, as an agent would.
#[cfg(unix)]
fn agent(variable: &str, request: &str) -> String {
    format!(
        "#!/bin/bash\n[ \"$ANTHROPIC_API_KEY\" = sk-ant-probe ] || exit 9\n\
         address=${{{variable}#http://}}\nexec 3<>/dev/tcp/${{address%:*}}/${{address##*:}}\n\
         printf '{request} HTTP/1.1\\r\\nhost: x\\r\\ncontent-length: 0\\r\\n\\r\\n' >&3\nread -r -t 20 line <&3\n"
    )
}

#[cfg(unix)]
#[test]
fn d58_an_agent_is_started_only_when_asked_for_and_what_it_asks_is_said() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    folder.file("tokenforge.yaml", "listen: 127.0.0.1:0\n");
    let started = folder.path("started");
    // A redirection: there is no `touch` on this PATH.
    let note = format!(": > {}\n", started.display());
    for (script, state, says) in [
        (
            agent("ANTHROPIC_BASE_URL", "POST /v1/messages?beta=true"),
            "ok",
            "claude asks the address that it is given (POST /v1/messages)",
        ),
        (
            agent("HTTPS_PROXY", "CONNECT api.anthropic.com:443"),
            "broken",
            "claude does not ask the address that it is given, but api.anthropic.com:443",
        ),
        ("#!/bin/bash\n".to_owned(), "note", "claude ended without asking its model anything"),
    ] {
        let path = folder.file("claude", script.replacen('\n', &format!("\n{note}"), 1));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let run = doctor(&folder, &[], &["--json"]);
        assert!(states(&run, "probe").is_empty() && !started.exists(), "{}", run.stdout);

        let run = doctor(&folder, &[], &["--probe", "--json"]);
        assert_eq!(states(&run, "probe"), [state], "{}", run.stdout);
        assert!(run.stdout.contains(says), "{says}: {}", run.stdout);
        assert_eq!(run.code, i32::from(state == "broken"), "{}", run.stdout);
        std::fs::remove_file(&started).unwrap();
    }
}
