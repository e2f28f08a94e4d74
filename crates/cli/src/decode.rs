//! `tokenforge decode`: any form in, minified JSON out.

use crate::arguments::usage_error;
use crate::input::Input;
use crate::{output, progress};
use anyhow::Context;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tokenforge_formats::{MAX_OUTPUT, decode_any, stc2, table, toon};

const EXAMPLES: &str = "\
Examples:
  tokenforge decode data.toon
  curl -s -H 'Accept-Encoding: stc' http://localhost:8787/tools/orders | tokenforge decode --from stc
  tokenforge encode data.json | tokenforge decode  gives back the JSON, minified";

/// Read TOON, STC, a table or JSON and write minified JSON.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Decode {
    /// The form to read; `auto` tries JSON and STC, then a table, then TOON
    #[arg(long, value_enum, default_value_t = Source::Auto)]
    from: Source,

    /// TOON: spaces per level [default: 2]
    #[arg(long, value_name = "SPACES", value_parser = clap::value_parser!(u8).range(1..=16))]
    indent: Option<u8>,

    /// TOON: forgive wrong counts, duplicate keys, odd indentation and blank lines
    #[arg(long)]
    lenient: bool,

    /// Stop with an error when the JSON would be larger
    #[arg(long, value_name = "BYTES", default_value_t = MAX_OUTPUT)]
    max_output: usize,

    /// The file, or - for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Source {
    Auto,
    Toon,
    Stc,
    Table,
}

pub(crate) fn run(arguments: &Decode) -> anyhow::Result<()> {
    let source = arguments.source();
    let input = Input::read(&arguments.file)?;
    let spinner = progress::spinner(input.text.len(), "decoding");
    let (text, max_output) = (&input.text, arguments.max_output);
    let json = match source {
        Source::Auto => decode_any(text, max_output),
        // Without the header of version 2 it is read as version 1.
        Source::Stc => stc2::decode(text, max_output),
        Source::Table => table::decode(text, max_output),
        Source::Toon => {
            let (indent, strict) = (arguments.indent.unwrap_or(2).into(), !arguments.lenient);
            toon::decode(text, &toon::DecodeOptions { indent, strict, max_output })
        }
    };
    spinner.finish_and_clear();
    Ok(output::print(&json.with_context(|| input.name)?)?)
}

impl Decode {
    /// The form to read. An option that only TOON has says that it is TOON.
    fn source(&self) -> Source {
        let has_toon_option = self.lenient || self.indent.is_some();
        match self.from {
            Source::Auto if has_toon_option => Source::Toon,
            Source::Stc | Source::Table if has_toon_option => {
                usage_error("--indent and --lenient are for TOON")
            }
            source => source,
        }
    }
}
