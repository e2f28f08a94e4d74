//! Row 24: tool servers on standard input and output: commands come from files alone, and leave no zombies.

use crate::kit::{Ask, GatewayHome, GatewayProcess, ProofBench};
use crate::row::{Faults, ProofRow, RowResult};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokenforge_mock::Mock;

pub(crate) const ROW: ProofRow = ProofRow {
    number: 24,
    what: "stdio servers: a command over HTTP, with and without the token; servers that crash",
    bar: "no command is taken or run, not after a restart either; 0 zombies after 50 crashes (1,000 are aimed at)",
    prove,
};

const CRASHES: usize = 50;

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let mock = Mock::start();
    let home = GatewayHome::new()?;
    let mark = home.path().join("it-ran");
    let mut gateway = GatewayProcess::in_home(bench, mock.address(), &home, &[])?;
    let commands = commands(&gateway, &home, &mark, &mut faults);
    drop(gateway);
    gateway = GatewayProcess::in_home(bench, mock.address(), &home, &[])?;
    call_all(&gateway);
    faults.check(!mark.exists(), || "a command ran after a restart".to_owned());
    drop(gateway);
    let zombies = crashes(bench, &mut faults)?;
    let figure = format!("{zombies} zombies");
    faults.into_result(format!("{commands} requests, {CRASHES} crashes"), figure)
}

/// Ways to hand the gateway a command over HTTP. How many.
fn commands(
    gateway: &GatewayProcess,
    home: &GatewayHome,
    mark: &Path,
    faults: &mut Faults,
) -> usize {
    let token = std::fs::read_to_string(home.data().join("admin_token")).unwrap_or_default();
    let bearer = format!("Bearer {}", token.trim());
    let touch = format!("touch {}", mark.display());
    let server = json!({"command": "/bin/sh", "args": ["-c", touch]});
    let with = |member: &str, value: Value| {
        let mut server = server.clone();
        server[member] = value;
        server
    };
    let requests: Vec<(&str, &str, Value)> = vec![
        ("POST", "/_forge/api/mcp", with("prefix", "x".into())),
        ("POST", "/_forge/api/mcp", with("prefix", "stats2".into())),
        ("PATCH", "/_forge/api/mcp/x", server.clone()),
        ("PATCH", "/_forge/api/config", json!({"mcp": {"backends": {"x": server}}})),
        ("PUT", "/_forge/api/mcp/x", server.clone()),
        (
            "POST",
            "/mcp",
            json!({"jsonrpc": "2.0", "id": 1, "method": "servers/add", "params": server}),
        ),
        (
            "POST",
            "/v1/messages",
            json!({"_forge": {"mcp": {"backends": {"x": server}}}, "messages": []}),
        ),
    ];
    let mut sent = 0;
    for (method, path, body) in &requests {
        for content_type in ["application/json", "text/plain"] {
            for shown in [None, Some(&bearer)] {
                let ask = Ask::new(method, path).header("content-type", content_type);
                let ask = ask.header("accept", "application/json, text/event-stream");
                let ask = shown.into_iter().fold(ask, |ask, it| ask.header("authorization", it));
                let answer = gateway.send(&ask.body(body.to_string()));
                sent += 1;
                let is_taken = path.starts_with("/_forge/") && answer.status < 400;
                let told = || format!("{method} {path} with a command: {}", answer.status);
                faults.check(!is_taken, told);
            }
        }
    }
    call_all(gateway);
    faults.check(!mark.exists(), || "a command that came over HTTP was run".to_owned());
    sent
}

/// Lists the tools of all servers, which starts them.
fn call_all(gateway: &GatewayProcess) {
    for path in ["/_forge/api/mcp/x/tools", "/_forge/api/mcp/stats2/tools", "/_forge/api/mcp"] {
        gateway.get(path);
    }
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    let ask = Ask::post("/mcp", list).header("accept", "application/json, text/event-stream");
    gateway.send(&ask);
    std::thread::sleep(Duration::from_millis(300));
}

/// A server that crashes whenever it is started. How many zombies are left.
fn crashes(bench: &ProofBench, faults: &mut Faults) -> anyhow::Result<usize> {
    let mock = Mock::start();
    let settings =
        json!({"mcp": {"backends": {"x": {"command": "/bin/sh", "args": ["-c", "exit 1"]}}}});
    let (mut gateway, home) = GatewayProcess::start(bench, mock.address(), &settings.to_string())?;
    let token = std::fs::read_to_string(home.data().join("admin_token")).unwrap_or_default();
    for _ in 0..CRASHES {
        let refresh = Ask::new("POST", "/_forge/api/mcp/x/refresh");
        gateway.send(&refresh.header("authorization", &format!("Bearer {}", token.trim())));
        gateway.get("/_forge/api/mcp/x/tools");
    }
    std::thread::sleep(Duration::from_millis(500));
    let zombies = zombies(gateway.pid())?;
    faults.check(zombies == 0, || format!("{zombies} zombies"));
    faults.check(!gateway.has_ended(), || "the gateway ended".to_owned());
    Ok(zombies)
}

/// Children that ended and were not waited for.
fn zombies(parent: u32) -> anyhow::Result<usize> {
    let mut count = 0;
    for entry in std::fs::read_dir("/proc")?.filter_map(Result::ok) {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let Some((_, fields)) = stat.rsplit_once(')') else { continue };
        let mut fields = fields.split_whitespace();
        let (state, of) = (fields.next(), fields.next().and_then(|pid| pid.parse::<u32>().ok()));
        count += usize::from(state == Some("Z") && of == Some(parent));
    }
    Ok(count)
}
