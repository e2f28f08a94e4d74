//! The gateway's side of the hook's socket: answers hooks while it runs.

#[cfg(unix)]
mod socket;

use super::handshake::{Handshake, HookKey};
use super::hook_socket::{LONGEST_LINE, Place, is_answered};
use super::question::{HookAnswer, HookQuestion};
use anyhow::{Context, bail};
#[cfg(unix)]
use socket::bind;
use std::fs::{self, DirBuilder};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// How many are answered at once; others wait.
const AT_ONCE: usize = 8;

/// How long a question may take to arrive, and an answer to be taken.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Pause before the next connection is accepted, after one could not be.
const PAUSE: Duration = Duration::from_millis(100);

type Answers = Arc<dyn Fn(&HookQuestion) -> HookAnswer + Send + Sync>;

/// Answers until it is dropped.
pub(crate) struct HookServer {
    listening: JoinHandle<()>,
    /// The files that say where it is.
    files: Vec<PathBuf>,
    /// The folder of a socket that could not be in the data folder.
    _short: Option<TempDir>,
}

impl Drop for HookServer {
    fn drop(&mut self) {
        self.listening.abort();
        for file in &self.files {
            let _ = fs::remove_file(file);
        }
    }
}

/// Begins to answer, at a socket in a folder that no other user can enter, or at a port where there are no sockets.
pub(crate) fn open(
    folder: &Path,
    answer: impl Fn(&HookQuestion) -> HookAnswer + Send + Sync + 'static,
) -> anyhow::Result<HookServer> {
    let key = HookKey::load()?;
    make_private(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let left_behind = Place::read(folder);
    if let Some(place) = &left_behind
        && is_answered(place, &key)
    {
        bail!("another gateway answers at {place}");
    }
    let Bound { listener, place, short } = bind(folder, left_behind)?;
    let file = Place::file(folder);
    fs::write(&file, place.to_string()).with_context(|| file.display().to_string())?;
    let socket = match &place {
        Place::Socket(path) => Some(path.clone()),
        Place::Port(_) => None,
    };
    let files = [file].into_iter().chain(socket).collect();
    let listening =
        tokio::spawn(listen(listener, HookEnd { key, place, answers: Arc::new(answer) }));
    Ok(HookServer { listening, files, _short: short })
}

/// A listener, and where it is.
struct Bound {
    listener: Listener,
    place: Place,
    short: Option<TempDir>,
}

#[cfg(not(unix))]
fn bind(_: &Path, _: Option<Place>) -> anyhow::Result<Bound> {
    bind_port()
}

#[cfg(any(test, not(unix)))]
fn bind_port() -> anyhow::Result<Bound> {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
    listener.set_nonblocking(true)?;
    let place = Place::Port(listener.local_addr()?.port());
    let listener = Listener::Port(tokio::net::TcpListener::from_std(listener)?);
    Ok(Bound { listener, place, short: None })
}

/// A listener of either kind.
enum Listener {
    #[cfg(unix)]
    Socket(tokio::net::UnixListener),
    #[cfg(any(test, not(unix)))]
    Port(tokio::net::TcpListener),
}

/// A connection of either kind.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Listener {
    async fn accept(&self) -> std::io::Result<Box<dyn Stream>> {
        Ok(match self {
            #[cfg(unix)]
            Listener::Socket(listener) => Box::new(listener.accept().await?.0),
            #[cfg(any(test, not(unix)))]
            Listener::Port(listener) => Box::new(listener.accept().await?.0),
        })
    }
}

/// What a connection is served with.
#[derive(Clone)]
struct HookEnd {
    key: HookKey,
    place: Place,
    answers: Answers,
}

async fn listen(listener: Listener, end: HookEnd) {
    let room = Arc::new(Semaphore::new(AT_ONCE));
    while let Ok(permit) = room.clone().acquire_owned().await {
        let Ok(stream) = listener.accept().await else {
            // Out of file descriptors: other connections end meanwhile.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let end = end.clone();
        tokio::spawn(async move {
            end.serve(stream).await;
            drop(permit);
        });
    }
}

impl HookEnd {
    /// Answers one question of a hook that proves whose it is.
    async fn serve(self, stream: Box<dyn Stream>) -> Option<()> {
        let mut stream = BufReader::new(stream);
        let question = tokio::time::timeout(TIMEOUT, self.question(&mut stream)).await.ok()??;
        let answers = self.answers;
        let working = tokio::task::spawn_blocking(move || answer_bytes(&question, &answers));
        let answer = working.await.ok()??;
        let writing = async {
            stream.write_all(&answer).await?;
            stream.shutdown().await
        };
        tokio::time::timeout(TIMEOUT, writing).await.ok()?.ok()
    }

    /// The handshake, and the question behind it.
    async fn question(&self, stream: &mut BufReader<Box<dyn Stream>>) -> Option<Vec<u8>> {
        let challenge = line(stream, LONGEST_LINE).await?;
        let challenge = std::str::from_utf8(&challenge).ok()?;
        let shaken = Handshake::accept(&self.key, &self.place, challenge)?;
        stream.write_all(shaken.gateway_line().as_bytes()).await.ok()?;
        let proof = line(stream, LONGEST_LINE).await?;
        let is_users = shaken.is_hook_line(std::str::from_utf8(&proof).ok()?);
        if is_users { line(stream, super::LONGEST).await } else { None }
    }
}

/// The next line without its end. `None`: it has no end, or is longer.
async fn line(stream: &mut BufReader<Box<dyn Stream>>, longest: u64) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    stream.take(longest).read_until(b'\n', &mut line).await.ok()?;
    (line.pop() == Some(b'\n')).then_some(line)
}

fn answer_bytes(question: &[u8], answers: &Answers) -> Option<Vec<u8>> {
    let question: HookQuestion = serde_json::from_slice(question).ok()?;
    if question.version != env!("CARGO_PKG_VERSION") {
        return None;
    }
    serde_json::to_vec(&answers(&question)).ok()
}

fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    // It may have been there before, open to others.
    #[cfg(unix)]
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::hook_socket::exchange;
    use std::io::{Read, Write};

    #[test]
    fn n1_at_a_port_a_hook_that_proves_nothing_gets_no_answer() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let _inside = runtime.enter();
        let Bound { listener, place, .. } = bind_port().unwrap();
        let key = HookKey::new(&[1; 32]);
        let texts = |question: &HookQuestion| question.texts.iter().cloned().map(Some).collect();
        let answers: Answers = Arc::new(move |question| HookAnswer { texts: texts(question) });
        runtime
            .spawn(listen(listener, HookEnd { key: key.clone(), place: place.clone(), answers }));
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let question = HookQuestion { version, texts: vec!["text".into()], ..Default::default() };
        let asked = exchange(place.connect().unwrap(), &place, &key, &question);
        assert_eq!(asked.unwrap().texts, [Some("text".to_owned())]);
        // Without the key: a challenge and a proof come back, and nothing else.
        let mut stream = place.connect().unwrap();
        let question = serde_json::to_string(&question).unwrap();
        let said = format!("{}\n{}\n{question}\n", "0".repeat(32), "0".repeat(64));
        stream.write_all(said.as_bytes()).unwrap();
        let mut heard = String::new();
        let _ = stream.read_to_string(&mut heard);
        assert!(heard.len() <= 97 && !heard.contains("text"), "{heard}");
    }
}
