//! A server that is a program: started, spoken to over its standard input and output, stopped with all it started.

use super::ServerChannel;
use super::dispatcher::MessageDispatcher;
use super::lines::{BoundedLine, BoundedLines, LongMessage};
use crate::failure::Failure;
use crate::rpc::{self, ErrorCode};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokenforge_config::Secret;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

/// How many messages may wait for a program that does not read.
const QUEUE: usize = 64;

/// How long a program has to end by itself, and how long after it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// What a program gets of our own environment: enough to run, and no key of anybody's.
const INHERITED: [&str; 12] = [
    "HOME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "SYSTEMROOT",
    "TEMP",
];

/// A program that runs. When the last one who knows it is gone, it is stopped.
#[derive(Clone)]
pub(crate) struct ServerProgram(Arc<RunningProgram>);

struct RunningProgram {
    lines: mpsc::Sender<String>,
    has_ended: Arc<AtomicBool>,
    /// Dropped with the rest, which is the sign to stop.
    _stop: oneshot::Sender<()>,
}

/// A program that may still run.
#[derive(Clone)]
pub(crate) struct WeakProgram(Weak<RunningProgram>);

impl ServerProgram {
    pub(crate) fn start(
        command: &str,
        args: &[String],
        env: &BTreeMap<String, Secret>,
        folder: Option<&Path>,
        inbox: Arc<MessageDispatcher>,
        permit: OwnedSemaphorePermit,
    ) -> Result<Self, Failure> {
        let mut program = Command::new(command);
        program.args(args).env_clear().kill_on_drop(true);
        program.envs(INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        program.envs(env.iter().map(|(name, value)| (name, OsString::from(value.expose()))));
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = folder {
            program.current_dir(folder);
        }
        #[cfg(unix)]
        program.process_group(0);
        let mut child = program.spawn().map_err(|error| Failure::NotStarted(error.kind()))?;
        let (lines, written) = mpsc::channel(QUEUE);
        let (stop, stopped) = oneshot::channel();
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let has_ended = Arc::new(AtomicBool::new(false));
        let running = Arc::new(RunningProgram { lines, has_ended: has_ended.clone(), _stop: stop });
        if let Some(stdin) = stdin {
            tokio::spawn(write(stdin, written));
        }
        if let Some(stderr) = stderr {
            tokio::spawn(pass_over(stderr));
        }
        let weak = WeakProgram(Arc::downgrade(&running));
        let reading = stdout.map(|stdout| tokio::spawn(read(stdout, weak, inbox.clone())));
        tokio::spawn(async move {
            supervise(child, stopped).await;
            drop(permit);
            if let Some(reading) = reading {
                // Its last words may be an answer.
                let _ = tokio::time::timeout(GRACE, reading).await;
            }
            has_ended.store(true, Ordering::Release);
            inbox.pending.fail_all(&Failure::Exited);
        });
        Ok(ServerProgram(running))
    }

    /// Gives the program a message. Waits while it does not read; `Err`: it ended.
    pub(crate) async fn send(&self, line: String) -> Result<(), Failure> {
        let sent = self.0.lines.send(line).await;
        if sent.is_err() || !self.is_alive() { Err(Failure::Exited) } else { Ok(()) }
    }

    /// The same for a caller that cannot wait.
    pub(crate) fn try_send(&self, line: String) {
        let _ = self.0.lines.try_send(line);
    }

    pub(super) fn downgrade(&self) -> WeakProgram {
        WeakProgram(Arc::downgrade(&self.0))
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn is_alive(&self) -> bool {
        !self.0.has_ended.load(Ordering::Acquire) && !self.0.lines.is_closed()
    }
}

impl WeakProgram {
    pub(super) fn upgrade(&self) -> Option<ServerProgram> {
        self.0.upgrade().map(ServerProgram)
    }
}

/// Writes a message a line.
async fn write(mut stdin: ChildStdin, mut lines: mpsc::Receiver<String>) {
    while let Some(line) = lines.recv().await {
        // A message may be written over many lines; between values white space means nothing.
        let mut line = line.replace(['\n', '\r'], " ").into_bytes();
        line.push(b'\n');
        if stdin.write_all(&line).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn read(stdout: impl AsyncRead + Unpin, program: WeakProgram, inbox: Arc<MessageDispatcher>) {
    let mut lines = BoundedLines::new(stdout);
    while let Some(line) = lines.next().await {
        let Some(program) = program.upgrade() else { return };
        let wire = ServerChannel::Program(program);
        match line {
            BoundedLine::Whole(text) => inbox.take(&wire, &text, None),
            BoundedLine::TooLong(LongMessage { id: Some(id), has_method: true }) => {
                let text = "the message has more than 8 MiB";
                wire.reply(rpc::error(Some(&id), ErrorCode::Request, text));
            }
            BoundedLine::TooLong(LongMessage { has_method: true, .. }) => {
                tracing::debug!("a tool server told more than 8 MiB at once");
            }
            BoundedLine::TooLong(long) => match long.id.and_then(|id| id.parse().ok()) {
                Some(id) => inbox.fail(id, Failure::TooLong),
                None => inbox.pending.fail_all(&Failure::TooLong),
            },
        }
    }
    // A program that closed its output answers no request any more.
    if let Some(program) = program.upgrade() {
        program.0.has_ended.store(true, Ordering::Release);
    }
    inbox.pending.fail_all(&Failure::Exited);
}

/// What a program says on its standard error may be anybody's text: it is read, so that the program can go on, and
/// counted.
async fn pass_over(mut stderr: impl AsyncRead + Unpin) {
    let (mut buffer, mut total) = ([0; 8192], 0);
    while let Ok(length @ 1..) = stderr.read(&mut buffer).await {
        total += length;
    }
    if total > 0 {
        tracing::debug!(bytes = total, "a tool server wrote to its standard error");
    }
}

/// Waits for the program to end, or ends it when it is no longer needed.
async fn supervise(mut child: Child, stopped: oneshot::Receiver<()>) {
    let group = child.id();
    let ended = tokio::select! {
        _ = child.wait() => true,
        _ = stopped => false,
    };
    if !ended && !ends(&mut child).await {
        signal(group, Ending::Asked);
        if !ends(&mut child).await {
            let _ = child.start_kill();
        }
    }
    // What it started and left behind.
    signal(group, Ending::Forced);
    let _ = child.wait().await;
}

/// Does it end by itself? Its input is closed by now.
async fn ends(child: &mut Child) -> bool {
    tokio::time::timeout(GRACE, child.wait()).await.is_ok()
}

enum Ending {
    Asked,
    Forced,
}

#[cfg(unix)]
fn signal(group: Option<u32>, ending: Ending) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = group.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let signal = match ending {
        Ending::Asked => Signal::TERM,
        Ending::Forced => Signal::KILL,
    };
    if let Some(group) = group {
        let _ = kill_process_group(group, signal);
    }
}

#[cfg(not(unix))]
fn signal(_: Option<u32>, ending: Ending) {
    let (Ending::Asked | Ending::Forced) = ending;
}
