//! Values of arguments that have names: help and completions know them.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, Error};
use std::ffi::{OsStr, OsString};
use tokenforge_config::{Choice, ExpandBy, OldResults, SchemaCompression, ToolList};
use tokenforge_engine::DictionaryMethod;
use tokenforge_engine::Mode;
use tokenforge_formats::negotiate::Format;
use tokenforge_ledger::GroupBy;
use tokenforge_tokens::Vocabulary;

/// `--mode`: what each one does is in the long help.
pub(crate) fn modes() -> impl TypedValueParser<Value = Mode> {
    let value = |mode: Mode| PossibleValue::new(mode.name()).help(describe(mode));
    PossibleValuesParser::new(Mode::ALL.map(value)).try_map(|name| name.parse::<Mode>())
}

/// What a mode does.
fn describe(mode: Mode) -> &'static str {
    match mode {
        Mode::Disabled => "Do nothing",
        Mode::Observe => "Only measure what standard would save",
        Mode::Safe => "Remove secrets, escapes and binary; cap very long results",
        Mode::Lossless => "The same content in fewer tokens; nothing is left out",
        Mode::Standard => "Safe, lossless, and leave out what can be fetched back",
        Mode::Aggressive => "Standard, plus log templates and a dictionary",
    }
}

/// The names of the stages of the engine.
pub(crate) fn stages() -> PossibleValuesParser {
    tokenforge_engine::stage_names().collect::<Vec<_>>().into()
}

pub(crate) fn methods() -> impl TypedValueParser<Value = DictionaryMethod> {
    let names = DictionaryMethod::ALL.iter().map(|method| Choice::name(*method));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<DictionaryMethod>())
}

pub(crate) fn schema_compressions() -> PossibleValuesParser {
    SchemaCompression::ALL.iter().map(|choice| choice.name()).collect::<Vec<_>>().into()
}

pub(crate) fn old_results() -> impl TypedValueParser<Value = OldResults> {
    let names = OldResults::ALL.iter().map(|choice| choice.name());
    PossibleValuesParser::new(names).try_map(|name| OldResults::parse(&name))
}

pub(crate) fn expand_by() -> impl TypedValueParser<Value = ExpandBy> {
    let names = ExpandBy::ALL.iter().map(|choice| choice.name());
    PossibleValuesParser::new(names).try_map(|name| ExpandBy::parse(&name))
}

pub(crate) fn tool_lists() -> impl TypedValueParser<Value = ToolList> {
    let names = ToolList::ALL.iter().map(|choice| choice.name());
    PossibleValuesParser::new(names).try_map(|name| ToolList::parse(&name))
}

pub(crate) fn formats() -> impl TypedValueParser<Value = Format> {
    let names = Format::ALL.iter().map(|format| Choice::name(*format));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Format>())
}

pub(crate) fn sums() -> impl TypedValueParser<Value = GroupBy> {
    let names = GroupBy::ALL.iter().map(|by| by.name());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<GroupBy>())
}

/// Vocabularies also go by other names, so that no other is refused here.
pub(crate) fn vocabularies() -> impl TypedValueParser<Value = Vocabulary> {
    fn names() -> Vec<&'static str> {
        Vocabulary::ALL.iter().map(|vocabulary| vocabulary.name()).collect()
    }
    SuggestingParser(names).try_map(|name| name.to_string_lossy().parse::<Vocabulary>())
}

/// Any value, of which some are suggested.
#[derive(Clone, Copy)]
pub(crate) struct SuggestingParser(pub(crate) fn() -> Vec<&'static str>);

impl TypedValueParser for SuggestingParser {
    type Value = OsString;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<OsString, Error> {
        Ok(value.to_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}
