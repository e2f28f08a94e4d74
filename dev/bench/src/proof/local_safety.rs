//! Row 22: local safety: Host, Origin, Sec-Fetch-Site, X-Forwarded-* and the admin token, on every kind of path.

use crate::kit::{Ask, GatewayHome, GatewayProcess, ProofBench, conversation};
use crate::row::{Faults, ProofRow, RowResult};
use anyhow::Context;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Command, Stdio};
use std::time::Duration;
use tokenforge_mock::Mock;

pub(crate) const ROW: ProofRow = ProofRow {
    number: 22,
    what: "local safety: DNS rebinding, CSRF, strangers behind a proxy, other users of the machine, the admin and client tokens",
    bar: "each refused or served as its line says",
    prove,
};

/// Headers that a page of another website, or a name that was rebound, would send: refused on every path.
const FOREIGN: [&[(&str, &str)]; 17] = [
    &[("host", "evil.example")],
    &[("host", "evil.example:8787")],
    &[("host", "localhost.evil.example")],
    &[("host", "127.0.0.1.evil.example")],
    &[("host", "evil.example#localhost")],
    &[("host", "user@localhost")],
    &[("host", "localhost"), ("host", "evil.example")],
    &[("host", "localhost"), ("host", "localhost")],
    &[("host", "localhost"), ("origin", "http://evil.example")],
    &[("host", "localhost"), ("origin", "https://evil.example:443")],
    &[("host", "localhost"), ("origin", "http://localhost.evil.example")],
    &[("host", "localhost"), ("origin", "http://user@localhost")],
    &[("host", "localhost"), ("origin", "null")],
    &[("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://evil.example")],
    &[("host", "localhost"), ("sec-fetch-site", "cross-site")],
    &[("host", "localhost"), ("origin", "http://xn--lcalhost-1za.example")],
    &[("host", "[::2]:8787")],
];

/// Headers of clients on this machine: served.
const OWN: [&[(&str, &str)]; 6] = [
    &[("host", "localhost")],
    &[("host", "127.0.0.1:8787")],
    &[("host", "[::1]:8787")],
    &[("host", "LOCALHOST:8787")],
    &[("host", "localhost"), ("sec-fetch-site", "same-origin")],
    &[("host", "localhost"), ("sec-fetch-site", "none")],
];

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let mock = Mock::start();
    mock.careless();
    let settings = format!(
        "routes: {{/tools: {{url: \"{}\", headers: {{authorization: Bearer operator}}}}}}\n",
        mock.url()
    );
    let (gateway, home) = GatewayProcess::start(bench, mock.address(), &settings)?;
    let cases = pages(&gateway, &mut faults)
        + proxies(&gateway, &mut faults)
        + tokens(&gateway, &home, &mut faults)
        + operators_own(&gateway, &home, &mut faults)?
        + keyed_figures(bench, &mock, &mut faults)?
        + binding(bench, &mut faults)?;
    faults.into_result(format!("{cases} cases"), String::new())
}

/// What is asked with these headers.
fn with(mut ask: Ask, headers: &[(&str, &str)]) -> Ask {
    for (name, value) in headers {
        ask = ask.header(name, value);
    }
    ask
}

/// A request for each kind of path, as a page can send it without a preflight.
fn kinds() -> Vec<(&'static str, Ask)> {
    let body = conversation("short").to_string();
    let text = |path: &str, body: &str| {
        Ask::new("POST", path).header("content-type", "text/plain").body(body)
    };
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    vec![
        ("model path", text("/v1/messages", &body).header("anthropic-version", "2023-06-01")),
        ("unknown path", text("/v1/embeddings", "{}")),
        ("compress", text("/v1/compress", r#"{"messages":[]}"#)),
        ("mcp", text("/mcp", hello).header("accept", "application/json, text/event-stream")),
        ("figures", Ask::new("GET", "/_forge/api/stats")),
    ]
}

/// Pages of other websites are refused, clients of this machine served.
fn pages(gateway: &GatewayProcess, faults: &mut Faults) -> usize {
    for (kind, ask) in kinds() {
        for headers in FOREIGN {
            let status = gateway.send(&with(ask.clone(), headers)).status;
            let is_refused = matches!(status, 400 | 403 | 421);
            faults.check(is_refused, || format!("{kind} with {headers:?}: {status}"));
        }
        for headers in OWN {
            let status = gateway.send(&with(ask.clone(), headers)).status;
            // What an endpoint says to a body that is none is its own affair.
            let is_refused = matches!(status, 0 | 401 | 403 | 421);
            faults.check(!is_refused, || format!("{kind} with {headers:?}: {status}"));
        }
    }
    kinds().len() * (FOREIGN.len() + OWN.len())
}

/// A client behind a proxy is no neighbour: nothing under `/_forge/` without the token.
fn proxies(gateway: &GatewayProcess, faults: &mut Faults) -> usize {
    let headers = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded"];
    let asks = [
        Ask::new("GET", "/_forge/api/stats"),
        Ask::new("GET", "/_forge/api/config"),
        Ask::new("PATCH", "/_forge/api/config").body("{}"),
        Ask::new("POST", "/_forge/api/mcp").body("{}"),
    ];
    for header in headers {
        for ask in &asks {
            let status = gateway.send(&ask.clone().header(header, "203.0.113.7")).status;
            faults.check(matches!(status, 401 | 403), || format!("{header}: {status}"));
        }
    }
    headers.len() * asks.len()
}

/// Changing something, or reading a text, needs the token; figures and health do not.
fn tokens(gateway: &GatewayProcess, home: &GatewayHome, faults: &mut Faults) -> usize {
    let file = home.data().join("admin_token");
    let mode = std::fs::metadata(&file).map(|data| data.permissions().mode() & 0o777).ok();
    faults.check(mode == Some(0o600), || format!("admin_token has the mode {mode:?}"));
    let token = std::fs::read_to_string(&file).unwrap_or_default();
    let json = |method: &str, path: &str, body: &str| {
        Ask::new(method, path).header("content-type", "application/json").body(body)
    };
    let guarded = [
        json("PATCH", "/_forge/api/config", r#"{"pipes":{"tool_output":{"mode":"safe"}}}"#),
        json("POST", "/_forge/api/playground", r#"{"text":"a"}"#),
        json("POST", "/_forge/api/mcp", r#"{"prefix":"x","url":"http://127.0.0.1:9/mcp"}"#),
        Ask::new("GET", "/_forge/api/contents/0123"),
        Ask::new("DELETE", "/_forge/api/mcp/x"),
    ];
    for ask in &guarded {
        for shown in [None, Some("Bearer wrong"), Some("Bearer "), Some("")] {
            let ask =
                shown.into_iter().fold(ask.clone(), |ask, it| ask.header("authorization", it));
            let status = gateway.send(&ask).status;
            faults.check(matches!(status, 401 | 403), || format!("{shown:?}: {status}, {ask:?}"));
        }
    }
    let bearer = format!("Bearer {}", token.trim());
    let status = gateway.send(&guarded[0].clone().header("authorization", &bearer)).status;
    faults.check(status == 200, || format!("with the token: {status}"));
    let open = ["/_forge/healthz", "/_forge/readyz", "/_forge/metrics", "/_forge/api/stats"];
    for path in open {
        let status = gateway.get(path).status;
        faults.check(status == 200, || format!("{path}: {status}"));
    }
    4 * guarded.len() + open.len() + 2
}

/// Without keys, tools and routes are the operator's own: not for a proxy, and not for another user of the machine.
fn operators_own(
    gateway: &GatewayProcess,
    home: &GatewayHome,
    faults: &mut Faults,
) -> anyhow::Result<usize> {
    let file = home.data().join("client_token");
    let mode = std::fs::metadata(&file).map(|data| data.permissions().mode() & 0o777).ok();
    faults.check(mode == Some(0o600), || format!("client_token has the mode {mode:?}"));
    let token = std::fs::read_to_string(&file).unwrap_or_default();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let asks = [
        Ask::post("/mcp", hello),
        Ask::post("/p/shop/mcp", hello),
        Ask::new("GET", "/tools/x"),
        Ask::post("/p/shop/tools/x", "{}"),
    ];
    let mut cases = 1;
    let mut check = |what: &str, is_served: bool, status: u16| {
        cases += 1;
        faults.check((status != 403) == is_served, || format!("{what}: {status}"));
    };
    for ask in &asks {
        check("the own user", true, gateway.send(ask).status);
        for header in ["x-forwarded-for", "x-forwarded-host", "forwarded", "via", "x-real-ip"] {
            let through = ask.clone().header(header, "203.0.113.7");
            check(header, false, gateway.send(&through).status);
            let wrong = through.clone().header("x-forge-token", &"0".repeat(64));
            check("a wrong token", false, gateway.send(&wrong).status);
            let shown = through.header("x-forge-token", token.trim());
            check("the token", true, gateway.send(&shown).status);
        }
        if is_root() {
            check("another user", false, as_other_user(gateway, ask)?);
            let shown = ask.clone().header("x-forge-token", token.trim());
            check("another user with the token", true, as_other_user(gateway, &shown)?);
        }
    }
    Ok(cases)
}

/// Only root can run a client as another user.
fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// The status that another user of this machine gets.
fn as_other_user(gateway: &GatewayProcess, ask: &Ask) -> anyhow::Result<u16> {
    let talk =
        format!("exec 3<>/dev/tcp/127.0.0.1/{}; cat >&3; head -n 1 <&3", gateway.address.port());
    let mut client = Command::new("setpriv")
        .args(["--reuid=65534", "--clear-groups", "bash", "-c", &talk])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    client.stdin.take().context("no input")?.write_all(&ask.bytes())?;
    let said = client.wait_with_output()?;
    let line = String::from_utf8_lossy(&said.stdout).into_owned();
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
    status.with_context(|| format!("another user heard {line:?}"))
}

/// With keys, figures need one or the admin token, also behind a proxy that does not say so.
fn keyed_figures(bench: &ProofBench, mock: &Mock, faults: &mut Faults) -> anyhow::Result<usize> {
    let settings = "keys: {alice: key-of-alice-0123456789}\n";
    let (gateway, home) = GatewayProcess::start(bench, mock.address(), settings)?;
    let token = std::fs::read_to_string(home.data().join("admin_token")).unwrap_or_default();
    let admin = format!("Bearer {}", token.trim());
    let figures = [
        "metrics",
        "api/config",
        "api/settings",
        "api/stats",
        "api/gain",
        "api/history",
        "api/sessions",
        "api/fetches",
        "api/mcp",
    ];
    let shown: [(&[(&str, &str)], u16); 5] = [
        (&[], 401),
        (&[("x-forge-key", "wrong")], 401),
        (&[("host", "gateway.example")], 401),
        (&[("x-forge-key", "key-of-alice-0123456789")], 200),
        (&[("authorization", admin.as_str())], 200),
    ];
    for path in figures {
        for (headers, expected) in shown {
            let ask = with(Ask::new("GET", &format!("/_forge/{path}")), headers);
            let status = gateway.send(&ask).status;
            faults.check(status == expected, || format!("{path} with {headers:?}: {status}"));
        }
    }
    for path in ["/_forge/healthz", "/_forge/readyz"] {
        let status = gateway.get(path).status;
        faults.check(status == 200, || format!("{path}: {status}"));
    }
    Ok(figures.len() * shown.len() + 2)
}

/// Beyond this machine it does not listen without keys.
fn binding(bench: &ProofBench, faults: &mut Faults) -> anyhow::Result<usize> {
    let addresses = ["0.0.0.0:0", "[::]:0"];
    for address in addresses {
        let home = GatewayHome::new()?;
        let mut child = Command::new(&bench.program)
            .args(["serve", "--listen", address])
            .env_clear()
            .env("FORGE_DATA_DIR", home.data())
            .current_dir(home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let start = std::time::Instant::now();
        let mut status = None;
        while status.is_none() && start.elapsed() < Duration::from_secs(5) {
            status = child.try_wait()?;
            std::thread::sleep(Duration::from_millis(10));
        }
        faults.check(status.is_some_and(|it| !it.success()), || format!("{address} is served"));
        let _ = child.kill();
        let _ = child.wait();
    }
    Ok(addresses.len())
}
