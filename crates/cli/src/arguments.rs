//! Command-line arguments: the subcommands, and the options that several of them share.

use crate::{links, output, values};
use clap::error::ErrorKind;
use clap::{Args, ColorChoice, CommandFactory, Parser, Subcommand};
use std::env;
use std::ffi::OsString;
use std::time::Duration;

/// Make the tool outputs that agents send to models smaller, without losing anything
#[derive(Parser)]
#[command(name = "tokenforge", version, max_term_width = 100)]
pub(crate) struct Arguments {
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    #[arg(hide_default_value = true, help_heading = "Global options")]
    pub(crate) color: ColorChoice,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// See what is saved on a recorded session: no key, no network
    Demo(crate::demo::Demo),
    /// Set an agent up to use the gateway every day
    Setup(crate::setup::SetupArgs),
    /// Run the gateway in the background, also after a reboot
    Service(crate::service::ServiceArgs),
    /// What the shims of setup run
    #[command(hide = true)]
    Launch(crate::wrap::launch::LaunchArgs),
    /// Show a session's savings in Claude Code's status line
    Statusline(crate::statusline::StatuslineArgs),
    /// Run an agent behind Tokenforge, for this run only
    Wrap(crate::wrap::WrapArgs),
    /// Check that everything works, and how to fix what does not
    Doctor(crate::doctor::DoctorArgs),
    /// The tools that the demo has behind its gateway
    #[command(hide = true)]
    DemoTools,
    /// The tool server that doctor has agents start
    #[command(hide = true)]
    ProbeTools(crate::doctor::ProbeToolsArgs),
    /// Write JSON in the form with the fewest tokens
    Encode(crate::encode::EncodeArgs),
    /// Turn any form back into JSON, or a smaller output back
    Decode(crate::decode::DecodeArgs),
    /// Make a tool's output smaller
    Compress(crate::compress::CompressArgs),
    /// Print the original of an output that was shortened
    Expand(crate::expand::ExpandArgs),
    /// Show what the model would see of an output, and why
    Explain(crate::explain::ExplainArgs),
    /// List, test and trust filters for kinds of tools
    Filter(crate::filters::FilterArgs),
    /// Measure what your own recorded sessions would have saved
    Replay(crate::replay::ReplayArgs),
    /// Run the gateway between agents and model providers
    Serve(crate::serve::ServeArgs),
    /// Print a link that opens the dashboard, signed in
    Dashboard(crate::dashboard::DashboardArgs),
    /// Check that a gateway accepts requests
    Ready(crate::ready::ReadyArgs),
    /// Show what was saved, in tokens and money
    Gain(crate::gain::GainArgs),
    /// Show whether compression changes what the model does
    Shadow(crate::shadow::ShadowArgs),
    /// Find tools that are never called, and switch them off
    Tools(crate::tools::ToolsArgs),
    /// Check, show and list settings
    Config(crate::config::ConfigArgs),
    /// Put MCP tool servers behind Tokenforge
    Mcp(crate::mcp::McpArgs),
    /// Add Tokenforge to an agent's settings; no gateway needed
    Init(crate::init::InitArgs),
    /// Undo init
    Uninit(crate::init::InitArgs),
    /// Answer an agent's hook; agents run this, not people
    Hook(crate::hook::HookArgs),
    /// Count tokens, offline
    Tokens(crate::tokens::TokensArgs),
    /// Show how much is stored, and delete it
    Store(crate::store::StoreArgs),
    /// Print a completion script for your shell
    Completions(crate::completions::CompletionsArgs),
    /// Print a manual page, or write all of them
    Man(crate::man::ManArgs),
}

/// The commands as the help lists them. Any that is missing here is listed with the last.
const GROUPS: &[(&str, &[&str])] = &[
    ("Try", &["demo", "replay"]),
    ("Agents", &["setup", "wrap", "init", "uninit", "statusline"]),
    ("Gateway", &["serve", "service", "ready", "dashboard", "mcp"]),
    ("Results", &["gain", "tools", "doctor", "config"]),
    ("Texts", &["compress", "expand", "explain", "encode", "decode", "tokens"]),
];

/// The command line, with its help.
pub(crate) fn command() -> clap::Command {
    let command = Arguments::command();
    let template = template(&command);
    command.color(asked_color(env::args_os())).help_template(template).after_help(format!(
        "`tokenforge help COMMAND` explains a command.\nDocumentation: {}",
        links::docs("README")
    ))
}

/// The page of `tokenforge --help`: one line a command, in groups.
fn template(command: &clap::Command) -> String {
    let mut lines = Vec::new();
    let shown = || command.get_subcommands().filter(|it| !it.is_hide_set());
    for (group, names) in GROUPS {
        let found = names.iter().filter_map(|name| shown().find(|it| it.get_name() == *name));
        for (index, command) in found.enumerate() {
            let group = if index == 0 { group } else { "" };
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            lines.push(format!("{group:<8} {:<10} {about}", command.get_name()));
        }
    }
    let is_listed = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let more: Vec<_> = shown().map(clap::Command::get_name).filter(|it| !is_listed(it)).collect();
    let commands = lines.join("\n");
    format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{commands}\nMore     {}\n\nOptions:\n{{options}}{{after-help}}",
        more.join(", ")
    )
}

/// What `--color` says, before anything else is understood: the help has colours too.
fn asked_color(words: impl Iterator<Item = OsString>) -> ColorChoice {
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    // What follows is an agent's or a server's own.
    let end = words.iter().position(|word| word == "wrap" || word == "--").unwrap_or(words.len());
    let words = &words[..end];
    let separate =
        || words.iter().position(|word| word == "--color").and_then(|at| words.get(at + 1));
    let joined = words.iter().find_map(|word| word.strip_prefix("--color=").map(str::to_owned));
    let asked = joined.or_else(|| separate().cloned());
    asked.and_then(|asked| asked.parse().ok()).unwrap_or(ColorChoice::Auto)
}

/// Which tokenizer counts.
#[derive(Args)]
pub(crate) struct Vocabulary {
    /// Count with this vocabulary [default: o200k_base]
    #[arg(long, value_name = "NAME", conflicts_with = "model", value_parser = values::vocabularies())]
    vocabulary: Option<tokenforge_tokens::Vocabulary>,

    /// Count with this model's vocabulary; approximate if its tokenizer is not public
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
                "note: the tokenizer of {name} is not public; counts are approximate, by {vocabulary}"
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
    command().error(ErrorKind::ArgumentConflict, message).exit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_fits_a_screen_and_names_every_command() {
        let help = command().term_width(80).render_help().to_string();
        assert!(help.lines().count() <= 40, "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
        for command in command().get_subcommands().filter(|it| !it.is_hide_set()) {
            let name = command.get_name();
            let is_word = |word: &str| word.trim_end_matches(',') == name;
            assert!(help.split_whitespace().any(is_word), "{name}\n{help}");
        }
    }

    #[test]
    fn every_command_has_an_example_that_fits_80_columns() {
        fn check(command: &clap::Command, path: &str) {
            let path = format!("{path} {}", command.get_name());
            let below: Vec<_> = command.get_subcommands().filter(|it| !it.is_hide_set()).collect();
            below.iter().for_each(|below| check(below, &path));
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(!below.is_empty() || after.contains("Example"), "{path} has no example");
            let examples = after.lines().filter(|line| line.starts_with("  "));
            for line in examples {
                assert!(line.chars().count() <= 80, "{path}: {line}");
            }
        }
        command().get_subcommands().filter(|it| !it.is_hide_set()).for_each(|it| check(it, ""));
    }

    #[test]
    fn the_arguments_are_consistent() {
        command().debug_assert();
    }

    #[test]
    fn a_colour_for_an_agent_is_not_ours() {
        let asked = |line: &str| asked_color(line.split(' ').map(OsString::from));
        assert_eq!(asked("tokenforge --color never --help"), ColorChoice::Never);
        assert_eq!(asked("tokenforge gain --color=always"), ColorChoice::Always);
        assert_eq!(asked("tokenforge wrap claude --color never"), ColorChoice::Auto);
        assert_eq!(asked("tokenforge --color"), ColorChoice::Auto);
    }

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
