//! Clients that mean harm: slow ones, ambiguous ones, bodies that explode.

use crate::kit::{
    Ask, Open, PATIENCE, TOKEN, World, conversation, messages, rows, world, world_with,
};
use crate::passing::codings;
use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::Settings;
use tokenforge_gateway::{Gateway, serve};
use tokenforge_store::MemoryStore;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Sends the beginning, and then single bytes for as long as anybody listens. What was answered.
fn trickled(world: &World, beginning: &str) -> String {
    let stream = TcpStream::connect(world.address).unwrap();
    let mut sender = stream.try_clone().unwrap();
    sender.write_all(beginning.as_bytes()).unwrap();
    let (heard, listening) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut open = Open::over(stream);
        let _ = heard.send(open.rest());
    });
    // A byte every now and then, until the other side is closed.
    loop {
        if let Ok(answer) = listening.recv_timeout(Duration::from_millis(20)) {
            return answer;
        }
        let _ = sender.write_all(b"a");
    }
}

#[test]
fn slow_headers_and_slow_bodies_are_cut_off_while_good_requests_go_on() {
    let world = world_with(|settings| {
        settings.limits.header_timeout = Duration::from_millis(300);
        settings.limits.body_timeout = Duration::from_millis(300);
    });
    let change = format!(
        "PATCH /_forge/api/config HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n\
         content-length: 60000\r\n\r\n{{"
    );
    std::thread::scope(|scope| {
        let slow: Vec<_> = [
            "",
            "POST /v1/mess",
            "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nx-a: ",
            "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 90000\r\n\r\n{",
            "POST /v1/embeddings HTTP/1.1\r\nhost: localhost\r\ncontent-length: 90000\r\n\r\n{",
            "POST /v1/compress HTTP/1.1\r\nhost: localhost\r\ncontent-length: 90000\r\n\r\n{",
            &change,
        ]
        .map(|beginning| (beginning, scope.spawn(|| trickled(&world, beginning))))
        .into_iter()
        .collect();
        for _ in 0..10 {
            assert_eq!(world.send(messages(&conversation("short"))).status, 200);
        }
        for (beginning, cut_off) in slow {
            let heard = cut_off.join().unwrap();
            let is_told = heard.is_empty() || heard.starts_with("HTTP/1.1 408");
            assert!(is_told, "{beginning:?}: {heard}");
        }
    });
    // A body that only passes began to go on; it did not get through.
    assert!(world.mock.requests().iter().all(|request| request.path_and_query == "/v1/messages"));
}

#[test]
fn a_second_request_on_a_connection_has_no_more_time_than_the_first() {
    let world = world_with(|settings| settings.limits.header_timeout = Duration::from_millis(300));
    let mut open = Open::to(world.address);
    open.write(&Ask::new("GET", "/_forge/healthz").header("connection", "keep-alive").bytes());
    assert_eq!(open.rest_of_answer().status, 200);
    open.write(b"GET /_forge/healthz HTTP/1.1\r\nhost: localhost\r\nx-a: ");
    let heard = open.rest();
    assert!(heard.is_empty() || heard.starts_with("HTTP/1.1 408"), "{heard}");
}

#[test]
fn a_connection_that_says_nothing_does_not_hold_up_the_end() {
    let mut settings = Settings::default();
    settings.limits.header_timeout = 10 * PATIENCE;
    settings.limits.drain_timeout = 10 * PATIENCE;
    let gateway = Gateway::new(settings, Arc::new(MemoryStore::default())).unwrap();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = std::thread::spawn(move || {
        let stopped = async { drop(stopped.await) };
        let served = async { timeout(PATIENCE, serve(gateway, listener, stopped)).await };
        runtime.block_on(served)
    });
    let _silent = Open::to(address);
    // It was accepted before this one.
    assert_eq!(Open::asking(address, &Ask::new("GET", "/_forge/healthz")).answer().status, 200);
    drop(stop);
    serving.join().unwrap().expect("it waits for who says nothing").unwrap();
}

#[test]
fn a_head_longer_than_anybody_needs_is_refused_and_nothing_after_it_is_read() {
    let world = world();
    let with_header = |bytes: usize| {
        let mut open = Open::to(world.address);
        let (long, close) = ("a".repeat(bytes), "connection: close\r\n");
        open.write(
            format!("GET /v1/models HTTP/1.1\r\nhost: localhost\r\nx-a: {long}\r\n\r\n").as_bytes(),
        );
        open.write(format!("GET /v1/models HTTP/1.1\r\nhost: localhost\r\n{close}\r\n").as_bytes());
        open.rest()
    };
    for bytes in [70_000, 300_000] {
        let heard = with_header(bytes);
        assert!(heard.is_empty() || heard.starts_with("HTTP/1.1 431"), "{bytes}: {heard}");
        assert_eq!(heard.matches("HTTP/1.1 ").count(), usize::from(!heard.is_empty()), "{heard}");
    }
    assert!(world.mock.requests().is_empty());
    with_header(60_000);
    assert_eq!(world.mock.requests().len(), 2);
}

#[test]
fn requests_that_two_servers_would_read_differently_are_one_request_or_none() {
    let second = "GET /smuggled HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let post = "POST /v1/embeddings HTTP/1.1\r\nhost: localhost\r\n";
    let lengths = |headers: &str, body: &str| format!("{post}{headers}\r\n\r\n{body}{second}");
    let long = "a".repeat(100_000);
    let corpus = [
        lengths("content-length: 6\r\ntransfer-encoding: chunked", "0\r\n\r\n"),
        lengths("transfer-encoding: chunked\r\ncontent-length: 6", "0\r\n\r\n"),
        lengths("content-length: 4\r\ncontent-length: 5", "{\"a\""),
        lengths("content-length: 5, 4", "{\"a\""),
        lengths("content-length: +4", "{\"a\""),
        lengths("content-length: -4", "{\"a\""),
        lengths("content-length: 0x4", "{\"a\""),
        lengths("content-length: 4 4", "{\"a\""),
        lengths("content-length: 99999999999999999999999", "{\"a\""),
        lengths("transfer-encoding: xchunked", "0\r\n\r\n"),
        lengths("transfer-encoding: chunked, identity", "0\r\n\r\n"),
        lengths("transfer-encoding: identity", "0\r\n\r\n"),
        lengths("transfer-encoding: chunked\r\ntransfer-encoding: identity", "0\r\n\r\n"),
        lengths("transfer-encoding : chunked", "0\r\n\r\n"),
        lengths("transfer-encoding:\u{b}chunked", "0\r\n\r\n"),
        lengths("x-a: b\r\n transfer-encoding: chunked", "0\r\n\r\n"),
        lengths("x-a: b\r\n\tc", ""),
        lengths("transfer-encoding: chunked", "4;\r\n{\"a\"\r\nfffffffffffffffff\r\n"),
        lengths("transfer-encoding: chunked", "-1\r\n"),
        lengths("transfer-encoding: chunked", "0\r\n\r\n"),
        lengths("x-a: b\rcontent-length: 5", ""),
        lengths("x-a: b\0c", ""),
        lengths("\u{1}: b", ""),
        lengths(&format!("x-a: {long}"), ""),
        format!(
            "POST /v1/embeddings HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{second}"
        ),
        format!("POST /v1/embeddings  HTTP/1.1\r\nhost: localhost\r\n\r\n{second}"),
        format!("POST /v1/embeddings HTTP/9.9\r\nhost: localhost\r\n\r\n{second}"),
        format!("{}{second}", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"),
    ];
    for bytes in corpus {
        let world = world();
        let mut open = Open::to(world.address);
        open.write(bytes.as_bytes());
        let heard = open.rest();
        let seen = world.mock.requests();
        let (head, _) = bytes.split_at(bytes.len().min(200));
        assert!(seen.len() <= 1, "{head:?}: {seen:?}");
        assert!(
            seen.iter().all(|request| request.path_and_query == "/v1/embeddings"),
            "{head:?}: {seen:?}"
        );
        if seen.is_empty() {
            assert!(heard.is_empty() || heard.starts_with("HTTP/1.1 4"), "{head:?}: {heard}");
        }
    }
}

#[test]
fn line_ends_without_a_return_and_equal_lengths_are_made_right() {
    let world = world();
    for bytes in [
        "POST /v1/embeddings HTTP/1.1\nhost: localhost\nconnection: close\ncontent-length: 2\n\n{}",
        "POST /v1/embeddings HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\n{}",
    ] {
        world.mock.clear();
        let mut open = Open::to(world.address);
        open.write(bytes.as_bytes());
        let heard = open.rest();
        match world.mock.requests().as_slice() {
            [] => assert!(heard.starts_with("HTTP/1.1 400"), "{heard}"),
            [one] => {
                assert_eq!(one.body, "{}");
                assert_eq!(one.headers.get_all("content-length").iter().count(), 1);
            }
            more => panic!("{more:?}"),
        }
    }
}

#[test]
fn an_address_in_the_request_line_leads_nowhere_else() {
    let world = world();
    let mut open = Open::to(world.address);
    open.write(
        b"GET http://169.254.169.254/latest HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
    );
    assert!(open.rest().starts_with("HTTP/1.1 400 "));
    let mut open = Open::to(world.address);
    open.write(
        b"GET http://localhost/latest HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
    );
    open.rest();
    assert_eq!(world.mock.last().path_and_query, "/latest");
    assert_eq!(world.mock.last().header("host"), world.mock.address().to_string());
    let mut tunnel = Open::to(world.address);
    tunnel.write(
        b"CONNECT 169.254.169.254:80 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
    );
    let heard = tunnel.rest();
    assert!(heard.starts_with("HTTP/1.1 405 "), "{heard}");
    assert_eq!(world.mock.requests().len(), 1);
}

#[test]
fn a_body_that_explodes_is_stopped_at_the_bound() {
    let world = world_with(|settings| {
        settings.limits.max_decoded_bytes = 1 << 20;
        settings.redact_secrets = true;
    });
    let bomb = vec![b'0'; 64 << 20];
    for (coding, code) in codings() {
        let coded = code(&bomb);
        assert!(coded.len() < 1 << 20, "{coding}");
        let ask = Ask::post("/v1/messages", coded).header("content-encoding", coding);
        assert_eq!(world.send(ask).status, 413, "{coding}");
    }
    assert!(world.mock.requests().is_empty());
    let fine =
        Ask::post("/v1/messages", codings()[0].1(conversation(&rows()).to_string().as_bytes()));
    assert_eq!(world.send(fine.header("content-encoding", "gzip")).status, 200);
}

#[test]
fn depth_costs_no_stack() {
    let world = world_with(|settings| settings.redact_secrets = true);
    let open = "[".repeat(100_000);
    let (array, object) = (format!("{open}{}", "]".repeat(100_000)), r#"{"a":"#.repeat(100_000));
    for deep in [&open, &array, &object] {
        for body in [
            deep.to_string(),
            format!(r#"{{"messages":{deep}}}"#),
            format!(r#"{{"messages":[{{"role":"tool","tool_call_id":"a","content":{deep}}}]}}"#),
            format!(r#"{{"tools":{deep},"messages":[]}}"#),
            format!(r#"{{"_forge":{deep}}}"#),
            format!(r#"{{"_forge":{{"debug":{deep}}}}}"#),
        ] {
            for path in [
                "/v1/messages",
                "/v1/chat/completions",
                "/v1/responses",
                "/v1beta/models/m:generateContent",
                "/model/m/converse",
                "/api/chat",
                "/v1/compress",
            ] {
                assert_ne!(world.post(path, &body).status, 0, "{path}");
            }
            let patch =
                Ask::new("PATCH", "/_forge/api/config").body(&body[..body.len().min(60_000)]);
            assert_eq!(world.operate(patch).status, 400);
        }
        // Inside a tool's output.
        let output = conversation(&deep[..deep.len().min(100_000)]);
        assert_eq!(world.send(messages(&output)).status, 200);
    }
}
