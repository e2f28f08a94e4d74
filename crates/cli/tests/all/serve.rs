//! `tokenforge serve` and `tokenforge config`, as processes.

mod reload;
mod replicas;
mod tls;

use crate::kit::{Folder, failure, out, run_in, run_with};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;
use tokenforge_mock::client::{Answer, Ask, Open, PATIENCE};
use tokenforge_mock::{Mock, Reply, grammar};

#[test]
fn d41_no_colour_goes_into_a_file_or_a_pipe() {
    let log = ("FORGE_TOOL_OUTPUT_COMPRESSION_LOG", "/dev/null/events");
    let mut serving = Serving::with(&["--listen", "127.0.0.1:0"], &[log]);
    serving.wait_for("events are not written");
    assert!(!serving.logged.contains('\x1b'), "{}", serving.logged);
}

#[test]
fn d44_a_plugin_that_was_not_built_in_says_how_to_get_it() {
    let folder = Folder::new();
    let file = folder.file("tokenforge.yaml", "plugins: [{name: wasm, config: {module: a.wasm}}]");
    let told = failure(1, &format!("config check {file}"), "");
    assert!(told.contains("without WebAssembly") && told.contains("--features wasm"), "{told}");
}

/// A gateway that runs.
pub(crate) struct Serving {
    child: Child,
    address: SocketAddr,
    line: String,
    /// What it logs, as it comes.
    log: mpsc::Receiver<String>,
    logged: String,
    /// Where it keeps its data, and not where the user's is.
    _data: Folder,
}

impl Serving {
    pub(crate) fn with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let data = Folder::new();
        let mut child = Command::new(env!("CARGO_BIN_EXE_tokenforge"))
            .args([&["serve"], arguments].concat())
            .env("XDG_DATA_HOME", data.path(""))
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let (sender, log) = mpsc::channel();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        std::thread::spawn(move || {
            lines.map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let address = line.split("://").nth(1).and_then(|rest| rest.split(' ').next());
        let Some(address) = address.and_then(|address| address.parse().ok()) else {
            panic!("{line}{:?}", log.iter().collect::<Vec<_>>());
        };
        Serving { child, address, line, log, logged: String::new(), _data: data }
    }

    /// In front of a mock, on a free port.
    pub(crate) fn before(mock: &Mock, arguments: &[&str]) -> Self {
        let own = ["--listen", "127.0.0.1:0", "--backend-url", &mock.url()];
        Self::with(&[&own, arguments].concat(), &[])
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn send(&self, ask: &Ask) -> Answer {
        Open::asking(self.address, ask).answer()
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(&Ask::new("GET", path))
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// Waits until the first request would wait for nothing.
    pub(crate) fn wait_until_ready(&self) {
        wait_until("it is ready", || self.get("/_forge/readyz").status == 200);
    }

    /// Waits until it logs this.
    fn wait_for(&mut self, part: &str) {
        loop {
            let line =
                self.log.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{}", self.logged));
            self.logged += &format!("{line}\n");
            if line.contains(part) {
                return;
            }
        }
    }

    /// Waits for the end; the exit code and the log.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let rest: Vec<_> = self.log.iter().collect();
        let log = format!("{}{}", self.logged, rest.join("\n"));
        (self.child.wait().unwrap().code(), log)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::yield_now();
    }
}

/// A request with a tool result.
pub(crate) fn question_body(is_stream: bool) -> String {
    let rows: Vec<_> =
        (0..40).map(|n| serde_json::json!({"id": n, "name": format!("row {n}")})).collect();
    let output = serde_json::to_string_pretty(&rows).unwrap();
    let body = serde_json::json!({
        "model": "claude-sonnet-4-5", "max_tokens": 100, "stream": is_stream,
        "tools": [{"name": "list", "description": "Lists.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "list", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": output}]},
        ],
    });
    body.to_string()
}

pub(crate) fn question(is_stream: bool) -> Ask {
    Ask::post("/v1/messages", question_body(is_stream)).header("anthropic-version", "2023-06-01")
}

#[test]
fn serve_says_where_it_listens_and_answers_there() {
    let mock = Mock::start();
    let serving = Serving::before(&mock, &["--tool-output-compression", "lossless"]);
    assert_eq!(serving.line, format!("listening on http://{} (lossless)\n", serving.address));
    assert_eq!(serving.get("/_forge/healthz").status, 200);
    serving.wait_until_ready();
    let answer = serving.send(&question(false));
    assert_eq!(answer.status, 200);
    assert_ne!(answer.header("x-forge-tokens-after"), answer.header("x-forge-tokens-before"));
    let config = serving.get("/_forge/api/config").json();
    assert_eq!(config["pipes"]["tool_output"]["mode"], "lossless");
}

#[test]
fn ready_says_whether_a_gateway_takes_requests() {
    let gateway = Serving::with(&["--listen", "127.0.0.1:0"], &[]);
    let url = format!("http://{}", gateway.address);
    // Just begun, it is not warm yet.
    let run = run_with(&["ready", "--gateway", &url, "--wait", "60"], "");
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    let run = run_with(&["ready", "--gateway", &url], "");
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));

    // Where it listens is known from its settings.
    let folder = Folder::new();
    folder.file("tokenforge.yaml", format!("listen: {}", gateway.address));
    let settings = [("FORGE_CONFIG_DIR", ".")];
    assert_eq!(run_in(&folder.path(""), &settings, &["ready"], "").code, 0);

    drop(gateway);
    let error = failure(1, &format!("ready --gateway {url}"), "");
    assert!(error.starts_with("tokenforge: "), "{error}");
}

#[test]
fn g49_it_listens_on_this_machine_only_unless_told_otherwise() {
    assert!(out("config show", "").contains("127.0.0.1:8787"));
    let refused = failure(1, "serve --listen 0.0.0.0:0", "");
    assert!(refused.contains("keys") && refused.contains("allow_public"), "{refused}");
    assert!(failure(1, "serve --listen [::]:0", "").contains("allow_public"));
    let folder = Folder::new();
    for allowed in ["allow_public: true\n", "keys:\n  team: a-long-key-of-ours\n"] {
        let file = folder.file("tokenforge.yaml", allowed);
        let serving = Serving::with(&["--listen", "0.0.0.0:0", "--config", &file], &[]);
        assert!(serving.line.starts_with("listening on http://0.0.0.0:"));
    }
}

#[test]
fn g44_without_a_network_it_works_as_far_as_that_goes() {
    // Every way out is shut.
    let shut = [("HTTPS_PROXY", "http://127.0.0.1:1"), ("HTTP_PROXY", "http://127.0.0.1:1")];
    let serving = Serving::with(&["--listen", "127.0.0.1:0"], &shut);
    assert_eq!(serving.send(&question(false)).status, 502);
    let compress = Ask::post("/v1/compress", r#"{"messages":[{"role":"user","content":"hi"}]}"#);
    assert_eq!(serving.send(&compress).status, 200);
    serving.wait_until_ready();
}

#[test]
fn a_plain_upstream_is_asked_through_the_proxy_that_the_environment_names() {
    let mock = Mock::start();
    let proxy = mock.url().replace("://", "://user:word@");
    let ask = |backend: &str, variables: &[(&str, &str)]| {
        let arguments = ["--listen", "127.0.0.1:0", "--backend-url", backend];
        Serving::with(&arguments, variables).send(&question(false)).status
    };
    // Only the proxy knows this host.
    let far = "http://provider.invalid";
    assert_eq!(ask(far, &[("HTTP_PROXY", &proxy), ("NO_PROXY", "")]), 200);
    let asked = mock.last();
    assert_eq!(asked.target, "http://provider.invalid/v1/messages");
    assert_eq!(asked.header("host"), "provider.invalid");
    assert_eq!(asked.header("proxy-authorization"), "Basic dXNlcjp3b3Jk");
    assert_eq!(ask(far, &[("HTTP_PROXY", &proxy), ("NO_PROXY", "provider.invalid")]), 502);
    // What runs here is not behind any proxy.
    assert_eq!(ask(&mock.url(), &[("HTTP_PROXY", "http://127.0.0.1:1")]), 200);
    assert_eq!(mock.last().target, "/v1/messages");
    assert_eq!(mock.last().header("proxy-authorization"), "");
}

#[test]
fn g45_without_a_home_it_works() {
    let mock = Mock::start();
    let homeless = [
        ("HOME", "/dev/null"),
        ("XDG_DATA_HOME", "/dev/null"),
        ("XDG_CONFIG_HOME", "/dev/null"),
        ("XDG_CACHE_HOME", "/dev/null"),
        ("TMPDIR", "/dev/null"),
    ];
    let url = mock.url();
    let serving = Serving::with(&["--listen", "127.0.0.1:0", "--backend-url", &url], &homeless);
    assert_eq!(serving.send(&question(false)).status, 200);
}

#[test]
fn what_cannot_be_used_is_said_at_the_start() {
    let folder = Folder::new();
    let file = folder.file("tokenforge.yaml", "pipes:\n  tool_output:\n    mood: safe\n");
    let said = failure(1, &format!("serve --config {file}"), "");
    assert!(said.contains("mood") && said.contains("tokenforge.yaml"), "{said}");
    assert!(failure(1, "serve --listen nowhere", "").contains("nowhere"));
    assert!(failure(2, "serve --tool-output-compression max", "").contains("standard"));
    let missing = folder.path("missing.yaml").display().to_string();
    assert!(failure(1, &format!("serve --config {missing}"), "").contains("missing.yaml"));
}

#[test]
fn config_checks_shows_and_describes() {
    let folder = Folder::new();
    let file = folder.file("tokenforge.yaml", "admin_token: very-secret\nredact_secrets: true\n");
    assert!(out(&format!("config check {file}"), "").ends_with(": no mistakes"));
    let shown = out(&format!("config show {file}"), "");
    assert!(shown.contains("redact_secrets: true") && !shown.contains("very-secret"), "{shown}");
    let schema: serde_json::Value = serde_json::from_str(&out("config schema", "")).unwrap();
    assert!(schema["properties"]["pipes"].is_object());
    let wrong = folder.file("wrong.yaml", "listen: [1]\n");
    assert!(failure(1, &format!("config check {wrong}"), "").contains("listen"));
    // H13
    for (plugin, told) in [("{name: stcc}", "`stcc`"), ("{name: stc, config: {cap: 1}}", "`cap`")] {
        let file = folder.file("plugin.yaml", format!("plugins: [{plugin}]\n"));
        assert!(failure(1, &format!("config check {file}"), "").contains(told));
        assert!(failure(1, &format!("serve --config {file}"), "").contains(told));
    }
    let nothing = run_in(&folder.path("."), &[], &["config", "check"], "");
    assert_eq!(nothing.code, 0);
}

/// Clients that ask one question after another, over connections they keep, until told to stop.
struct Load {
    asked: AtomicUsize,
    failed: AtomicUsize,
    is_over: AtomicBool,
}

impl Load {
    fn new() -> Self {
        Load {
            asked: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    fn run(&self, address: SocketAddr, ask: &Ask) {
        let ask = ask.clone().header("connection", "keep-alive").bytes();
        let mut kept: Option<Open> = None;
        while !self.is_over.load(Ordering::SeqCst) {
            let mut open = kept.take().unwrap_or_else(|| Open::to(address));
            open.write(&ask);
            let answer = open.rest_of_answer();
            self.asked.fetch_add(1, Ordering::SeqCst);
            if answer.status != 200 || !answer.is_whole {
                self.failed.fetch_add(1, Ordering::SeqCst);
                eprintln!("failed: {} {}", answer.status, answer.text());
            }
            kept = (answer.header("connection") != "close").then_some(open);
        }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[test]
fn sigterm_under_load_fails_no_request() {
    let mock = Mock::start();
    mock.always(|_| Reply::from("ok"));
    let serving = Serving::before(&mock, &[]);
    let address = serving.address;
    // Streams that are open when the signal comes; answers in one piece pass the gate.
    let hold = mock.hold_after(2);
    let streams: Vec<_> = (0..3).map(|_| Open::asking(address, &question(true))).collect();
    hold.wait_for_held(3);
    let load = Load::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| load.run(address, &question(false)));
        }
        wait_until("there is load", || load.asked() > 20);
        serving.wait_until_ready();
        serving.signal("-TERM");
        wait_until("it is not ready", || serving.get("/_forge/readyz").status == 503);
        load.is_over.store(true, Ordering::SeqCst);
    });
    hold.release();
    for stream in streams {
        let answer = stream.answer();
        assert!(answer.is_whole);
        assert_eq!(grammar::check("anthropic", &answer.body).unwrap().text, "ok");
    }
    assert_eq!(load.failed.load(Ordering::SeqCst), 0);
    let (code, log) = serving.end();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn a_hundred_new_settings_under_load_fail_no_request() {
    let mock = Mock::start();
    mock.always(|_| Reply::from("ok"));
    let folder = Folder::new();
    let settings = |n: usize| {
        let mode = ["standard", "safe", "lossless", "aggressive", "observe"][n % 5];
        format!(
            "pipes:\n  tool_output:\n    mode: {mode}\n    min_bytes: {}\nupstreams:\n  backend: {}\n",
            1000 + n,
            mock.url()
        )
    };
    let file = folder.file("tokenforge.yaml", settings(0));
    let serving = Serving::with(&["--listen", "127.0.0.1:0", "--config", &file], &[]);
    let address = serving.address;
    let load = Load::new();
    std::thread::scope(|scope| {
        for is_stream in [true, false, false] {
            let load = &load;
            scope.spawn(move || load.run(address, &question(is_stream)));
        }
        for n in 1..=100 {
            folder.file("tokenforge.yaml", settings(n));
            if n % 10 == 0 {
                serving.signal("-HUP");
            }
            wait_until("the new settings are used", || {
                let config = serving.get("/_forge/api/config").json();
                config["pipes"]["tool_output"]["min_bytes"] == 1000 + n
            });
        }
        load.is_over.store(true, Ordering::SeqCst);
    });
    assert!(load.asked() > 100, "{}", load.asked());
    assert_eq!(load.failed.load(Ordering::SeqCst), 0);
}

#[test]
fn new_settings_that_are_wrong_are_refused_and_the_old_ones_kept() {
    let mock = Mock::start();
    let folder = Folder::new();
    let keys = "keys:\n  team: a-long-key-of-ours\n";
    let upstream = format!("upstreams:\n  backend: {}\n", mock.url());
    let file = folder.file("tokenforge.yaml", format!("{keys}{upstream}"));
    let mut serving = Serving::with(&["--listen", "0.0.0.0:0", "--config", &file], &[]);
    let port = serving.address.port();
    let local = SocketAddr::from(([127, 0, 0, 1], port));
    let status = |ask: Ask| Open::asking(local, &ask).answer().status;
    assert_eq!(status(question(false)), 401);
    for wrong in [
        "pipes: [".to_owned(),
        format!("{keys}{upstream}mood: good\n"),
        // Without keys, every client that can reach the gateway would be let in.
        upstream.clone(),
    ] {
        folder.file("tokenforge.yaml", wrong);
        serving.wait_for("the new settings are not used");
        assert_eq!(status(question(false)), 401);
        assert_eq!(status(question(false).header("x-forge-key", "a-long-key-of-ours")), 200);
    }
    folder.file("tokenforge.yaml", format!("{keys}{upstream}redact_secrets: true\n"));
    wait_until("the good settings are used", || {
        let ask = Ask::new("GET", "/_forge/api/config").header("x-forge-key", "a-long-key-of-ours");
        Open::asking(local, &ask).answer().json()["redact_secrets"] == true
    });
    serving.signal("-TERM");
    let (code, log) = serving.end();
    assert_eq!(code, Some(0));
    assert!(log.contains("the new settings are not used"), "{log}");
    assert!(log.contains("mood") && log.contains("allow_public"), "{log}");
    assert!(!log.contains("a-long-key-of-ours"), "{log}");
}
