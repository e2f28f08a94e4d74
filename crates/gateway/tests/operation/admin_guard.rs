//! The admin token: who may change something or read a text, and what is open to whom.

use crate::kit::{
    Answer, Ask, TOKEN, World, conversation, forwarded, messages, rows, world, world_with,
};
use serde_json::{Value, json};
use tokenforge_config::{GatewayKey, McpBackend, Secret, Settings};

/// What starts a program that leaves a mark in a folder.
fn marking(folder: &std::path::Path) -> Value {
    json!({"command": "/bin/sh", "args": ["-c", format!("touch {}/mark; cat", folder.display())]})
}

/// What asks for the token: changes, texts, and what starts programs.
fn guarded() -> Vec<Ask> {
    let read = ["/_forge/api/contents/0123", "/_forge/api/mcp/sh/tools"];
    let post = [
        "/_forge/api/playground",
        "/_forge/api/mcp",
        "/_forge/api/mcp/reload",
        "/_forge/api/mcp/sh/enable",
        "/_forge/api/mcp/sh/disable",
        "/_forge/api/mcp/sh/refresh",
        "/_forge/api/link",
    ];
    let mut asks = vec![
        Ask::new("PATCH", "/_forge/api/config").body(r#"{"toon": {"enabled": true}}"#),
        Ask::new("PATCH", "/_forge/api/mcp/sh").body(r#"{"enabled": false}"#),
        Ask::new("DELETE", "/_forge/api/mcp/sh"),
    ];
    asks.extend(read.map(|path| Ask::new("GET", path)));
    asks.extend(post.map(|path| Ask::new("POST", path).body(r#"{"text": "x"}"#)));
    asks
}

/// Paths that every client on this machine may read.
const FIGURES: [&str; 8] = [
    "/_forge/metrics",
    "/_forge/api/stats",
    "/_forge/api/settings",
    "/_forge/api/config",
    "/_forge/api/contents",
    "/_forge/api/mcp",
    "/_forge/api/mcp/stats",
    "/_forge/api/mcp/sh",
];

fn with_server(set: impl FnOnce(&mut Settings)) -> (World, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let backend = McpBackend::from_json("sh", &marking(folder.path())).unwrap();
    let world = world_with(|settings| {
        settings.mcp.backends.insert("sh".to_owned(), backend);
        set(settings);
    });
    (world, folder)
}

fn message(answer: &Answer) -> String {
    answer.json()["error"]["message"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn d60_another_user_of_the_machine_changes_nothing_reads_no_text_and_starts_no_program() {
    let (world, folder) = with_server(|_| {});
    let before = world.get("/_forge/api/config").json();
    for ask in guarded() {
        for wrong in ["", "Bearer ", "Bearer 0123456789abcdef0123456789abcdee", "Basic x"] {
            let refused = world.send(ask.clone().header("authorization", wrong));
            assert_eq!(refused.status, 401, "{ask:?}");
            let said = message(&refused);
            assert!(said.contains("tokenforge dashboard") && !said.contains(TOKEN), "{said}");
        }
    }
    assert_eq!(world.get("/_forge/api/config").json(), before);
    assert_eq!(world.get("/_forge/api/mcp/sh").json()["enabled"], true);
    assert!(!folder.path().join("mark").exists());
}

#[test]
fn d60_figures_stay_open_on_this_machine() {
    let (world, _folder) = with_server(|_| {});
    for path in FIGURES {
        assert_eq!(world.get(path).status, 200, "{path}");
    }
    let mut watching = world.open(&Ask::new("GET", "/_forge/api/events"));
    watching.until("200 OK");
    world.send(messages(&conversation(&rows())));
    assert!(!watching.until("after_tokens").contains("row 59"));
    watching.leave();
}

#[test]
fn d60_a_stranger_behind_a_reverse_proxy_gets_nowhere_although_keys_are_set() {
    let key = GatewayKey { name: "team".to_owned(), key: Secret::new("the-key") };
    let (world, folder) = with_server(|settings| settings.keys = vec![key]);
    // The proxy runs on this machine and says so or not: as Caddy, Apache and Traefik do, and as nginx does.
    let proxies: [&[(&str, &str)]; 4] = [
        &[("x-forwarded-for", "203.0.113.7"), ("x-forwarded-proto", "https")],
        &[("x-forwarded-host", "gateway.example")],
        &[("forwarded", "for=203.0.113.7")],
        &[("host", "127.0.0.1:8787")],
    ];
    for proxy in proxies {
        let through =
            |ask: Ask| proxy.iter().fold(ask, |ask, (name, value)| ask.header(name, value));
        for ask in guarded() {
            let status = world.send(through(ask.clone())).status;
            assert!(matches!(status, 401 | 403), "{status}: {ask:?} by {proxy:?}");
        }
        for path in FIGURES {
            let status = world.send(through(Ask::new("GET", path))).status;
            assert_eq!(status, 401, "{path} by {proxy:?}");
            let keyed = through(Ask::new("GET", path)).header("x-forge-key", "the-key");
            assert_eq!(world.send(keyed).status, 200, "{path} by {proxy:?}");
        }
        assert_eq!(world.send(through(Ask::new("GET", "/_forge/healthz"))).status, 200);
        assert_eq!(world.send(through(messages(&conversation("short")))).status, 401);
        let operator = world.operate(through(Ask::new("GET", "/_forge/api/stats")));
        assert_eq!(operator.status, 200, "the operator's token is accepted through a proxy");
    }
    assert!(!folder.path().join("mark").exists());
}

#[test]
fn d60_no_program_host_header_or_key_of_a_tool_server_is_named_over_http_even_with_the_token() {
    let (world, folder) = with_server(|_| {});
    let added = world.operate(Ask::post("/_forge/api/mcp", {
        let mut server = marking(folder.path());
        server["prefix"] = "x".into();
        server.to_string()
    }));
    assert_eq!(added.status, 403);
    assert!(message(&added).contains("tokenforge mcp add"), "{}", message(&added));
    assert_eq!(world.get("/_forge/api/mcp/x").status, 404);
    let before = world.get("/_forge/api/mcp/sh").json();
    for change in [
        json!({"command": "/bin/true"}),
        json!({"args": ["-c", "true"]}),
        json!({"env": {"LD_PRELOAD": "x.so"}}),
        json!({"folder": "/"}),
        json!({"url": "http://evil.example"}),
        json!({"headers": {"x": "y"}}),
        json!({"enabled": true, "args": []}),
        json!({"unheard": 1}),
    ] {
        let patch = Ask::new("PATCH", "/_forge/api/mcp/sh").body(change.to_string());
        let refused = world.operate(patch);
        assert_eq!(refused.status, 403, "{change}");
        assert!(message(&refused).contains("tokenforge mcp add"), "{}", message(&refused));
    }
    assert_eq!(world.get("/_forge/api/mcp/sh").json(), before);
    let patch = |change: &str| world.operate(Ask::new("PATCH", "/_forge/api/mcp/sh").body(change));
    assert_eq!(patch(r#"{"enabled": false, "timeout": "7s"}"#).json()["timeout"], "7s");
}

#[test]
fn d60_without_a_token_nothing_can_be_changed_and_the_reason_is_said() {
    let (world, folder) = with_server(|_| {});
    world.gateway.set_admin_token(Err("/data/admin_token: Read-only file system".to_owned()));
    for ask in guarded() {
        for ask in [ask.clone(), ask.header("authorization", "Bearer ")] {
            let refused = world.send(ask.clone());
            assert_eq!(refused.status, 403, "{ask:?}");
            let said = message(&refused);
            assert!(said.contains("Read-only") && said.contains("set admin_token in"), "{said}");
        }
    }
    assert_eq!(world.get("/_forge/api/stats").status, 200);
    assert!(!folder.path().join("mark").exists());
}

#[test]
fn d60_a_token_in_the_settings_replaces_the_drawn_one_and_is_asked_for_everywhere() {
    let (world, _folder) = with_server(|settings| settings.admin_token = Some(Secret::new("set")));
    for path in FIGURES {
        assert_eq!(world.get(path).status, 401, "{path}");
        assert_eq!(world.operate(Ask::new("GET", path)).status, 401, "{path}: the drawn one");
        let ask = Ask::new("GET", path).header("authorization", "Bearer set");
        assert_eq!(world.send(ask.header("x-forwarded-for", "203.0.113.7")).status, 200, "{path}");
    }
    assert_eq!(world.get("/_forge/healthz").status, 200);
    assert_eq!(world.get("/_forge/ui/").status, 200);
}

/// A browser that opened a link: its cookie, its proof, and the whole answer.
struct Browser {
    cookie: String,
    proof: String,
}

fn link(world: &World) -> String {
    let link = world.operate(Ask::new("POST", "/_forge/api/link")).json();
    assert_eq!(link["expires_in"], 300);
    let path = link["path"].as_str().unwrap().to_owned();
    path.strip_prefix("/_forge/ui/#/sign-in/").expect("a fragment, which is never sent").to_owned()
}

fn redeem(world: &World, code: &str) -> Answer {
    let own = format!("http://{}", world.address);
    let ask = Ask::post("/_forge/api/session", json!({ "code": code }).to_string());
    world.send(ask.header("host", &world.address.to_string()).header("origin", &own))
}

fn sign_in(world: &World) -> Browser {
    let answer = redeem(world, &link(world));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let cookie = answer.header("set-cookie").to_owned();
    for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/_forge/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let cookie = cookie.split(';').next().unwrap().to_owned();
    Browser { cookie, proof: answer.json()["proof"].as_str().unwrap().to_owned() }
}

impl Browser {
    fn with(&self, world: &World, ask: Ask) -> Ask {
        let ask = ask.header("host", &world.address.to_string());
        ask.header("cookie", &self.cookie).header("x-forge-proof", &self.proof)
    }
}

#[test]
fn d60_a_link_signs_one_browser_in_once() {
    let world = world();
    let code = link(&world);
    assert_eq!(redeem(&world, "not-it").status, 403);
    assert_eq!(redeem(&world, &code).status, 200);
    let again = redeem(&world, &code);
    assert_eq!(again.status, 403);
    assert!(message(&again).contains("tokenforge dashboard"), "{}", message(&again));
    assert_eq!(again.header("set-cookie"), "");
    let foreign = Ask::post("/_forge/api/session", json!({"code": link(&world)}).to_string());
    assert_eq!(world.send(foreign.header("origin", "http://localhost:3000")).status, 403);
}

#[test]
fn d60_the_dashboards_own_page_may_change_things_with_the_cookie_and_no_other_may() {
    let world = world();
    let browser = sign_in(&world);
    let own = format!("http://{}", world.address);
    let text = || Ask::post("/_forge/api/playground", r#"{"text": "[1]"}"#);
    let from =
        |origin: &str| world.send(browser.with(&world, text()).header("origin", origin)).status;
    assert_eq!(from(&own), 200);
    for origin in ["null", "http://localhost:3000", "https://evil.example"] {
        assert_eq!(from(origin), 403, "{origin}");
    }
    let silent = browser.with(&world, text());
    assert_eq!(world.send(silent.clone()).status, 403, "no page says so");
    assert_eq!(world.send(silent.header("sec-fetch-site", "same-site")).status, 403);
    let read = browser.with(&world, Ask::new("GET", "/_forge/api/contents/0123"));
    assert_eq!(world.send(read.clone()).status, 404, "it may be read");
    assert_eq!(world.send(read.header("sec-fetch-site", "cross-site")).status, 403);
    // Cookies know no ports: a server of another user on this machine may have been shown this one.
    let stolen = text().header("cookie", &browser.cookie).header("origin", &own);
    assert_eq!(world.send(stolen.header("host", &world.address.to_string())).status, 401);
}

#[test]
fn d60_another_token_signs_every_browser_out() {
    let world = world();
    let browser = sign_in(&world);
    let read = || browser.with(&world, Ask::new("GET", "/_forge/api/contents/0123"));
    assert_eq!(world.send(read()).status, 404);
    let code = link(&world);
    world.gateway.set_admin_token(Ok(Secret::new("another-token-of-the-operator-00")));
    assert_eq!(world.send(read()).status, 401);
    assert_eq!(redeem(&world, &code).status, 403);
}

#[test]
fn d61_no_change_over_http_sends_results_elsewhere_or_lets_secrets_through() {
    let world = world();
    let before = world.get("/_forge/api/config").json();
    for change in [
        json!({"pipes": {"tool_output": {"api": {"endpoint": "http://evil.example"}}}}),
        json!({"pipes": {"tool_output": {"api": {"api_key": "k"}}}}),
        json!({"pipes": {"tool_output": {"strategy": "api"}}}),
        json!({"pipes": {"tool_output": {"provider": "openai"}}}),
        json!({"pipes": {"tool_output": {"redact_secrets": false}}}),
        json!({"pipes": {"tool_output": {"mode": "safe", "redact_secrets": false}}}),
        json!({"redact_secrets": true}),
        json!({"plugins": []}),
        json!({"providers": {}}),
        json!({"allow_hosts": ["evil.example"]}),
        json!({"allow_origins": ["https://evil.example"]}),
    ] {
        let refused =
            world.operate(Ask::new("PATCH", "/_forge/api/config").body(change.to_string()));
        assert_eq!(refused.status, 400, "{change}");
        assert!(message(&refused).contains("edit the file"), "{}", message(&refused));
        assert_eq!(world.get("/_forge/api/config").json(), before, "{change}");
    }
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    world.send(messages(&conversation(&format!("GITHUB_TOKEN={secret}\n{}", "x\n".repeat(100)))));
    assert!(!forwarded(&world.mock).contains(secret));
}

#[test]
fn g64_with_keys_figures_want_a_key_or_the_admin_token() {
    let key = GatewayKey { name: "team".to_owned(), key: Secret::new("the-key") };
    let (world, _folder) = with_server(|settings| settings.keys = vec![key]);
    for path in FIGURES {
        let ask = || Ask::new("GET", path);
        // As stock nginx sends it on: without a header that says so.
        let refused = world.send(ask());
        assert_eq!(refused.status, 401, "{path}");
        assert_eq!(refused.json()["error"]["param"], "sign_in", "{path}");
        for (name, value) in [
            ("x-forge-key", "the-key"),
            ("authorization", "Bearer the-key"),
            ("x-api-key", "the-key"),
            ("authorization", &format!("Bearer {TOKEN}")),
        ] {
            assert_eq!(world.send(ask().header(name, value)).status, 200, "{path} {name}");
        }
        let wrong = ask().header("x-forge-key", "another");
        assert_eq!(world.send(wrong).status, 401, "{path}");
    }
    for ask in guarded() {
        let keyed = world.send(ask.clone().header("x-forge-key", "the-key"));
        assert!(matches!(keyed.status, 401 | 403), "{} {ask:?}", keyed.status);
    }
    for path in ["/_forge/healthz", "/_forge/readyz", "/_forge/ui/"] {
        assert!(matches!(world.get(path).status, 200 | 503), "{path}");
    }
}
