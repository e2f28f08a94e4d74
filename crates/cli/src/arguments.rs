//! What can be typed.

use crate::output;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};
use std::time::Duration;

/// Tool outputs in fewer tokens, without losing anything.
#[derive(Parser)]
#[command(name = "tokenforge", version, about, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show what is saved on a recorded agent session: no key, no network
    Demo(crate::demo::Demo),
    /// Set an agent up to use the gateway every day
    Setup(crate::setup::Setup),
    /// Run the gateway in the background, also after a reboot
    Service(crate::service::Service),
    /// What the shims of setup run
    #[command(hide = true)]
    Launch(crate::wrap::launch::Launch),
    /// Print what was saved in a session, for Claude Code's status line
    Statusline(crate::statusline::Statusline),
    /// Run an agent behind a gateway of its own
    Wrap(crate::wrap::Wrap),
    /// Check that everything works, and say what to do where it does not
    Doctor(crate::doctor::Doctor),
    /// The tools that the demo has behind its gateway
    #[command(hide = true)]
    DemoTools,
    /// Write JSON in the form that costs fewest tokens, or in a form you name
    Encode(crate::encode::Encode),
    /// Read TOON, STC, a table or JSON and write minified JSON
    Decode(crate::decode::Decode),
    /// Make a tool's output smaller, without losing anything
    Compress(crate::compress::Compress),
    /// Print what was left out of an output
    Expand(crate::expand::Expand),
    /// Show what each stage does to an output, and why
    Explain(crate::explain::Explain),
    /// List, test and trust the filters of tool families
    Filter(crate::filters::Filter),
    /// Measure what every mode makes of a folder of recordings
    Bench(crate::bench::Bench),
    /// Measure what would have been saved on the sessions that agents recorded
    Replay(crate::replay::Replay),
    /// Run scenarios with and without compression, and compare tokens and behaviour
    Eval(crate::eval::Eval),
    /// Run the gateway between agents and their model providers
    Serve(crate::serve::Serve),
    /// Print a link that opens the dashboard of a running gateway, signed in
    Dashboard(crate::dashboard::Dashboard),
    /// Exit with 0 if the gateway takes requests
    Ready(crate::ready::Ready),
    /// Show what was saved, of what, and in money
    Gain(crate::gain::Gain),
    /// Check and show settings
    Config(crate::config::Config),
    /// Put tool servers behind Tokenforge
    Mcp(crate::mcp::Mcp),
    /// Make tool results smaller inside an agent, without a gateway
    Init(crate::init::Init),
    /// Undo what init did
    Uninit(crate::init::Init),
    /// What agents run for every tool result once init told them to
    Hook(crate::hook::Hook),
    /// Count the tokens of files
    Tokens(crate::tokens::Tokens),
    /// Show how much is stored, and remove it
    Store(crate::store::Store),
    /// Print a script that completes commands and options in your shell
    Completions(crate::completions::Completions),
    /// Print the manual page of a command, or write the pages of all
    Man(crate::man::Man),
}

/// Which tokenizer counts.
#[derive(Args)]
pub(crate) struct Vocabulary {
    /// Count with this vocabulary [default: o200k_base]
    #[arg(long, value_name = "NAME", conflicts_with = "model")]
    vocabulary: Option<tokenforge_tokens::Vocabulary>,

    /// Count with the vocabulary of this model; approximate where its tokenizer is not public
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
}

impl Vocabulary {
    /// The counter asked for. A count that is not the model's own is said to be approximate.
    pub(crate) fn counter(&self) -> tokenforge_tokens::Counter {
        let Some(name) = &self.model else { return self.vocabulary.unwrap_or_default().into() };
        let model = tokenforge_tokens::for_model(name);
        if !model.exact {
            let vocabulary = model.vocabulary;
            output::tell(&format!(
                "note: the tokens of {name} are approximate, counted with {vocabulary}"
            ));
        }
        model.vocabulary.into()
    }
}

/// A time with its unit, such as 90s, 30m, 12h or 7d.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let expected = || "expected a number and s, m, h or d, such as 7d".to_owned();
    let (number, seconds) = match text.char_indices().next_back() {
        Some((at, 's')) => (&text[..at], 1),
        Some((at, 'm')) => (&text[..at], 60),
        Some((at, 'h')) => (&text[..at], 60 * 60),
        Some((at, 'd')) => (&text[..at], 24 * 60 * 60),
        _ => return Err(expected()),
    };
    let number: u64 = number.parse().map_err(|_| expected())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(expected)
}

/// Ends the program as for any other mistake in the arguments: a message, a hint at the help, exit code 2.
pub(crate) fn usage_error(message: &str) -> ! {
    Arguments::command().error(ErrorKind::ArgumentConflict, message).exit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        assert_eq!(time("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(time("7d"), Ok(Duration::from_secs(7 * 24 * 60 * 60)));
        for wrong in [
            "",
            "d",
            "7",
            "-1d",
            "1.5h",
            "7 d",
            "7é",
            "99999999999999999999d",
            "999999999999999999d",
        ] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
