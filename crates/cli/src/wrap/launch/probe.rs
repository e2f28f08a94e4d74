//! Health probe: is the user's own gateway where the settings say? It is asked over a plain socket, and quickly, since an
//! agent waits for the answer; what it answers has to prove who it is.

use crate::data;
use crate::gateway::{reached_at, url};
use crate::timed_stream::TimedStream;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};
use tokenforge_config::Settings;
use tokenforge_gateway::{Challenge, Proofs};

/// How long connecting may take, and then both answers, on a machine that is busy with other things. All of it takes a
/// millisecond as a rule, and that nothing listens is known at once.
const TIMEOUT: Duration = Duration::from_secs(2);

/// How soon a gateway that is just starting is asked again.
const RETRY_AFTER: Duration = Duration::from_millis(20);

/// Longer answers are not ours.
const LONGEST: u64 = 16 << 10;

/// Who answers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ProbeResult {
    /// Nothing listens there, or it does not answer.
    NoAnswer,
    /// Something that does not prove to be the user's gateway, and why that may be.
    Stranger(String),
    /// A gateway that is just starting, or about to end.
    Busy,
    Gateway {
        version: String,
        asks_for_key: bool,
        /// Does it send requests to the upstreams of these settings?
        has_upstreams: bool,
    },
}

/// Asks who is where these settings say.
pub(crate) fn ask(settings: &Settings) -> ProbeResult {
    let address = reached_at(settings.listen);
    let challenge = Challenge::draw();
    let Ok(text) = ask_gateway(address, challenge.as_ref()) else { return ProbeResult::NoAnswer };
    let url = url(settings.listen);
    let token = match data::drawn_admin_token() {
        Ok(token) => Some(token),
        // No gateway of this user has ever run.
        Err(error) if is_missing(&error) => None,
        Err(error) => {
            let why =
                format!("cannot tell whether what answers at {url} is your gateway: {error:#}");
            return ProbeResult::Stranger(why);
        }
    };
    let expected = challenge.zip(token);
    let expected =
        expected.map(|(challenge, token)| challenge.proofs(&token, address.port(), settings));
    read_answers(&text, expected.as_ref()).unwrap_or_else(|| {
        ProbeResult::Stranger(format!(
            "what answers at {url} is not your gateway: it is another program, or another user's gateway"
        ))
    })
}

/// Whether an error is that a file is not there.
fn is_missing(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::NotFound)
}

/// The same; a gateway that is just starting, or being restarted, has a moment to do so.
pub(crate) fn ask_patiently(settings: &Settings) -> ProbeResult {
    let began = Instant::now();
    loop {
        match ask(settings) {
            ProbeResult::Busy if began.elapsed() < TIMEOUT => thread::sleep(RETRY_AFTER),
            seen => return seen,
        }
    }
}

/// Both questions at once: does it take requests, and who is it?
fn ask_gateway(address: SocketAddr, challenge: Option<&Challenge>) -> io::Result<String> {
    let stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    let mut stream = TimedStream::new(stream, TIMEOUT);
    let ready = format!("GET /_forge/readyz HTTP/1.1\r\nhost: {address}\r\n\r\n");
    let health = format!(
        "GET /_forge/healthz HTTP/1.1\r\nhost: {address}\r\n{}: {}\r\nconnection: close\r\n\r\n",
        Challenge::HEADER,
        challenge.map(Challenge::as_str).unwrap_or_default()
    );
    stream.write_all((ready + &health).as_bytes())?;
    let mut answers = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answers)?;
    Ok(String::from_utf8_lossy(&answers).into_owned())
}

/// Who answers so, where these proofs are expected. `None`: not the user's gateway.
fn read_answers(answers: &str, expected: Option<&Proofs>) -> Option<ProbeResult> {
    let header = |name: &str| {
        answers.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    let version = header("x-forge-version")?;
    let expected = expected.filter(|proofs| proofs.are_shown(header))?;
    Some(if answers.starts_with("HTTP/1.1 200") {
        ProbeResult::Gateway {
            version,
            asks_for_key: header("x-forge-asks").is_some(),
            has_upstreams: expected.has_upstreams(header),
        }
    } else {
        ProbeResult::Busy
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenforge_config::Secret;

    const HEALTH: &str = "HTTP/1.1 200 OK\r\nX-Forge-Version: 1.2.3\r\ncontent-length: 0\r\n\r\n";

    fn of(ready: &str, expected: Option<&Proofs>) -> Option<ProbeResult> {
        read_answers(&format!("{ready}\r\ncontent-length: 0\r\n\r\n{HEALTH}"), expected)
    }

    #[test]
    fn who_proves_nothing_is_a_stranger_whatever_he_says() {
        let challenge = Challenge::draw().unwrap();
        let proofs = challenge.proofs(&Secret::new("of the user"), 1, &Settings::default());
        for ready in ["HTTP/1.1 200 OK", "HTTP/1.1 503 Service Unavailable"] {
            assert_eq!(of(ready, Some(&proofs)), None, "{ready}");
            assert_eq!(of(ready, None), None, "{ready}");
        }
        assert_eq!(read_answers("HTTP/1.1 404 Not Found\r\n\r\n", Some(&proofs)), None);
        assert_eq!(read_answers("", Some(&proofs)), None);
    }

    #[test]
    fn an_unused_port_gives_no_answer() {
        let listen = "127.0.0.1:1".parse().unwrap();
        assert_eq!(ask(&Settings { listen, ..Settings::default() }), ProbeResult::NoAnswer);
    }
}
