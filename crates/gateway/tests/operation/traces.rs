//! Spans for a collector: what kind of request it was, and nothing that anybody chose.

use crate::kit::{Ask, PATIENCE, conversation, messages, world_with};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

/// A collector; it tells what it was sent.
fn collector() -> (http::Uri, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let (sender, collected) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = sender.send(collected_from(stream.unwrap()));
        }
    });
    (url, collected)
}

fn collected_from(stream: TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line).unwrap() > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let end = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    reader.into_inner().write_all(end).unwrap();
    String::from_utf8(body).unwrap()
}

#[test]
fn d74_a_span_is_named_by_its_kind_of_request_and_holds_no_path() {
    let (collector, collected) = collector();
    let world = world_with(|settings| {
        settings.monitoring.otlp_endpoint = Some(collector);
        let upstream = settings.upstreams.backend.clone().unwrap();
        let (headers, format) = (Default::default(), Default::default());
        let route = tokenforge_config::Route { url: upstream, headers, format };
        settings.routes.insert("/weather".to_owned(), route);
    });
    for (ask, name) in [
        (messages(&conversation("short")), "POST anthropic"),
        (Ask::post("/v1beta/models/canary-model:generateContent?key=canary", "{}"), "POST gemini"),
        (Ask::new("GET", "/weather/canary?canary=1"), "GET /weather"),
        (Ask::new("GET", "/v1/files/canary"), "GET other"),
        (Ask::new("GET", "/p/canary/v1/files/canary"), "GET other"),
        (Ask::new("GET", "/_forge/api/contents/canary"), "GET /_forge"),
        (Ask::new("GET", "/v1/retrieve/canary"), "GET /v1/retrieve"),
        (Ask::new("POST", "/mcp/canary"), "POST /mcp"),
        (Ask::new("CANARY", "/v1/messages"), "HTTP other"),
    ] {
        world.send(ask);
        let spans = collected.recv_timeout(PATIENCE).unwrap();
        let document: serde_json::Value = serde_json::from_str(&spans).unwrap();
        let span = &document["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        assert_eq!(span["name"], name, "{spans}");
        assert!(!spans.to_lowercase().contains("canary"), "{spans}");
    }
}
