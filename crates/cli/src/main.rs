//! `tokenforge`: tool outputs in fewer tokens, from a shell.

// These macros panic when their reader has gone; `output` does not.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod alternatives;
mod arguments;
mod client_file;
mod completions;
mod compress;
mod config;
mod confirm;
mod dashboard;
mod data;
mod decode;
mod demo;
mod diff;
mod doctor;
mod embedded;
mod encode;
mod engine;
mod expand;
mod explain;
mod filters;
mod gain;
mod gateway;
mod hook;
mod init;
mod input;
mod ledger;
mod links;
mod listen;
mod man;
mod mcp;
mod output;
mod progress;
mod ready;
mod replay;
mod screen;
mod scripted_provider;
mod serve;
mod service;
mod settings;
mod setup;
mod shadow;
mod stats;
mod statusline;
mod store;
mod timed_stream;
mod tokens;
mod tools;
mod values;
mod wrap;

use arguments::{Arguments, Command};
use clap::FromArgMatches;
use std::io;
use std::panic;
use std::process::{self, ExitCode};

#[cfg(all(
    feature = "jemalloc",
    target_os = "linux",
    any(target_env = "gnu", target_env = "musl"),
    target_arch = "x86_64"
))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    panic::set_hook(Box::new(report_defect));
    let arguments = match Arguments::from_arg_matches(&arguments::command().get_matches()) {
        Ok(arguments) => arguments,
        Err(error) => error.exit(),
    };
    screen::choose(arguments.color);
    match run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            screen::complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Setup(arguments) => setup::run(&arguments),
        Command::Service(arguments) => service::run(&arguments),
        Command::Launch(arguments) => process::exit(wrap::launch::run(&arguments)?),
        Command::Statusline(arguments) => statusline::run(&arguments),
        Command::Wrap(arguments) => process::exit(wrap::run(&arguments)?),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::DemoTools => demo::serve_tools(),
        Command::ProbeTools(arguments) => doctor::serve_tools(&arguments),
        Command::Encode(arguments) => encode::run(&arguments),
        Command::Decode(arguments) => decode::run(&arguments),
        Command::Compress(arguments) => compress::run(&arguments),
        Command::Expand(arguments) => expand::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Filter(arguments) => filters::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Dashboard(arguments) => dashboard::run(&arguments),
        Command::Ready(arguments) => ready::run(&arguments),
        Command::Gain(arguments) => gain::run(&arguments),
        Command::Shadow(arguments) => shadow::run(&arguments),
        Command::Tools(arguments) => tools::run(&arguments),
        Command::Config(arguments) => config::run(&arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Init(arguments) => init::init(&arguments),
        Command::Uninit(arguments) => init::uninit(&arguments),
        Command::Hook(arguments) => hook::run(&arguments),
        Command::Tokens(arguments) => tokens::run(&arguments),
        Command::Store(arguments) => store::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    }
}

/// Says where a defect is, and not what the text was that showed it: that may be anybody's.
fn report_defect(info: &panic::PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let issues = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");
    screen::complain(&format!("this is a bug, at {place}; please report it at {issues}"));
}

/// The reader of our output has seen enough (`| head`): that is a success.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
