//! An answer of a JSON API in the form that its reader asks for.

use crate::kit::{Answer, Ask, World, rows, world_with};
use crate::routes::api;
use crate::speaker::Speaker;
use tokenforge_config::Settings;
use tokenforge_formats::negotiate::Format;
use tokenforge_formats::stc2::{self, Level};
use tokenforge_formats::{Form, Json, MAX_OUTPUT, decode_any, stc};
use tokenforge_mock::{Encoding, Reply};

const JSON: &str = "application/json";

/// A gateway with a route `/api` to the mock.
pub(crate) fn tools() -> World {
    world_with(|settings| api(settings, "/api", Format::Json))
}

/// What comes of a request with these headers, when the API answers with a body of a type.
pub(crate) fn asked(
    world: &World,
    headers: &[(&str, &str)],
    content_type: &str,
    body: &str,
) -> Answer {
    world
        .mock
        .reply_on("/", Reply::status(200, &[("content-type", content_type)], body.to_owned()));
    world.send(ask(headers))
}

pub(crate) fn ask(headers: &[(&str, &str)]) -> Ask {
    let ask = Ask::new("GET", "/api/rows?all=1");
    headers.iter().fold(ask, |ask, (name, value)| ask.header(name, value))
}

pub(crate) fn minified(text: &str) -> String {
    Json::parse(text).unwrap().minify().into_owned()
}

fn is_untouched(answer: &Answer, body: &str) {
    assert_eq!((answer.status, answer.text().as_str()), (200, body));
    for name in ["content-encoding", "x-stc-ratio", "x-stc-version"] {
        assert_eq!(answer.header(name), "", "{name}");
    }
    assert_eq!(answer.header("content-length"), body.len().to_string());
}

#[test]
fn h1_without_a_header_it_is_the_upstreams_bytes() {
    let world = tools();
    let answer = asked(&world, &[], JSON, &rows());
    is_untouched(&answer, &rows());
    assert_eq!(answer.header("content-type"), JSON);
    assert_eq!(answer.header("x-content-format"), "");
    assert_eq!(answer.header("vary"), "Accept, Accept-Encoding, X-Prefer-Format, X-STC-Version");
    assert_eq!(world.mock.last().path_and_query, "/rows?all=1");
}

#[test]
fn s6_h2_accept_encoding_stc_gets_stc_with_all_it_has_to_say() {
    let world = tools();
    let body = rows();
    let answer = asked(&world, &[("accept-encoding", "stc")], JSON, &body);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-encoding"), "stc");
    assert_eq!(answer.header("content-type"), "application/stc+json");
    assert_eq!(answer.header("x-stc-version"), "1");
    assert_eq!(answer.header("x-content-format"), "stc");
    assert!(answer.header("vary").contains("Accept-Encoding"));
    assert_eq!(answer.header("content-length"), answer.body.len().to_string());
    let ratio = answer.body.len() as f64 / body.len() as f64;
    assert_eq!(answer.header("x-stc-ratio"), format!("{ratio:.2}"));
    assert_eq!(answer.text(), stc::encode(&Json::parse(&body).unwrap(), stc::Spelling::Adr));
    assert_eq!(stc::decode(&answer.text(), MAX_OUTPUT).unwrap(), minified(&body));
    assert_eq!(
        world.mock.last().header("accept-encoding"),
        "identity",
        "stc is between the client and us"
    );
}

#[test]
fn s6_who_names_version_2_of_stc_gets_version_2() {
    let world = tools();
    let body = rows();
    let head = [("content-type", JSON), ("etag", "\"x\"")];
    let answered = |headers: &[(&str, &str)]| {
        world.mock.reply_on("/", Reply::status(200, &head, body.clone()));
        world.send(ask(headers))
    };
    let two = ("x-stc-version", "2");
    for (form, coding, level) in [
        (("accept-encoding", "stc"), "stc", Level::Shared),
        (("x-prefer-format", "stc"), "", Level::Nested),
    ] {
        let answer = answered(&[form, two]);
        assert_eq!(answer.header("x-stc-version"), "2");
        assert_eq!(answer.header("x-content-format"), "stc");
        assert_eq!(answer.header("content-type"), "application/stc+json");
        assert_eq!(answer.header("content-encoding"), coding);
        assert_eq!(answer.header("etag"), "\"x;stc2\"");
        assert_eq!(answer.text(), stc2::encode(&Json::parse(&body).unwrap(), level));
        assert_eq!(stc2::decode(&answer.text(), MAX_OUTPUT).unwrap(), minified(&body));
        assert_eq!(
            world.mock.last().header("x-stc-version"),
            "",
            "it is between the client and us"
        );
        let older = answered(&[form]);
        assert_eq!(older.header("x-stc-version"), "1");
        assert_eq!(older.header("etag"), "\"x;stc\"");
    }
    answered(&[("x-prefer-format", "stc"), two, ("if-none-match", "\"x;stc2\"")]);
    assert_eq!(world.mock.last().header("if-none-match"), "\"x\"");
}

#[test]
fn h3_qualities_and_several_lines_are_understood() {
    let world = tools();
    let line = "accept-encoding";
    for (headers, coding) in [
        (&[(line, "gzip, STC;q=0.5")][..], "stc"),
        (&[(line, "gzip"), (line, "stc")], "stc"),
        (&[(line, "stc;q=0")], ""),
        (&[(line, "gzip, *")], ""),
    ] {
        let answer = asked(&world, headers, JSON, &rows());
        assert_eq!(answer.header("content-encoding"), coding, "{headers:?}");
    }
    asked(&world, &[(line, "gzip"), (line, "stc;q=0.1, br")], JSON, &rows());
    assert_eq!(world.mock.last().header(line), "gzip, br");
}

#[test]
fn a1_a4_toon_by_the_header_or_by_accept() {
    let world = tools();
    for headers in [
        &[("x-prefer-format", "toon")][..],
        &[("X-Prefer-Format", "TOON"), ("accept", JSON)],
        &[("accept", "text/toon")],
        &[("accept", "application/json;q=0.5, text/toon")],
    ] {
        let answer = asked(&world, headers, JSON, &rows());
        assert_eq!(answer.header("content-type"), "text/toon; charset=utf-8", "{headers:?}");
        assert_eq!(answer.header("x-content-format"), "toon");
        assert_eq!(answer.header("content-encoding"), "");
        assert_eq!(answer.header("content-length"), answer.body.len().to_string());
        assert_eq!(Form::Toon.decode(&answer.text(), MAX_OUTPUT).unwrap(), minified(&rows()));
        let seen = world.mock.last();
        assert_eq!(seen.header("x-prefer-format"), "", "{headers:?}");
        assert!(!seen.header("accept").contains("toon"), "{headers:?}");
    }
    asked(&world, &[("accept", "text/toon")], JSON, &rows());
    assert_eq!(world.mock.last().header("accept"), JSON, "the upstream has JSON");
}

#[test]
fn a1_stc_for_a_model_is_dense_and_no_content_coding() {
    let world = tools();
    for headers in
        [[("x-prefer-format", "stc")], [("accept", "application/stc+json, application/json;q=0.9")]]
    {
        let answer = asked(&world, &headers, JSON, &rows());
        assert_eq!(answer.header("content-type"), "application/stc+json");
        assert_eq!(answer.header("content-encoding"), "");
        assert_eq!(answer.header("x-stc-version"), "1");
        let dense = stc::encode(&Json::parse(&rows()).unwrap(), stc::Spelling::Dense);
        assert_eq!(answer.text(), dense);
    }
}

#[test]
fn a1_auto_is_the_cheapest_and_json_is_json_whatever_else_is_said() {
    let world = tools();
    let answer = asked(&world, &[("x-prefer-format", "auto")], JSON, &rows());
    let format = answer.header("x-content-format");
    assert!(["toon", "stc"].contains(&format), "{format}");
    assert_eq!(decode_any(&answer.text(), MAX_OUTPUT).unwrap(), minified(&rows()));

    let headers =
        [("x-prefer-format", "json"), ("accept", "text/toon"), ("accept-encoding", "stc")];
    let answer = asked(&world, &headers, JSON, &rows());
    is_untouched(&answer, &rows());
    assert_eq!(answer.header("x-content-format"), "json");
}

#[test]
fn a_route_may_have_a_usual_form() {
    let world = world_with(|settings| api(settings, "/api", Format::Toon));
    let format = |headers: &[(&str, &str)]| {
        asked(&world, headers, JSON, &rows()).header("x-content-format").to_owned()
    };
    assert_eq!(format(&[]), "toon");
    assert_eq!(format(&[("accept", "*/*")]), "toon");
    assert_eq!(format(&[("accept", JSON)]), "", "who takes only JSON gets it");
    assert_eq!(format(&[("accept-encoding", "stc")]), "stc");
    assert_eq!(format(&[("x-prefer-format", "json")]), "json");
}

#[test]
fn h4_problems_are_encoded_with_their_status() {
    let world = tools();
    let body = format!(r#"{{"title": "no", "rows": {}}}"#, rows());
    world
        .mock
        .reply_on("/", Reply::status(404, &[("content-type", "application/problem+json")], body));
    let answer = world.send(ask(&[("accept-encoding", "stc")]));
    assert_eq!((answer.status, answer.header("content-encoding")), (404, "stc"));
}

#[test]
fn h5_a_compressed_answer_is_decoded_for_stc_and_else_stays_compressed() {
    let world = tools();
    for encoding in [Encoding::Gzip, Encoding::Br, Encoding::Zstd, Encoding::Deflate] {
        let reply = || Reply::status(200, &[("content-type", JSON)], rows()).encoded(encoding);
        world.mock.reply_on("/", reply());
        let answer = world.send(ask(&[("accept-encoding", "gzip, br, zstd, deflate, stc")]));
        assert_eq!(answer.header("content-encoding"), "stc", "{encoding:?}");
        assert_eq!(stc::decode(&answer.text(), MAX_OUTPUT).unwrap(), minified(&rows()));
        let ratio = answer.body.len() as f64 / rows().len() as f64;
        assert_eq!(answer.header("x-stc-ratio"), format!("{ratio:.2}"));

        world.mock.reply_on("/", reply());
        let plain = world.send(ask(&[("accept-encoding", "gzip, br, zstd, deflate")]));
        assert_ne!(plain.header("content-encoding"), "");
        assert_ne!(plain.body, rows().as_bytes());
    }
}

#[test]
fn h5_what_cannot_be_decoded_or_does_not_become_smaller_stays_as_it_was_compressed() {
    let world = tools();
    let head = [("content-type", JSON), ("content-encoding", "gzip")];
    world.mock.reply_on("/", Reply::status(200, &head, "no gzip"));
    let answer = world.send(ask(&[("accept-encoding", "stc")]));
    assert_eq!((answer.text().as_str(), answer.header("content-encoding")), ("no gzip", "gzip"));
    let head = [("content-type", JSON), ("content-encoding", "secret")];
    world.mock.reply_on("/", Reply::status(200, &head, rows()));
    let answer = world.send(ask(&[("x-prefer-format", "toon")]));
    assert_eq!((answer.text(), answer.header("content-encoding")), (rows(), "secret"));
    world.mock.reply_on(
        "/",
        Reply::status(200, &[("content-type", JSON)], "\"x\"").encoded(Encoding::Gzip),
    );
    let answer = world.send(ask(&[("accept-encoding", "stc, gzip")]));
    assert_eq!(answer.header("content-encoding"), "gzip");
}

#[test]
fn h7_what_does_not_become_smaller_stays_json() {
    let world = tools();
    for headers in [
        ("accept-encoding", "stc"),
        ("x-prefer-format", "toon"),
        ("accept", "application/stc+json"),
    ] {
        for body in ["[]", "{}", "12", "true", ""] {
            let answer = asked(&world, &[headers], JSON, body);
            is_untouched(&answer, body);
            assert_eq!(answer.header("x-content-format"), "json", "{headers:?} {body}");
            assert_eq!(answer.header("content-type"), JSON);
        }
    }
}

#[test]
fn i11_where_no_form_is_cheaper_a_model_gets_minified_json_and_a_program_what_came() {
    let world = tools();
    let body = include_str!("../../../../examples/issues.json");
    let head = [("content-type", JSON), ("etag", "\"v1\"")];
    world.mock.reply_on("/", Reply::status(200, &head, body));
    let answer = world.send(ask(&[("x-prefer-format", "toon")]));
    assert_eq!(answer.text(), minified(body));
    assert_eq!((answer.header("content-type"), answer.header("x-content-format")), (JSON, "json"));
    assert_eq!(answer.header("etag"), "\"v1;json\"");
    assert_eq!(answer.header("x-stc-ratio"), "");

    world.mock.reply_on("/", Reply::status(304, &[("etag", "\"v1\"")], ""));
    let known = ("if-none-match", "\"v1;json\"");
    let answer = world.send(ask(&[("x-prefer-format", "toon"), known]));
    assert_eq!(world.mock.last().header("if-none-match"), "\"v1\"");
    assert_eq!(answer.header("etag"), "\"v1;json\"");

    // Without a space to lose, what came is sent.
    let answer = asked(&world, &[("x-prefer-format", "toon")], JSON, &minified(body));
    is_untouched(&answer, &minified(body));
}

#[test]
fn h8_malformed_json_is_passed_on_with_its_200() {
    let world = tools();
    let half = rows().split_at(500).0.to_owned();
    for body in [half.as_str(), "not json", "{\"a\":1}{\"a\":2}", "\u{feff}{\"a\":[1,2,3]}", "NaN"]
    {
        for headers in [("accept-encoding", "stc"), ("x-prefer-format", "auto")] {
            let answer = asked(&world, &[headers], JSON, body);
            is_untouched(&answer, body);
            assert_eq!(answer.header("content-type"), JSON);
        }
    }
}

#[test]
fn s7_with_the_plugin_off_nothing_is_encoded_and_the_request_is_the_clients() {
    let off = |settings: &mut Settings| {
        api(settings, "/api", Format::Json);
        for name in ["stc", "toon"] {
            let mut plugin = tokenforge_config::PluginSettings::named(name);
            plugin.enabled = false;
            settings.plugins.push(plugin);
        }
    };
    let world = world_with(off);
    let headers = [("accept-encoding", "stc"), ("x-prefer-format", "toon")];
    let answer = asked(&world, &headers, JSON, &rows());
    is_untouched(&answer, &rows());
    assert_eq!(answer.header("vary"), "");
    assert_eq!(world.mock.last().header("accept-encoding"), "stc");
    assert_eq!(world.mock.last().header("x-prefer-format"), "toon");
}

#[test]
fn s7_a_stream_flows_for_a_client_that_asked_for_no_format() {
    let speaker = Speaker::of(JSON);
    let world = world_with(|settings| {
        api(settings, "/api", Format::Json);
        settings.routes.get_mut("/api").unwrap().url = speaker.url();
    });
    let mut open = world.open(&ask(&[]));
    speaker.say("[1,");
    open.until("[1,");
    speaker.say("2]");
    speaker.end();
    open.until("2]");
}

#[test]
fn json_of_unknown_length_is_buffered_for_stc_and_events_are_not() {
    let body = rows();
    let (first, rest) = body.split_at(700);
    for (content_type, coding) in [(JSON, "stc"), ("text/event-stream", "")] {
        let speaker = Speaker::of(content_type);
        let world = world_with(|settings| {
            api(settings, "/api", Format::Json);
            settings.routes.get_mut("/api").unwrap().url = speaker.url();
        });
        let mut open = world.open(&ask(&[("accept-encoding", "stc")]));
        speaker.say(first);
        if coding.is_empty() {
            open.until("\"id\": 0");
        }
        speaker.say(rest);
        speaker.end();
        let answer = open.rest_of_answer();
        assert_eq!(answer.header("content-encoding"), coding, "{content_type}");
    }
}

#[test]
fn h16_a_body_above_the_cap_streams_through() {
    let body = format!("[{}]", vec![rows(); 2200].join(","));
    assert!(body.len() > 8_000_000, "{}", body.len());
    let world = tools();
    let answer = asked(&world, &[("accept-encoding", "stc")], JSON, &body);
    is_untouched(&answer, &body);
    assert_eq!(answer.header("x-content-format"), "json");
}

#[test]
fn h16_a_body_that_turns_out_to_be_above_the_cap_streams_through() {
    let speaker = Speaker::of(JSON);
    let world = world_with(|settings| {
        api(settings, "/api", Format::Json);
        settings.routes.get_mut("/api").unwrap().url = speaker.url();
        let mut plugin = tokenforge_config::PluginSettings::named("stc");
        let config = serde_json::json!({"max_bytes": 1000});
        plugin.config = tokenforge_config::PluginConfig::new(config);
        settings.plugins.push(plugin);
    });
    let body = rows();
    let (first, rest) = body.split_at(1500);
    let mut open = world.open(&ask(&[("accept-encoding", "stc")]));
    speaker.say(first);
    open.until(first.split_at(50).0);
    speaker.say(rest);
    speaker.end();
    assert_eq!(open.rest_of_answer().text(), body);
}

#[test]
fn an_answer_that_breaks_off_while_it_is_read_is_no_empty_success() {
    let world = tools();
    let fault = tokenforge_mock::Fault::CloseAfter(100);
    world.mock.reply_on("/", Reply::status(200, &[("content-type", JSON)], rows()).fault(fault));
    let answer = world.send(ask(&[("accept-encoding", "stc")]));
    assert_eq!(answer.status, 502);
    assert!(answer.text().contains("broke off"), "{}", answer.text());
}
