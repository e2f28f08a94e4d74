//! Row 21: SSRF: whatever a client or a page says, the gateway connects to no host that its operator did not name.

use crate::kit::{Ask, GatewayProcess, ProofBench, conversation, messages, test_run};
use crate::row::{Faults, ProofRow, RowResult};
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpListener};
use tokenforge_mock::Mock;

pub(crate) const ROW: ProofRow = ProofRow {
    number: 21,
    what: "SSRF: addresses in X-Target-URL, in the request line, in changes over HTTP",
    bar: "each refused, and no connection made",
    prove,
};

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let inside = Listener::start()?;
    let mut cases = 0;
    for settings in ["", "upstreams: {target_allow: [good.example, \"good.example:8080\"]}"] {
        let mock = Mock::start();
        mock.careless();
        let (gateway, _home) = GatewayProcess::start(bench, mock.address(), settings)?;
        for address in addresses(inside.address) {
            cases += 1;
            let ask = messages(&conversation("short")).header("x-target-url", &address);
            let status = gateway.send(&ask).status;
            let is_refused = matches!(status, 400..500);
            faults.check(is_refused, || format!("X-Target-URL: {address} was answered {status}"));
            faults.check(!inside.was_reached(), || format!("X-Target-URL: {address} was reached"));
        }
        let seen = mock.requests().len();
        faults.check(seen == 0, || format!("{seen} of them went to the upstream"));
    }
    cases += request_lines(bench, &inside, &mut faults)?;
    cases += changes(bench, &inside, &mut faults)?;
    faults.into_result(format!("{cases} cases"), format!("{} connections", inside.count_reached()))
}

/// Spellings of addresses inside, and of metadata services.
fn addresses(inside: SocketAddr) -> Vec<String> {
    let port = inside.port();
    let hosts = [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "127.1",
        "127.0.1",
        "0",
        "0.0.0.0",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.1.",
        "127.000.000.001",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[fe80::1]",
        "[fd00::1]",
        "[fd00:ec2::254]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "169.254.169.254",
        "169.254.170.2",
        "2852039166",
        "0xa9fea9fe",
        "[::ffff:169.254.169.254]",
        "metadata.google.internal",
        "100.100.100.200",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "good.example@127.0.0.1",
        "user:pass@good.example",
        "127.0.0.1#good.example",
        "127.0.0.1?good.example",
        "good.example.evil.example",
        "evilgood.example",
        "xn--good-xyz.example",
        "127。0。0。1",
        "①②⑦.0.0.1",
        "good.example%00.evil.example",
        "good.example\\@127.0.0.1",
        "%31%32%37.0.0.1",
        "127.0.0.1%23good.example",
    ];
    let mut addresses = Vec::new();
    for host in hosts {
        addresses.push(format!("http://{host}:{port}"));
        addresses.push(format!("https://{host}:{port}/v1"));
    }
    let schemes = [
        "file:///etc/passwd",
        "ftp://good.example",
        "gopher://127.0.0.1",
        "data:,x",
        "//good.example",
        "http://",
        "http:good.example",
        "good.example",
    ];
    addresses.extend(schemes.map(str::to_owned));
    addresses
}

/// Whole addresses in the request line, and tunnels: the operator's upstream, or no host.
fn request_lines(
    bench: &ProofBench,
    inside: &Listener,
    faults: &mut Faults,
) -> anyhow::Result<usize> {
    let mock = Mock::start();
    mock.careless();
    let (gateway, _home) = GatewayProcess::start(bench, mock.address(), "")?;
    let lines = ["GET http://{}/v1/models", "GET http://u@{}/", "CONNECT {}", "OPTIONS http://{}/"];
    for line in lines {
        let (method, target) = line.split_once(' ').unwrap_or_default();
        let target = target.replace("{}", &inside.address.to_string());
        let answer = gateway.send(&Ask::new(method, &target));
        faults.check(!inside.was_reached(), || format!("{line} was answered {}", answer.status));
    }
    Ok(lines.len())
}

/// Changes over HTTP that would lead elsewhere, with the token and without.
fn changes(bench: &ProofBench, inside: &Listener, faults: &mut Faults) -> anyhow::Result<usize> {
    let elsewhere = format!("http://{}/", inside.address);
    let tool_output = |member: Value| json!({"pipes": {"tool_output": member}});
    let changes = [
        tool_output(json!({"api": {"endpoint": elsewhere}, "strategy": "api"})),
        tool_output(json!({"api": {"endpoint": elsewhere}})),
        tool_output(json!({"strategy": "api"})),
        tool_output(json!({"api": {"api_key": "mine"}})),
        tool_output(json!({"provider": "x"})),
        tool_output(json!({"redact_secrets": false})),
        json!({"redact_secrets": false}),
        json!({"upstreams": {"anthropic": elsewhere}}),
        json!({"upstreams": {"backend": elsewhere}}),
        json!({"upstreams": {"target_allow": [inside.address.ip().to_string()]}}),
        json!({"monitoring": {"otlp_endpoint": elsewhere}}),
        json!({"routes": {"/x": {"url": elsewhere}}}),
        json!({"keys": {}}),
        json!({"admin_token": "mine"}),
        json!({"allow_public": true}),
    ];
    let settings = json!({"redact_secrets": true, "pipes": {"tool_output": {"mode": "safe", "api": {
        "endpoint": "http://127.0.0.1:9/", "api_key": "operators-key"}}}});
    let mock = Mock::start();
    let (gateway, home) = GatewayProcess::start(bench, mock.address(), &settings.to_string())?;
    let token = std::fs::read_to_string(home.data().join("admin_token")).unwrap_or_default();
    let bearer = format!("Bearer {}", token.trim());
    for change in &changes {
        for ask in [
            Ask::new("PATCH", "/_forge/api/config").body(change.to_string()),
            Ask::new("PATCH", "/_forge/api/config")
                .body(change.to_string())
                .header("authorization", &bearer),
        ] {
            let status = gateway.send(&ask.header("content-type", "application/json")).status;
            faults.check(matches!(status, 400..500), || format!("{change} was answered {status}"));
        }
        gateway.send(&messages(&conversation(&test_run(1))));
        faults.check(!inside.was_reached(), || format!("{change} led inside"));
    }
    Ok(2 * changes.len())
}

/// A server on the internal network, which no request may reach.
struct Listener {
    listener: TcpListener,
    address: SocketAddr,
    reached: std::cell::Cell<usize>,
}

impl Listener {
    fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Listener { listener, address, reached: 0.into() })
    }

    /// Has anybody connected since this was last asked?
    fn was_reached(&self) -> bool {
        let before = self.reached.get();
        while self.listener.accept().is_ok() {
            self.reached.set(self.reached.get() + 1);
        }
        self.reached.get() > before
    }

    fn count_reached(&self) -> usize {
        self.reached.get()
    }
}
