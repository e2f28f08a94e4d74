//! The stages and their order: a module for each, and a line in the list of its fidelity.

pub mod binary;
pub mod cap;
pub mod columns;
pub mod csv;
pub mod dictionary;
pub mod diff_headers;
mod family;
pub mod fold;
pub mod html;
pub mod json;
mod kinds;
pub mod normalize;
pub mod numbers;
pub mod padding;
pub mod paths;
pub mod progress;
pub mod templates;
mod terminal;
mod unescaped;
pub mod whitespace;

use crate::fidelity::Fidelity;
use crate::runner;
use crate::stage::Stage;

/// Sequences and movements that a terminal does not show.
pub(crate) const CLEAN: &[&dyn Stage] = &[&progress::STAGE, &terminal::STAGE];

/// Binary output.
pub(crate) const SUPPRESS: &[&dyn Stage] = &[&binary::BINARY];

/// Fewer tokens for the same content, and lines that can still be cut out.
pub(crate) const COMPACT: &[&dyn Stage] = &[
    &json::NESTED,
    &json::WHOLE,
    &json::PYTHON,
    &json::LINES,
    &csv::CsvRows,
    &diff_headers::DiffHeaders,
    &json::TRUNCATED,
    &json::EMBEDDED,
    &numbers::LineNumbers,
    &padding::STAGE,
    &whitespace::STAGE,
];

/// Fewer tokens by lines that are read together with a legend. One of them is used, the cheapest.
pub(crate) const NOTATIONS: &[&dyn Stage] = &[&paths::STAGE, &columns::STAGE, &templates::STAGE];

/// Repeated strings named once: one more of those, where the mode allows it.
pub(crate) const DICTIONARY: &[&dyn Stage] = &[&dictionary::Dictionary];

/// Lines that come again, said once.
pub(crate) const REPEATS: &[&dyn Stage] = &[&fold::STAGE];

/// A whole output in its wrapper, behind what was done to its payloads.
pub(crate) const WRAPPED: &[&dyn Stage] = &[&unescaped::Unescaped];

/// Lines that the filter of a tool's family leaves out; of a failed call, only those of what passed.
pub(crate) const FAMILY: &[&dyn Stage] = &[&family::Family];

/// The markup of web pages, and files that were written as letters.
pub(crate) const LEAVE_OUT: &[&dyn Stage] = &[&html::WebPage, &binary::BASE64];

/// Timestamps, ids and addresses.
pub(crate) const NOISE: &[&dyn Stage] = &[&normalize::STAGE];

/// A head, the first error and a tail of what is still far too long.
pub(crate) const CAP: &[&dyn Stage] = &[&cap::Cap];

/// Every built-in stage, in the order of these lists.
fn all() -> impl Iterator<Item = &'static dyn Stage> {
    let lists = [
        CLEAN, SUPPRESS, FAMILY, LEAVE_OUT, NOISE, COMPACT, NOTATIONS, DICTIONARY, REPEATS, CAP,
        WRAPPED,
    ];
    lists.into_iter().flatten().copied()
}

/// The names of the built-in stages, in their order.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().map(Stage::name)
}

/// Does the text that a lossless stage wrote stand for the one it was given? `None` if no lossless built-in stage has this
/// name.
pub(crate) fn restores(stage: &str, before: &str, after: &str) -> Option<bool> {
    let stage = all().find(|other| other.name() == stage)?;
    (stage.fidelity() == Fidelity::Lossless).then(|| runner::restores(stage, before, after))
}

/// The stage that wrote a text over which nothing else is written: JSON in a form, a diff, a file with its numbers.
pub(crate) fn alone(text: &str) -> Option<&'static dyn Stage> {
    COMPACT.iter().copied().find(|stage| stage.has_written(text))
}

/// The stages that write over the words of a text, the last one first, because repeats are folded in what a notation wrote.
pub(crate) fn last_first() -> impl Iterator<Item = &'static dyn Stage> {
    NOTATIONS.iter().chain(DICTIONARY).chain(REPEATS).rev().copied()
}
