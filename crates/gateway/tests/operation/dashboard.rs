//! The dashboard: its files, and what it asks for.

use crate::kit::{Ask, World, conversation, messages, rows, test_run, world, world_with};
use serde_json::{Value, json};
use tokenforge_config::{GatewayKey, Secret};
use tokenforge_engine::Mode;

const UI: &str = "/_forge/ui/";

fn with_contents(bytes: usize) -> World {
    world_with(|settings| settings.monitoring.content_bytes = Some(bytes))
}

/// The events of the latest results, as a page that begins to watch gets them.
fn recent(world: &World) -> Vec<Value> {
    let mut watching = world.open(&Ask::new("GET", "/_forge/api/events?recent"));
    let heard = watching.until(": now");
    watching.leave();
    let events = heard.lines().filter_map(|line| line.strip_prefix("data: "));
    events.map(|event| serde_json::from_str(event).unwrap()).collect()
}

fn id(event: &Value) -> String {
    let part = |name: &str| event[name].as_str().unwrap();
    format!("{}{}", part("original_fingerprint"), part("compressed_fingerprint"))
}

#[test]
fn files_have_their_type_and_no_way_to_run_anything_else() {
    let world = world();
    for (path, kind) in [
        ("", "text/html; charset=utf-8"),
        ("index.html", "text/html; charset=utf-8"),
        ("style.css", "text/css; charset=utf-8"),
        ("app.js", "text/javascript; charset=utf-8"),
        ("pages/overview.js", "text/javascript; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
    ] {
        let answer = world.get(&format!("{UI}{path}"));
        assert_eq!((answer.status, answer.header("content-type")), (200, kind), "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("cache-control"), "no-cache", "{path}");
        let policy = answer.header("content-security-policy");
        assert!(
            policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"),
            "{policy}"
        );
    }
    let page = world.get(UI).text();
    assert!(!page.contains("<style") && !page.contains("style=") && !page.contains("<script>"));
    assert!(!page.contains("http://") && !page.contains("https://"), "{page}");
}

#[test]
fn a_file_that_the_browser_has_is_not_sent_again() {
    let world = world();
    let tag = world.get(UI).header("etag").to_owned();
    let again = |known: &str| world.send(Ask::new("GET", UI).header("if-none-match", known));
    let same = again(&format!("\"other\", W/{tag}"));
    assert_eq!((same.status, same.text().as_str(), same.header("etag")), (304, "", &*tag));
    assert_eq!(again("\"other\"").status, 200);
}

#[test]
fn what_is_no_file_of_it_is_not_there() {
    let world = world();
    for path in [
        "unheard.js",
        "../api/config",
        "%2e%2e/%2e%2e/Cargo.toml",
        "..%2f..%2fCargo.toml",
        "pages/",
        "pages/../app.js",
        "/etc/passwd",
        "app.js/",
        "APP.JS",
    ] {
        let answer = world.get(&format!("{UI}{path}"));
        assert_eq!(answer.status, 404, "{path}");
    }
    assert_eq!(world.send(Ask::new("POST", UI)).status, 405);
    let moved = world.get("/_forge/ui");
    assert_eq!((moved.status, moved.header("location")), (308, UI));
    assert_eq!(world.operate(Ask::new("GET", "/_forge/uix")).status, 404);
    assert!(world.mock.requests().is_empty());
}

#[test]
fn with_a_token_the_page_is_there_and_what_it_shows_is_not() {
    let world = world_with(|settings| settings.admin_token = Some(Secret::new("the-token")));
    assert_eq!(world.get(UI).status, 200);
    for path in ["settings", "contents", "contents/x", "events?recent"] {
        assert_eq!(world.get(&format!("/_forge/api/{path}")).status, 401, "{path}");
    }
    assert_eq!(world.post("/_forge/api/playground", r#"{"text":"x"}"#).status, 401);
    let shown = Ask::new("GET", "/_forge/api/settings").header("authorization", "Bearer the-token");
    let settings = world.send(shown);
    assert_eq!((settings.status, settings.header("cache-control")), (200, "no-store"));
    assert!(!settings.text().contains("the-token"));
}

#[test]
fn texts_are_kept_on_ones_own_machine_for_who_signed_in_and_nowhere_else() {
    let world = world();
    world.send(messages(&conversation(&test_run())));
    let [event] = recent(&world).try_into().unwrap();
    let ask = Ask::new("GET", &format!("/_forge/api/contents/{}", id(&event)));
    assert_eq!(world.send(ask.clone()).status, 401);
    assert_eq!(world.operate(ask).json()["original"], test_run());
    let key = GatewayKey { name: "team".to_owned(), key: Secret::new("the-key") };
    let shared = world_with(|settings| settings.keys = vec![key]);
    let kept = shared.operate(Ask::new("GET", "/_forge/api/contents"));
    assert_eq!(kept.json()["allowed_bytes"], 0);
    let public = world_with(|settings| {
        settings.listen = "0.0.0.0:8787".parse().unwrap();
        settings.allow_public = true;
    });
    assert_eq!(public.get("/_forge/api/contents").json()["allowed_bytes"], 0);
    let named = world_with(|settings| settings.allow_hosts = vec!["team.example".to_owned()]);
    assert_eq!(named.get("/_forge/api/contents").json()["allowed_bytes"], 0);
}

#[test]
fn texts_that_a_proxy_sends_are_kept_only_where_the_operator_says_so() {
    for (world, kept) in [(world(), 0), (with_contents(1 << 20), 1)] {
        let ask = messages(&conversation(&test_run())).header("x-forwarded-for", "203.0.113.9");
        assert_eq!(world.send(ask).status, 200);
        let size = world.operate(Ask::new("GET", "/_forge/api/contents")).json();
        assert_eq!(size["results"], kept, "{size}");
    }
}

#[test]
fn texts_are_not_kept_where_the_operator_says_so() {
    let world = with_contents(0);
    world.send(messages(&conversation(&test_run())));
    let [event] = recent(&world).try_into().unwrap();
    let refused = world.operate(Ask::new("GET", &format!("/_forge/api/contents/{}", id(&event))));
    assert_eq!(refused.status, 404);
    assert!(refused.text().contains("monitoring.content_bytes"), "{}", refused.text());
    let kept = world.get("/_forge/api/contents").json();
    assert_eq!(kept, json!({"allowed_bytes": 0, "bytes": 0, "results": 0}));
}

#[test]
fn texts_that_are_kept_are_shown_as_they_came_and_went_on_with_every_stage() {
    let world = with_contents(1 << 20);
    world.send(messages(&conversation(&test_run())));
    world.send(messages(&conversation(&test_run())));
    let [event] = recent(&world).try_into().unwrap();
    let content =
        world.operate(Ask::new("GET", &format!("/_forge/api/contents/{}", id(&event)))).json();
    assert_eq!(content["original"], test_run());
    assert_eq!(content["forwarded"], crate::kit::forwarded(&world.mock));
    assert_eq!(content["verdict"], "compressed");
    let steps = content["steps"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["stage"] == "family" && step["is_applied"] == true));
    assert!(steps.iter().any(|step| step["is_applied"] == false && step["outcome"] != ""));
    assert_eq!(world.operate(Ask::new("GET", "/_forge/api/contents/0123")).status, 404);
}

#[test]
fn l10_texts_that_are_kept_have_no_secret() {
    let world = with_contents(1 << 20);
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    world.send(messages(&conversation(&format!("GITHUB_TOKEN={secret}\n{}", "x\n".repeat(100)))));
    let [event] = recent(&world).try_into().unwrap();
    let content = world.operate(Ask::new("GET", &format!("/_forge/api/contents/{}", id(&event))));
    assert_eq!(content.status, 200);
    assert!(content.text().contains("GITHUB_TOKEN") && !content.text().contains(secret));
}

#[test]
fn l10_texts_that_are_kept_have_no_secret_although_the_mode_forwards_it() {
    let world = world_with(|settings| settings.tool_output.mode = Mode::Lossless);
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let line = |n: usize| format!("{{\"n\": {n}, \"token\": \"{secret}\"}}");
    let output = format!("[{}]", (0..60).map(line).collect::<Vec<_>>().join(",\n"));
    world.send(messages(&conversation(&output)));
    let [event] = recent(&world).try_into().unwrap();
    let content = world.operate(Ask::new("GET", &format!("/_forge/api/contents/{}", id(&event))));
    assert_eq!(content.status, 200);
    assert!(content.text().contains("REDACTED") && !content.text().contains(secret));
}

#[test]
fn texts_are_kept_within_their_bound_and_gone_when_they_may_not_be() {
    let bound = 40 << 10;
    let world = with_contents(bound);
    for n in 0..20 {
        world.send(messages(&conversation(&format!("run {n}\n{}", test_run()))));
    }
    let size = |name: &str| world.get("/_forge/api/contents").json()[name].as_u64().unwrap();
    assert!(size("results") > 0 && size("results") < 20);
    assert!(size("bytes") <= bound as u64);
    let mut settings = world.gateway.settings();
    settings.monitoring.content_bytes = Some(0);
    world.gateway.reconfigure(settings).unwrap();
    assert_eq!((size("results"), size("bytes")), (0, 0));
}

#[test]
fn a_new_watcher_gets_the_latest_new_results_without_their_text() {
    let world = world();
    world.send(messages(&conversation(&rows())));
    world.send(messages(&conversation(&rows())));
    world.send(messages(&conversation(&test_run())));
    let events = recent(&world);
    let tokens: Vec<u64> = events.iter().map(|event| event["lines_in"].as_u64().unwrap()).collect();
    let lines = |text: String| text.lines().count() as u64;
    assert_eq!(tokens, [lines(rows()), lines(test_run())]);
    assert!(!serde_json::to_string(&events).unwrap().contains("case_number"));
}

#[test]
fn the_figures_have_the_new_results_of_the_last_minutes() {
    let world = world();
    world.send(messages(&conversation(&rows())));
    world.send(messages(&conversation(&rows())));
    let stats = world.get("/_forge/api/stats").json();
    let sum = |name: &str| -> u64 {
        stats["minutes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|minute| minute[name].as_u64().unwrap())
            .sum()
    };
    assert_eq!(sum("results"), 1);
    assert_eq!(sum("tokens_before"), stats["tools"]["Bash"]["fresh_tokens_before"]);
    assert_eq!(sum("tokens_after"), stats["tools"]["Bash"]["fresh_tokens_after"]);
    assert_eq!(sum("tokens_before") * 2, stats["tools"]["Bash"]["tokens_before"]);
}

#[test]
fn the_playground_shows_every_form_and_every_mode() {
    let world = world();
    let body = json!({"text": rows(), "tool": "list_items", "arguments": {}}).to_string();
    let tried = world.operate(Ask::post("/_forge/api/playground", &body)).json();
    let forms = tried["forms"].as_array().unwrap();
    let names: Vec<&str> = forms.iter().map(|form| form["form"].as_str().unwrap()).collect();
    assert_eq!(names, ["pretty", "json", "toon", "stc", "stc2", "table"]);
    assert_eq!(forms[0]["text"], rows());
    let counter = tokenforge_tokens::Counter::default();
    for form in forms {
        assert_eq!(form["tokens"], counter.count(form["text"].as_str().unwrap()), "{form}");
    }
    let modes = tried["modes"].as_array().unwrap();
    let names: Vec<&str> = modes.iter().map(|mode| mode["mode"].as_str().unwrap()).collect();
    assert_eq!(names, ["safe", "lossless", "standard", "aggressive"]);
    assert!(modes[2]["tokens"].as_u64().unwrap() < tried["tokens"].as_u64().unwrap());
    let applied =
        modes[2]["steps"].as_array().unwrap().iter().rfind(|step| step["is_applied"] == true);
    assert_eq!(applied.unwrap()["text"], modes[2]["text"]);
    assert_eq!(world.get("/_forge/api/stats").json()["counters"]["results"], 0);
}

#[test]
fn the_playground_reads_other_forms_and_keeps_no_original() {
    let world = world();
    let ask = |body: Value| world.operate(Ask::post("/_forge/api/playground", body.to_string()));
    let toon = ask(json!({"text": "a: 1.50\nb: x", "form": "toon"})).json();
    assert_eq!(toon["forms"][1]["text"], r#"{"a":1.50,"b":"x"}"#);
    let run =
        ask(json!({"text": test_run(), "tool": "Bash", "arguments": {"command": "cargo test"}}));
    let standard = run.json()["modes"][2].clone();
    assert_eq!(standard["leaves_out"], true);
    assert_eq!(run.json()["forms"], json!([]));
    assert_eq!(world.get("/_forge/api/stats").json()["store"]["entries"], 0);
}

#[test]
fn the_playground_says_what_is_wrong_with_what_it_is_given() {
    let world = world();
    for (body, status, said) in [
        ("{".to_owned(), 400, "text"),
        (json!({"tool": "Bash"}).to_string(), 400, "text"),
        (json!({"text": "x", "unheard": 1}).to_string(), 400, "unheard"),
        (json!({"text": "x", "form": "xml"}).to_string(), 400, "toon"),
        (json!({"text": "{", "form": "json"}).to_string(), 400, "no json"),
        (json!({"text": "x".repeat(300 << 10)}).to_string(), 413, "bytes"),
    ] {
        let answer = world.operate(Ask::post("/_forge/api/playground", &body));
        assert_eq!(answer.status, status, "{}", answer.text());
        let message = answer.json()["error"]["message"].to_string();
        assert!(message.contains(said), "{message}");
    }
}

#[test]
fn a_change_is_said_to_be_where_a_value_is_from() {
    let world = world();
    let origin = |path: &str| {
        let all = world.get("/_forge/api/settings").json();
        let settings = all["settings"].as_array().unwrap();
        let setting = settings.iter().find(|setting| setting["path"] == path).unwrap();
        setting["origin"]["from"].as_str().unwrap().to_owned()
    };
    assert_eq!(origin("toon.enabled"), "default");
    assert_eq!(origin("upstreams.backend"), "program");
    let patch = |change: Value| {
        world.operate(Ask::new("PATCH", "/_forge/api/config").body(change.to_string())).status
    };
    assert_eq!(patch(json!({"toon": {"enabled": true}})), 200);
    assert_eq!(origin("toon.enabled"), "change");
    assert_eq!(patch(json!({"toon": {"enabled": "perhaps"}})), 400);
    assert_eq!(patch(json!({"toon": {"enabled": null}})), 200);
    assert_eq!(origin("toon.enabled"), "default");
}
