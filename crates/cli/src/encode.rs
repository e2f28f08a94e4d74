//! `tokenforge encode`: JSON in, the form that costs fewest tokens out.

use crate::arguments::{Vocabulary, usage_error};
use crate::input::InputText;
use crate::{output, progress, stats};
use anyhow::Context;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;
use tokenforge_formats::stc::Spelling;
use tokenforge_formats::stc2::Level;
use tokenforge_formats::toon::{Delimiter, EncodeOptions, Numbers};
use tokenforge_formats::{Form, Json, cheapest, stc, stc2, table, toon};

const EXAMPLES: &str = "\
Examples:
  tokenforge encode data.json
  kubectl get pods -o json | tokenforge encode --to toon
  tokenforge encode --to stc --spelling dense data.json
  tokenforge encode --to stc --version 2 --level 3 data.json
  tokenforge encode --stats data.json > /dev/null      compares all forms";

/// Write JSON in the form with the fewest tokens, or one you name; nothing is lost
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EncodeArgs {
    /// The form to write
    #[arg(long, value_enum, default_value_t = Target::Auto)]
    to: Target,

    /// STC: `adr` is the spelling sent over HTTP; `dense` is the one for a model, replaced by minified JSON where
    /// that has no more tokens; `flat` is the one for a small model, without tables [default: adr]
    #[arg(long, value_enum)]
    spelling: Option<SpellingName>,

    /// STC: the version to write; 2 is replaced by minified JSON where that has no more tokens [default: 1]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=2))]
    version: Option<u8>,

    /// STC 2: how much is factored out; 1 is dense, 2 adds nested, sparse and constant columns, 3 prefixes, templates
    /// and references [default: 2]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=3))]
    level: Option<u8>,

    /// TOON: spaces per level [default: 2]
    #[arg(long, value_name = "SPACES", value_parser = clap::value_parser!(u8).range(1..=16))]
    indent: Option<u8>,

    /// TOON: what separates the values of arrays and rows [default: comma]
    #[arg(long, value_enum)]
    delimiter: Option<DelimiterName>,

    /// TOON: `verbatim` keeps the text of numbers (1.50, 1e2), `canonical` is what the specification asks for
    /// [default: canonical]
    #[arg(long, value_enum)]
    numbers: Option<NumbersName>,

    /// Print the bytes and tokens of every form to standard error
    #[arg(long)]
    stats: bool,

    /// Print {"text", "baseline", "forms"} to standard output; with --stats, only the statistics, to standard error
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    vocabulary: Vocabulary,

    /// The JSON file, or - for standard input
    #[arg(default_value = "-", value_hint = ValueHint::FilePath)]
    file: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Target {
    /// Whichever of the others has the fewest tokens
    Auto,
    /// TOON 4.4
    Toon,
    /// STC, version 1 unless --version says otherwise
    Stc,
    /// A typed table, for arrays of flat objects
    Table,
    /// Minified JSON
    Json,
}

#[derive(Clone, Copy, ValueEnum)]
enum SpellingName {
    Adr,
    Dense,
    Flat,
}

#[derive(Clone, Copy, ValueEnum)]
enum DelimiterName {
    Comma,
    Tab,
    Pipe,
}

#[derive(Clone, Copy, ValueEnum)]
enum NumbersName {
    Canonical,
    Verbatim,
}

pub(crate) fn run(arguments: &EncodeArgs) -> anyhow::Result<()> {
    arguments.check();
    let input = InputText::read(&arguments.file)?;
    let spinner = progress::spinner(input.text.len(), "encoding");
    let json = Json::parse(&input.text).with_context(|| format!("{} is not JSON", input.name))?;
    let counter = arguments.vocabulary.counter();
    let text = match arguments.to {
        Target::Auto => cheapest(&json, Form::ALL, counter).text,
        Target::Json => json.minify(),
        Target::Stc if arguments.version == Some(2) => {
            stc2::lightest(&json, &[arguments.stc2_level()], counter).text
        }
        Target::Stc => match arguments.spelling {
            Some(SpellingName::Dense) => cheapest(&json, &[Form::Stc], counter).text,
            Some(SpellingName::Flat) => stc::encode(&json, Spelling::Flat).into(),
            Some(SpellingName::Adr) | None => stc::encode(&json, Spelling::Adr).into(),
        },
        Target::Table => table::encode(&json)
            .with_context(|| format!("{} cannot be a table; --to auto finds a form", input.name))?
            .into(),
        Target::Toon => toon::encode(&json, &arguments.toon_options())
            .with_context(|| format!("{} cannot be TOON; --to auto finds a form", input.name))?
            .into(),
    };
    spinner.finish_and_clear();
    match (arguments.stats, arguments.json) {
        (false, false) => {}
        (true, false) => output::tell(&stats::table(&json, counter)),
        (true, true) => output::tell(&stats::document(&json, counter).to_string()),
        (false, true) => {
            let mut document = stats::document(&json, counter);
            document["text"] = text.into();
            return Ok(output::print(&document.to_string())?);
        }
    }
    Ok(output::print(&text)?)
}

impl EncodeArgs {
    /// An option of a form that is not asked for would be without effect: better to say so.
    fn check(&self) {
        let has_toon_option =
            self.indent.is_some() || self.delimiter.is_some() || self.numbers.is_some();
        if has_toon_option && !matches!(self.to, Target::Toon) {
            usage_error("--indent, --delimiter and --numbers need --to toon");
        }
        if self.spelling.is_some() && !matches!(self.to, Target::Stc) {
            usage_error("--spelling needs --to stc");
        }
        if self.version.is_some() && !matches!(self.to, Target::Stc) {
            usage_error("--version needs --to stc");
        }
        if self.level.is_some() && self.version != Some(2) {
            usage_error("--level needs --to stc --version 2");
        }
        if self.spelling.is_some() && self.version == Some(2) {
            usage_error("--spelling is for version 1 of STC");
        }
    }

    fn stc2_level(&self) -> Level {
        self.level.and_then(Level::from_number).unwrap_or_default()
    }

    fn toon_options(&self) -> EncodeOptions {
        EncodeOptions {
            indent: self.indent.unwrap_or(2).into(),
            delimiter: match self.delimiter {
                Some(DelimiterName::Tab) => Delimiter::Tab,
                Some(DelimiterName::Pipe) => Delimiter::Pipe,
                Some(DelimiterName::Comma) | None => Delimiter::Comma,
            },
            numbers: match self.numbers {
                Some(NumbersName::Verbatim) => Numbers::Verbatim,
                Some(NumbersName::Canonical) | None => Numbers::Canonical,
            },
        }
    }
}
