//! `tokenforge wrap`: an agent behind a gateway for as long as it runs.

use crate::kit::{Folder, Run, failure, finish};
use crate::serve::question_body;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Instant;
use tokenforge_mock::client::{Ask, Open, PATIENCE};
use tokenforge_mock::{Mock, first_reference};

/// A program in a folder that is named as a client is and does what a shell is told.
fn client(folder: &Folder, name: &str, script: &str) -> String {
    let path = folder.file(name, format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// A home of its own, and nothing of the user's environment that would lead elsewhere.
fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tokenforge"));
    command.arg("wrap").args(arguments).current_dir(folder.path(""));
    for name in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TMPDIR"] {
        command.env(name, folder.path(""));
    }
    for name in
        ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "FORGE_CONFIG_DIR"]
    {
        command.env_remove(name);
    }
    command.env("FORGE_DATA_DIR", folder.path("data"));
    // Nothing listens there.
    command.env("FORGE_LISTEN", "127.0.0.1:1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn wrap(folder: &Folder, arguments: &[&str]) -> Run {
    finish(command(folder, arguments).spawn().unwrap(), "")
}

/// A request with a tool result, in a file for `curl`.
fn question(folder: &Folder) -> String {
    folder.file("question.json", question_body(false))
}

/// What asks it, from a shell.
const ASK: &str = r#"curl --silent --show-error --fail --noproxy '*' -H 'anthropic-version: 2023-06-01' \
    -H 'content-type: application/json' --data-binary @question.json "$ANTHROPIC_BASE_URL/v1/messages" > answer.json"#;

#[test]
fn an_agent_goes_through_a_gateway_of_its_own_and_its_savings_are_said() {
    let (folder, mock) = (Folder::new(), Mock::start());
    question(&folder);
    let program = client(&folder, "claude", ASK);
    let run = wrap(&folder, &["--backend-url", &mock.url(), &program]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.starts_with("tokenforge: 1 tool result in 1 requests: $"), "{}", run.stderr);
    assert!(run.stderr.contains(" of the bill; see `tokenforge gain --cost`"), "{}", run.stderr);
    assert!(run.stdout.is_empty(), "{run:?}");
    let [request] = &mock.requests()[..] else { panic!("one request") };
    assert_eq!(request.path_and_query, "/v1/messages");
    let sent = fs::read_to_string(folder.path("question.json")).unwrap();
    assert!(request.body.len() < sent.len());
}

/// A test run of which the passed tests are left out.
fn passed_run() -> String {
    let passed: String = (0..400).map(|n| format!("test suite::case_{n} ... ok\n")).collect();
    format!(
        "running 400 tests\n{passed}\ntest result: ok. 400 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"
    )
}

/// The same as a question, behind a prompt that says so many times what it says.
fn run_question(folder: &Folder, times: usize) {
    let run = passed_run();
    let body = json!({
        "model": "claude-sonnet-4-5", "max_tokens": 100,
        "system": "You are a careful engineer. Read before you write. ".repeat(times),
        "tools": [{"name": "Bash", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cargo test"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": run}]},
        ],
    });
    folder.file("question.json", body.to_string());
}

#[test]
fn d03_l5_an_agent_that_is_wrapped_again_sends_the_same_bytes() {
    let (folder, mock) = (Folder::new(), Mock::start());
    // Large enough for the tool with which the rest is fetched back to pay for itself.
    run_question(&folder, 700);
    let program = client(&folder, "claude", ASK);
    for _ in 0..2 {
        let run = wrap(&folder, &["--backend-url", &mock.url(), &program]);
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
    let [first, again] = &mock.requests()[..] else { panic!("two requests") };
    assert!(first_reference(&first.body).is_some(), "something is left out");
    assert!(first.body == again.body, "the provider's cache is lost");
}

/// Claude Code, which may run commands unasked if it is told so, behind `wrap`: `tokenforge` is on its path, and the
/// gateway keeps originals where that command looks.
fn with_command(folder: &Folder, mock: &Mock, arguments: &[&str]) -> Command {
    let ask = ASK.replace("curl ", "curl -A 'claude-cli/2.1.325 (external, cli)' ");
    let program = client(folder, "claude", &ask);
    let url = mock.url();
    let mut command =
        command(folder, &[&["--backend-url", url.as_str(), program.as_str()], arguments].concat());
    let own = Path::new(env!("CARGO_BIN_EXE_tokenforge")).parent().unwrap();
    command.env("PATH", format!("{}:/usr/bin:/bin", own.display()));
    command.env("FORGE_STORE", format!("disk:{}", folder.path("data").display()));
    command
}

const UNASKED: &str = "--dangerously-skip-permissions";

#[test]
fn decision_38_l4_what_is_left_out_behind_wrap_is_printed_by_the_command_that_the_model_is_told() {
    let (folder, mock) = (Folder::new(), Mock::start());
    run_question(&folder, 1);
    for _ in 0..2 {
        let child = with_command(&folder, &mock, &[UNASKED]).spawn().unwrap();
        let run = finish(child, "");
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
    let [first, again] = &mock.requests()[..] else { panic!("two requests") };
    assert_eq!(first.path_and_query, "/v1/messages");
    let body = std::str::from_utf8(&first.body).unwrap();
    assert!(body.contains("`tokenforge expand ID") && !body.contains("expand_context"), "{body}");
    assert!(first.body == again.body, "the provider's cache is lost");
    let id = first_reference(&first.body).unwrap();
    let expand = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tokenforge"));
        command.args(["expand", id]).args(more).env("FORGE_DATA_DIR", folder.path("data"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        finish(command.spawn().unwrap(), "")
    };
    assert_eq!((expand(&[]).code, expand(&[]).stdout), (0, passed_run()));
    let line = expand(&["--lines", "2-2"]).stdout;
    assert!(line.contains("case_0 ... ok"), "{line}");
}

#[test]
fn decision_38_no_command_is_named_that_would_ask_or_fail() {
    type Change = fn(&Folder, &mut Command);
    let settings = |folder: &Folder, text: &str| {
        std::fs::create_dir_all(folder.path(".claude")).unwrap();
        folder.file(".claude/settings.json", text);
    };
    let cases: [(&str, &[&str], Change); 6] = [
        ("it asks its user", &[], |_, _| {}),
        ("it is in a sandbox", &[UNASKED], |_, _| {}),
        ("the store is in memory", &[UNASKED], |_, command| {
            command.env_remove("FORGE_STORE");
        }),
        ("the store is elsewhere", &[UNASKED], |folder, command| {
            command.env("FORGE_STORE", format!("disk:{}", folder.path("other").display()));
        }),
        ("the command is not there", &[UNASKED], |_, command| {
            command.env("PATH", "/usr/bin:/bin");
        }),
        ("another program has its name", &[UNASKED], |folder, command| {
            client(folder, "tokenforge", "exit 0");
            let own = Path::new(env!("CARGO_BIN_EXE_tokenforge")).parent().unwrap();
            let path = format!("{}:{}:/usr/bin:/bin", folder.path("").display(), own.display());
            command.env("PATH", path);
        }),
    ];
    for (what, arguments, change) in cases {
        let (folder, mock) = (Folder::new(), Mock::start());
        run_question(&folder, 1);
        if what == "it is in a sandbox" {
            settings(&folder, r#"{"sandbox": {"enabled": true}}"#);
        }
        let mut command = with_command(&folder, &mock, arguments);
        change(&folder, &mut command);
        let run = finish(command.spawn().unwrap(), "");
        assert_eq!(run.code, 0, "{what}: {}", run.stderr);
        assert_eq!(first_reference(&mock.last().body), None, "{what}");
    }
}

#[test]
fn arguments_exit_code_and_standard_streams_are_the_agents_own() {
    let folder = Folder::new();
    let program = client(&folder, "claude", r#"cat; printf '%s|' "$@"; echo no >&2; exit 7"#);
    for arguments in [
        &[&program, "-p", "two words", "--", "-x"][..],
        &[&program, "--", "-p", "two words", "--", "-x"],
    ] {
        let run = finish(command(&folder, arguments).spawn().unwrap(), "typed\n");
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (7, "typed\n-p|two words|--|-x|"),
            "{}",
            run.stderr
        );
        assert!(run.stderr.starts_with("no\n"), "{}", run.stderr);
    }
    // Not even what we would understand is ours.
    let run = wrap(&folder, &[&program, "--config", "model=x", "--redact-secrets", "--help"]);
    assert_eq!(run.stdout, "--config|model=x|--redact-secrets|--help|", "{}", run.stderr);
}

#[test]
fn only_the_child_is_changed_and_nothing_is_left_behind() {
    let folder = Folder::new();
    let program = client(&folder, "pi", r#"cat "$2" > seen; ls -a > files"#);
    let run = wrap(&folder, &[&program]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let seen = fs::read_to_string(folder.path("seen")).unwrap();
    assert!(seen.contains("http://127.0.0.1:") && seen.contains("/p/"), "{seen}");
    let mut left: Vec<_> = fs::read_dir(folder.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    // What was saved is written down there.
    left.retain(|name| name != "data");
    left.sort();
    assert_eq!(left, ["files", "pi", "seen"]);
}

#[test]
fn a_terminal_that_is_gone_changes_nothing_and_no_file_stays() {
    let folder = Folder::new();
    let program = client(&folder, "pi", "read -r _; exit 3");
    let mut child = command(&folder, &[&program]).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(finish(child, "go on\n").code, 3);
    let names = fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = names.filter(|name| name.to_string_lossy().ends_with(".js")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn whom_the_user_has_set_is_asked_by_the_gateway() {
    let (folder, mock) = (Folder::new(), Mock::start());
    question(&folder);
    let program = client(&folder, "claude", ASK);
    let mut command = command(&folder, &[&program]);
    command.env("ANTHROPIC_BASE_URL", format!("{}/team", mock.url()));
    finish(command.spawn().unwrap(), "");
    assert_eq!(mock.last().path_and_query, "/team/v1/messages");
}

#[test]
fn whom_the_user_has_set_in_settings_of_a_client_is_asked_too() {
    let (folder, mock) = (Folder::new(), Mock::start());
    question(&folder);
    let ask = |url: &str| ASK.replace("\"$ANTHROPIC_BASE_URL/v1/messages\"", url);
    let script = r#"url=$(printf %s "$OPENCODE_CONFIG_CONTENT" | sed 's/.*"anthropic":{"options":{"baseURL":"\([^"]*\).*/\1/')"#;
    let program = client(&folder, "opencode", &format!("{script}\n{}", ask("\"$url/messages\"")));
    let users = json!({"provider": {"anthropic": {"options": {"baseURL": format!("{}/team/v1", mock.url())}}}});
    let mut opencode = command(&folder, &[&program]);
    opencode.env("OPENCODE_CONFIG_CONTENT", users.to_string());
    let run = finish(opencode.spawn().unwrap(), "");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(mock.last().path_and_query, "/team/v1/messages");

    folder.file("config.toml", format!("openai_base_url = \"{}/corp/v1\"\n", mock.url()));
    let script = r#"url=${2#*\"}; url=${url%\"}"#;
    let program = client(&folder, "codex", &format!("{script}\n{}", ask("\"$url/messages\"")));
    let mut codex = command(&folder, &[&program]);
    codex.env("CODEX_HOME", folder.path(""));
    let run = finish(codex.spawn().unwrap(), "");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(mock.last().path_and_query, "/corp/v1/messages");
}

#[test]
fn a_file_of_the_project_says_nothing_unless_it_is_named() {
    let (folder, users, projects) = (Folder::new(), Mock::start(), Mock::start());
    question(&folder);
    let backend = |mock: &Mock| format!("upstreams:\n  backend: {}\n", mock.url());
    let named = folder.file("tokenforge.yaml", backend(&projects));
    fs::create_dir(folder.path("tokenforge")).unwrap();
    folder.file("tokenforge/tokenforge.yaml", backend(&users));
    let program = client(&folder, "claude", ASK);
    assert_eq!(wrap(&folder, &[&program]).code, 0);
    assert_eq!((users.requests().len(), projects.requests().len()), (1, 0));
    assert_eq!(wrap(&folder, &["--config", &named, &program]).code, 0);
    assert_eq!((users.requests().len(), projects.requests().len()), (1, 1));
}

#[test]
fn without_a_gateway_the_agent_runs_directly_and_it_is_said() {
    let folder = Folder::new();
    let program = client(&folder, "claude", r#"echo "${ANTHROPIC_BASE_URL-none}""#);
    let wrong = folder.file("wrong.yaml", "mood: good\n");
    let run = wrap(&folder, &["--config", &wrong, &program]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "none\n"));
    assert!(
        run.stderr.contains("mood") && run.stderr.contains("runs without Tokenforge"),
        "{}",
        run.stderr
    );
    // No gateway may stand before Copilot's own models.
    let program = client(&folder, "copilot", "echo ran");
    let run = wrap(&folder, &[&program]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "ran\n"));
    assert!(run.stderr.contains("COPILOT_PROVIDER_BASE_URL"), "{}", run.stderr);
}

#[test]
fn a_program_that_is_not_known_needs_a_dialect() {
    let error = failure(2, "wrap vim", "");
    for name in ["claude", "codex", "aider", "--dialect", "anthropic", "openai", "gemini"] {
        assert!(error.contains(name), "{error}");
    }
    assert!(failure(2, "wrap --dialect klingon vim", "").contains("anthropic, openai, gemini"));
    let folder = Folder::new();
    let program = client(&folder, "agent", r#"echo "$OPENAI_BASE_URL""#);
    let run = wrap(&folder, &["--dialect", "openai", &program]);
    assert!(
        run.stdout.starts_with("http://127.0.0.1:") && run.stdout.ends_with("/v1\n"),
        "{run:?}"
    );
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let run = wrap(&Folder::new(), &["./claude"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("cannot run ./claude"), "{}", run.stderr);
}

#[test]
fn what_asks_us_to_end_asks_the_agent() {
    let folder = Folder::new();
    // It does not wait for ever, whatever happens to its parent.
    let script =
        "trap 'echo told; exit 9' TERM; : > ready; for _ in $(seq 400); do sleep 0.05; done";
    let program = client(&folder, "claude", script);
    let child = command(&folder, &[&program]).spawn().unwrap();
    wait_for(&folder.path("ready"));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let run = finish(child, "");
    assert_eq!((run.code, run.stdout.as_str()), (9, "told\n"), "{}", run.stderr);
}

#[test]
fn a_gateway_that_runs_is_used_and_its_place_is_taken_when_it_stops_answering() {
    let (folder, mock) = (Folder::new(), Mock::start());
    question(&folder);
    let address = free_address();
    let settings = settings(&folder, address, &mock);
    let mut gateway = ServedGateway::serve(&folder, &settings, address);
    let script = format!(
        "echo \"$ANTHROPIC_BASE_URL\"\n{ASK} && : > asked\nread -r _\nfor _ in $(seq 200); do {ASK} 2>/dev/null && exit 0; sleep 0.1; done; exit 3"
    );
    let program = client(&folder, "claude", &script);
    let mut command = command(&folder, &["--config", &settings, &program]);
    command.env_remove("FORGE_LISTEN");
    let child = command.spawn().unwrap();
    wait_for(&folder.path("asked"));
    assert_eq!(gateway.results(), 1);
    gateway.kill();
    let run = finish(child, "go on\n");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.starts_with(&format!("http://{address}/p/")), "{}", run.stdout);
    assert!(run.stderr.contains("stopped answering"), "{}", run.stderr);
    assert_eq!(mock.requests().len(), 2);
    assert_eq!(mock.requests()[0].body, mock.requests()[1].body);
}

#[test]
fn n8_wrap_warns_when_a_stranger_takes_the_address() {
    let (folder, mock) = (Folder::new(), Mock::start());
    let address = free_address();
    let settings = settings(&folder, address, &mock);
    let mut gateway = ServedGateway::serve(&folder, &settings, address);
    // It ends by itself if no warning comes.
    let script =
        ": > asked\nfor _ in $(seq 150); do [ -e warned ] && exit 0; sleep 0.1; done; exit 3";
    let program = client(&folder, "claude", script);
    let mut command = command(&folder, &["--config", &settings, &program]);
    let mut child = command.env_remove("FORGE_LISTEN").spawn().unwrap();
    wait_for(&folder.path("asked"));
    gateway.kill();
    let stranger = TcpListener::bind(address).unwrap();
    thread::spawn(move || stranger.incoming().for_each(drop));
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let warning = format!("what answers at http://{address} is not your gateway");
    let warned = lines.filter(|line| line.contains(&warning));
    let warned: Vec<_> = warned.inspect(|_| drop(folder.file("warned", ""))).collect();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].contains("end the agent"), "{warned:?}");
}

#[test]
fn a_gateway_of_another_user_is_not_used() {
    let (folder, mock) = (Folder::new(), Mock::start());
    question(&folder);
    let address = free_address();
    let settings = settings(&folder, address, &mock);
    let others = Folder::new();
    let gateway = ServedGateway::serve(&others, &settings, address);
    let program = client(&folder, "claude", ASK);
    let mut command = command(&folder, &["--config", &settings, &program]);
    command.env_remove("FORGE_LISTEN");
    let run = finish(command.spawn().unwrap(), "");
    assert_eq!((run.code, mock.requests().len()), (0, 1), "{}", run.stderr);
    assert_eq!(gateway.results(), 0);
}

#[test]
fn a_gateway_that_asks_for_keys_is_not_used() {
    let (folder, mock) = (Folder::new(), Mock::start());
    question(&folder);
    let address = free_address();
    let closed = folder
        .file("closed.yaml", format!("listen: {address}\nkeys:\n  team: a-key-of-the-team\n"));
    let _gateway = ServedGateway::serve(&folder, &closed, address);
    let program = client(&folder, "claude", ASK);
    let own = folder.file("own.yaml", format!("upstreams:\n  backend: {}\n", mock.url()));
    let mut command = command(&folder, &["--config", &own, &program]);
    command.env("FORGE_LISTEN", address.to_string());
    let run = finish(command.spawn().unwrap(), "");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(mock.requests().len(), 1);
}

/// Settings of a gateway at this address, before this provider.
fn settings(folder: &Folder, address: SocketAddr, mock: &Mock) -> String {
    let text = format!("listen: {address}\nupstreams:\n  backend: {}\n", mock.url());
    folder.file("tokenforge.yaml", text)
}

struct ServedGateway {
    child: Child,
    address: SocketAddr,
}

impl ServedGateway {
    fn serve(folder: &Folder, settings: &str, address: SocketAddr) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_tokenforge"))
            .args(["serve", "--config", settings])
            .env("HOME", folder.path(""))
            .env("FORGE_DATA_DIR", folder.path("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let started = Instant::now();
        while std::net::TcpStream::connect(address).is_err() {
            assert!(started.elapsed() < PATIENCE, "the gateway does not start");
            std::thread::yield_now();
        }
        ServedGateway { child, address }
    }

    fn results(&self) -> u64 {
        let ask = Ask::new("GET", "/_forge/api/stats");
        let stats: Value = Open::asking(self.address, &ask).answer().json();
        stats["counters"]["results"].as_u64().unwrap()
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for ServedGateway {
    fn drop(&mut self) {
        self.kill();
    }
}

fn free_address() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn wait_for(path: &Path) {
    let started = Instant::now();
    while !path.exists() {
        assert!(started.elapsed() < PATIENCE, "waited in vain for {}", path.display());
        std::thread::yield_now();
    }
}
