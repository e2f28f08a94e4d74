//! The duties that HTTP gives to an intermediary that sends another representation: tags, caches, parts.

use crate::kit::{Answer, Ask, World, rows};
use crate::negotiation::{ask, tools};
use tokenforge_mock::Reply;

const JSON: &str = "application/json";
const STC: (&str, &str) = ("accept-encoding", "stc");

fn replied(world: &World, status: u16, headers: &[(&str, &str)], ask: Ask) -> Answer {
    let body = if matches!(status, 204 | 304) { String::new() } else { rows() };
    world.mock.reply_on("/", Reply::status(status, headers, body));
    world.send(ask)
}

/// The API's own answer, and not a byte of it changed.
fn is_untouched(answer: &Answer) {
    assert_eq!(answer.header("content-encoding"), "");
    assert_eq!(answer.header("x-stc-ratio"), "");
    assert!(answer.body.is_empty() || answer.text() == rows());
}

#[test]
fn h4_what_is_no_json_or_not_whole_is_untouched() {
    let world = tools();
    for content_type in [
        "text/html",
        "text/event-stream",
        "text/plain",
        "application/x-ndjson",
        "application/jsonl",
        "application/octet-stream",
    ] {
        let answer = replied(&world, 200, &[("content-type", content_type)], ask(&[STC]));
        is_untouched(&answer);
        assert_eq!(answer.header("content-type"), content_type);
        assert_eq!(answer.header("vary"), "", "{content_type}");
    }
    let range = [("content-type", JSON), ("content-range", "bytes 0-99/400")];
    is_untouched(&replied(&world, 206, &range, ask(&[STC, ("range", "bytes=0-99")])));
    let answer = replied(&world, 204, &[("content-type", JSON)], ask(&[STC]));
    assert_eq!((answer.status, answer.body.len()), (204, 0));
}

#[test]
fn h4_head_says_what_the_upstream_says() {
    let world = tools();
    let length = rows().len().to_string();
    world
        .mock
        .reply_on("/", Reply::status(200, &[("content-type", JSON), ("etag", "\"v1\"")], rows()));
    let mut open = world.open(&Ask::new("HEAD", "/api/rows").header("accept-encoding", "stc"));
    let head = open.rest();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.contains(&format!("content-length: {length}")), "{head}");
    assert!(head.contains("etag: \"v1\""), "{head}");
    assert!(!head.contains("content-encoding"), "{head}");
}

#[test]
fn h6_no_transform_is_honoured_from_either_side() {
    let world = tools();
    for word in ["no-transform", "private, No-Transform, max-age=60"] {
        let headers = [("content-type", JSON), ("cache-control", word)];
        is_untouched(&replied(&world, 200, &headers, ask(&[STC])));
        let asking = ask(&[STC, ("x-prefer-format", "toon"), ("cache-control", word)]);
        is_untouched(&replied(&world, 200, &[("content-type", JSON)], asking));
    }
    let headers = [("content-type", JSON), ("cache-control", "max-age=60")];
    assert_eq!(replied(&world, 200, &headers, ask(&[STC])).header("content-encoding"), "stc");
}

#[test]
fn h2_vary_is_added_to_what_the_upstream_varies_by() {
    let world = tools();
    let vary = |value: &str, asking: Ask| {
        let answer = replied(&world, 200, &[("content-type", JSON), ("vary", value)], asking);
        let lines = answer.headers.iter().filter(|(name, _)| name == "vary");
        lines.map(|(_, value)| value.clone()).collect::<Vec<_>>().join(", ")
    };
    for asking in [ask(&[]), ask(&[STC])] {
        let all = vary("Origin, accept", asking);
        assert_eq!(all, "Origin, accept, Accept-Encoding, X-Prefer-Format, X-STC-Version");
    }
    assert_eq!(vary("*", ask(&[STC])), "*");
}

#[test]
fn another_representation_has_another_tag_and_no_digest_of_the_first() {
    let world = tools();
    let headers = [
        ("content-type", JSON),
        ("etag", "W/\"v1\""),
        ("accept-ranges", "bytes"),
        ("digest", "sha-256=x"),
        ("repr-digest", "sha-256=:x:"),
        ("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT"),
    ];
    for (asking, tag) in [(STC, "W/\"v1;stc\""), (("x-prefer-format", "toon"), "W/\"v1;toon\"")] {
        let answer = replied(&world, 200, &headers, ask(&[asking]));
        assert_eq!(answer.header("etag"), tag);
        for name in ["accept-ranges", "digest", "repr-digest"] {
            assert_eq!(answer.header(name), "", "{name}");
        }
        assert_ne!(answer.header("last-modified"), "");
    }
    let plain = replied(&world, 200, &headers, ask(&[]));
    assert_eq!((plain.header("etag"), plain.header("accept-ranges")), ("W/\"v1\"", "bytes"));
}

#[test]
fn the_upstream_is_asked_about_its_own_tag_and_the_client_told_of_the_one_it_knows() {
    let world = tools();
    let known = ("if-none-match", "\"v0\", \"v1;stc\", \"v1;toon\"");
    let answer = replied(&world, 304, &[("etag", "\"v1\"")], ask(&[STC, known]));
    assert_eq!(world.mock.last().header("if-none-match"), "\"v0\", \"v1\", \"v1;toon\"");
    assert_eq!((answer.status, answer.header("etag")), (304, "\"v1;stc\""));
    assert!(answer.header("vary").contains("Accept-Encoding"));

    let json = ("if-none-match", "\"v1\"");
    let answer = replied(&world, 304, &[("etag", "\"v1\"")], ask(&[STC, json]));
    assert_eq!(answer.header("etag"), "\"v1\"", "the client has it as JSON");

    replied(&world, 200, &[("content-type", JSON)], ask(&[known]));
    assert_eq!(
        world.mock.last().header("if-none-match"),
        known.1,
        "the client did not ask for STC"
    );
}

#[test]
fn who_writes_back_what_was_read_in_our_form_means_what_the_upstream_has() {
    let world = tools();
    let put = Ask::new("PUT", "/api/rows").header("if-match", "\"v1;toon\"").body("{}");
    replied(&world, 200, &[("content-type", JSON)], put);
    assert_eq!(world.mock.last().header("if-match"), "\"v1\"");
}
