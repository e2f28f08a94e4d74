//! The hook's socket, by which a hook finds a gateway that runs: a Unix domain socket in the user's data folder, or, where
//! there is none, a port of this machine whose number is written there.
//!
//! A question is a line that shows who asks (empty on a socket, which only its owner can open) and [`HookQuestion`] as JSON
//! up to the end; the answer is [`HookAnswer`] as JSON up to the end, or nothing.

use super::question::{HookAnswer, HookQuestion};
use crate::data;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokenforge_store::Store;

/// How long a gateway that was reached may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// Longer paths of sockets are not allowed by all systems.
const LONGEST_PATH: usize = 100;

/// Asks a gateway that runs. `None`: there is none, or it has no answer.
pub(super) fn ask(question: &HookQuestion) -> Option<HookAnswer> {
    let folder = data::hook_folder().ok()?;
    let bytes = serde_json::to_vec(question).ok()?;
    let reply = ask_socket(&folder, &bytes).or_else(|| ask_port(&folder, &bytes))?;
    let answer: HookAnswer = serde_json::from_slice(&reply).ok()?;
    (answer.texts.len() == question.texts.len()).then_some(answer)
}

/// The socket in the folder, if its path is one that a socket can have.
pub(super) fn socket(folder: &Path) -> Option<PathBuf> {
    let path = folder.join("socket");
    (cfg!(unix) && path.as_os_str().len() <= LONGEST_PATH).then_some(path)
}

/// The file with the number of the port.
pub(super) fn port_file(folder: &Path) -> PathBuf {
    folder.join("port")
}

/// What is shown on a port, which anybody on this machine can reach: only who may read the store knows it.
pub(super) fn pass() -> anyhow::Result<String> {
    let key = data::store()?.key()?;
    Ok(blake3::Hash::from(blake3::derive_key("tokenforge 2026 pass of hooks", &key)).to_string())
}

#[cfg(unix)]
fn ask_socket(folder: &Path, question: &[u8]) -> Option<Vec<u8>> {
    let mut stream = std::os::unix::net::UnixStream::connect(socket(folder)?).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let ended = stream.try_clone().ok()?;
    send_question(&mut stream, "", question, || ended.shutdown(Shutdown::Write)).ok()
}

#[cfg(not(unix))]
fn ask_socket(_: &Path, _: &[u8]) -> Option<Vec<u8>> {
    None
}

fn ask_port(folder: &Path, question: &[u8]) -> Option<Vec<u8>> {
    let port: u16 = fs::read_to_string(port_file(folder)).ok()?.trim().parse().ok()?;
    let mut stream =
        TcpStream::connect_timeout(&(Ipv4Addr::LOCALHOST, port).into(), PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let ended = stream.try_clone().ok()?;
    send_question(&mut stream, &pass().ok()?, question, || ended.shutdown(Shutdown::Write)).ok()
}

/// The answer to a question.
fn send_question(
    stream: &mut (impl Read + Write),
    pass: &str,
    question: &[u8],
    end: impl FnOnce() -> io::Result<()>,
) -> io::Result<Vec<u8>> {
    stream.write_all(pass.as_bytes())?;
    stream.write_all(b"\n")?;
    stream.write_all(question)?;
    end()?;
    let mut answer = Vec::new();
    stream.take(super::LONGEST).read_to_end(&mut answer)?;
    Ok(answer)
}
