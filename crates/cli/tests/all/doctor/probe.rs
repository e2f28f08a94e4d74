//! `tokenforge doctor --probe`: agents that honour what is relied on, and agents that do not. They are scripts, which
//! do what an agent does that is installed: ask, run a tool, run the hook, start a tool server.

use super::{doctor, states};
use crate::kit::{Folder, Run};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// What every script begins with. There are no programs on its PATH but this one's.
const START: &str = r#"#!/bin/bash
LC_ALL=C
[ "$ANTHROPIC_API_KEY" = sk-ant-probe ] || exit 9
: "${HOME:?}"
cd "$HOME"
address=${ANTHROPIC_BASE_URL#http://}
session=session-$$
: > "$NOTES/started"
# Sends the first line and the headers of a request.
begin() {
    exec 3<>"/dev/tcp/${address%:*}/${address##*:}"
    printf '%s HTTP/1.1\r\nhost: x\r\nconnection: close\r\n' "$1" >&3
}
# Asks the model, and has its answer in $reply.
ask() {
    begin 'POST /v1/messages?beta=true'
    [ -z "$session" ] || printf 'x-claude-code-session-id: %s\r\n' "$session" >&3
    printf 'content-length: %s\r\n\r\n%s' "${#1}" "$1" >&3
    length=0
    while read -r line <&3; line=${line%$'\r'}; [ -n "$line" ]; do
        case "${line,,}" in content-length:*) length=${line##* } ;; esac
    done
    read -r -N "$length" reply <&3
}
tools='"tools":[{"name":"Bash","input_schema":{}}]'
"#;

/// Starts the tool server that is in its settings, as `initialize` and `tools/list` do.
const WITH_TOOL_SERVERS: &str = r#"
if [ -f .claude.json ]; then
    config=$(<.claude.json)
    [[ $config =~ \"command\":\ *\"([^\"]*)\" ]] && program=${BASH_REMATCH[1]}
    [[ $config =~ \"args\":\ *\[([^]]*)\] ]] && words=${BASH_REMATCH[1]}
    IFS=', ' read -ra words <<< "${words//\"/}"
    coproc server { "$program" "${words[@]}"; }
    ask_server() { printf '%s\n' "$1" >&"${server[1]}"; read -r answer <&"${server[0]}"; }
    ask_server '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"1"}}}'
    printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/initialized"}' >&"${server[1]}"
    ask_server '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
fi
"#;

/// Asks its model, and runs what that calls.
const WITH_A_TURN: &str = r#"
ask "{\"model\":\"m\",$tools,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
[[ $reply =~ \"command\":\"([^\"]*)\" ]] || exit 0
command=${BASH_REMATCH[1]}
output=$($command)
shown=${output//$'\n'/\\n}
"#;

/// Runs the hook that is in its settings on the output.
const WITH_HOOKS: &str = r#"
if [ -f .claude/settings.json ]; then
    [[ $(<.claude/settings.json) =~ \"command\":\ *\"([^\"]*)\" ]] && hook=${BASH_REMATCH[1]}
    result='{"stdout":"'$shown'","stderr":"","interrupted":false,"isImage":false}'
    said=$(printf '%s' '{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"'"$command"'"},"tool_response":'"$result"'}' | /bin/bash -c "$hook")
    [[ $said =~ \"stdout\":\"(([^\"\\]|\\.)*)\" ]] && shown=${BASH_REMATCH[1]}
fi
"#;

/// Sends its model the result.
const WITH_A_RESULT: &str = r#"
ask "{\"model\":\"m\",$tools,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"content\":\"$shown\"}]}]}"
"#;

/// Waits for a line that never comes, as does the program that it started in a process group of its own.
const HANGING: &str = r#"
printf '%s' "$HOME" > "$NOTES/home"
set -m
(read -r -t 90 other <> "$NOTES/silent") &
printf '%s\n' $$ $! > "$NOTES/processes"
[ -z "$ready" ] || printf 'here\n' > "/dev/tcp/127.0.0.1/$ready"
read -r -t 90 line <> "$NOTES/silent"
"#;

/// A folder with agents in it, and where they leave notes.
struct Agents {
    folder: Folder,
}

impl Agents {
    fn new() -> Self {
        let folder = Folder::new();
        folder.file("tokenforge.yaml", "listen: 127.0.0.1:0\n");
        Agents { folder }
    }

    /// An agent that does these things, in their order.
    fn with(&self, name: &str, parts: &[&str]) {
        let notes = self.folder.path("");
        let script = [&[START], parts].concat().concat();
        let script = script.replace("$NOTES", notes.to_str().unwrap().trim_end_matches('/'));
        let path = self.folder.file(name, script);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A pipe without a writer.
    fn pipe(&self, name: &str) {
        let made = Command::new("mkfifo").arg(self.folder.path(name)).status();
        assert!(made.unwrap().success());
    }

    fn probe(&self, arguments: &[&str]) -> Run {
        let run = doctor(&self.folder, &[], &[&["--probe", "--json"], arguments].concat());
        assert!(!run.stdout.is_empty(), "{}", run.stderr);
        run
    }
}

/// What a run says of an agent: what was relied on, whether it is honoured, and why.
fn probed(run: &Run, agent: &str) -> Vec<(String, String, String)> {
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let findings = document["findings"].as_array().unwrap().iter();
    let probes = findings.map(|finding| &finding["probe"]).filter(|probe| probe["agent"] == agent);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let probes = probes
        .map(|probe| (text(&probe["relied_on"]), text(&probe["honoured"]), text(&probe["why"])));
    probes.collect()
}

fn honoured<'p>(probes: &'p [(String, String, String)], relied_on: &str) -> (&'p str, &'p str) {
    let found = probes.iter().find(|(name, ..)| name == relied_on);
    let (_, honoured, why) = found.unwrap_or_else(|| panic!("{relied_on}: {probes:?}"));
    (honoured, why)
}

#[test]
fn d58_an_agent_is_started_only_when_asked_for() {
    let agents = Agents::new();
    agents.with("claude", &[WITH_A_TURN]);
    let run = doctor(&agents.folder, &[], &["--json"]);
    assert!(states(&run, "probe").is_empty(), "{}", run.stdout);
    assert!(!agents.folder.path("started").exists());
    agents.probe(&[]);
    assert!(agents.folder.path("started").exists());
}

#[test]
fn w1_w2_w3_w4_an_agent_that_honours_all_is_said_to() {
    let agents = Agents::new();
    agents.with("claude", &[WITH_TOOL_SERVERS, WITH_A_TURN, WITH_HOOKS, WITH_A_RESULT]);
    let run = agents.probe(&[]);
    let claude = probed(&run, "claude");
    let names: Vec<&str> = claude.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["address", "session", "hook", "mcp wrap"], "{}", run.stdout);
    assert!(claude.iter().all(|(_, honoured, _)| honoured == "yes"), "{claude:?}");
    assert_eq!(honoured(&claude, "address").1, "POST /v1/messages");
    assert_eq!(honoured(&claude, "session").1, "x-claude-code-session-id");
    assert!(honoured(&claude, "hook").1.contains("characters of output became"), "{claude:?}");
    assert!(honoured(&claude, "mcp wrap").1.contains("from `claude-code`"), "{claude:?}");
    assert_eq!((run.code, states(&run, "probe")), (0, vec!["ok".to_owned(); 5]));
}

#[test]
fn w6_what_a_program_reads_names_the_agent_its_version_and_what_was_relied_on() {
    let agents = Agents::new();
    let package = agents.folder.path("lib/agent/bin");
    fs::create_dir_all(&package).unwrap();
    fs::write(package.join("../package.json"), r#"{"version": "1.2.3"}"#).unwrap();
    agents.with("lib/agent/bin/claude", &["exit 0\n"]);
    std::os::unix::fs::symlink(package.join("claude"), agents.folder.path("claude")).unwrap();
    let run = agents.probe(&[]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let findings = document["findings"].as_array().unwrap().iter();
    let findings: Vec<_> = findings.filter(|finding| finding["check"] == "probe").collect();
    let why = "it ended without asking its model anything";
    let expected = json!({
        "check": "probe", "state": "note", "says": format!("claude 1.2.3, address: not tried; {why}"),
        "probe": {"agent": "claude", "version": "1.2.3", "relied_on": "address", "honoured": "not tried", "why": why},
    });
    assert_eq!(*findings[0], expected);
    let others = &findings[1..4];
    let not_tried = |finding: &&Value| finding["probe"]["honoured"] == "not tried";
    assert!(others.iter().all(not_tried), "{others:?}");
    // Agents that are not there are named, and not started.
    let says = findings[4]["says"].as_str().unwrap();
    assert!(says.starts_with("not installed: codex, gemini, opencode"), "{says}");
    assert_eq!((findings.len(), findings[4].get("probe")), (5, None));

    let shown = doctor(&agents.folder, &[], &["--probe"]).stdout;
    assert!(shown.contains("note    probe       claude 1.2.3, address: not tried; it"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn w1_an_agent_that_asks_past_the_address_is_broken_and_nothing_else_is_tried() {
    let agents = Agents::new();
    let past = "address=${HTTPS_PROXY#http://}\nbegin 'CONNECT api.anthropic.com:443'\n\
                printf '\\r\\n' >&3\nread -r line <&3\n";
    agents.with("claude", &[past]);
    let run = agents.probe(&[]);
    let claude = probed(&run, "claude");
    assert_eq!(honoured(&claude, "address"), ("no", "it asked api.anthropic.com:443"));
    let why = "it does not ask the address that it is given";
    for relied_on in ["session", "hook", "mcp wrap"] {
        assert_eq!(honoured(&claude, relied_on), ("not tried", why));
    }
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stdout.contains("its requests do not go through Tokenforge"), "{}", run.stdout);
}

#[test]
fn w3_an_agent_that_ignores_the_hook_is_broken() {
    let agents = Agents::new();
    agents.with("claude", &[WITH_TOOL_SERVERS, WITH_A_TURN, WITH_A_RESULT]);
    let run = agents.probe(&[]);
    let claude = probed(&run, "claude");
    assert_eq!(honoured(&claude, "hook"), ("no", "its model was sent the output as it was"));
    assert_eq!(honoured(&claude, "mcp wrap").0, "yes");
    assert_eq!((run.code, states(&run, "probe")[2].as_str()), (1, "broken"), "{}", run.stdout);
}

#[test]
fn w3_an_agent_whose_tool_does_not_run_is_not_said_to_ignore_the_hook() {
    let agents = Agents::new();
    let denied = "shown='Permission to use Bash was denied'\n";
    agents.with("claude", &[WITH_TOOL_SERVERS, WITH_A_TURN, denied, WITH_A_RESULT]);
    let run = agents.probe(&[]);
    let why = "Bash did not run: Permission to use Bash was denied";
    assert_eq!(honoured(&probed(&run, "claude"), "hook"), ("not tried", why));
    assert_eq!(run.code, 0, "{}", run.stdout);
}

#[test]
fn w4_an_agent_that_starts_no_tool_server_is_broken() {
    let agents = Agents::new();
    agents.with("claude", &[WITH_A_TURN, WITH_HOOKS, WITH_A_RESULT]);
    let run = agents.probe(&["--probe-timeout", "12s"]);
    let claude = probed(&run, "claude");
    assert_eq!(honoured(&claude, "mcp wrap"), ("no", "it did not start the tool server"));
    assert_eq!(honoured(&claude, "hook").0, "yes", "{claude:?}");
    assert_eq!((run.code, states(&run, "probe")[3].as_str()), (1, "broken"), "{}", run.stdout);
}

#[test]
fn w2_a_session_that_is_not_named_or_never_changes_is_noted() {
    for (session, why) in [
        ("session=\n", "POST /v1/messages has no x-claude-code-session-id"),
        ("session=always\n", "it is the same in two conversations"),
    ] {
        let agents = Agents::new();
        let parts = [session, WITH_TOOL_SERVERS, WITH_A_TURN, WITH_HOOKS, WITH_A_RESULT];
        agents.with("claude", &parts);
        let run = agents.probe(&[]);
        assert_eq!(honoured(&probed(&run, "claude"), "session"), ("no", why));
        assert_eq!((run.code, states(&run, "probe")[1].as_str()), (0, "note"), "{}", run.stdout);
    }
}

#[test]
fn w5_an_agent_that_hangs_is_ended_with_all_that_it_started_and_nothing_is_left() {
    let agents = Agents::new();
    agents.pipe("silent");
    agents.with("claude", &["ready=\n", HANGING]);
    let run = agents.probe(&["--probe-timeout", "2s"]);
    let why = "it asked its model nothing for 2 seconds";
    assert_eq!(honoured(&probed(&run, "claude"), "address"), ("not tried", why));
    let home = fs::read_to_string(agents.folder.path("home")).unwrap();
    assert!(!Path::new(&home).exists(), "{home}");
    let processes = fs::read_to_string(agents.folder.path("processes")).unwrap();
    assert_ended(&processes);
}

/// None of these processes runs any more.
fn assert_ended(processes: &str) {
    assert_eq!(processes.lines().count(), 2, "{processes}");
    #[cfg(target_os = "linux")]
    for id in processes.lines() {
        // A zombie, for which its parent has not waited yet, has no command line any more.
        let command = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        assert!(command.is_empty(), "{id}: {}", String::from_utf8_lossy(&command));
    }
}

#[test]
fn w5_a_signal_that_stops_the_probe_stops_the_running_agent() {
    use rustix::process::Signal;
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        assert_stopped_by(signal);
    }
}

/// This signal ends the probe, with all that it started.
fn assert_stopped_by(signal: rustix::process::Signal) {
    use rustix::process::{Pid, kill_process};
    let agents = Agents::new();
    let waiting = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = waiting.local_addr().unwrap().port();
    agents.pipe("silent");
    agents.with("claude", &[&format!("ready={port}\n"), HANGING]);
    let folder = agents.folder.path("");
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_tokenforge"));
    for name in ["HOME", "FORGE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "PATH"] {
        doctor.env(name, &folder);
    }
    doctor.args(["doctor", "--probe"]).current_dir(&folder);
    let doctor = doctor.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let (stream, _) = waiting.accept().unwrap();
    BufReader::new(stream).read_line(&mut line).unwrap();
    let id = Pid::from_raw(doctor.id().try_into().unwrap()).unwrap();
    kill_process(id, signal).unwrap();
    let ended = doctor.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), line.as_str()), (Some(1), "here\n"), "{signal:?}: {ended:?}");
    assert!(String::from_utf8_lossy(&ended.stderr).contains("stopped"), "{ended:?}");
    let home = fs::read_to_string(agents.folder.path("home")).unwrap();
    assert!(!Path::new(&home).exists(), "{home}");
    assert_ended(&fs::read_to_string(agents.folder.path("processes")).unwrap());
}

#[test]
fn w5_codex_is_not_asked_about_a_login_that_its_home_folder_has_not() {
    let agents = Agents::new();
    let notes = agents.folder.path("asked");
    let script = format!("#!/bin/bash\n[ \"$1\" = login ] && : > '{}'\nexit 0\n", notes.display());
    let path = agents.folder.file("codex", script);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    let run = agents.probe(&[]);
    let why = "it ended without asking its model anything";
    assert_eq!(honoured(&probed(&run, "codex"), "address"), ("not tried", why));
    assert!(!notes.exists(), "`codex login status` was run");
}

#[test]
fn w5_an_agent_sees_nothing_of_its_users_and_leaves_nothing_of_its_own() {
    let agents = Agents::new();
    let look = "printf '%s|%s|%s' \"$HOME\" \"$TMPDIR\" \"$FORGE_DATA_DIR$ANTHROPIC_AUTH_TOKEN\" > \"$NOTES/seen\"\n";
    agents.with("claude", &[look, WITH_A_TURN]);
    let variables = [("FORGE_DATA_DIR", "data"), ("ANTHROPIC_AUTH_TOKEN", "secret")];
    doctor(&agents.folder, &variables, &["--probe", "--json"]);
    let seen = fs::read_to_string(agents.folder.path("seen")).unwrap();
    let [home, temporary, others] = seen.split('|').collect::<Vec<_>>()[..] else {
        panic!("{seen}")
    };
    assert!(temporary.starts_with(home) && !Path::new(home).exists(), "{seen}");
    assert_ne!(Path::new(home), agents.folder.path(""));
    assert_eq!(others, "");
}

#[test]
fn w1_an_agent_with_a_provider_of_its_users_is_given_one_to_replace() {
    let agents = Agents::new();
    let copilot = "#!/bin/bash\naddress=${COPILOT_PROVIDER_BASE_URL#http://}\npath=/${address#*/}\naddress=${address%%/*}\n\
                   exec 3<>\"/dev/tcp/${address%:*}/${address##*:}\"\n\
                   printf 'POST %s/chat/completions HTTP/1.1\\r\\nhost: x\\r\\ncontent-length: 0\\r\\n\\r\\n' \"$path\" >&3\n\
                   read -r line <&3\n";
    let path = agents.folder.file("copilot", copilot);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    let run = agents.probe(&[]);
    let copilot = probed(&run, "copilot");
    assert_eq!(honoured(&copilot, "address"), ("yes", "POST /v1/chat/completions"));
    assert_eq!(copilot.len(), 1, "{copilot:?}");
}
