//! `tokenforge statusline`: what was saved in a session, in a line for Claude Code's status line.
//!
//! Claude Code runs it at every turn with a JSON document about the session on standard input. It never fails and never
//! takes long; where there is nothing to show it says why.

use crate::gain::dollars;
use crate::output::group_digits;
use crate::settings::{self, SettingsSource};
use crate::wrap::launch::probe::{self, ProbeResult};
use crate::{gateway, ledger, output};
use clap::Args;
use serde_json::Value;
use std::io::{self, IsTerminal, Read};
use std::sync::mpsc;
use std::time::Duration;
use std::{env, panic, process, thread};
use tokenforge_config::{Overrides, Settings};
use tokenforge_ledger::{By, Day, Gain, Ledger, Of, Prices, Summary};

const EXAMPLES: &str = "\
Examples:
  tokenforge setup claude --statusline
  echo '{\"session_id\": \"…\"}' | tokenforge statusline

If you have a status line of your own, call this from it and pass on the standard input.";

/// How long Claude Code is kept waiting.
const PATIENCE: Duration = Duration::from_secs(3);

/// Longer inputs are not read.
const LONGEST: u64 = 1 << 20;

/// A session is at most so many days old.
const DAYS: u64 = 14;

/// Show a session's savings in Claude Code's status line
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StatuslineArgs {}

/// Never fails, and never takes long.
pub(crate) fn run(_: &StatuslineArgs) -> ! {
    panic::set_hook(Box::new(|_| {}));
    let (done, waiting) = mpsc::sync_channel(1);
    let _ = thread::Builder::new().spawn(move || {
        let _ = done.send(line());
    });
    let line = waiting.recv_timeout(PATIENCE);
    let _ = output::print(line.as_deref().unwrap_or("tokenforge: figures not available"));
    process::exit(0)
}

fn line() -> String {
    let source = SettingsSource { file: settings::users_file(), flags: Overrides::default() };
    let Ok(settings) = source.load() else {
        return "tokenforge: the settings cannot be used (tokenforge doctor)".to_owned();
    };
    let gain = session().and_then(|session| gain(&settings, &session));
    let is_up = matches!(probe::ask(&settings), ProbeResult::Gateway { .. } | ProbeResult::Busy);
    let leads_there = env::var("ANTHROPIC_BASE_URL")
        .is_ok_and(|address| address.starts_with(&gateway::url(settings.listen)));
    status_text(gain.as_ref(), is_up, leads_there)
}

/// The session's name, from what Claude Code says.
fn session() -> Option<String> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return None;
    }
    let mut text = Vec::new();
    stdin.lock().take(LONGEST).read_to_end(&mut text).ok()?;
    let about: Value = serde_json::from_slice(&text).ok()?;
    about["session_id"].as_str().filter(|session| !session.is_empty()).map(str::to_owned)
}

/// What was saved in it, if it came by.
fn gain(settings: &Settings, session: &str) -> Option<Gain> {
    let folder = ledger::folder(&settings.ledger).ok()?;
    let since = Day::of(ledger::now()).first_of(DAYS);
    let reading = Ledger::read(&folder, Some(since)).ok()?.of_session(session);
    let gain = Summary::of(reading, By::Tool, &Prices::new(&settings.prices));
    (gain.requests > 0).then_some(gain)
}

/// The line.
fn status_text(gain: Option<&Gain>, is_up: bool, leads_there: bool) -> String {
    let state = if is_up { "" } else { " · gateway not running" };
    match gain {
        Some(gain) => format!("tokenforge: {}{state}", savings_text(gain)),
        None if !is_up && leads_there => {
            "tokenforge: gateway not running; restart claude to go on without it".to_owned()
        }
        None if !is_up => "tokenforge: gateway not running".to_owned(),
        None if leads_there => "tokenforge: nothing saved yet in this session".to_owned(),
        None => "tokenforge: not active in this session".to_owned(),
    }
}

/// The share of tool tokens, and money; tokens where they have no price.
fn savings_text(gain: &Gain) -> String {
    let share = gain.shares.iter().find(|share| share.of == Of::AllToolOutput);
    let Some(share) = share.and_then(|share| share.share) else {
        return "no tool result yet in this session".to_owned();
    };
    let share = format!("{:.0} % of tool tokens", 100.0 * share);
    let amount = match gain.cost.filter(|cost| cost.requests > 0) {
        Some(cost) if cost.saved < 0.0 => format!("{} extra", dollars(-cost.saved)),
        Some(cost) => format!("{} saved", dollars(cost.saved)),
        None if gain.tokens.net < 0 => {
            format!("{} tokens extra", group_digits(gain.tokens.net.unsigned_abs() as usize))
        }
        None => format!("{} tokens saved", group_digits(gain.tokens.net as usize)),
    };
    format!("{share} · {amount} this session")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenforge_ledger::{Entry, Outcome, Source, Usage};

    fn gain(change: impl Fn(&mut Entry)) -> Gain {
        let mut entry = Entry::new(Source::Gateway, 0);
        entry.model = Some("gpt-4.1".into());
        entry.add(Outcome::fresh("Bash", ["clean"], 40_000, 10_000));
        entry.usage = Some(Usage { input: 90_000, ..Usage::default() });
        change(&mut entry);
        let prices = Prices::default();
        let mut summary = Summary::new(By::Tool, &prices);
        summary.add(&entry);
        summary.gain()
    }

    #[test]
    fn the_line_is_the_share_of_tool_tokens_and_money() {
        let priced = gain(|_| {});
        assert_eq!(
            status_text(Some(&priced), true, true),
            "tokenforge: 75 % of tool tokens · $0.0600 saved this session"
        );
        let down = status_text(Some(&priced), false, true);
        assert!(down.ends_with("this session · gateway not running"), "{down}");
        let dearer = gain(|entry| entry.results[0].expanded = 40_000);
        assert!(status_text(Some(&dearer), true, true).contains(" extra this session"));
    }

    #[test]
    fn with_a_subscription_it_is_tokens() {
        let plan = gain(|entry| entry.subscription = true);
        assert_eq!(
            status_text(Some(&plan), true, true),
            "tokenforge: 75 % of tool tokens · 30,000 tokens saved this session"
        );
    }

    #[test]
    fn where_nothing_is_known_it_says_why() {
        for (is_up, leads_there, says) in [
            (true, true, "nothing saved yet"),
            (true, false, "not active in this session"),
            (false, false, "gateway not running"),
            (false, true, "gateway not running; restart claude"),
        ] {
            let line = status_text(None, is_up, leads_there);
            assert!(line.contains(says), "{line}");
        }
        assert!(
            status_text(Some(&gain(|entry| entry.results.clear())), true, true)
                .contains("no tool result yet")
        );
    }
}
