//! The stdio proxy between our own standard input and output and those of a program.

use super::{AnsweredCall, ProxyMessages, ProxyStep, StdioProxy, expanded, filtered};
use crate::hub::{HubSettings, Originals};
use crate::message::{LONGEST_MESSAGE, Message};
use crate::redaction::refusal;
use std::ffi::OsString;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;

/// How many messages may wait for a client that does not read.
const QUEUE: usize = 64;

/// A program to run.
#[derive(Debug, Clone)]
pub struct ProxiedProgram {
    /// Its name or path.
    pub command: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// Runs a program and stands between it and our own standard input and output until it ends. Signals that end us go to
/// it instead; how it ended is how we are to end.
///
/// # Errors
/// The program cannot be started.
pub async fn run_stdio_proxy(
    program: &ProxiedProgram,
    settings: HubSettings,
    originals: Arc<dyn Originals>,
    tenant: &str,
) -> io::Result<ExitStatus> {
    let mut command = Command::new(&program.command);
    command.args(&program.args).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn()?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("the program has no input or output"));
    };
    let (client, lines) = mpsc::channel(QUEUE);
    let desk = Arc::new(ProxyState {
        filter: Mutex::new(StdioProxy::new(settings.clone())),
        settings,
        originals,
        tenant: tenant.to_owned(),
        client,
        server: tokio::sync::Mutex::new(Some(stdin)),
        is_closing: AtomicBool::new(false),
    });
    let writing = tokio::spawn(write(lines));
    tokio::spawn(to_server(desk.clone()));
    let reading = tokio::spawn(to_client(desk, stdout));
    #[cfg(unix)]
    let passing = child.id().map(|id| tokio::spawn(signals::pass_on(id)));
    let status = child.wait().await?;
    #[cfg(unix)]
    if let Some(passing) = passing {
        passing.abort();
    }
    // What it said last is still said.
    let _ = reading.await;
    writing.abort();
    let _ = writing.await;
    Ok(status)
}

/// What both directions share.
struct ProxyState {
    filter: Mutex<StdioProxy>,
    settings: HubSettings,
    originals: Arc<dyn Originals>,
    tenant: String,
    client: mpsc::Sender<LineToWrite>,
    /// Its standard input, until the client closes ours.
    server: tokio::sync::Mutex<Option<ChildStdin>>,
    /// The client has closed ours.
    is_closing: AtomicBool,
}

/// A line on its way to the client, and who hears that it was written.
type LineToWrite = (Vec<u8>, tokio::sync::oneshot::Sender<()>);

impl ProxyState {
    async fn say(&self, line: Vec<u8>) {
        let (done, written) = tokio::sync::oneshot::channel();
        if self.client.send((line, done)).await.is_ok() {
            let _ = written.await;
        }
    }

    /// Writes a line to the server; `false`: it takes none any more.
    async fn pass(&self, line: &[u8]) -> bool {
        let mut server = self.server.lock().await;
        let Some(server) = server.as_mut() else { return false };
        server.write_all(line).await.is_ok() && server.flush().await.is_ok()
    }

    /// Sends messages of our own to the client, which may be slow to read them.
    fn tell_client(self: &Arc<Self>, messages: Vec<String>) {
        let desk = self.clone();
        tokio::spawn(async move {
            for text in messages {
                desk.say(line_of(text)).await;
            }
        });
    }

    /// Ends the server's input once the client has ended ours and nothing of it waits here any more: that is how a server
    /// hears that it is to end.
    async fn close_if_done(&self) {
        if self.is_closing.load(Ordering::Acquire) && !self.filter().is_waiting() {
            self.server.lock().await.take();
        }
    }

    fn filter(&self) -> std::sync::MutexGuard<'_, StdioProxy> {
        self.filter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn expand(self: Arc<Self>, id: String, arguments: String, era: crate::era::Era) {
        let desk = self.clone();
        let finding = tokio::task::spawn_blocking(move || {
            expanded(&id, &arguments, era, &*desk.originals, &desk.tenant)
        });
        if let Ok(answer) = finding.await {
            self.say(line_of(answer)).await;
        }
    }

    async fn result(self: &Arc<Self>, answer: String, called: Box<AnsweredCall>) -> Option<String> {
        let id = Message::read(&answer).ok().and_then(|message| message.id().map(str::to_owned));
        let desk = self.clone();
        let working = tokio::task::spawn_blocking(move || {
            filtered(&answer, &called, &desk.settings, &*desk.originals, &desk.tenant)
        });
        match working.await {
            Ok(changed) => changed,
            // A defect must not let pass what was promised not to.
            Err(_) if self.settings.must_redact => {
                Some(refusal(id.as_deref(), "the check itself failed"))
            }
            Err(_) => None,
        }
    }
}

async fn to_server(desk: Arc<ProxyState>) {
    let mut client = BufReader::new(tokio::io::stdin());
    while let Ok(Some((line, is_whole))) = next(&mut client).await {
        let step = match str::from_utf8(&line) {
            Ok(text) if is_whole => desk.filter().from_client(text),
            _ => ProxyStep::Pass,
        };
        match step {
            ProxyStep::Expand { id, arguments, era } => {
                tokio::spawn(desk.clone().expand(id, arguments, era));
            }
            ProxyStep::Messages(ProxyMessages { to_client, to_server }) => {
                desk.tell_client(to_client);
                for text in to_server {
                    desk.pass(&line_of(text)).await;
                }
            }
            ProxyStep::Pass | ProxyStep::Change(_) | ProxyStep::Result(_) => {
                if !desk.pass(&line).await {
                    break;
                }
            }
        }
    }
    desk.is_closing.store(true, Ordering::Release);
    desk.close_if_done().await;
}

async fn to_client(desk: Arc<ProxyState>, server: ChildStdout) {
    let mut server = BufReader::new(server);
    loop {
        let Ok(Some((line, is_whole))) = next(&mut server).await else { return };
        let step = match str::from_utf8(&line) {
            Ok(text) if is_whole => desk.filter().from_server(text),
            _ => desk.filter().unread(),
        };
        let changed = match step {
            ProxyStep::Change(text) => Some(text),
            ProxyStep::Result(called) => {
                desk.result(String::from_utf8_lossy(&line).into_owned(), called).await
            }
            ProxyStep::Messages(ProxyMessages { to_client, to_server }) => {
                desk.tell_client(to_client);
                let desk = desk.clone();
                // A server that waits for us to read does not read itself.
                tokio::spawn(async move {
                    for text in to_server {
                        desk.pass(&line_of(text)).await;
                    }
                    desk.close_if_done().await;
                });
                continue;
            }
            ProxyStep::Pass | ProxyStep::Expand { .. } => None,
        };
        desk.say(changed.map_or(line, line_of)).await;
    }
}

/// The next line with its end, or as much of it as a message may have: then it is not whole, and the rest follows.
async fn next(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<(Vec<u8>, bool)>> {
    let mut line = Vec::new();
    let read = reader.take(LONGEST_MESSAGE as u64).read_until(b'\n', &mut line).await?;
    let is_whole = read < LONGEST_MESSAGE;
    Ok((read > 0).then_some((line, is_whole)))
}

fn line_of(text: String) -> Vec<u8> {
    let mut line = text.trim_end_matches(['\n', '\r']).to_owned().into_bytes();
    line.push(b'\n');
    line
}

/// Writes lines to our standard output, one after the other.
async fn write(mut lines: mpsc::Receiver<LineToWrite>) {
    let mut stdout = tokio::io::stdout();
    while let Some((line, done)) = lines.recv().await {
        if stdout.write_all(&line).await.is_err() || stdout.flush().await.is_err() {
            return;
        }
        let _ = done.send(());
    }
}

#[cfg(unix)]
mod signals {
    use rustix::process::{Pid, Signal, kill_process_group};
    use tokio::signal::unix::{SignalKind, signal};

    /// Passes on what asks us to end.
    pub(super) async fn pass_on(group: u32) {
        let group = i32::try_from(group).ok().and_then(Pid::from_raw);
        let (Ok(mut terminate), Ok(mut interrupt), Ok(mut hangup)) = (
            signal(SignalKind::terminate()),
            signal(SignalKind::interrupt()),
            signal(SignalKind::hangup()),
        ) else {
            return;
        };
        loop {
            let signal = tokio::select! {
                _ = terminate.recv() => Signal::TERM,
                _ = interrupt.recv() => Signal::INT,
                _ = hangup.recv() => Signal::HUP,
            };
            if let Some(group) = group {
                let _ = kill_process_group(group, signal);
            }
        }
    }
}
