//! The stages and their order. Adding one is a module with its code and a line here.

mod json;

use crate::command::{CommandLine, MainCommand, PipeEffect, SimpleCommand};
use crate::dictionary;
use crate::fidelity::Fidelity;
use crate::filter::{Invocation, Run};
use crate::nature::Nature;
use crate::runner;
use crate::settings::{DEFAULT_MAX_OUTPUT_BYTES, FLOOR_BYTES, Settings};
use crate::stage::{Stage, StageContext, StageOutput, TextLayer};
use crate::wrapper::unescaped;
use crate::{
    binary, cap, columns, csv, diff_headers, fold, html, normalize, numbers, padding, paths,
    progress, templates, terminal, whitespace,
};
use std::borrow::Cow;

/// What a terminal would not show.
pub(crate) const CLEAN: &[&dyn Stage] = &[&PROGRESS, &TERMINAL];

/// What cannot be text.
pub(crate) const SUPPRESS: &[&dyn Stage] = &[&BINARY];

/// Fewer tokens for the same content, and lines that can still be cut out.
pub(crate) const COMPACT: &[&dyn Stage] = &[
    &json::NESTED,
    &json::WHOLE,
    &json::PYTHON,
    &json::LINES,
    &CsvRows,
    &DiffHeaders,
    &json::TRUNCATED,
    &json::EMBEDDED,
    &Numbers,
    &PADDING,
    &WHITESPACE,
];

/// Fewer tokens by lines that are read together with a legend. One of them is used, the cheapest.
pub(crate) const NOTATIONS: &[&dyn Stage] = &[&PATHS, &COLUMNS, &TEMPLATES];

/// Those, and repeated strings named once.
pub(crate) const ALL_NOTATIONS: &[&dyn Stage] = &[&PATHS, &COLUMNS, &TEMPLATES, &Dictionary];

/// Lines that come again, said once.
pub(crate) const REPEATS: &[&dyn Stage] = &[&FOLD];

/// A whole output in its wrapper, behind what was done to its payloads.
pub(crate) const WRAPPED: &[&dyn Stage] = &[&Unescaped];

/// What a tool's family says can be left out, the markup of web pages, and files that were written as letters.
pub(crate) const LEAVE_OUT: &[&dyn Stage] = &[&Family, &WebPage, &BASE64];

/// What can be left out of a failed call: what passed in it.
pub(crate) const LEAVE_OUT_PASSES: &[&dyn Stage] = &[&Family];

/// That, and timestamps, ids and addresses.
pub(crate) const LEAVE_OUT_MORE: &[&dyn Stage] = &[&Family, &WebPage, &BASE64, &NORMALIZE];

/// A head, the first error and a tail of what is still far too long.
pub(crate) const CAP: &[&dyn Stage] = &[&Cap];

/// Does the text that a lossless stage wrote stand for the one it was given? `None` if no built-in stage has this name.
pub(crate) fn restores(stage: &str, before: &str, after: &str) -> Option<bool> {
    let stages = COMPACT.iter().chain(ALL_NOTATIONS).chain(REPEATS).chain(WRAPPED);
    let stage = stages.copied().find(|other| other.name() == stage)?;
    Some(runner::restores(stage, before, after))
}

/// The stage that a name in a record belongs to: some stages write there which of several things they did.
///
/// ```
/// assert_eq!(tokenforge_engine::recorded_stage("cap_error_window"), "cap");
/// assert_eq!(tokenforge_engine::recorded_stage("html_text"), "html_text");
/// ```
#[must_use]
pub fn recorded_stage(name: &str) -> &str {
    if name == cap::WITH_ERROR_WINDOW { cap::STAGE } else { name }
}

/// The names of the built-in stages, in their order.
pub fn names() -> impl Iterator<Item = &'static str> {
    let stages = [CLEAN, SUPPRESS, LEAVE_OUT_MORE, COMPACT, ALL_NOTATIONS, REPEATS, CAP, WRAPPED];
    stages.into_iter().flatten().map(|stage| stage.name())
}

static PROGRESS: Cosmetic = Cosmetic::always("progress", progress::settle);
static TERMINAL: Cosmetic = Cosmetic::always("terminal", terminal::strip);
static PADDING: Cosmetic = Cosmetic::worth_it("table_padding", padding::squeeze);
static WHITESPACE: Cosmetic = Cosmetic::worth_it("trailing_whitespace", whitespace::trim_line_ends);

static PATHS: Lossless = Lossless::notation("path_headings", paths::encode, paths::decode);
static COLUMNS: Lossless = Lossless::notation("repeated_columns", columns::encode, columns::decode);
static FOLD: Lossless = Lossless::words("repeated_lines", fold::encode, fold::decode);
static TEMPLATES: Lossless =
    Lossless::notation("log_templates", templates::encode, templates::decode);

static BINARY: Removal =
    Removal { name: "binary", fidelity: Fidelity::Safety, apply: binary::suppress };
static BASE64: Removal =
    Removal { name: "base64", fidelity: Fidelity::Reversible, apply: binary::suppress_base64 };
static NORMALIZE: Removal =
    Removal { name: "normalize", fidelity: Fidelity::Reversible, apply: normalize::apply };

/// A stage that changes nothing a terminal would show.
struct Cosmetic {
    name: &'static str,
    apply: fn(&str) -> Option<String>,
    least_saving: usize,
}

impl Cosmetic {
    /// However little it saves: what comes later makes the text shorter, and so its part larger.
    const fn always(name: &'static str, apply: fn(&str) -> Option<String>) -> Self {
        Cosmetic { name, apply, least_saving: usize::MAX }
    }

    const fn worth_it(name: &'static str, apply: fn(&str) -> Option<String>) -> Self {
        Cosmetic { name, apply, least_saving: 64 }
    }
}

impl Stage for Cosmetic {
    fn name(&self) -> &'static str {
        self.name
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Cosmetic
    }

    fn least_saving(&self) -> usize {
        self.least_saving
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        (self.apply)(text).map(Into::into)
    }
}

/// A stage whose text decodes to the one it was given.
struct Lossless {
    name: &'static str,
    layer: TextLayer,
    encode: fn(&str) -> Option<String>,
    decode: fn(&str) -> Option<String>,
}

impl Lossless {
    /// A stage that says in words what became of some lines.
    const fn words(
        name: &'static str,
        encode: fn(&str) -> Option<String>,
        decode: fn(&str) -> Option<String>,
    ) -> Self {
        Lossless { name, layer: TextLayer::Words, encode, decode }
    }

    /// A stage whose text is read with a legend.
    const fn notation(
        name: &'static str,
        encode: fn(&str) -> Option<String>,
        decode: fn(&str) -> Option<String>,
    ) -> Self {
        Lossless { name, layer: TextLayer::Notation, encode, decode }
    }
}

impl Stage for Lossless {
    fn name(&self) -> &'static str {
        self.name
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn layer(&self) -> TextLayer {
        self.layer
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        let text = (self.encode)(text)?;
        Some(StageOutput { layer: self.layer, ..text.into() })
    }

    fn decode(&self, text: &str) -> Option<String> {
        (self.decode)(text)
    }
}

/// The line-number column that a client or a command puts before the lines of a file. Elsewhere it is data.
struct Numbers;

impl Stage for Numbers {
    fn name(&self) -> &'static str {
        "line_numbers"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn is_for(&self, subject: &StageContext<'_>) -> bool {
        let command = subject.context.command.as_ref();
        let reads = subject.settings.model_class.reads();
        match subject.nature {
            _ if !reads.includes(self.name()) => false,
            Nature::File => true,
            Nature::Excerpt => command.is_some_and(|command| command.numbers_lines()),
            Nature::Diff | Nature::Plain => false,
        }
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        numbers::encode(text).map(Into::into)
    }

    fn decode(&self, text: &str) -> Option<String> {
        numbers::decode(text)
    }
}

/// Delimiter-separated rows as one array.
struct CsvRows;

impl Stage for CsvRows {
    fn name(&self) -> &'static str {
        "csv_rows"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn layer(&self) -> TextLayer {
        TextLayer::Form
    }

    fn apply(&self, text: &str, subject: &StageContext<'_>) -> Option<StageOutput> {
        let Settings { counter, .. } = subject.settings;
        let text = csv::encode(text, &subject.settings.json_forms(), *counter)?;
        Some(StageOutput { layer: TextLayer::Form, ..text.into() })
    }

    fn decode(&self, text: &str) -> Option<String> {
        csv::decode(text)
    }
}

/// The headers of the files in a diff. Hunks stay as they are, and so do patches that are files.
struct DiffHeaders;

impl Stage for DiffHeaders {
    fn name(&self) -> &'static str {
        "diff_headers"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn is_for(&self, subject: &StageContext<'_>) -> bool {
        let reads_heads = subject.settings.model_class.reads().includes(self.name());
        subject.nature == Nature::Diff && !subject.context.is_file_text() && reads_heads
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        diff_headers::encode(text).map(Into::into)
    }

    fn decode(&self, text: &str) -> Option<String> {
        diff_headers::decode(text)
    }
}

/// Payloads that stand between quotes in their wrapper, as they are.
struct Unescaped;

impl Stage for Unescaped {
    fn name(&self) -> &'static str {
        "unescaped_strings"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    /// Of files too: their text is the more exact the fewer escapes are in it.
    fn is_for(&self, subject: &StageContext<'_>) -> bool {
        subject.settings.model_class.reads().includes(self.name())
    }

    /// However few bytes are saved: an escape is one byte, and often a token or two.
    fn least_saving(&self) -> usize {
        usize::MAX
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        unescaped::encode(text).map(Into::into)
    }

    fn decode(&self, text: &str) -> Option<String> {
        unescaped::decode(text)
    }

    fn canonical<'t>(&self, text: &'t str) -> Cow<'t, str> {
        unescaped::minify(text)
    }
}

/// A stage that takes something away.
struct Removal {
    name: &'static str,
    fidelity: Fidelity,
    apply: fn(&str) -> Option<String>,
}

impl Stage for Removal {
    fn name(&self) -> &'static str {
        self.name
    }

    fn fidelity(&self) -> Fidelity {
        self.fidelity
    }

    fn is_for(&self, subject: &StageContext<'_>) -> bool {
        match self.fidelity {
            // `cat picture.png` shows a file too.
            Fidelity::Safety => subject.nature != Nature::File,
            _ => subject.nature == Nature::Plain,
        }
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        (self.apply)(text).map(Into::into)
    }
}

/// The filter of the family that the command belongs to.
struct Family;

impl Stage for Family {
    fn name(&self) -> &'static str {
        "family"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Reversible
    }

    fn apply(&self, text: &str, subject: &StageContext<'_>) -> Option<StageOutput> {
        let line = subject.context.command.as_ref();
        let main = line.and_then(CommandLine::main);
        let invocation = main.filter(|main| main.effect != PipeEffect::Changed).map(invocation_of);
        // Data is not what a filter leaves lines out of.
        if invocation.is_none() && text.trim_ascii_start().starts_with(['{', '[']) {
            return None;
        }
        // Of a command that nobody knows all lines must be there, and none of them asked for: `build && git log`.
        let is_run = |line: &CommandLine| {
            line.all().all(|main| {
                main.effect == PipeEffect::Whole
                    && !subject.filters.is_asked_for(&invocation_of(main))
            })
        };
        let fallback = || line.filter(|line| is_run(line)).and_then(|_| subject.filters.fallback());
        let filter = subject.filters.find(invocation.as_ref(), text).or_else(fallback)?;
        let run = Run {
            is_failed: subject.context.is_error,
            is_script: line.is_some_and(CommandLine::runs_script),
        };
        Some(filter.apply_to_run(text, run)?.text.into())
    }
}

/// A web page as its reader sees it.
struct WebPage;

impl Stage for WebPage {
    fn name(&self) -> &'static str {
        "html_text"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Reversible
    }

    fn apply(&self, text: &str, subject: &StageContext<'_>) -> Option<StageOutput> {
        html::apply(text, subject.context.page_origin).map(Into::into)
    }
}

/// A command as far as filters look at it.
fn invocation_of(main: MainCommand<'_>) -> Invocation<'_> {
    let SimpleCommand { program, subcommand, args, .. } = main.command;
    Invocation { program, subcommand: subcommand.as_deref(), args }
}

/// Repeated strings named once.
struct Dictionary;

impl Stage for Dictionary {
    fn name(&self) -> &'static str {
        "dictionary"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn apply(&self, text: &str, subject: &StageContext<'_>) -> Option<StageOutput> {
        let Settings { method, counter, .. } = subject.settings;
        let text = dictionary::encode(text, *method, counter)?;
        Some(StageOutput { layer: TextLayer::Dictionary, ..text.into() })
    }

    fn layer(&self) -> TextLayer {
        TextLayer::Dictionary
    }

    fn decode(&self, text: &str) -> Option<String> {
        dictionary::decode(text, tokenforge_formats::MAX_OUTPUT).ok()
    }
}

/// The head, the first error and the tail of what is still far too long.
struct Cap;

impl Stage for Cap {
    fn name(&self) -> &'static str {
        cap::STAGE
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Safety
    }

    fn is_for(&self, subject: &StageContext<'_>) -> bool {
        subject.nature != Nature::File
    }

    fn apply(&self, text: &str, subject: &StageContext<'_>) -> Option<StageOutput> {
        let limit = subject.settings.max_output_bytes.unwrap_or(DEFAULT_MAX_OUTPUT_BYTES);
        let capped = cap::cap(text, limit)?;
        let done = capped.error_window.then_some(cap::WITH_ERROR_WINDOW);
        // A few bytes too many are cheaper than a marker and a reference.
        (capped.text.len() + FLOOR_BYTES < text.len())
            .then(|| StageOutput { done, ..capped.text.into() })
    }
}
