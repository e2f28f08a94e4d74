//! `stc` and `toon` in a chain.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use http::{Request, Response};
use serde_json::{Value, json};
use tokenforge_formats::negotiate::Format;
use tokenforge_formats::{MAX_OUTPUT, decode_any};
use tokenforge_plugin::builtin::DefaultFormat;
use tokenforge_plugin::{BodyNeed, Chain, Exchange, Outcome, Phase, Placement, Registry};

const ROWS: &str = r#"[{"id":1,"name":"users"},{"id":2,"name":"orders"},{"id":3,"name":"items"},{"id":4,"name":"carts"}]"#;

/// A chain of plugins with settings.
fn chain(plugins: &[(&str, Value)]) -> Chain {
    let mut registry = Registry::default();
    tokenforge_plugin::builtin::register(&mut registry).unwrap();
    let made = |(name, config): &(&str, Value)| {
        (registry.build(name, config).unwrap(), Placement::default())
    };
    Chain::new(plugins.iter().map(made).collect())
}

fn request(headers: &[(&str, &str)]) -> Exchange {
    let mut request = Request::get("/rows");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Exchange::new(request.body(()).unwrap().into_parts().0, ([127, 0, 0, 1], 50_000).into())
}

/// What a chain makes of an answer in JSON: the form that its head names, and the body.
async fn answered(chain: &Chain, mut exchange: Exchange) -> (String, String) {
    assert!(matches!(chain.run(Phase::PreUpstream, &mut exchange).await, Outcome::Continue));
    let response = Response::builder().header("content-type", "application/json").body(()).unwrap();
    exchange.set_response(response.into_parts().0);
    if chain.body_need_of(Phase::PostUpstream, &mut exchange) != BodyNeed::None {
        exchange.set_response_body(ROWS.into());
    }
    assert!(matches!(chain.run(Phase::PostUpstream, &mut exchange).await, Outcome::Continue));
    assert!(exchange.take_failures().is_empty());
    let head = exchange.take_response().unwrap();
    let format = head.headers.get("x-content-format").map_or("", |value| value.to_str().unwrap());
    let body = exchange
        .take_response_body()
        .map_or_else(|| ROWS.to_owned(), |body| String::from_utf8(body.to_vec()).unwrap());
    (format.to_owned(), body)
}

#[tokio::test]
async fn s7_no_body_is_asked_for_where_no_form_is() {
    let chain = chain(&[("stc", json!({})), ("toon", json!({}))]);
    for headers in [
        &[][..],
        &[("accept", "*/*")],
        &[("x-prefer-format", "json")],
        &[("accept-encoding", "gzip")],
    ] {
        let mut exchange = request(headers);
        assert!(matches!(chain.run(Phase::PreUpstream, &mut exchange).await, Outcome::Continue));
        let response =
            Response::builder().header("content-type", "application/json").body(()).unwrap();
        exchange.set_response(response.into_parts().0);
        let need = chain.body_need_of(Phase::PostUpstream, &mut exchange);
        assert_eq!(need, BodyNeed::None, "{headers:?}");
    }
}

#[tokio::test]
async fn a_form_can_be_had_from_its_own_plugin_only() {
    let only_stc = chain(&[("stc", json!({}))]);
    let toon = [("x-prefer-format", "toon")];
    assert_eq!(answered(&only_stc, request(&toon)).await, ("json".to_owned(), ROWS.to_owned()));
    let (format, body) = answered(&only_stc, request(&[("x-prefer-format", "auto")])).await;
    assert_eq!(format, "stc");
    assert_eq!(decode_any(&body, MAX_OUTPUT).unwrap(), ROWS);
}

#[tokio::test]
async fn only_a_client_that_names_version_2_of_stc_gets_it() {
    let chain = chain(&[("stc", json!({})), ("toon", json!({}))]);
    for asked in [("x-prefer-format", "stc"), ("accept-encoding", "stc")] {
        for (version, is_newer) in [("1", false), ("2", true), ("3", true), ("new", false)] {
            let headers = [asked, ("x-stc-version", version)];
            let (format, body) = answered(&chain, request(&headers)).await;
            assert_eq!(format, "stc");
            assert_eq!(body.starts_with("stc2\n"), is_newer, "{headers:?}: {body}");
            assert_eq!(decode_any(&body, MAX_OUTPUT).unwrap(), ROWS);
        }
        assert!(!answered(&chain, request(&[asked])).await.1.starts_with("stc2"));
    }
    let named = [("x-stc-version", "2")];
    assert_eq!(answered(&chain, request(&named)).await.1, ROWS, "a version alone asks for nothing");
}

#[tokio::test]
async fn the_bound_of_one_plugin_is_none_of_the_other() {
    for order in [["stc", "toon"], ["toon", "stc"]] {
        let config = |name| if name == "stc" { json!({"max_bytes": 10}) } else { json!({}) };
        let chain = chain(&order.map(|name| (name, config(name))));
        let formats = [("toon", "toon"), ("auto", "toon"), ("stc", "json")];
        for (asked, sent) in formats {
            let (format, body) = answered(&chain, request(&[("x-prefer-format", asked)])).await;
            // What the other makes of it may be nothing smaller, but never something of the one that is bound.
            assert!(format == sent || format == "json", "{order:?} {asked}: {format}");
            assert_eq!(decode_any(&body, MAX_OUTPUT).unwrap(), ROWS);
        }
    }
}

#[tokio::test]
async fn what_is_usual_is_sent_to_who_does_not_say() {
    let chain = chain(&[("stc", json!({})), ("toon", json!({}))]);
    let mut exchange = request(&[]);
    exchange.extensions_mut().insert(DefaultFormat(Format::Stc));
    assert_eq!(answered(&chain, exchange).await.0, "stc");
}
