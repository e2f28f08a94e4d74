//! The behaviour of the fake tool server, over any transport.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};

/// What it does about a message.
#[derive(Debug)]
pub(crate) enum Act {
    /// Says this on the stream of the request.
    Say(Value),
    /// Says this outside of any request.
    Announce(Value),
    /// Writes this, whatever it is.
    Write(String),
    /// Ends.
    Exit,
}

/// Remembers what it asked its client.
#[derive(Debug, Default)]
pub(crate) struct Server {
    asked: Option<Value>,
    /// How many questions it asked: the id of the last one.
    questions: u64,
    /// Requests that were taken back.
    cancelled: Vec<Value>,
    has_extra_tool: bool,
    /// What the client said that it can do.
    told: Value,
    /// The calls that were answered with a task: their tools, tokens and states.
    tasks: Vec<Task>,
    /// The resources to which clients subscribed.
    subscribed: Vec<Value>,
    /// What its client told of the progress of its questions.
    progress: Vec<Value>,
    /// The answers to other questions.
    answers: Vec<Value>,
}

/// A call that was answered with a task.
#[derive(Debug)]
struct Task {
    tool: String,
    token: Value,
    status: &'static str,
}

/// A secret, as a careless server says it.
pub(crate) const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

impl Server {
    pub(crate) fn react(&mut self, message: &Value) -> Vec<Act> {
        let (id, params) = (&message["id"], &message["params"]);
        let Some(method) = message["method"].as_str() else {
            // The answer to its question.
            if *id != self.questions || self.asked.is_none() {
                self.answers.push(message.clone());
                return vec![];
            }
            let call = self.asked.take().unwrap_or_default();
            return vec![Act::Say(text(&call, &message["result"].to_string()))];
        };
        if method == "initialize" {
            self.told = params["capabilities"].clone();
        }
        let result = match method {
            "initialize" => json!({
                "protocolVersion": "2025-06-18", "serverInfo": {"name": "fake", "version": "1", "x-own": 1.50},
                "capabilities": {
                    "tools": {"listChanged": true}, "prompts": {}, "resources": {"subscribe": true}, "logging": {},
                    "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
                },
                "instructions": if is_set("LEAKY") { format!("Use {TOKEN}") } else { "Use it well.".to_owned() },
            }),
            "server/discover" => json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 1, "cacheScope": "public",
                "serverInfo": {"name": "fake", "version": "1"},
                "capabilities": {"tools": {"listChanged": true}, "resources": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}},
            }),
            "tools/list" if is_set("ASKS") => {
                let question = json!({"jsonrpc": "2.0", "id": "roots", "method": "roots/list"});
                let word = json!({"level": "info", "data": "listing"});
                let word =
                    json!({"jsonrpc": "2.0", "method": "notifications/message", "params": word});
                return vec![Act::Say(question), Act::Say(word), answer(id, &self.tools(params))];
            }
            "tools/list" => self.tools(params),
            "prompts/list" => json!({"prompts": [{"name": "hello"}]}),
            "prompts/get" if params["name"] == "secret" => {
                let content = json!({"type": "text", "text": format!("use {TOKEN}")});
                json!({"messages": [{"role": "user", "content": content}]})
            }
            "prompts/get" => json!({"messages": [], "description": params["name"]}),
            method if method.starts_with("tasks/") && params["taskId"] != "t" => {
                return self.about_task(id, method, params);
            }
            // Both ways in which results of tasks are fetched.
            "tasks/result" => careless(),
            "tasks/get" => {
                json!({"taskId": params["taskId"], "status": "completed", "result": careless()})
            }
            "resources/read" if params["uri"] == "fake:///secret" => {
                json!({"contents": [{"uri": "fake:///secret", "text": format!("key: {TOKEN}\n")}]})
            }
            "resources/read" if params["uri"] == "fake:///data" => {
                let blob = BASE64_STANDARD.encode(format!("key: {TOKEN}\n"));
                json!({"contents": [{"uri": "fake:///data", "mimeType": "text/plain", "blob": blob}]})
            }
            "resources/read" if params["uri"] == "fake:///half" => {
                let contents = r#"{"contents":[{"uri":"fake:///half","text":"\ud800"}]}"#;
                let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{contents}}}\n");
                return vec![Act::Write(line)];
            }
            "resources/read" if params["uri"] == "fake:///slow" => {
                let told =
                    json!({"progressToken": params["_meta"]["progressToken"], "progress": 1});
                let told =
                    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": told});
                let contents = json!({"contents": [{"uri": "fake:///slow", "text": "at last"}]});
                return vec![Act::Say(told), answer(id, &contents)];
            }
            "resources/read" if params["uri"] == "fake:///ask" => return self.ask(id),
            "resources/read" if params["uri"] == "fake:///silent" => return vec![],
            "resources/read" if params["uri"] == "fake:///exit" => return vec![Act::Exit],
            "resources/read" if params["uri"] == "fake:///other" => {
                let word = json!({"level": "info", "data": "reading"});
                let word =
                    json!({"jsonrpc": "2.0", "method": "notifications/message", "params": word});
                let contents = json!({"contents": [{"uri": "fake:///other", "text": "other"}]});
                let error = json!({"code": -32002, "message": "Resource not found"});
                let read = if is_set("URI") {
                    answer(id, &contents)
                } else {
                    Act::Say(json!({"jsonrpc": "2.0", "id": id, "error": error}))
                };
                return vec![Act::Say(word), read];
            }
            "resources/list" => {
                let uri = std::env::var("URI").unwrap_or_else(|_| "fake:///one".to_owned());
                json!({"resources": [{"uri": uri, "name": "one"}]})
            }
            "resources/subscribe" => {
                self.subscribed.push(params["uri"].clone());
                json!({})
            }
            "resources/unsubscribe" => {
                self.subscribed.retain(|uri| *uri != params["uri"]);
                json!({})
            }
            "resources/templates/list" => json!({"resourceTemplates": []}),
            "resources/read" if params["uri"] == "fake:///one" => {
                json!({"contents": [{"uri": "fake:///one", "text": "one"}]})
            }
            "logging/setLevel" | "ping" => json!({}),
            "tools/call" => return self.call(id, params),
            "subscriptions/listen" => {
                let told_with = |what: &str, mut params: Value| {
                    params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": id});
                    let method = format!("notifications/{what}");
                    Act::Say(json!({"jsonrpc": "2.0", "method": method, "params": params}))
                };
                let told = |what: &str| told_with(what, json!({}));
                let tasks = &params["notifications"]["taskIds"];
                if tasks.is_array() {
                    let agreed = json!({"notifications": {"taskIds": tasks}});
                    let mut acts = vec![told_with("subscriptions/acknowledged", agreed)];
                    for at in 0..self.tasks.len() {
                        let mut state = self.task(at);
                        state["status"] = "completed".into();
                        state["result"] = tool_result(&self.tasks[at].tool);
                        acts.push(told_with("tasks", state));
                    }
                    return acts;
                }
                return vec![told("subscriptions/acknowledged"), told("tools/list_changed")];
            }
            "notifications/progress" => {
                self.progress.push(params.clone());
                return vec![];
            }
            "notifications/cancelled" => {
                self.cancelled.push(params["requestId"].clone());
                return vec![];
            }
            _ if id.is_null() => return vec![],
            _ => {
                let error = json!({"code": -32601, "message": "no such method"});
                return vec![Act::Say(json!({"jsonrpc": "2.0", "id": id, "error": error}))];
            }
        };
        vec![answer(id, &result)]
    }

    /// Two pages.
    fn tools(&self, params: &Value) -> Value {
        let tool =
            |name: &str| json!({"name": name, "inputSchema": {"type": "object"}, "x-own": 1.50});
        if params["cursor"] == "second" {
            let mut structured = tool("structured");
            structured["outputSchema"] = json!({"type": "object", "required": ["rows"]});
            let mut tools = vec![structured];
            if is_set("LEAKY") {
                tools.push(json!({"name": "leaky", "description": format!("Uses {TOKEN}"), "inputSchema": {"type": "object"}}));
            }
            if self.has_extra_tool {
                tools.push(tool("extra"));
            }
            return json!({ "tools": tools });
        }
        json!({"tools": [tool("rows"), tool("echo")], "nextCursor": "second"})
    }

    /// A task's state as both eras tell it: `working` when it is asked for first, and then `completed`.
    fn about_task(&mut self, id: &Value, method: &str, params: &Value) -> Vec<Act> {
        if method == "tasks/list" {
            let all: Vec<Value> = (0..self.tasks.len()).map(|at| self.task(at)).collect();
            return vec![answer(id, &json!({ "tasks": all }))];
        }
        let at = params["taskId"].as_str().and_then(|id| id.strip_prefix("task-")?.parse().ok());
        let Some(at) = at.filter(|at: &usize| *at < self.tasks.len()) else {
            let error =
                json!({"code": -32602, "message": "Failed to retrieve task: Task not found"});
            return vec![Act::Say(json!({"jsonrpc": "2.0", "id": id, "error": error}))];
        };
        let mut result = tool_result(&self.tasks[at].tool);
        let progress = json!({"progressToken": self.tasks[at].token, "progress": 1});
        let told = |method: &str, params: Value| {
            Act::Announce(json!({"jsonrpc": "2.0", "method": method, "params": params}))
        };
        match method {
            "tasks/get" => {
                let mut state = self.task(at);
                if state["status"] == "completed" {
                    state["result"] = result;
                    return vec![answer(id, &state)];
                }
                self.tasks[at].status = "completed";
                vec![
                    told("notifications/progress", progress),
                    told("notifications/tasks/status", self.task(at)),
                    answer(id, &state),
                ]
            }
            // The work is never done.
            "tasks/result" if self.tasks[at].tool == "silent" => vec![],
            "tasks/result" => {
                result["_meta"] =
                    json!({"io.modelcontextprotocol/related-task": {"taskId": params["taskId"]}});
                vec![answer(id, &result)]
            }
            "tasks/update" => vec![answer(id, &json!({"resultType": "complete"}))],
            _ => {
                self.tasks[at].status = "cancelled";
                vec![answer(id, &self.task(at))]
            }
        }
    }

    fn task(&self, at: usize) -> Value {
        json!({
            "taskId": format!("task-{at}"), "status": self.tasks[at].status, "ttl": null, "createdAt": "2026-01-01T00:00:00Z",
            "lastUpdatedAt": "2026-01-01T00:00:00Z", "statusMessage": format!("{} with {TOKEN}", self.tasks[at].tool),
        })
    }

    /// Answers a call with a task: as its client asks, or in the modern era because its client can take it.
    fn begin_task(&mut self, id: &Value, params: &Value, token: &Value) -> Vec<Act> {
        let tool = params["name"].as_str().unwrap_or_default().to_owned();
        self.tasks.push(Task { tool, token: token.clone(), status: "working" });
        let task = self.task(self.tasks.len() - 1);
        if params["task"].is_object() && params["name"] == "eager" {
            let told = |method: &str, params: Value| {
                Act::Announce(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            };
            let progress = json!({"progressToken": token, "progress": 1});
            return vec![
                answer(id, &json!({ "task": task })),
                told("notifications/tasks/status", task),
                told("notifications/progress", progress),
            ];
        }
        if params["task"].is_object() {
            return vec![answer(id, &json!({ "task": task }))];
        }
        let mut result = task;
        result["resultType"] = "task".into();
        vec![answer(id, &result)]
    }

    fn ask(&mut self, id: &Value) -> Vec<Act> {
        self.asked = Some(id.clone());
        self.questions += 1;
        let params = json!({
            "message": "which?", "requestedSchema": {"type": "object"}, "_meta": {"progressToken": 0},
        });
        vec![Act::Say(
            json!({"jsonrpc": "2.0", "id": self.questions, "method": "elicitation/create", "params": params}),
        )]
    }

    fn call(&mut self, id: &Value, params: &Value) -> Vec<Act> {
        let token = &params["_meta"]["progressToken"];
        let knows_tasks = params["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"]
            ["io.modelcontextprotocol/tasks"]
            .is_object();
        if params["task"].is_object() || (knows_tasks && params["name"] == "rows") {
            return self.begin_task(id, params, token);
        }
        let log = |n: usize| json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": n}});
        match params["name"].as_str().unwrap_or_default() {
            "rows" | "read_text_file" => vec![Act::Say(text(id, &pretty_rows()))],
            "structured" => {
                let rows = json!({ "rows": rows() });
                let result = json!({"content": [{"type": "text", "text": rows.to_string()}], "structuredContent": rows});
                vec![answer(id, &result)]
            }
            "mixed" => {
                let text = json!({"type": "text", "text": pretty_rows()});
                let image = json!({"type": "image", "data": "aGk=", "mimeType": "image/png"});
                vec![answer(id, &json!({"content": [image, text, text], "_meta": {"theirs": 1}}))]
            }
            "echo" => vec![Act::Say(text(id, &params.to_string()))],
            "careless" => vec![answer(id, &careless())],
            "told" => vec![Act::Say(text(id, &self.told.to_string()))],
            "fail" => {
                let content = json!([{"type": "text", "text": "it failed"}]);
                vec![answer(id, &json!({"content": content, "isError": true}))]
            }
            "tests" => vec![Act::Say(text(id, &test_run()))],
            "variable" => {
                let name = params["arguments"]["name"].as_str().unwrap_or_default();
                vec![Act::Say(text(id, &format!("{:?}", std::env::var(name).ok())))]
            }
            "process" => vec![Act::Say(text(id, &std::process::id().to_string()))],
            "cancelled" => vec![Act::Say(text(id, &json!(self.cancelled).to_string()))],
            "later" | "broken" => vec![Act::Say(text(id, "at last"))],
            "silent" => vec![],
            "progress" => {
                let progress = |n: u32| {
                    let params = json!({"progressToken": token, "progress": n});
                    Act::Say(
                        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}),
                    )
                };
                vec![progress(1), progress(2), Act::Say(text(id, "done"))]
            }
            "ask" => self.ask(id),
            "retract" => {
                let mut acts = self.ask(id);
                self.asked = None;
                let params = json!({"requestId": self.questions, "reason": "never mind"});
                acts.push(Act::Say(
                    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}),
                ));
                acts.push(Act::Say(text(id, "retracted")));
                acts
            }
            "update" => {
                let params = json!({"uri": params["arguments"]["uri"]});
                let method = "notifications/resources/updated";
                vec![
                    Act::Announce(json!({"jsonrpc": "2.0", "method": method, "params": params})),
                    Act::Say(text(id, "updated")),
                ]
            }
            "subscriptions" => vec![Act::Say(text(id, &json!(self.subscribed).to_string()))],
            "progressed" => vec![Act::Say(text(id, &json!(self.progress).to_string()))],
            "answers" => vec![Act::Say(text(id, &json!(self.answers).to_string()))],
            // In ways that are not quite right, or no longer.
            "nameless" => {
                let error = json!({"code": -32700, "message": "what?"});
                vec![Act::Say(json!({"jsonrpc": "2.0", "id": null, "error": error}))]
            }
            "text-id" => vec![Act::Say(text(&json!(id.to_string()), "as a text"))],
            "batch" => vec![Act::Write(format!("[{},{}]\n", log(1), text(id, "together")))],
            "shout" => {
                let rest =
                    format!(r#""method":"x/y","params":{{"data":"{}"}}}}"#, "x".repeat(9 << 20));
                let (word, question) = (r#"{"jsonrpc":"2.0","#, r#"{"jsonrpc":"2.0","id":1,"#);
                vec![
                    Act::Write(format!("{word}{rest}\n{question}{rest}\n")),
                    Act::Say(text(id, "after")),
                ]
            }
            "grow" => {
                self.has_extra_tool = true;
                let changed =
                    json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
                vec![Act::Announce(changed), Act::Say(text(id, "grown"))]
            }
            "garbage" => {
                vec![
                    Act::Write("{\"jsonrpc\": nonsense\n\u{1}\n[]\n".to_owned()),
                    Act::Say(text(id, "after")),
                ]
            }
            "huge" => vec![Act::Say(text(id, &"x".repeat(9 << 20)))],
            "flood" => {
                let mut acts: Vec<Act> = (0..20_000).map(|n| Act::Say(log(n))).collect();
                acts.push(Act::Say(text(id, "afloat")));
                acts
            }
            "exit" => vec![Act::Exit],
            name => {
                let error = json!({"code": -32602, "message": format!("no tool {name}")});
                vec![Act::Say(json!({"jsonrpc": "2.0", "id": id, "error": error}))]
            }
        }
    }
}

fn is_set(variable: &str) -> bool {
    std::env::var(variable).is_ok()
}

/// The result of a tool that was called as a task.
fn tool_result(tool: &str) -> Value {
    match tool {
        "careless" => careless(),
        _ => json!({"content": [{"type": "text", "text": pretty_rows()}]}),
    }
}

/// A result with a secret wherever a model may read one.
fn careless() -> Value {
    let resource =
        json!({"uri": "fake:///secret", "mimeType": "text/plain", "text": format!("key: {TOKEN}")});
    json!({
        "content": [{"type": "text", "text": format!("the key is {TOKEN}")}, {"type": "resource", "resource": resource}],
        "structuredContent": {"id": TOKEN},
    })
}

fn answer(id: &Value, result: &Value) -> Act {
    Act::Say(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

fn text(id: &Value, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}})
}

pub(crate) fn rows() -> Value {
    (0..20).map(|n| json!({"id": n, "name": format!("row {n}"), "state": "open"})).collect()
}

pub(crate) fn pretty_rows() -> String {
    serde_json::to_string_pretty(&rows()).unwrap_or_default()
}

/// A test run of which the passed tests are left out.
pub(crate) fn test_run() -> String {
    let passed: String =
        (0..400).map(|n| format!("test suite::case_number_{n} ... ok\n")).collect();
    format!("running 400 tests\n{passed}\ntest result: ok. 400 passed; 0 failed; 0 ignored\n")
}
