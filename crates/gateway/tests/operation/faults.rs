//! What goes wrong at the upstream reaches the client as it is, at once, and is never taken for a whole answer.

use crate::kit::{Ask, Open, conversation, messages, streaming, world, world_with};
use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;
use tokenforge_mock::{Encoding, Fault, Reply};

/// Answers that are looked at and such that only pass, streams and not.
fn kinds() -> [Value; 4] {
    let bare = |mut body: Value| {
        body.as_object_mut().unwrap().remove("tools");
        body
    };
    [
        conversation("short"),
        streaming("short"),
        bare(conversation("short")),
        bare(streaming("short")),
    ]
}

#[test]
fn an_upstream_that_refuses_is_a_502_in_the_providers_words() {
    let world = world();
    world.mock.refuse();
    let answer = world.send(messages(&conversation("short")));
    assert_eq!(answer.status, 502);
    assert_eq!(answer.json()["type"], "error");
    assert_eq!(answer.json()["error"]["type"], "api_error");
    world.mock.accept();
    assert_eq!(world.send(messages(&conversation("short"))).status, 200);
}

#[test]
fn an_upstream_that_resets_closes_or_babbles_before_its_headers_is_a_502() {
    let world = world();
    for fault in [Fault::ResetBeforeHeaders, Fault::CloseBeforeHeaders, Fault::GarbageHeaders] {
        for body in kinds() {
            world.mock.fault(fault.clone());
            let answer = world.send(messages(&body));
            assert_eq!(answer.status, 502, "{fault:?}");
            assert!(answer.json()["error"]["message"].is_string(), "{fault:?}");
        }
    }
    assert_eq!(world.send(messages(&conversation("short"))).status, 200);
}

#[test]
fn an_upstream_that_never_answers_is_a_504() {
    let world =
        world_with(|settings| settings.limits.first_byte_timeout = Duration::from_millis(200));
    for body in kinds() {
        world.mock.fault(Fault::StallBeforeHeaders);
        let answer = world.send(messages(&body));
        assert_eq!(answer.status, 504);
        assert_eq!(answer.json()["error"]["type"], "timeout_error");
    }
    world.mock.wait_for_disconnect();
}

#[test]
fn an_answer_that_breaks_off_is_never_taken_for_a_whole_one() {
    let world = world_with(|settings| settings.limits.idle_timeout = Duration::from_millis(300));
    for fault in [
        Fault::ResetAfter(40),
        Fault::CloseAfter(40),
        Fault::StallAfter(40),
        Fault::TruncateChunk,
        Fault::LieAboutLength(50),
    ] {
        for body in kinds() {
            world.mock.fault(fault.clone());
            let answer = world.send(messages(&body));
            let is_failed = answer.status == 502 || !answer.is_whole;
            assert!(is_failed, "{fault:?} {body}: {} {}", answer.status, answer.text());
        }
    }
    assert_eq!(world.send(messages(&conversation("short"))).status, 200);
}

#[test]
fn what_came_before_a_break_reached_the_client() {
    let world = world();
    world.mock.reply(Reply::from("a long text").fault(Fault::ResetAfter(700)));
    let answer = world.send(messages(&streaming("short")));
    assert!(!answer.is_whole);
    assert!(answer.text().starts_with("event: message_start"), "{}", answer.text());
}

#[test]
fn a_length_that_is_too_small_ends_the_answer_where_it_says() {
    let world = world();
    let mut bare = conversation("short");
    bare.as_object_mut().unwrap().remove("tools");
    world.mock.fault(Fault::LieAboutLength(-5));
    let answer = world.send(messages(&bare));
    assert_eq!(answer.status, 200);
    assert!(serde_json::from_slice::<Value>(&answer.body).is_err());
}

#[test]
fn bytes_that_are_no_utf8_go_on_as_they_are() {
    let world = world();
    for body in kinds() {
        world.mock.reply(Reply::from("hello").fault(Fault::InvalidUtf8));
        let answer = world.send(messages(&body));
        assert_eq!(answer.status, 200);
        assert!(answer.body.contains(&0xff), "{body}: {}", answer.text());
    }
}

#[test]
fn a_redirect_is_passed_on_and_not_followed() {
    let world = world();
    for body in kinds() {
        world.mock.clear();
        world.mock.fault(Fault::Redirect("http://127.0.0.1:1/elsewhere".to_owned()));
        let answer = world.send(messages(&body));
        assert_eq!(answer.status, 307);
        assert_eq!(answer.header("location"), "http://127.0.0.1:1/elsewhere");
        assert_eq!(world.mock.requests().len(), 1);
    }
}

#[test]
fn g51_a_refusal_is_passed_on_with_its_headers_and_body() {
    let world = world();
    let said = r#"{"type":"error", "error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    for status in [400, 401, 404, 429, 500, 503, 529] {
        for body in kinds() {
            let headers = [
                ("content-type", "application/json"),
                ("retry-after", "7"),
                ("anthropic-ratelimit-requests-remaining", "0"),
            ];
            world.mock.reply(Reply::status(status, &headers, said));
            let answer = world.send(messages(&body));
            assert_eq!(answer.status, status);
            assert_eq!(answer.header("retry-after"), "7");
            assert_eq!(answer.header("anthropic-ratelimit-requests-remaining"), "0");
            assert_eq!(answer.text(), said);
        }
    }
}

#[test]
fn an_answer_that_is_coded_against_our_wish_is_understood() {
    let world = world();
    for encoding in [Encoding::Gzip, Encoding::Br, Encoding::Zstd, Encoding::Deflate] {
        world.mock.reply(Reply::from("hello there").encoded(encoding));
        let answer = world.send(messages(&streaming("short")));
        assert_eq!(answer.header("content-encoding"), "", "{encoding:?}");
        let said = tokenforge_mock::grammar::check("anthropic", &answer.body).unwrap();
        assert_eq!(said.text, "hello there");
    }
}

#[test]
fn a_client_that_leaves_while_it_sends_its_body_leaves_nothing_behind() {
    let world = world();
    // A long body that need not be read is forwarded before all of it is here. JSON may hold a member of ours.
    for (path, kind, begin, length, is_begun) in [
        ("/v1/messages", "application/json", "{\"m", 900_000, false),
        ("/v1/embeddings", "application/json", "{\"m", 900_000, false),
        ("/v1/files", "multipart/form-data; boundary=b", "--b\r\n", 900, false),
        ("/v1/files", "multipart/form-data; boundary=b", "--b\r\n", 900_000, true),
    ] {
        let mut open = Open::to(world.address);
        open.write(
            format!(
                "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{begin}"
            )
            .as_bytes(),
        );
        if is_begun {
            world.mock.wait_for_connections(1);
        }
        open.leave();
        world.mock.wait_for_connections(0);
    }
    assert!(world.mock.requests().is_empty());
}

#[test]
fn a_client_that_leaves_before_the_headers_ends_the_upstreams_work() {
    for body in kinds() {
        let world = world();
        let _hold = world.mock.hold();
        let open = world.open(&messages(&body));
        world.mock.wait_for_requests(1);
        open.leave();
        world.mock.wait_for_disconnect();
        world.mock.wait_for_connections(0);
    }
}

#[test]
fn a_client_that_leaves_in_mid_stream_ends_the_upstreams_work() {
    for body in kinds().into_iter().filter(|body| body["stream"] == true) {
        let world = world();
        let hold = world.mock.hold_after(2);
        let mut open = world.open(&messages(&body));
        hold.wait_for_held(1);
        open.until("message_start");
        open.leave();
        world.mock.wait_for_disconnect();
        world.mock.wait_for_connections(0);
    }
}

#[test]
fn a_client_that_leaves_during_an_internal_loop_ends_the_upstreams_work() {
    for body in [conversation(&crate::kit::test_run()), streaming(&crate::kit::test_run())] {
        let world = world();
        world.mock.reply(Reply::expand_first_reference());
        world.mock.fault(Fault::StallBeforeHeaders);
        let open = world.open(&messages(&body));
        world.mock.wait_for_requests(2);
        open.leave();
        world.mock.wait_for_disconnect();
    }
}

#[test]
fn d5_an_upstream_that_fails_in_an_internal_loop_is_told_of_or_breaks_off() {
    let world = world();
    for fault in [Fault::ResetBeforeHeaders, Fault::ResetAfter(60), Fault::GarbageHeaders] {
        for body in [conversation(&crate::kit::test_run()), streaming(&crate::kit::test_run())] {
            world.mock.reply(Reply::new().text("Let me look.").expand_first());
            world.mock.fault(fault.clone());
            if fault == Fault::ResetBeforeHeaders {
                // The connection was idle before, so the request is sent once more over a new one.
                world.mock.fault(fault.clone());
            }
            let answer = world.send(messages(&body));
            let is_told = answer.status == 502 || answer.text().contains("event: error\n");
            assert!(is_told || !answer.is_whole, "{fault:?}: {}", answer.text());
            let is_a_turn = tokenforge_mock::grammar::check("anthropic", &answer.body).is_ok();
            assert!(!is_a_turn, "{fault:?}: {}", answer.text());
        }
    }
}

#[test]
fn many_faults_at_once_leave_no_permit_and_no_connection_behind() {
    let world = world_with(|settings| settings.limits.max_connections = 8);
    for _ in 0..20 {
        world.mock.fault(Fault::ResetBeforeHeaders);
        world.send(messages(&streaming("short")));
        world.mock.fault(Fault::ResetAfter(30));
        world.send(messages(&streaming("short")));
    }
    assert_eq!(world.send(messages(&conversation("short"))).status, 200);
    assert_eq!(world.send(Ask::new("GET", "/_forge/healthz")).status, 200);
}

/// An upstream that answers every request with these bytes, and closes the connection.
pub(crate) fn saying(answer: &'static [u8]) -> http::Uri {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 64 << 10];
            let _ = stream.read(&mut request).unwrap();
            let _ = stream.write_all(answer);
        }
    });
    url
}

#[test]
fn d74_an_unrequested_switch_of_protocol_is_a_502_in_the_providers_format() {
    let switching =
        saying(b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n");
    let world = world_with(|settings| settings.upstreams.backend = Some(switching));
    for body in kinds() {
        let answer = world.send(messages(&body));
        assert_eq!(answer.status, 502, "{}", answer.text());
        assert_eq!(answer.json()["error"]["type"], "api_error");
        let message = answer.json()["error"]["message"].to_string();
        assert!(message.contains("101"), "{message}");
        assert_eq!(answer.header("upgrade"), "");
    }
}

#[test]
fn d74_an_upstream_that_was_reached_is_not_said_to_be_out_of_reach() {
    let world = world();
    let told = |fault| {
        world.mock.fault(fault);
        let answer = world.send(messages(&conversation("short")));
        assert_eq!(answer.status, 502, "{}", answer.text());
        answer.json()["error"]["message"].as_str().unwrap().to_owned()
    };
    for (fault, what) in [
        (Fault::ResetBeforeHeaders, "before it answered"),
        (Fault::CloseBeforeHeaders, "before it answered"),
        (Fault::GarbageHeaders, "not HTTP"),
        (Fault::ResetAfter(40), "broke off"),
        (Fault::CloseAfter(40), "broke off"),
        (Fault::TruncateChunk, "broke off"),
    ] {
        let message = told(fault.clone());
        assert!(message.contains(what), "{fault:?}: {message}");
        assert!(!message.contains("cannot be reached"), "{fault:?}: {message}");
    }
    world.mock.refuse();
    let answer = world.send(messages(&conversation("short")));
    assert!(answer.text().contains("cannot be reached"), "{}", answer.text());
}
