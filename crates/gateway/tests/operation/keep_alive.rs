//! Connections between requests: they are kept for a while, and a head that was begun must still be ended in time.

use crate::kit::{Ask, Open, PATIENCE, conversation, messages, world_with};
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(300);

fn kept(ask: Ask) -> Vec<u8> {
    ask.header("connection", "keep-alive").bytes()
}

#[test]
fn d72_an_idle_connection_is_kept_longer_than_a_head_may_take() {
    let world = world_with(|settings| {
        settings.limits.header_timeout = SHORT;
        settings.limits.keep_alive_timeout = 10 * PATIENCE;
    });
    for ask in [Ask::new("GET", "/_forge/healthz"), messages(&conversation("short"))] {
        let mut idle = Open::to(world.address);
        idle.write(&kept(ask.clone()));
        assert_eq!(idle.rest_of_answer().status, 200);
        // A client that begins another head and does not end it is cut off first.
        let mut begun = Open::to(world.address);
        begun.write(&kept(Ask::new("GET", "/_forge/healthz")));
        assert_eq!(begun.rest_of_answer().status, 200);
        begun.write(b"GET /_forge/healthz HTTP/1.1\r\nx-a: ");
        assert_eq!(begun.rest(), "");
        idle.write(&kept(ask));
        assert_eq!(idle.rest_of_answer().status, 200);
    }
}

#[test]
fn d72_a_body_that_stops_coming_is_cut_off() {
    let world = world_with(|settings| {
        settings.limits.body_idle_timeout = SHORT;
        settings.limits.body_timeout = 10 * PATIENCE;
    });
    for path in ["/v1/messages", "/v1/compress", "/v1/embeddings"] {
        let mut open = Open::to(world.address);
        let head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 90000\r\n");
        open.write(format!("{head}\r\n{{").as_bytes());
        let heard = open.rest();
        assert!(heard.is_empty() || heard.starts_with("HTTP/1.1 408"), "{path}: {heard}");
    }
}
