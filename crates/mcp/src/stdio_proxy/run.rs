//! The stdio proxy between our own standard input and output and those of a program.

use super::{AnsweredCall, ProxyMessages, ProxyStep, StdioProxy, expanded, filtered};
use crate::hub::{HubSettings, Originals};
use crate::message::{LONGEST_MESSAGE, Unreadable};
use crate::redaction::refusal;
use crate::server_link::lines::{LongMessage, last};
use std::ffi::OsString;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::{Semaphore, mpsc};

/// How many messages may wait for a client that does not read.
const QUEUE: usize = 64;

/// How many answers of our own may be on their way to the client.
const OWN_ANSWERS: u32 = 64;

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
        own: Arc::new(Semaphore::new(OWN_ANSWERS as usize)),
    });
    let writing = tokio::spawn(write(lines));
    tokio::spawn(to_server(desk.clone()));
    let reading = tokio::spawn(to_client(desk.clone(), stdout));
    #[cfg(unix)]
    let passing = child.id().map(|id| tokio::spawn(signals::pass_on(id)));
    let status = child.wait().await?;
    #[cfg(unix)]
    if let Some(passing) = passing {
        passing.abort();
    }
    // What it said last is still said, and what was asked of ourselves still answered.
    let _ = reading.await;
    let _ = desk.own.acquire_many(OWN_ANSWERS).await;
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
    /// The right to make an answer of our own.
    own: Arc<Semaphore>,
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

    /// Sends messages of our own to the client, which may be slow to read them: until it has read others, no more are made.
    async fn tell_client(self: &Arc<Self>, messages: Vec<String>) {
        if messages.is_empty() {
            return;
        }
        let (desk, permit) = (self.clone(), self.own.clone().acquire_owned().await);
        tokio::spawn(async move {
            for text in messages {
                desk.say(line_of(text)).await;
            }
            drop(permit);
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

    async fn expand(self: &Arc<Self>, id: String, arguments: String, era: crate::era::Era) {
        let (desk, permit) = (self.clone(), self.own.clone().acquire_owned().await);
        tokio::spawn(async move {
            let finder = desk.clone();
            let finding = tokio::task::spawn_blocking(move || {
                expanded(&id, &arguments, era, &*finder.originals, &finder.tenant)
            });
            if let Ok(answer) = finding.await {
                desk.say(line_of(answer)).await;
            }
            drop(permit);
        });
    }

    async fn result(self: &Arc<Self>, called: Box<AnsweredCall>) -> Option<String> {
        let id = called.answer.view().id().map(str::to_owned);
        let desk = self.clone();
        let working = tokio::task::spawn_blocking(move || {
            filtered(&called, &desk.settings, &*desk.originals, &desk.tenant)
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
    let mut is_rest = false;
    while let Ok(Some((line, is_whole))) = next(&mut client).await {
        if is_rest {
            is_rest = !is_whole;
            if desk.pass(&line).await {
                continue;
            }
            break;
        }
        let (text, why) = match str::from_utf8(&line) {
            _ if !is_whole => (None, Unreadable::NotAMessage("a message has at most 8 MiB")),
            Ok(text) => (Some(text), Unreadable::NotJson),
            Err(_) => (None, Unreadable::NotJson),
        };
        let step = match text {
            Some(text) => desk.filter().from_client(text),
            None => desk.filter().unread_from_client("too long, or no text", why),
        };
        is_rest = !is_whole && matches!(step, ProxyStep::Pass);
        if !is_whole && !is_rest && skip(&mut client).await.is_err() {
            break;
        }
        let takes_more = match step {
            ProxyStep::Batch(messages) => {
                let mut takes_more = true;
                for text in messages {
                    let step = desk.filter().from_client_in_batch(&text);
                    takes_more &= desk.client_said(step, line_of(text)).await;
                }
                takes_more
            }
            step => desk.client_said(step, line).await,
        };
        if !takes_more {
            break;
        }
    }
    desk.is_closing.store(true, Ordering::Release);
    desk.close_if_done().await;
}

impl ProxyState {
    /// Does what is to be done about a line of the client; `false`: the server takes none any more.
    async fn client_said(self: &Arc<Self>, step: ProxyStep, line: Vec<u8>) -> bool {
        match step {
            ProxyStep::Expand { id, arguments, era } => self.expand(id, arguments, era).await,
            ProxyStep::Messages(ProxyMessages { to_client, to_server }) => {
                self.tell_client(to_client).await;
                for text in to_server {
                    self.pass(&line_of(text)).await;
                }
            }
            ProxyStep::Change(text) => return self.pass(&line_of(text)).await,
            ProxyStep::Pass | ProxyStep::Batch(_) | ProxyStep::Result(_) => {
                return self.pass(&line).await;
            }
        }
        true
    }

    /// Does what is to be done about a line of the server.
    async fn server_said(self: &Arc<Self>, step: ProxyStep, line: Vec<u8>) {
        let changed = match step {
            ProxyStep::Change(text) => Some(text),
            ProxyStep::Result(called) => self.result(called).await,
            ProxyStep::Messages(ProxyMessages { to_client, to_server }) => {
                let desk = self.clone();
                // A server that waits for us to read does not read itself.
                tokio::spawn(async move {
                    for text in to_server {
                        desk.pass(&line_of(text)).await;
                    }
                    desk.close_if_done().await;
                });
                for text in to_client {
                    self.say(line_of(text)).await;
                }
                return;
            }
            ProxyStep::Pass | ProxyStep::Batch(_) | ProxyStep::Expand { .. } => None,
        };
        self.say(changed.map_or(line, line_of)).await;
    }
}

async fn to_client(desk: Arc<ProxyState>, server: ChildStdout) {
    let mut server = BufReader::new(server);
    let mut is_rest = false;
    while let Ok(Some((line, is_whole))) = next(&mut server).await {
        if is_rest {
            is_rest = !is_whole;
            desk.say(line).await;
            continue;
        }
        if !is_whole && desk.filter().holds_back() {
            let Ok(tail) = skip(&mut server).await else { return };
            let step = desk.filter().held_back(&LongMessage::seen(&line, &tail));
            desk.server_said(step, Vec::new()).await;
            continue;
        }
        let step = match str::from_utf8(&line) {
            Ok(text) if is_whole => desk.filter().from_server(text),
            _ => desk.filter().unread(),
        };
        is_rest = !is_whole;
        match step {
            ProxyStep::Batch(messages) => {
                for text in messages {
                    let step = desk.filter().from_server_in_batch(&text);
                    desk.server_said(step, line_of(text)).await;
                }
            }
            step => desk.server_said(step, line).await,
        }
    }
}

/// The next line with its end, or as much of it as a message may have: then it is not whole, and the rest follows.
async fn next(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<(Vec<u8>, bool)>> {
    let mut line = Vec::new();
    let read = reader.take(LONGEST_MESSAGE as u64).read_until(b'\n', &mut line).await?;
    let is_whole = read < LONGEST_MESSAGE || line.ends_with(b"\n");
    Ok((read > 0).then_some((line, is_whole)))
}

/// Passes over the rest of a line; its last bytes.
async fn skip(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut tail = Vec::new();
    loop {
        let piece = reader.fill_buf().await?;
        let end = piece.iter().position(|byte| *byte == b'\n');
        tail = last(&tail, &piece[..end.unwrap_or(piece.len())]);
        let (length, is_over) = (end.map_or(piece.len(), |end| end + 1), piece.is_empty());
        reader.consume(length);
        if end.is_some() || is_over {
            return Ok(tail);
        }
    }
}

/// A message as a line. Between its values white space means nothing.
fn line_of(text: String) -> Vec<u8> {
    let text = text.trim_end_matches(['\n', '\r']);
    let mut line = text.replace(['\n', '\r'], " ").into_bytes();
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
