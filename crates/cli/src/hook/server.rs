//! The gateway's side of the hook's socket: answers hooks while it runs.

use super::hook_socket;
use super::question::{HookAnswer, HookQuestion};
use anyhow::{Context, bail};
use std::fs::{self, DirBuilder};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// How many are answered at once; others wait.
const AT_ONCE: usize = 8;

/// How long a question may take to arrive, and an answer to be taken.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long nobody is let in after that failed.
const PAUSE: Duration = Duration::from_millis(100);

type Answers = Arc<dyn Fn(&HookQuestion) -> HookAnswer + Send + Sync>;

/// Answers until it is dropped.
pub(crate) struct HookServer {
    listening: JoinHandle<()>,
    /// What shows where it is.
    file: PathBuf,
}

impl Drop for HookServer {
    fn drop(&mut self) {
        self.listening.abort();
        let _ = fs::remove_file(&self.file);
    }
}

/// Begins to answer, in a folder that nobody else can look into.
pub(crate) fn open(
    folder: &Path,
    answer: impl Fn(&HookQuestion) -> HookAnswer + Send + Sync + 'static,
) -> anyhow::Result<HookServer> {
    make_private(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let answers: Answers = Arc::new(answer);
    match hook_socket::socket(folder) {
        Some(path) => at_socket(path, answers),
        None => at_port(folder, answers),
    }
}

#[cfg(unix)]
fn at_socket(path: PathBuf, answers: Answers) -> anyhow::Result<HookServer> {
    use std::os::unix::fs::PermissionsExt;
    let shown = || path.display().to_string();
    if std::os::unix::net::UnixStream::connect(&path).is_ok() {
        bail!("another gateway answers at {}", path.display());
    }
    // One that was killed left it behind.
    let _ = fs::remove_file(&path);
    let listener = tokio::net::UnixListener::bind(&path).with_context(shown)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).with_context(shown)?;
    let listening = tokio::spawn(listen(Listener::Socket(listener), String::new(), answers));
    Ok(HookServer { listening, file: path })
}

#[cfg(not(unix))]
fn at_socket(_: PathBuf, _: Answers) -> anyhow::Result<HookServer> {
    bail!("there are no sockets with a path here")
}

fn at_port(folder: &Path, answers: Answers) -> anyhow::Result<HookServer> {
    let pass = hook_socket::pass()?;
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    let listener = TcpListener::from_std(listener)?;
    let file = hook_socket::port_file(folder);
    fs::write(&file, port.to_string()).with_context(|| file.display().to_string())?;
    let listening = tokio::spawn(listen(Listener::Port(listener), pass, answers));
    Ok(HookServer { listening, file })
}

/// Where hooks come in.
enum Listener {
    #[cfg(unix)]
    Socket(tokio::net::UnixListener),
    Port(TcpListener),
}

/// A connection of either kind.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Listener {
    async fn accept(&self) -> std::io::Result<Box<dyn Stream>> {
        Ok(match self {
            #[cfg(unix)]
            Listener::Socket(listener) => Box::new(listener.accept().await?.0),
            Listener::Port(listener) => Box::new(listener.accept().await?.0),
        })
    }
}

async fn listen(listener: Listener, pass: String, answers: Answers) {
    let room = Arc::new(Semaphore::new(AT_ONCE));
    while let Ok(permit) = room.clone().acquire_owned().await {
        let Ok(stream) = listener.accept().await else {
            // Out of files: others end meanwhile.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let (pass, answers) = (pass.clone(), answers.clone());
        tokio::spawn(async move {
            serve(stream, pass, answers).await;
            drop(permit);
        });
    }
}

/// Answers one question, if it is one that is understood and may be question_read.
async fn serve(mut stream: Box<dyn Stream>, pass: String, answers: Answers) {
    let mut question = Vec::new();
    let mut bounded = (&mut stream).take(super::LONGEST);
    let reading = bounded.read_to_end(&mut question);
    if !matches!(tokio::time::timeout(PATIENCE, reading).await, Ok(Ok(_))) {
        return;
    }
    let working = tokio::task::spawn_blocking(move || answer_bytes(&question, &pass, &answers));
    let Ok(Some(answer)) = working.await else { return };
    let writing = async {
        stream.write_all(&answer).await?;
        stream.shutdown().await
    };
    let _ = tokio::time::timeout(PATIENCE, writing).await;
}

fn answer_bytes(question: &[u8], pass: &str, answers: &Answers) -> Option<Vec<u8>> {
    let at = question.iter().position(|byte| *byte == b'\n')?;
    // Digests are compared, so that the time tells nothing.
    if blake3::hash(&question[..at]) != blake3::hash(pass.as_bytes()) {
        return None;
    }
    let question_read: HookQuestion = serde_json::from_slice(&question[at + 1..]).ok()?;
    if question_read.version != env!("CARGO_PKG_VERSION") {
        return None;
    }
    serde_json::to_vec(&answers(&question_read)).ok()
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
