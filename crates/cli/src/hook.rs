//! `tokenforge hook`: what agents run for every tool result, once `tokenforge init` told them to.
//!
//! It reads a result on standard input and writes what the model is to see instead. Whatever goes wrong, it writes
//! nothing and ends with success: then the agent goes on with the result as it is.

mod agent;
mod claude;
mod handshake;
mod hook_engine;
mod hook_ledger;
mod hook_socket;
mod question;
pub(crate) mod server;

pub(crate) use agent::{HookAgent, HookAgentParser};
pub(crate) use hook_engine::HookEngine;
pub(crate) use question::{HookAnswer, HookQuestion};

use clap::Args;
use std::io::{self, Read, Write};
use std::sync::mpsc;
use std::time::Duration;
use std::{env, panic, process, thread};
use tokenforge_agents::HookEntry;

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
pub(crate) struct HookArgs {
    /// The agent that sends the result
    #[arg(value_parser = HookAgentParser)]
    client: HookAgent,
}

/// Never fails, and never takes long.
pub(crate) fn run(arguments: &HookArgs) -> ! {
    panic::set_hook(Box::new(|_| {}));
    let agent = arguments.client;
    let (done, waiting) = mpsc::sync_channel(1);
    let _ = thread::Builder::new().spawn(move || {
        let _ = done.send(answer_agent(agent));
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
fn answer_agent(agent: HookAgent) -> Option<String> {
    let input = input()?;
    let of_agent = |question| HookQuestion { client: agent.user_agent().to_owned(), ..question };
    match agent.hook.entry {
        HookEntry::PostToolUse(_) => {
            let mut input = claude::HookInput::read(&input)?;
            let answer = answer(of_agent(input.question()))?;
            input.output(answer)
        }
        HookEntry::PluginFile(_) => {
            let answer = answer(of_agent(serde_json::from_str(&input).ok()?))?;
            let is_changed = answer.texts.iter().any(Option::is_some);
            is_changed.then(|| serde_json::to_string(&answer).ok())?
        }
    }
}

/// All of standard input, unless it is too long. It is read to its end either way, so that the writer is not cut off.
fn input() -> Option<String> {
    let mut stdin = io::stdin().lock();
    let mut bytes = Vec::new();
    stdin.by_ref().take(LONGEST).read_to_end(&mut bytes).ok()?;
    let rest = io::copy(&mut stdin, &mut io::sink()).ok()?;
    (rest == 0).then(|| String::from_utf8(bytes).ok())?
}

/// What a gateway that runs says, or else what is done here.
fn answer(mut question: HookQuestion) -> Option<HookAnswer> {
    question.version = env!("CARGO_PKG_VERSION").to_owned();
    question.can_expand = can_expand();
    hook_socket::ask(&question).or_else(|| Some(HookEngine::alone()?.answer(&question)))
}
