//! DNS rebinding and CSRF: who may speak to the gateway from where, on every path.

use crate::kit::{Answer, Ask, World, conversation, messages, world, world_with};
use serde_json::json;
use tokenforge_config::{GatewayKey, Route, Secret, Settings};
use tokenforge_formats::negotiate::Format;

/// A path of each kind, as a client or a page would ask for it.
fn asks() -> Vec<(&'static str, Ask)> {
    let compress = json!({"messages": [], "model": "m"}).to_string();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    vec![
        ("a model", messages(&conversation("short"))),
        ("an unknown path", Ask::new("GET", "/v1/models")),
        ("a route", Ask::new("GET", "/tracker/issues")),
        ("tools", Ask::post("/mcp", ping)),
        ("compress", Ask::post("/v1/compress", compress)),
        ("an original", Ask::new("GET", "/_forge/api/expand?id=shadow_1")),
        ("figures", Ask::new("GET", "/_forge/api/stats")),
        ("metrics", Ask::new("GET", "/_forge/metrics")),
        ("health", Ask::new("GET", "/_forge/healthz")),
        ("a change", Ask::new("PATCH", "/_forge/api/config").body("{}")),
    ]
}

fn with_route(settings: &mut Settings) {
    let url = settings.upstreams.backend.clone().unwrap();
    let route = Route { url, headers: [].into(), format: Format::Json };
    settings.routes.insert("/tracker".to_owned(), route);
}

fn guarded() -> World {
    world_with(with_route)
}

fn with_key(settings: &mut Settings) {
    with_route(settings);
    settings.keys = vec![GatewayKey { name: "team".to_owned(), key: Secret::new("the-key") }];
}

/// The statuses of all kinds of paths for a request with these headers.
fn statuses(world: &World, headers: &[(&str, &str)]) -> Vec<(&'static str, u16)> {
    let with = |ask: Ask| headers.iter().fold(ask, |ask, (name, value)| ask.header(name, value));
    asks().into_iter().map(|(kind, ask)| (kind, world.send(with(ask)).status)).collect()
}

fn assert_refused(world: &World, headers: &[(&str, &str)], status: u16) {
    for (kind, found) in statuses(world, headers) {
        assert_eq!(found, status, "{kind} with {headers:?}");
    }
    assert!(world.mock.requests().is_empty(), "{headers:?}");
}

fn message(answer: &Answer) -> String {
    answer.json()["error"]["message"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn d65_a_name_that_was_rebound_to_this_machine_reaches_no_path() {
    let world = guarded();
    for host in [
        "evil.example",
        "evil.example:8787",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "10.1.2.3:8787",
        "[2001:db8::1]",
        "0.0.0.0",
        "127.1",
        "",
    ] {
        assert_refused(&world, &[("host", host)], 403);
        let same_origin = format!("http://{host}");
        assert_refused(&world, &[("host", host), ("origin", &same_origin)], 403);
    }
}

#[test]
fn d65_the_names_of_this_machine_reach_every_path() {
    let world = guarded();
    for host in ["localhost", "LOCALHOST:1", "127.0.0.1:8787", "127.9.9.9", "[::1]:8787"] {
        assert_eq!(world.send(messages(&conversation("x")).header("host", host)).status, 200);
        for (kind, status) in statuses(&world, &[("host", host)]) {
            assert_ne!(status, 403, "{kind} as {host}");
        }
    }
}

#[test]
fn d65_a_page_of_another_origin_reaches_no_path() {
    let world = guarded();
    let other_port = format!("http://127.0.0.1:{}", world.address.port() ^ 1);
    for origin in ["https://evil.example", "null", "http://localhost", "file://", "", &other_port] {
        let host = world.address.to_string();
        assert_refused(&world, &[("host", &host), ("origin", origin)], 403);
    }
}

#[test]
fn d65_a_text_plain_post_that_needs_no_preflight_is_refused_from_another_port() {
    let world = guarded();
    let ask = Ask::new("POST", "/v1/messages").body(conversation("short").to_string());
    let ask = ask.header("content-type", "text/plain").header("host", "localhost:8787");
    let refused = world.send(ask.clone().header("origin", "http://localhost:3000"));
    assert_eq!(refused.status, 403);
    assert!(world.mock.requests().is_empty());
    assert_eq!(world.send(ask.header("origin", "http://localhost:8787")).status, 200);
}

#[test]
fn d65_what_a_browser_sends_across_sites_without_an_origin_is_refused() {
    let world = guarded();
    for site in ["cross-site", "same-site"] {
        assert_refused(&world, &[("sec-fetch-site", site), ("sec-fetch-mode", "no-cors")], 403);
        assert_refused(&world, &[("sec-fetch-site", site), ("sec-fetch-mode", "navigate")], 403);
    }
    for site in ["none", "same-origin"] {
        let ask = Ask::new("GET", "/_forge/api/stats").header("sec-fetch-site", site);
        assert_eq!(world.send(ask).status, 200, "{site}");
    }
}

#[test]
fn d65_a_link_on_another_site_opens_the_static_page_and_nothing_else() {
    let world = guarded();
    let from_a_link = |method: &str, path: &str, dest: &str| {
        let ask = Ask::new(method, path).header("sec-fetch-site", "cross-site");
        let ask = ask.header("sec-fetch-mode", "navigate").header("sec-fetch-dest", dest);
        world.send(ask).status
    };
    assert_eq!(from_a_link("GET", "/_forge/ui/", "document"), 200);
    assert_eq!(from_a_link("GET", "/_forge/ui/", "iframe"), 403);
    assert_eq!(from_a_link("POST", "/_forge/ui/", "document"), 403);
    assert_eq!(from_a_link("GET", "/_forge/api/stats", "document"), 403);
    let script = Ask::new("GET", "/_forge/ui/app.js").header("sec-fetch-site", "cross-site");
    assert_eq!(world.send(script.header("sec-fetch-mode", "no-cors")).status, 403);
}

#[test]
fn d65_the_settings_name_further_hosts_and_origins_for_every_path() {
    let world = world_with(|settings| {
        with_route(settings);
        settings.allow_hosts = vec!["gateway.example".into(), "other.example:81".into()];
        settings.allow_origins = vec!["https://app.example".into()];
    });
    for (host, is_served) in [
        ("gateway.example", true),
        ("Gateway.Example:443", true),
        ("other.example:81", true),
        ("other.example:82", false),
        ("x.gateway.example", false),
    ] {
        for (kind, status) in statuses(&world, &[("host", host)]) {
            assert_eq!(status != 403, is_served, "{kind} as {host}");
        }
    }
    for (origin, is_served) in [
        ("https://app.example", true),
        ("HTTPS://app.example", true),
        ("http://app.example", false),
        ("https://app.example:444", false),
    ] {
        let headers = [("origin", origin), ("sec-fetch-site", "cross-site")];
        for (kind, status) in statuses(&world, &headers) {
            assert_eq!(status != 403, is_served, "{kind} from {origin}");
        }
    }
}

#[test]
fn d65_the_refusal_names_the_setting_in_the_words_of_the_provider() {
    let world = guarded();
    let model = messages(&conversation("short"));
    let rebound = world.send(model.clone().header("host", "evil.example"));
    assert_eq!(rebound.json()["type"], "error", "as Anthropic says it");
    assert_eq!(rebound.json()["error"]["type"], "permission_error");
    assert!(message(&rebound).contains("allow_hosts"), "{}", message(&rebound));
    let foreign = world.send(model.header("origin", "https://evil.example"));
    assert!(message(&foreign).contains("allow_origins"), "{}", message(&foreign));
    let gemini = Ask::post("/v1beta/models/gemini-2.5-pro:generateContent", "{}");
    let gemini = world.send(gemini.header("origin", "https://evil.example"));
    assert_eq!(gemini.json()["error"]["status"], "PERMISSION_DENIED");
}

#[test]
fn d65_two_hosts_two_origins_userinfo_and_a_second_authority_are_bad_requests_with_and_without_keys()
 {
    for world in [guarded(), world_with(with_key)] {
        let own = format!("http://{}", world.address);
        for headers in [
            &[("host", "localhost"), ("host", "localhost")][..],
            &[("host", "localhost"), ("host", "evil.example")],
            &[("origin", &own), ("origin", &own)],
            &[("host", "localhost@evil.example")],
            &[("host", "user:word@localhost")],
            &[("origin", "http://localhost@evil.example")],
        ] {
            let headers = [headers, &[("x-forge-key", "the-key")]].concat();
            assert_refused(&world, &headers, 400);
        }
        for target in ["http://evil.example/v1/models", "http://user@localhost/v1/models"] {
            let ask = Ask::new("GET", target).header("x-forge-key", "the-key");
            assert_eq!(world.send(ask).status, 400, "{target}");
        }
        let same = Ask::new("GET", "http://localhost/v1/models").header("x-forge-key", "the-key");
        world.send(same);
        assert_eq!(world.mock.last().path_and_query, "/v1/models", "the same host twice is one");
    }
}

#[test]
fn d65_where_a_key_is_asked_for_any_host_will_do_and_no_foreign_page_calls_tools() {
    let world = world_with(with_key);
    let public = |ask: Ask| ask.header("host", "gateway.example").header("x-forge-key", "the-key");
    assert_eq!(world.send(public(messages(&conversation("short")))).status, 200);
    assert_eq!(world.send(public(Ask::new("GET", "/_forge/healthz"))).status, 200);
    assert_eq!(world.send(public(Ask::new("GET", "/_forge/api/stats"))).status, 200);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let tools =
        |origin: &str| world.send(public(Ask::post("/mcp", &ping)).header("origin", origin));
    assert_eq!(tools("https://evil.example").status, 403);
    assert_eq!(tools("http://localhost:3000").status, 403);
    assert_ne!(tools("https://gateway.example").status, 403);
    let browser_app =
        public(messages(&conversation("short"))).header("origin", "https://app.example");
    assert_eq!(world.send(browser_app).status, 200, "it shows a key");
}

#[test]
fn d65_a_gateway_beyond_this_machine_is_reached_by_its_address_and_not_by_a_rebound_name() {
    let world = world_with(|settings| {
        settings.listen = "0.0.0.0:8787".parse().unwrap();
        settings.allow_public = true;
    });
    for host in ["10.1.2.3:8787", "[2001:db8::1]:8787", "192.168.0.7", "localhost"] {
        assert_eq!(
            world.send(messages(&conversation("x")).header("host", host)).status,
            200,
            "{host}"
        );
    }
    let rebound = messages(&conversation("x")).header("host", "evil.example");
    assert_eq!(world.send(rebound).status, 403);
    let one = world_with(|settings| settings.listen = "10.1.2.3:8787".parse().unwrap());
    assert_eq!(one.send(messages(&conversation("x")).header("host", "10.1.2.3:8787")).status, 200);
    assert_eq!(one.send(messages(&conversation("x")).header("host", "10.1.2.4:8787")).status, 403);
}

#[test]
fn a_request_that_no_browser_sent_passes_as_before() {
    let world = world();
    let ask = messages(&conversation("short")).header("sec-fetch-mode", "cors");
    assert_eq!(world.send(ask).status, 200, "programs that use fetch say only this");
}
