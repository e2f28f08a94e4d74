//! What a test can do with the mock: script it, watch it, hold it back, let it fail.

use crate::kit;
use serde_json::{Value, json};
use std::io::Read as _;
use std::time::Duration;
use tokenforge_mock::{Fault, Mock, Reply};

const PATH: &str = "/v1/messages";

fn question(stream: bool) -> Value {
    json!({"model": "m", "max_tokens": 9, "stream": stream, "messages": [{"role": "user", "content": "<<<SHADOW:shadow_7>>>"}]})
}

#[test]
fn requests_are_recorded_as_they_came() {
    let mock = Mock::start();
    let body = question(false).to_string();
    kit::ask(&mock, "POST", "/p/x/v1/messages?beta=true", "x-a: 1\r\n", body.as_bytes());
    let seen = mock.last();
    assert_eq!(
        (seen.method.as_str(), &*seen.path_and_query),
        ("POST", "/p/x/v1/messages?beta=true")
    );
    assert_eq!((seen.header("x-a"), &seen.body[..]), ("1", body.as_bytes()));
    mock.clear();
    assert!(mock.requests().is_empty());
}

#[test]
fn replies_come_in_order_and_may_look_at_the_request() {
    let mock = Mock::start();
    mock.reply("one");
    mock.reply_with(|request| Reply::from(request.json()["model"].as_str().unwrap()));
    mock.reply(Reply::expand_first_reference());
    mock.reply_on("/v1/embeddings", Reply::status(201, &[("x-b", "2")], "[]"));
    let text =
        |response: kit::Response| response.json()["content"][0]["text"].as_str().map(str::to_owned);
    assert_eq!(kit::post(&mock, "/v1/embeddings", &json!({})).status, 201);
    assert_eq!(kit::ask(&mock, "GET", "/v1/models", "", b"").status, 404);
    assert_eq!(text(kit::post(&mock, PATH, &question(false))).as_deref(), Some("one"));
    assert_eq!(text(kit::post(&mock, PATH, &question(false))).as_deref(), Some("m"));
    let call = kit::post(&mock, PATH, &question(false)).json()["content"][0].clone();
    assert_eq!(
        (&call["name"], &call["input"]),
        (&json!("expand_context"), &json!({"id": "shadow_7"}))
    );
    mock.always(|_| Reply::from("always"));
    assert_eq!(text(kit::post(&mock, PATH, &question(false))).as_deref(), Some("always"));
}

#[test]
fn what_the_provider_refuses_is_refused_and_takes_no_reply() {
    let mock = Mock::start();
    mock.reply("one");
    let mut body = question(false);
    body["_forge"] = json!({});
    let response = kit::post(&mock, PATH, &body);
    assert_eq!(response.status, 400);
    assert_eq!(response.json()["error"]["message"], "_forge: Extra inputs are not permitted");
    assert_eq!(kit::ask(&mock, "POST", PATH, "", b"{").status, 400);
    assert_eq!(mock.refusals().len(), 2);
    assert_eq!(mock.queued(), 1);
}

#[test]
fn replies_are_held_back_and_let_go() {
    let mock = Mock::start();
    let hold = mock.hold();
    let mut stream = kit::send(&mock, "POST", PATH, "", question(false).to_string().as_bytes());
    hold.wait_for_held(1);
    stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    assert!(stream.read(&mut [0]).is_err(), "nothing may come while it is held");
    stream.set_read_timeout(None).unwrap();
    hold.release();
    assert_eq!(kit::read(stream).unwrap().status, 200);

    let hold = mock.hold_after(2);
    let stream = kit::send(&mock, "POST", PATH, "", question(true).to_string().as_bytes());
    hold.wait_for_held(1);
    hold.release();
    assert!(kit::read(stream).unwrap().text().contains("message_stop"));
}

#[test]
fn a_client_that_leaves_is_noticed() {
    let mock = Mock::start();
    for after in [None, Some(0), Some(3)] {
        let hold = after.map_or_else(|| mock.hold(), |events| mock.hold_after(events));
        mock.clear();
        let stream = kit::send(&mock, "POST", PATH, "", question(true).to_string().as_bytes());
        hold.wait_for_held(1);
        drop(stream);
        mock.wait_for_disconnect();
        hold.release();
    }
    mock.clear();
    mock.fault(Fault::StallAfter(10));
    let mut stream = kit::send(&mock, "POST", PATH, "", question(true).to_string().as_bytes());
    stream.read_exact(&mut [0; 20]).unwrap();
    drop(stream);
    mock.wait_for_disconnect();
    mock.wait_for_connections(0);
}

#[test]
fn a_complete_reply_is_not_abandoned() {
    let mock = Mock::start();
    kit::post(&mock, PATH, &question(true));
    kit::post(&mock, PATH, &question(false));
    mock.wait_for_connections(0);
    assert_eq!(mock.abandoned(), 0);
    assert_eq!(mock.connections_accepted(), 2);
}

#[test]
fn it_refuses_connections_and_accepts_again() {
    let mock = Mock::start();
    mock.fault(Fault::StallBeforeHeaders);
    let stalled = kit::send(&mock, "POST", PATH, "", question(false).to_string().as_bytes());
    mock.wait_for_requests(1);
    mock.refuse();
    assert_eq!(kit::bytes(stalled).unwrap_or_default(), b"");
    assert!(std::net::TcpStream::connect(mock.address()).is_err());
    mock.accept();
    assert_eq!(kit::post(&mock, PATH, &question(false)).status, 200);
}

#[test]
fn faults_are_what_they_say() {
    let mock = Mock::start();
    let faulty = |fault: Fault| {
        mock.fault(fault);
        kit::bytes(kit::send(&mock, "POST", PATH, "", question(true).to_string().as_bytes()))
    };
    let reset = faulty(Fault::ResetBeforeHeaders).unwrap_err();
    assert_eq!(reset.kind(), std::io::ErrorKind::ConnectionReset);
    assert!(faulty(Fault::ResetAfter(30)).is_err());
    assert_eq!(faulty(Fault::CloseBeforeHeaders).unwrap(), b"");
    let cut = faulty(Fault::CloseAfter(30)).unwrap();
    assert!(cut.ends_with(b"\r\n") && !cut.ends_with(b"0\r\n\r\n"));
    assert!(!faulty(Fault::TruncateChunk).unwrap().ends_with(b"\r\n"));
    for by in [-5, 5] {
        let lie = String::from_utf8(faulty(Fault::LieAboutLength(by)).unwrap()).unwrap();
        let (head, body) = lie.split_once("\r\n\r\n").unwrap();
        let told: i64 =
            head.split_once("content-length: ").unwrap().1.lines().next().unwrap().parse().unwrap();
        assert_eq!(told - body.len() as i64, by);
    }
    assert!(String::from_utf8(faulty(Fault::InvalidUtf8).unwrap()).is_err());
    mock.fault(Fault::InvalidUtf8);
    let chat =
        json!({"model": "m", "messages": [{"role": "user", "content": "x"}], "stream": true});
    assert!(String::from_utf8(kit::post(&mock, "/v1/chat/completions", &chat).body).is_err());
    let redirect = String::from_utf8(faulty(Fault::Redirect("http://x/".into())).unwrap()).unwrap();
    assert!(redirect.starts_with("HTTP/1.1 307") && redirect.contains("location: http://x/"));
    assert!(faulty(Fault::GarbageHeaders).unwrap().starts_with(b"HTTP/1.1 two"));
}

#[test]
fn it_is_driven_over_http_too() {
    let mock = Mock::start();
    kit::post(&mock, "/_mock/replies", &json!([{"text": "from afar"}]));
    let said = kit::post(&mock, PATH, &question(false)).json();
    assert_eq!(said["content"][0]["text"], "from afar");
    let seen = kit::ask(&mock, "GET", "/_mock/requests", "", b"").json();
    assert_eq!(seen[0]["body"]["model"], "m");
    kit::ask(&mock, "DELETE", "/_mock/requests", "", b"");
    assert_eq!(kit::ask(&mock, "GET", "/_mock/requests", "", b"").json(), json!([]));
    assert_eq!(kit::post(&mock, "/_mock/replies", &json!({"nothing": 1})).status, 400);
}
