//! `tokenforge hook`: what agents run for every tool result, once `tokenforge init` told them to.
//!
//! It reads a result on standard input and writes what the model is to see instead. Whatever goes wrong, it writes
//! nothing and ends with success: then the agent goes on with the result as it is.

mod asked;
mod books;
mod claude;
mod door;
pub(crate) mod service;
mod work;

pub(crate) use asked::{Answered, Asked};
pub(crate) use work::Workshop;

use clap::{Args, ValueEnum};
use std::io::{self, Read, Write};
use std::sync::mpsc;
use std::time::Duration;
use std::{env, panic, process, thread};

/// How long an agent is kept waiting.
const PATIENCE: Duration = Duration::from_secs(8);

/// Longer inputs are not looked at.
const LONGEST: u64 = 64 << 20;

/// Answer an agent's hook; agents run this once `tokenforge init` told them to, people do not
///
/// Reads a tool result from standard input and writes what the model should see instead.
#[derive(Args)]
#[command(
    after_help = "Example:\n  tokenforge init claude      lets Claude Code run `tokenforge hook claude`"
)]
pub(crate) struct Hook {
    /// The agent that sends the result
    #[arg(value_enum)]
    client: Client,
}

/// The agents that can run it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Code
    Claude,
    /// opencode
    Opencode,
    /// pi
    Pi,
}

impl Client {
    pub(crate) const ALL: [Client; 3] = [Client::Claude, Client::Opencode, Client::Pi];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Client::Claude => "claude",
            Client::Opencode => "opencode",
            Client::Pi => "pi",
        }
    }

    /// As it calls itself before providers.
    fn agent(self) -> &'static str {
        match self {
            Client::Claude => "claude-cli",
            Client::Opencode => "opencode",
            Client::Pi => "pi",
        }
    }
}

/// Never fails, and never takes long.
pub(crate) fn run(arguments: &Hook) -> ! {
    panic::set_hook(Box::new(|_| {}));
    let client = arguments.client;
    let (done, waiting) = mpsc::sync_channel(1);
    let _ = thread::Builder::new().spawn(move || {
        let _ = done.send(said(client));
    });
    if let Ok(Some(text)) = waiting.recv_timeout(PATIENCE) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
    process::exit(0)
}

/// Can a model fetch back what is left out? It does so in a shell, by the name of this program.
pub(crate) fn can_expand() -> bool {
    let name = format!("tokenforge{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(&name).is_file())
}

/// What is written for the agent.
fn said(client: Client) -> Option<String> {
    let input = input()?;
    match client {
        Client::Claude => {
            let mut seen = claude::Seen::read(&input)?;
            let answered = answered(seen.asked())?;
            seen.written(answered)
        }
        Client::Opencode | Client::Pi => {
            let mut asked: Asked = serde_json::from_str(&input).ok()?;
            asked.client = client.agent().to_owned();
            let answered = answered(asked)?;
            answered
                .texts
                .iter()
                .any(Option::is_some)
                .then(|| serde_json::to_string(&answered).ok())?
        }
    }
}

/// All of standard input, unless it is too long. It is read to its end either way: whoever writes is not cut off.
fn input() -> Option<String> {
    let mut stdin = io::stdin().lock();
    let mut bytes = Vec::new();
    stdin.by_ref().take(LONGEST).read_to_end(&mut bytes).ok()?;
    let rest = io::copy(&mut stdin, &mut io::sink()).ok()?;
    (rest == 0).then(|| String::from_utf8(bytes).ok())?
}

/// What a gateway that runs says, or else what is done here.
fn answered(mut asked: Asked) -> Option<Answered> {
    asked.version = env!("CARGO_PKG_VERSION").to_owned();
    asked.can_expand = can_expand();
    door::ask(&asked).or_else(|| Some(Workshop::alone()?.answer(&asked)))
}
