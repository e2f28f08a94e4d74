//! Row 28: tenants of MCP tasks, sessions and resources: nothing of one tenant is reached by another, whichever gateway is asked.

use crate::kit::{Answer, Ask, GatewayHome, GatewayProcess, Open, ProofBench};
use crate::row::{Faults, ProofRow, RowResult};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use tokenforge_mock::Mock;

pub(crate) const ROW: ProofRow = ProofRow {
    number: 28,
    what: "tenants of MCP tasks, sessions and resources: servers with an address and programs, both protocol shapes, another replica, after a restart",
    bar: "0 hits of another tenant, while the owner reaches all of its own (120 tasks)",
    prove,
};

/// How many tasks a tenant begins in each way.
const TASKS: usize = 20;

/// What makes this program a tool server over standard input and output.
pub(crate) const AS_SERVER: &str = "--task-server";

const KEYS: [(&str, &str); 2] =
    [("alice", "key-of-alice-0123456789"), ("bob", "key-of-bob-0123456789")];

const VERSION: &str = "2026-07-28";
const RESULT: &str = "the words of a result that is of one tenant alone";

/// The servers, as the gateway calls them.
const ADDRESS: &str = "web";
const PROGRAM: &str = "prog";

/// How a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// 2025-11-25, with sessions.
    Legacy,
    /// 2026-07-28, without.
    Modern,
}

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let mock = Mock::start();
    let server = HttpServer::start()?;
    let home = GatewayHome::new()?;
    let this = std::env::current_exe()?;
    let settings = json!({
        "keys": KEYS.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
        "store": {"url": format!("disk:{}", home.data().join("store").display())},
        "mcp": {"backends": {
            ADDRESS: {"url": format!("http://{}/mcp", server.address)},
            PROGRAM: {"command": this, "args": [AS_SERVER]},
        }},
    });
    std::fs::write(home.settings(), settings.to_string())?;
    let first = GatewayProcess::in_home(bench, mock.address(), &home, &[])?;
    let replica = GatewayProcess::in_home(bench, mock.address(), &home, &[])?;
    let mut cases = 0;
    let mut tasks = Vec::new();
    for (server, shape) in
        [(ADDRESS, Shape::Legacy), (ADDRESS, Shape::Modern), (PROGRAM, Shape::Legacy)]
    {
        for path in ["/mcp".to_owned(), format!("/mcp/{server}")] {
            let alice = Client::begin(&first, "alice", &path, shape);
            for _ in 0..TASKS {
                let id = alice.begin_task(server).unwrap_or_default();
                faults.check(!id.is_empty(), || format!("{path} {shape:?}: no task was begun"));
                tasks.push(TenantTask { id, server, path: path.clone(), shape });
            }
            cases += sessions(&first, &alice, &mut faults);
        }
    }
    for (name, gateway) in [("the gateway", &first), ("a replica", &replica)] {
        cases += strangers(gateway, name, &tasks, &mut faults);
    }
    owned(&replica, &tasks, &mut faults);
    owned(&first, &tasks, &mut faults);
    drop((first, replica));
    let again = GatewayProcess::in_home(bench, mock.address(), &home, &[])?;
    cases += strangers(&again, "after a restart", &tasks, &mut faults);
    owned(&again, &tasks, &mut faults);
    let touched = server.touched();
    faults.check(touched == 0, || format!("{touched} tasks were cancelled or deleted"));
    faults.into_result(format!("{} tasks, {cases} attempts", tasks.len()), "0 hits".to_owned())
}

/// A task of the tenant alice.
struct TenantTask {
    id: String,
    server: &'static str,
    path: String,
    shape: Shape,
}

/// A client of a tenant.
struct Client<'g> {
    gateway: &'g GatewayProcess,
    key: &'static str,
    path: String,
    shape: Shape,
    session: String,
}

impl<'g> Client<'g> {
    fn begin(gateway: &'g GatewayProcess, tenant: &str, path: &str, shape: Shape) -> Self {
        let key = KEYS.into_iter().find(|(name, _)| *name == tenant).map_or("", |(_, key)| key);
        let mut client =
            Client { gateway, key, path: path.to_owned(), shape, session: String::new() };
        if shape == Shape::Legacy {
            let hello = json!({
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": tenant, "version": "1"},
            });
            client.session = client.ask("initialize", hello).header("mcp-session-id").to_owned();
        }
        client
    }

    fn message(&self, method: &str, mut params: Value) -> Ask {
        let post = |params: &Value| {
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            Ask::post(&self.path, message.to_string())
                .header("accept", "application/json")
                .header("x-forge-key", self.key)
        };
        match self.shape {
            Shape::Legacy if self.session.is_empty() => post(&params),
            Shape::Legacy => post(&params).header("mcp-session-id", &self.session),
            Shape::Modern => {
                let name =
                    ["name", "taskId", "uri"].into_iter().find_map(|key| params[key].as_str());
                let name = name.unwrap_or("none").to_owned();
                params["_meta"] = json!({
                    "io.modelcontextprotocol/protocolVersion": VERSION,
                    "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
                });
                post(&params)
                    .header("mcp-protocol-version", VERSION)
                    .header("mcp-method", method)
                    .header("mcp-name", &name)
            }
        }
    }

    fn ask(&self, method: &str, params: Value) -> Answer {
        self.gateway.send(&self.message(method, params))
    }

    /// All pages of the list of tasks.
    fn listed(&self) -> String {
        let (mut listed, mut cursor) = (String::new(), Value::Null);
        // More pages than there are servers, and than tasks.
        for _ in 0..1000 {
            let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
            let page = self.ask("tasks/list", params);
            listed += &page.text();
            cursor = page.json()["result"]["nextCursor"].take();
            if cursor.is_null() {
                break;
            }
        }
        listed
    }

    fn begin_task(&self, server: &str) -> Option<String> {
        let name = match self.path.as_str() {
            "/mcp" => format!("{server}__work"),
            _ => "work".to_owned(),
        };
        let mut call = json!({"name": name, "arguments": {}});
        if self.shape == Shape::Legacy {
            call["task"] = json!({});
        }
        let result = self.ask("tools/call", call).json()["result"].take();
        let id = result["task"]["taskId"].as_str().or_else(|| result["taskId"].as_str());
        id.map(str::to_owned)
    }
}

/// Asks for each task as another tenant, in every way.
fn strangers(
    gateway: &GatewayProcess,
    which: &str,
    tasks: &[TenantTask],
    faults: &mut Faults,
) -> usize {
    let mut cases = 0;
    for TenantTask { id, server, path, shape } in tasks {
        for path in [path.as_str(), "/mcp", &format!("/mcp/{server}")] {
            let bob = Client::begin(gateway, "bob", path, *shape);
            // The id as it is, and as it is called on the other path.
            for id in
                [id.clone(), format!("{server}__{id}"), id.replace(&format!("{server}__"), "")]
            {
                for method in
                    ["tasks/get", "tasks/result", "tasks/update", "tasks/delete", "tasks/cancel"]
                {
                    let answer = bob.ask(method, json!({"taskId": id, "inputResponses": {}}));
                    cases += 1;
                    let is_hit = answer.json().get("result").is_some();
                    faults.check(!is_hit, || format!("{which} {path} {shape:?}: {method} of {id}"));
                }
                let wanted = json!({"notifications": {"taskIds": [id]}});
                if *shape == Shape::Modern && path == "/mcp" {
                    let listen = bob.message("subscriptions/listen", wanted);
                    let listen = listen.header("accept", "text/event-stream");
                    let mut told = Open::asking(gateway.address, &listen);
                    let told = told.until("\n\n");
                    cases += 1;
                    faults.check(!told.contains("task-"), || {
                        format!("{which} {path}: listen to {id}")
                    });
                }
            }
        }
    }
    for path in ["/mcp", "/mcp/web", "/mcp/prog"] {
        let listed = Client::begin(gateway, "bob", path, Shape::Legacy).listed();
        cases += 1;
        faults.check(!listed.contains("task-"), || format!("{which} {path}: tasks/list"));
    }
    cases
}

/// Another tenant takes up a session, with its id, in every way in which a session is named.
fn sessions(gateway: &GatewayProcess, alice: &Client<'_>, faults: &mut Faults) -> usize {
    if alice.session.is_empty() {
        return 0;
    }
    let mut bob = Client::begin(gateway, "bob", &alice.path, Shape::Legacy);
    bob.session.clone_from(&alice.session);
    let uri = json!({"uri": "proof:///one"});
    let asks = [
        bob.message("resources/subscribe", uri.clone()),
        bob.message("resources/unsubscribe", uri),
        bob.message("tools/list", json!({})),
        bob.message("tasks/list", json!({})),
        Ask::new("GET", &alice.path)
            .header("accept", "text/event-stream")
            .header("x-forge-key", bob.key)
            .header("mcp-session-id", &alice.session),
        Ask::new("DELETE", &alice.path)
            .header("x-forge-key", bob.key)
            .header("mcp-session-id", &alice.session),
    ];
    for ask in &asks {
        let status = gateway.send(ask).status;
        faults.check(status == 404, || format!("a session of another tenant: {status} to {ask:?}"));
    }
    let own = alice.ask("tools/list", json!({})).status;
    faults.check(own == 200, || format!("the session of its own tenant: {own}"));
    asks.len()
}

/// The owner reaches every task, as far as its server still has it: a program that ended has none.
fn owned(gateway: &GatewayProcess, tasks: &[TenantTask], faults: &mut Faults) {
    for task in tasks.iter().filter(|task| task.server == ADDRESS) {
        let alice = Client::begin(gateway, "alice", &task.path, task.shape);
        let text = alice.ask("tasks/get", json!({"taskId": task.id})).text();
        faults.check(text.contains("task-"), || format!("{}: of its own tenant: {text}", task.id));
        if task.shape == Shape::Legacy {
            let text = alice.ask("tasks/result", json!({"taskId": task.id})).text();
            faults.check(text.contains(RESULT), || format!("{}: its result: {text}", task.id));
            // At `/mcp` a server that speaks the later protocol, as this one does, is not asked for a list, because that
            // protocol has none.
            if task.path != "/mcp" {
                let listed = alice.listed();
                faults.check(listed.contains(&task.id), || format!("{} is not listed", task.id));
            }
        }
    }
}

/// What a tool server has done.
#[derive(Default)]
struct ServerState {
    tasks: usize,
    /// Tasks that were cancelled or deleted.
    touched: usize,
}

impl ServerState {
    /// Answers a request in either shape; `None`: it wants no answer.
    fn react(&mut self, message: &Value) -> Option<Value> {
        let (id, params) = (message.get("id")?, &message["params"]);
        let task = |id: &str| json!({"taskId": id, "status": "working", "ttl": null, "createdAt": "2026-01-01T00:00:00Z"});
        let about = params["taskId"].as_str().unwrap_or_default();
        let words = json!([{"type": "text", "text": RESULT}]);
        let result = match message["method"].as_str()? {
            "initialize" => json!({
                "protocolVersion": "2025-11-25", "serverInfo": {"name": "proof", "version": "1"},
                "capabilities": {
                    "tools": {}, "resources": {"subscribe": true},
                    "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
                },
            }),
            "server/discover" => json!({
                "resultType": "complete", "supportedVersions": [VERSION], "ttlMs": 0, "cacheScope": "private",
                "serverInfo": {"name": "proof", "version": "1"},
                "capabilities": {"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}},
            }),
            "tools/list" => json!({"tools": [{"name": "work", "inputSchema": {"type": "object"}}]}),
            "tools/call" => {
                self.tasks += 1;
                let mut begun = task(&format!("task-{}", self.tasks));
                if params["task"].is_object() {
                    json!({ "task": begun })
                } else {
                    begun["resultType"] = "task".into();
                    begun
                }
            }
            "tasks/list" => {
                let all: Vec<_> = (1..=self.tasks).map(|n| task(&format!("task-{n}"))).collect();
                json!({ "tasks": all })
            }
            "tasks/get" => task(about),
            "tasks/result" => json!({ "content": words }),
            method if method.starts_with("tasks/") => {
                self.touched += 1;
                task(about)
            }
            _ => json!({}),
        };
        Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }
}

/// Serves as a tool server over standard input and output, until the input ends.
pub(crate) fn serve_program() -> ExitCode {
    let mut server = ServerState::default();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let message = serde_json::from_str(&line).unwrap_or_default();
        if let Some(answer) = server.react(&message) {
            println!("{answer}");
        }
    }
    ExitCode::SUCCESS
}

/// The tool server behind an address: all clients share its tasks.
struct HttpServer {
    address: SocketAddr,
    state: Arc<Mutex<ServerState>>,
}

impl HttpServer {
    fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let state = Arc::<Mutex<ServerState>>::default();
        let serving = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = serving.clone();
                std::thread::spawn(move || serve_connection(stream, &state));
            }
        });
        Ok(HttpServer { address, state })
    }

    fn touched(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).touched
    }
}

/// Answers the requests of a connection; `None`: it is over.
fn serve_connection(mut stream: TcpStream, state: &Mutex<ServerState>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let is_post = line.starts_with("POST");
        let mut length = 0;
        loop {
            line.clear();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let answer = state.lock().unwrap_or_else(PoisonError::into_inner).react(&message);
        let mut text = String::new();
        match answer.filter(|_| is_post) {
            Some(answer) => {
                let answer = answer.to_string();
                let _ = write!(
                    text,
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nmcp-session-id: s\r\ncontent-length: {}\r\n\r\n{answer}",
                    answer.len()
                );
            }
            None => text += "HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n",
        }
        stream.write_all(text.as_bytes()).ok()?;
    }
}
