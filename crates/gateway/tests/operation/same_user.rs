//! Proof of the same user: who uses the operator's tools and credentials where there are no keys.

use crate::kit::{Answer, Ask, TOKEN, World, conversation, messages, world_with};
use crate::routes::api;
use serde_json::json;
use std::collections::BTreeMap;
use tokenforge_config::{PluginConfig, PluginSettings, Secret, Settings, Strategy};
use tokenforge_formats::negotiate::Format;

const CLIENT_TOKEN: &str = "client-token-0123456789abcdef0123";

/// A gateway with a route that carries a token of the operator.
fn with_route(set: impl FnOnce(&mut Settings)) -> World {
    let world = world_with(|settings| {
        api(settings, "/tools", Format::Json);
        let headers = &mut settings.routes.get_mut("/tools").unwrap().headers;
        headers.insert("authorization".into(), Secret::new("Bearer operator"));
        set(settings);
    });
    world.gateway.set_client_token(Ok(Secret::new(CLIENT_TOKEN)));
    world
}

/// What uses the operator's tools, and the operator's token.
fn guarded() -> [Ask; 4] {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"},
    }});
    [
        Ask::post("/mcp", hello.to_string()),
        Ask::post("/p/shop/mcp", hello.to_string()),
        Ask::new("GET", "/tools/x"),
        Ask::new("DELETE", "/tools/x"),
    ]
}

/// The mock knows no path of the route, so its 404 shows that a request went on.
fn went_on(status: u16) -> bool {
    matches!(status, 200 | 404)
}

fn message(answer: &Answer) -> String {
    answer.json()["error"]["message"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn g63_the_own_user_needs_no_token() {
    let world = with_route(|_| {});
    for ask in guarded() {
        assert!(went_on(world.send(ask.clone()).status), "{ask:?}");
    }
}

#[test]
fn g63_a_stranger_behind_a_proxy_uses_no_tool_and_no_token() {
    for set in [|_: &mut Settings| {}, |settings: &mut Settings| settings.allow_public = true] {
        let world = with_route(set);
        for (name, value) in [
            ("x-forwarded-for", "203.0.113.7"),
            ("forwarded", "for=203.0.113.7"),
            ("via", "1.1 proxy"),
            ("x-real-ip", "203.0.113.7"),
        ] {
            for ask in guarded() {
                let refused = world.send(ask.clone().header(name, value));
                assert_eq!(refused.status, 403, "{ask:?} {name}");
                let said = message(&refused);
                assert!(said.contains(name) && said.contains("client_token"), "{said}");
                for token in [CLIENT_TOKEN, TOKEN] {
                    let shown = ask.clone().header(name, value);
                    let shown = shown.header("authorization", &format!("Bearer {token}"));
                    assert!(went_on(world.send(shown).status), "{ask:?} {name}");
                }
                let wrong = ask.header(name, value).header("x-forge-token", &"x".repeat(32));
                assert_eq!(world.send(wrong).status, 403, "{name}");
            }
        }
        // A client that brings its own credential is served, as before.
        let model = messages(&conversation("short")).header("x-forwarded-for", "203.0.113.7");
        assert_eq!(world.send(model).status, 200);
    }
}

#[test]
fn g63_a_refusal_has_the_shape_that_clients_of_the_path_read() {
    let world = with_route(|_| {});
    let [mcp, _, route, _] = guarded();
    let refused = world.send(mcp.header("x-forwarded-for", "203.0.113.7"));
    assert_eq!(refused.header("content-type"), "application/json");
    let document = refused.json();
    assert_eq!((&document["jsonrpc"], &document["id"]), (&json!("2.0"), &json!(null)));
    assert_eq!(document["error"]["code"], -32600, "{document}");
    let refused = world.send(route.header("x-forwarded-for", "203.0.113.7")).json();
    assert!(refused["error"]["type"].is_string(), "{refused}");
}

#[test]
fn g65_a_token_of_the_gateway_goes_to_no_upstream() {
    let world = with_route(|settings| {
        settings.routes.get_mut("/tools").unwrap().headers = BTreeMap::new();
    });
    let bearer = format!("Bearer {CLIENT_TOKEN}");
    let admin = format!("Bearer {TOKEN}");
    for (name, value) in [
        ("x-forge-token", CLIENT_TOKEN),
        ("x-forge-token", "another"),
        ("authorization", bearer.as_str()),
        ("authorization", admin.as_str()),
    ] {
        assert!(went_on(world.send(Ask::new("GET", "/tools/x").header(name, value)).status));
        assert_eq!(world.mock.last().header(name), "", "{name}: {value}");
    }
    for (name, value) in [("x-forge-token", CLIENT_TOKEN), ("authorization", bearer.as_str())] {
        world.send(messages(&conversation("short")).header(name, value));
        assert_eq!(world.mock.last().header(name), "", "{name}: {value}");
    }
    let own = Ask::new("GET", "/tools/x").header("authorization", "Bearer own");
    world.send(own.header("x-forge-token", CLIENT_TOKEN));
    assert_eq!(world.mock.last().header("authorization"), "Bearer own");
}

/// Lets the gateway add a credential to requests to models.
fn adds_key(settings: &mut Settings) {
    settings.plugins.push(PluginSettings {
        config: PluginConfig::new(json!({"request": {"set": {"X-Api-Key": "sk-operator"}}})),
        ..PluginSettings::named("header-inject")
    });
}

/// Lets the gateway ask a service with a key of the operator.
fn asks_service(settings: &mut Settings) {
    settings.tool_output.strategy = Strategy::Api;
    settings.tool_output.api.api_key = Some(Secret::new("sk-operator"));
}

#[test]
fn g63_a_credential_that_is_added_is_not_for_strangers() {
    for set in [adds_key, asks_service] {
        let world = with_route(set);
        let model = || messages(&conversation("short"));
        assert_eq!(world.send(model()).status, 200);
        let stranger = || model().header("x-forwarded-for", "203.0.113.7");
        let refused = world.send(stranger());
        assert_eq!((refused.status, &refused.json()["type"]), (403, &json!("error")));
        assert_eq!(world.send(stranger().header("x-forge-token", CLIENT_TOKEN)).status, 200);
    }
}

/// What a program of another user of this machine puts out; `None`: only root can try that.
#[cfg(target_os = "linux")]
fn run_as(user: u32, program: &[&str], input: &[u8]) -> Option<String> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can run a client as another user");
        return None;
    }
    let user = format!("--reuid={user}");
    let mut client = Command::new("setpriv")
        .args([user.as_str(), "--clear-groups"])
        .args(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    client.stdin.take().unwrap().write_all(input).unwrap();
    let output = client.wait_with_output().unwrap();
    Some(String::from_utf8(output.stdout).unwrap())
}

/// The first line of the answer that another user of this machine gets.
#[cfg(target_os = "linux")]
fn as_user(user: u32, world: &World, ask: &Ask) -> Option<String> {
    let talk =
        format!("exec 3<>/dev/tcp/127.0.0.1/{}; cat >&3; head -n 1 <&3", world.address.port());
    run_as(user, &["bash", "-c", &talk], &ask.bytes())
}

/// The same, over a connection whose client can send no more when the request arrives. The byte behind the request keeps the
/// gateway from looking whether the client has left. With `MSG_MORE` (0x8000) request and end arrive together.
#[cfg(target_os = "linux")]
fn half_closed_as(user: u32, world: &World, ask: &Ask) -> Option<String> {
    const TALK: &str = "
        socket(my $s, PF_INET, SOCK_STREAM, 0) or die;
        connect($s, sockaddr_in($ARGV[0], INADDR_LOOPBACK)) or die;
        local $/;
        my $all = <STDIN>;
        send($s, $all, 0x8000) == length $all or die;
        shutdown($s, 1) or die;
        $/ = qq(\n);
        print scalar <$s>;
    ";
    let port = world.address.port().to_string();
    run_as(user, &["perl", "-MSocket", "-e", TALK, &port], &[ask.bytes(), b"x".to_vec()].concat())
}

#[cfg(target_os = "linux")]
fn status_of(first_line: &str) -> u16 {
    first_line.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
}

#[cfg(target_os = "linux")]
#[test]
fn g63_another_user_of_the_machine_uses_no_tool_and_no_token() {
    let world = with_route(adds_key);
    for user in [65534, 12345] {
        for ask in guarded().into_iter().chain([messages(&conversation("short"))]) {
            let Some(refused) = as_user(user, &world, &ask) else { return };
            assert_eq!(status_of(&refused), 403, "{ask:?}");
            let shown = as_user(user, &world, &ask.header("x-forge-token", CLIENT_TOKEN)).unwrap();
            assert!(went_on(status_of(&shown)), "{shown}");
        }
    }
    let world = with_route(|_| {});
    let own_key = as_user(65534, &world, &messages(&conversation("short"))).unwrap();
    assert_eq!(status_of(&own_key), 200);
    for ask in guarded() {
        let root = as_user(0, &world, &ask).unwrap();
        assert!(went_on(status_of(&root)), "{root}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn g63_another_user_with_a_half_closed_connection_uses_no_credential() {
    let world = with_route(adds_key);
    let [mcp, _, route, _] = guarded();
    for ask in [mcp, route, messages(&conversation("short"))] {
        let Some(refused) = half_closed_as(12345, &world, &ask) else { return };
        assert_eq!(status_of(&refused), 403, "{ask:?}");
        let root = half_closed_as(0, &world, &ask).unwrap();
        assert!(went_on(status_of(&root)), "{ask:?}: {root}");
    }
}
