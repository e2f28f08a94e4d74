//! `tokenforge decode`: any form in, minified JSON out; a compressed output in, the output out.

mod earlier;

use crate::arguments::usage_error;
use crate::input::InputText;
use crate::{output, progress};
use anyhow::Context;
use clap::{Args, ValueEnum, ValueHint};
use std::ffi::OsStr;
use std::path::PathBuf;
use tokenforge_engine::{is_compressed, restore};
use tokenforge_formats::{Form, Json, MAX_OUTPUT, decode_any, stc2, table, toon};

const EXAMPLES: &str = "\
Examples:
  tokenforge decode data.toon
  tokenforge encode data.json | tokenforge decode      the same JSON, minified
  curl -s -H 'Accept-Encoding: stc' URL | tokenforge decode --from stc
  tokenforge compress --mode lossless log | tokenforge decode --from output
  tokenforge decode --history earlier.jsonl result.txt";

/// Turn TOON, STC, a table or JSON into minified JSON, or restore an output that mode lossless made smaller
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DecodeArgs {
    /// The form to read; `auto` restores what looks like a compressed output, else tries JSON and STC, then a table, then TOON
    /// as it is spelled by encoders, and writes any other text as it is
    #[arg(long, value_enum, default_value_t = Source::Auto)]
    from: Source,

    /// TOON: spaces per level [default: 2]
    #[arg(long, value_name = "SPACES", value_parser = clap::value_parser!(u8).range(1..=16))]
    indent: Option<u8>,

    /// TOON: forgive wrong counts, duplicate keys, odd indentation and blank lines
    #[arg(long)]
    lenient: bool,

    /// The results before this one in its request, to which it may point: a JSON array, or one object a line, in their
    /// order, each {"tool": NAME, "arguments": OBJECT, "text": AS THE MODEL SAW IT}. Reads the file as an output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    history: Option<PathBuf>,

    /// The arguments of the call that made the output, as JSON: it may point to them
    #[arg(long, value_name = "JSON", requires = "history")]
    arguments: Option<String>,

    /// Stop with an error when the JSON would be larger
    #[arg(long, value_name = "BYTES", default_value_t = MAX_OUTPUT)]
    max_output: usize,

    /// The file, or - for standard input
    #[arg(default_value = "-", value_hint = ValueHint::FilePath)]
    file: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Source {
    Auto,
    Toon,
    Stc,
    Table,
    /// What compress, the gateway or a hook wrote for a tool's output
    Output,
}

pub(crate) fn run(arguments: &DecodeArgs) -> anyhow::Result<()> {
    let source = arguments.source();
    let input = InputText::read(&arguments.file)?;
    // A document in STC 2 is a form, and its errors say where they are.
    let is_output = || is_compressed(&input.text) && !stc2::is_stc2(&input.text);
    if source == Source::Output || source == Source::Auto && is_output() {
        let restored = arguments.restore(&input.text).with_context(|| input.name)?;
        return Ok(output::write(&restored)?);
    }
    let spinner = progress::spinner(input.text.len(), "decoding");
    let (text, max_output) = (&input.text, arguments.max_output);
    let json = match source {
        Source::Auto | Source::Output => match decode_any(text, max_output) {
            Ok(json) => Ok(arguments.is_in_form(text, &json).then_some(json)),
            Err(error) if arguments.names_form() || begins_as_form(text) => Err(error),
            Err(_) => Ok(None),
        },
        // Without the header of version 2 it is read as version 1.
        Source::Stc => stc2::decode(text, max_output).map(Some),
        Source::Table => table::decode(text, max_output).map(Some),
        Source::Toon => {
            let (indent, strict) = (arguments.indent.unwrap_or(2).into(), !arguments.lenient);
            toon::decode(text, &toon::DecodeOptions { indent, strict, max_output }).map(Some)
        }
    };
    spinner.finish_and_clear();
    match json.with_context(|| input.name)? {
        Some(json) => Ok(output::print(&json)?),
        // No stage changed what has no notation of ours in it.
        None => arguments.write_unchanged(text),
    }
}

/// Does a text begin with the header of a table, in STC, TOON or as rows with typed columns? Then it is one with a mistake in it.
fn begins_as_form(text: &str) -> bool {
    let count =
        text.strip_prefix('[').map(|text| text.trim_start_matches(|c: char| c.is_ascii_digit()));
    stc2::is_stc2(text)
        || count.is_some_and(|rest| rest.starts_with("]{") && !text.starts_with("[]"))
}

impl DecodeArgs {
    /// The form to read. An option that only TOON has says that it is TOON.
    fn source(&self) -> Source {
        let has_toon_option = self.lenient || self.indent.is_some();
        match self.from {
            Source::Auto if has_toon_option && self.history.is_none() => Source::Toon,
            _ if has_toon_option && self.history.is_some() => {
                usage_error("--indent and --lenient are for TOON, --history is for outputs")
            }
            Source::Stc | Source::Table | Source::Output if has_toon_option => {
                usage_error("--indent and --lenient are for TOON")
            }
            Source::Toon | Source::Stc | Source::Table if self.history.is_some() => {
                usage_error("--history is for outputs")
            }
            Source::Auto if self.history.is_some() => Source::Output,
            source => source,
        }
    }

    /// Does the file's name say that it is JSON, STC or TOON?
    fn names_form(&self) -> bool {
        let extension = self.file.extension().and_then(OsStr::to_str);
        extension.is_some_and(|extension| ["json", "stc", "toon"].contains(&extension))
    }

    /// Is a text that could be read as JSON meant as data? Nearly every text can be read as TOON, so that one must be spelled as
    /// TOON is, and be more than a word.
    fn is_in_form(&self, text: &str, json: &str) -> bool {
        let body = text.strip_suffix('\n').unwrap_or(text);
        let body = body.strip_suffix('\r').unwrap_or(body);
        let is_data =
            |form: Form| form.decode(text, self.max_output).is_ok_and(|read| read == json);
        let is_toon = || {
            let is_container = json.starts_with(['{', '[']) && !body.is_empty();
            let json = Json::parse(json).ok().filter(|_| is_container);
            json.is_some_and(|json| Form::Toon.encode(&json).as_deref() == Ok(body))
        };
        self.names_form()
            || stc2::is_stc2(text)
            || is_data(Form::Stc)
            || is_data(Form::Table)
            || is_toon()
    }

    /// Writes a text in which no stage changed anything.
    fn write_unchanged(&self, text: &str) -> anyhow::Result<()> {
        self.check_size(text)?;
        Ok(output::write(text)?)
    }

    fn check_size(&self, restored: &str) -> anyhow::Result<()> {
        let (bytes, most) = (restored.len(), self.max_output);
        anyhow::ensure!(bytes <= most, "it has {bytes} bytes; --max-output allows {most}");
        Ok(())
    }

    /// The output that became this text.
    fn restore(&self, text: &str) -> anyhow::Result<String> {
        let restored = match &self.history {
            None => restore(text)?,
            Some(file) => {
                let own = self.arguments.as_deref().unwrap_or("{}");
                let resolved = earlier::read(file)?.resolve(text, own);
                restore(&resolved.with_context(|| file.display().to_string())?)?
            }
        };
        self.check_size(&restored)?;
        Ok(restored)
    }
}
