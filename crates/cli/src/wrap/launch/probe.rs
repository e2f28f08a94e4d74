//! Is there a gateway of ours at an address? Asked over a plain socket, and quickly: an agent waits for the answer.

use crate::gateway::reached_at;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// How long each step may take, on a machine that is busy with other things. All of it is a millisecond as a rule, and
/// nobody at all is known at once.
const PATIENCE: Duration = Duration::from_secs(2);

/// How soon a gateway that is just starting is asked again.
const RETRY_AFTER: Duration = Duration::from_millis(20);

/// Longer answers are not ours.
const LONGEST: u64 = 16 << 10;

/// Who answers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Nobody,
    /// Something that is no gateway of ours.
    Stranger,
    /// A gateway that is just starting, or about to end.
    Busy,
    Gateway {
        version: String,
        asks_for_key: bool,
    },
}

/// Asks who is there.
pub(crate) fn ask(listen: SocketAddr) -> Seen {
    match answered(reached_at(listen)) {
        Ok(text) => seen(&text),
        Err(_) => Seen::Nobody,
    }
}

/// The same; a gateway that is just starting, or being restarted, has a moment to do so.
pub(crate) fn ask_patiently(listen: SocketAddr) -> Seen {
    let began = Instant::now();
    loop {
        match ask(listen) {
            Seen::Busy if began.elapsed() < PATIENCE => thread::sleep(RETRY_AFTER),
            seen => return seen,
        }
    }
}

/// Both questions at once: does it take requests, and who is it?
fn answered(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let ready = format!("GET /_forge/readyz HTTP/1.1\r\nhost: {address}\r\n\r\n");
    let health =
        format!("GET /_forge/healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all((ready + &health).as_bytes())?;
    let mut answers = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answers)?;
    Ok(String::from_utf8_lossy(&answers).into_owned())
}

fn seen(answers: &str) -> Seen {
    let header = |name: &str| {
        answers.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    let Some(version) = header("x-forge-version") else { return Seen::Stranger };
    match answers.starts_with("HTTP/1.1 200") {
        true => Seen::Gateway { version, asks_for_key: header("x-forge-asks").is_some() },
        false => Seen::Busy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateway_is_known_by_its_version_and_whether_it_takes_requests() {
        let health = "HTTP/1.1 200 OK\r\nX-Forge-Version: 1.2.3\r\ncontent-length: 0\r\n\r\n";
        let of = |ready: &str| seen(&format!("{ready}\r\ncontent-length: 0\r\n\r\n{health}"));
        let gateway = Seen::Gateway { version: "1.2.3".to_owned(), asks_for_key: false };
        assert_eq!(of("HTTP/1.1 200 OK"), gateway);
        assert_eq!(of("HTTP/1.1 503 Service Unavailable"), Seen::Busy);
        assert_eq!(seen("HTTP/1.1 404 Not Found\r\n\r\n"), Seen::Stranger);
        assert_eq!(seen(""), Seen::Stranger);
        let asks = health.replace("content-length", "x-forge-asks: key\r\ncontent-length");
        assert!(matches!(seen(&asks), Seen::Gateway { asks_for_key: true, .. }));
    }

    #[test]
    fn nobody_is_known_at_once() {
        assert_eq!(ask("127.0.0.1:1".parse().unwrap()), Seen::Nobody);
    }
}
