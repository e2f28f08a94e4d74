//! The hook's socket, by which a hook finds a gateway that runs: a Unix domain socket in a folder that only its owner can
//! enter, or, where there are none (Windows), a port of this machine. The file `place` in the data folder says where.
//!
//! Both ends prove first whose they are ([`Handshake`]). The protocol is lines:
//!
//! ```text
//! hook     its challenge
//! gateway  its own challenge, and the proof that it knows the user's key
//! hook     the proof that it knows that key too
//! hook     HookQuestion as JSON
//! gateway  HookAnswer as JSON up to the end, or nothing
//! ```

use super::handshake::{Handshake, HookKey};
use super::question::{HookAnswer, HookQuestion};
use crate::data;
use crate::timed_stream::{Connection, TimedStream};
use std::fmt;
use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokenforge_gateway::Challenge;

/// How long a gateway may take, from connecting to the end of its answer.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Longer lines are none of the handshake.
pub(super) const LONGEST_LINE: u64 = 256;

/// Asks a gateway that runs. `None`: there is none, it is not the user's, or it has no answer.
pub(super) fn ask(question: &HookQuestion) -> Option<HookAnswer> {
    let place = Place::read(&data::hook_folder().ok()?)?;
    let stream = TimedStream::new(place.connect().ok()?, TIMEOUT);
    let answer = exchange(stream, &place, &HookKey::load().ok()?, question)?;
    (answer.texts.len() == question.texts.len()).then_some(answer)
}

/// Whether a gateway of this user answers there.
pub(super) fn is_answered(place: &Place, key: &HookKey) -> bool {
    let stream = place.connect().ok();
    let stream = stream.map(|stream| BufReader::new(TimedStream::new(stream, TIMEOUT)));
    stream.is_some_and(|mut stream| challenge(&mut stream, place, key).is_some())
}

/// Challenges the other end. `None`: it does not prove to be the user's gateway.
fn challenge<S: Read + Write>(
    stream: &mut BufReader<S>,
    place: &Place,
    key: &HookKey,
) -> Option<Handshake> {
    let challenge = Challenge::draw()?;
    stream.get_mut().write_all(format!("{}\n", challenge.as_str()).as_bytes()).ok()?;
    let mut line = String::new();
    stream.take(LONGEST_LINE).read_line(&mut line).ok()?;
    Handshake::verify(key, place, challenge, line.strip_suffix('\n')?)
}

/// One question and its answer. Nothing but a challenge is sent before the other end has proved whose it is.
pub(super) fn exchange(
    stream: impl Read + Write,
    place: &Place,
    key: &HookKey,
    question: &HookQuestion,
) -> Option<HookAnswer> {
    let mut stream = BufReader::new(stream);
    let shaken = challenge(&mut stream, place, key)?;
    let mut text = shaken.hook_line().into_bytes();
    serde_json::to_writer(&mut text, question).ok()?;
    text.push(b'\n');
    stream.get_mut().write_all(&text).ok()?;
    let mut answer = Vec::new();
    stream.take(super::LONGEST).read_to_end(&mut answer).ok()?;
    serde_json::from_slice(&answer).ok()
}

/// Where a gateway answers hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Socket(PathBuf),
    Port(u16),
}

impl Place {
    /// The file that has it.
    pub(super) fn file(folder: &Path) -> PathBuf {
        folder.join("place")
    }

    /// The one that a gateway wrote down.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let text = fs::read_to_string(Self::file(folder)).ok()?;
        if cfg!(unix) {
            Some(Place::Socket(PathBuf::from(text)))
        } else {
            Some(Place::Port(text.parse().ok()?))
        }
    }

    pub(super) fn connect(&self) -> io::Result<Box<dyn Connection>> {
        match self {
            #[cfg(unix)]
            Place::Socket(path) if path.parent().is_some_and(is_private) => {
                Ok(Box::new(std::os::unix::net::UnixStream::connect(path)?))
            }
            Place::Socket(_) => Err(ErrorKind::PermissionDenied.into()),
            Place::Port(port) => {
                let address = (Ipv4Addr::LOCALHOST, *port).into();
                Ok(Box::new(TcpStream::connect_timeout(&address, TIMEOUT)?))
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Socket(path) => path.display().fmt(f),
            Place::Port(port) => port.fmt(f),
        }
    }
}

/// Whether a folder is this user's and no other can enter it.
#[cfg(unix)]
pub(super) fn is_private(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let is_own = |data: fs::Metadata| {
        let owner = rustix::process::geteuid().as_raw();
        data.is_dir() && data.uid() == owner && data.mode() & 0o077 == 0
    };
    // Not through a link: who made the link could lead it elsewhere.
    fs::symlink_metadata(folder).is_ok_and(is_own)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;
    use std::thread;

    const PLACE: Place = Place::Port(1);
    const ANSWER: &str = r#"{"texts": ["shorter"]}"#;

    /// What a hook makes of a gateway that has this key and says this, within this time.
    fn heard(key: [u8; 32], timeout: Duration, answer: &str) -> Option<HookAnswer> {
        let (hook, mut gateway) = UnixStream::pair().expect("a pair of sockets");
        thread::scope(|scope| {
            scope.spawn(move || {
                let mut lines =
                    BufReader::new(gateway.try_clone().expect("a second handle")).lines();
                let mut line = || lines.next().and_then(Result::ok).unwrap_or_default();
                if let Some(shaken) = Handshake::accept(&HookKey::new(&key), &PLACE, &line()) {
                    let _ = gateway.write_all(shaken.gateway_line().as_bytes());
                    let (_proof, _question) = (line(), line());
                    let _ = gateway.write_all(answer.as_bytes());
                }
            });
            let hook = TimedStream::new(hook, timeout);
            exchange(hook, &PLACE, &HookKey::new(&[1; 32]), &HookQuestion::default())
        })
    }

    #[test]
    fn n1_a_right_answer_counts_in_time_and_with_the_key_only() {
        let answer = heard([1; 32], TIMEOUT, ANSWER).unwrap();
        assert_eq!(answer.texts, [Some("shorter".to_owned())]);
        assert_eq!(heard([1; 32], Duration::ZERO, ANSWER), None);
        assert_eq!(heard([2; 32], TIMEOUT, ANSWER), None);
    }
}
