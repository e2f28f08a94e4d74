//! `tokenforge-lab`: measurements for the people who build Tokenforge. It is never packaged.

mod bench;
mod eval;
mod screen;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Measure what compression does to agents and to recordings
#[derive(Parser)]
#[command(version)]
struct Lab {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Subcommand)]
enum LabCommand {
    /// Measure every mode on a folder of recordings
    Bench(bench::BenchArgs),
    /// Compare an agent's behaviour with and without compression
    Eval(eval::Eval),
}

fn main() -> ExitCode {
    let done = match Lab::parse().command {
        LabCommand::Bench(arguments) => bench::run(&arguments),
        LabCommand::Eval(arguments) => eval::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Ends the program: its arguments do not go together.
fn usage_error(text: &str) -> ! {
    Lab::command().error(ErrorKind::ArgumentConflict, text).exit()
}
