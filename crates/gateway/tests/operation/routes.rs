//! JSON APIs below a path of ours.

use crate::kit::{Ask, conversation, rows, world_with};
use std::collections::BTreeMap;
use tokenforge_config::{GatewayKey, Route, Secret, Settings};
use tokenforge_formats::negotiate::Format;
use tokenforge_mock::{Mock, Reply};

/// Lets a path lead to the mock.
pub(crate) fn api(settings: &mut Settings, path: &str, format: Format) {
    let url = settings.upstreams.backend.clone().unwrap();
    let route = Route { url, headers: BTreeMap::new(), format };
    settings.routes.insert(path.to_owned(), route);
}

fn json(body: &str) -> Reply {
    Reply::status(200, &[("content-type", "application/json")], body.to_owned())
}

#[test]
fn a2_the_longest_path_wins_and_all_others_are_the_providers() {
    let other = Mock::start();
    let world = world_with(|settings| {
        api(settings, "/tools", Format::Json);
        api(settings, "/tools/other", Format::Json);
        let url = format!("{}/v3", other.url()).parse().unwrap();
        settings.routes.get_mut("/tools/other").unwrap().url = url;
    });
    world.mock.reply_on("/", json("1"));
    assert_eq!(world.get("/tools/x?a=%2F&b").text(), "1");
    assert_eq!(world.mock.last().path_and_query, "/x?a=%2F&b");
    other.reply_on("/", json("2"));
    assert_eq!(world.get("/tools/other/y").text(), "2");
    assert_eq!(other.last().path_and_query, "/v3/y");
    world.post("/v1/messages", conversation(&rows()).to_string());
    assert_eq!(world.mock.last().path_and_query, "/v1/messages");
}

#[test]
fn a_route_goes_before_the_paths_of_providers_and_leaves_their_bodies_alone() {
    let world = world_with(|settings| api(settings, "/v1", Format::Json));
    let body = conversation(&rows()).to_string();
    world.mock.reply_on("/", json("{}"));
    assert_eq!(world.post("/v1/v1/messages", &body).status, 200);
    assert_eq!(world.mock.last().body, body.as_bytes());
}

#[test]
fn any_method_and_body_goes_on_and_a_project_is_taken_off() {
    let world = world_with(|settings| api(settings, "/tools", Format::Json));
    for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
        world.mock.reply_on("/", json("{}"));
        let ask = Ask::new(method, "/p/shop/tools/things/7").body(b"\x00 any bytes");
        assert_eq!(world.send(ask).status, 200, "{method}");
        let seen = world.mock.last();
        assert_eq!((seen.method.as_str(), seen.path_and_query.as_str()), (method, "/things/7"));
        assert_eq!(seen.body, &b"\x00 any bytes"[..]);
    }
}

#[test]
fn the_operators_headers_are_sent_in_place_of_the_clients() {
    let world = world_with(|settings| {
        api(settings, "/tools", Format::Json);
        let headers = &mut settings.routes.get_mut("/tools").unwrap().headers;
        headers.insert("Authorization".into(), Secret::new("Bearer operator"));
        headers.insert("x-tenant".into(), Secret::new("acme"));
    });
    world.mock.reply_on("/", json("{}"));
    let ask = Ask::new("GET", "/tools/x").header("authorization", "Bearer client");
    world.send(
        ask.header("x-own", "1")
            .header("x-forge-mode", "off")
            .header("x-target-url", "http://evil"),
    );
    let seen = world.mock.last();
    assert_eq!(seen.header("authorization"), "Bearer operator");
    assert_eq!((seen.header("x-tenant"), seen.header("x-own")), ("acme", "1"));
    assert_eq!((seen.header("x-forge-mode"), seen.header("x-target-url")), ("", ""));
    assert_eq!(seen.header("host"), world.mock.address().to_string());
}

#[test]
fn gateway_keys_are_asked_for_on_routes_too() {
    let world = world_with(|settings| {
        api(settings, "/tools", Format::Json);
        settings.keys.push(GatewayKey { name: "web".into(), key: Secret::new("k1") });
    });
    assert_eq!(world.get("/tools/x").status, 401);
    assert!(world.mock.requests().is_empty());
    world.mock.reply_on("/", json("{}"));
    let ask = Ask::new("GET", "/tools/x").header("x-forge-key", "k1");
    assert_eq!(world.send(ask).status, 200);
    assert_eq!(world.mock.last().header("x-forge-key"), "");
}

#[test]
fn a_path_that_leaves_its_route_is_refused() {
    let world = world_with(|settings| api(settings, "/tools", Format::Json));
    for path in ["/tools/../secret", "/tools/%2e%2e/secret", "/tools/a/..%2f..%2fsecret"] {
        assert_eq!(world.get(path).status, 400, "{path}");
    }
    assert!(world.mock.requests().is_empty());
}

#[test]
fn a_redirect_of_the_api_leads_back_through_the_route() {
    let world = world_with(|settings| {
        api(settings, "/tools", Format::Json);
        let url = format!("{}/v3", settings.upstreams.backend.as_ref().unwrap());
        settings.routes.get_mut("/tools").unwrap().url =
            url.replace("//v3", "/v3").parse().unwrap();
    });
    let redirected = |path: &str, to: &str| {
        world.mock.reply_on("/", Reply::status(303, &[("location", to)], ""));
        let answer = world.get(path);
        assert_eq!(answer.status, 303);
        answer.header("location").to_owned()
    };
    let own = world.mock.url();
    assert_eq!(redirected("/tools/x", &format!("{own}/v3/jobs/7?a=1")), "/tools/jobs/7?a=1");
    assert_eq!(redirected("/p/shop/tools/x", "/v3/jobs/7"), "/p/shop/tools/jobs/7");
    for elsewhere in ["https://other.example/v3/x", "7"] {
        assert_eq!(redirected("/tools/x", elsewhere), elsewhere);
    }
    // Where a provider redirects is its own affair.
    world.mock.reply_on("/", Reply::status(303, &[("location", &format!("{own}/v3/x"))], ""));
    assert_eq!(world.get("/v1/models").header("location"), format!("{own}/v3/x"));
}

#[test]
fn an_api_that_is_not_there_is_a_502_that_says_so() {
    let world = world_with(|settings| {
        api(settings, "/tools", Format::Json);
        settings.routes.get_mut("/tools").unwrap().url = "http://127.0.0.1:1".parse().unwrap();
    });
    let answer = world.get("/tools/v1/messages");
    assert_eq!(answer.status, 502);
    assert!(answer.json()["error"]["message"].as_str().unwrap().contains("cannot be reached"));
}

#[test]
fn what_providers_say_is_no_tools_output() {
    let world = world_with(|settings| api(settings, "/tools", Format::Json));
    world.mock.reply_on("/", json(&rows()));
    let ask = Ask::new("GET", "/v1/models").header("accept-encoding", "stc");
    let answer = world.send(ask.header("x-prefer-format", "toon"));
    assert_eq!(answer.text(), rows());
    assert_eq!(answer.header("vary"), "");
    assert_eq!(world.mock.last().header("accept-encoding"), "stc");
}
