//! Columns whose cells follow from something: a run of numbers, a common prefix or suffix, another column.

use super::super::audience::Audience;
use super::super::cost::{cost, is_word};
use super::super::cut;
use super::super::spell;
use super::{ABSENT, ColumnForm, TableShape};
use crate::lexeme;
use tokenforge_json::tape::{Json, LexemeKind};

/// Numbers of runs have at most this many digits, which every language computes exactly.
const MAX_DIGITS: usize = 15;

/// So many earlier columns are looked at for one that a column could be derived from.
const MAX_SOURCES: usize = 16;

/// A source shorter than this is found everywhere by chance.
const MIN_SOURCE: usize = 3;

/// A prefix or suffix must save more than this.
const HEADER_COST: u64 = 4;

/// A text column is worth its header from so many numbers in quotes.
const MIN_NUMBERS: usize = 4;

/// The first two numbers of the arithmetic run that these cells are, from three cells up.
pub(super) fn run(json: &Json<'_>, cells: impl Iterator<Item = u32>) -> Option<(i64, i64)> {
    let mut numbers = cells.map(|at| number(json, at));
    let (first, second) = (numbers.next()??, numbers.next()??);
    let mut last = second;
    let mut count = 2;
    for number in numbers {
        let number = number?;
        if number - last != second - first {
            return None;
        }
        last = number;
        count += 1;
    }
    (count >= 3).then_some((first, second))
}

/// The value of an integer as anyone would write it.
fn number(json: &Json<'_>, at: u32) -> Option<i64> {
    let text = json.raw(at as usize);
    let digits = text.strip_prefix('-').unwrap_or(text);
    text.parse().ok().filter(|_| digits.len() <= MAX_DIGITS && text != "-0")
}

/// The form of a column of strings and nulls. `is_full`: every record has a string.
pub(super) fn text<'a>(
    json: &Json<'a>,
    shape: &TableShape<'a>,
    column: usize,
    is_full: bool,
    reader: Audience,
) -> ColumnForm<'a> {
    let strings = || {
        let cells = shape.column(column).filter(|at| *at != ABSENT).map(|at| at as usize);
        cells.filter(|at| json.node(*at).kind == LexemeKind::String)
    };
    if strings().any(|at| json.node(at).content.has_escape()) {
        return ColumnForm::Cell;
    }
    let texts = || strings().map(|at| json.unquoted(at));
    if is_full
        && reader.may_derive_columns()
        && let Some(derived) = derived(json, shape, column)
    {
        return derived;
    }
    let Some(first) = texts().next() else { return ColumnForm::Cell };
    let is_worth = |text: &str| {
        let changes = || changes(texts()).count() as u64;
        !text.is_empty() && changes() * u64::from(cost(text.as_bytes())) > HEADER_COST
    };
    let prefix = &first[..common_prefix(first, texts())];
    let rest = &first[first.len() - common_suffix(first, prefix.len(), texts())..];
    let prefix = if is_worth(prefix) { prefix } else { "" };
    let suffix = if is_worth(rest) { rest } else { "" };
    let (prefix, suffix) =
        if reader.may_split_behind(prefix) { (prefix, suffix) } else { ("", "") };
    let is_number = |text: &&str| spell::is_number(text.as_bytes(), 0..text.len());
    let numbers = || changes(texts()).filter(is_number);
    if prefix.is_empty() && suffix.is_empty() && numbers().take(MIN_NUMBERS).count() < MIN_NUMBERS {
        return ColumnForm::Cell;
    }
    ColumnForm::Text { prefix, suffix }
}

/// The texts that differ from the one before; the first has none before it.
fn changes<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> impl Iterator<Item = &'a str> {
    texts.clone().zip(texts.skip(1)).filter(|(one, next)| one != next).map(|(_, next)| next)
}

/// The length of what all texts start with, up to the last character that is in no word and behind which all of them may be
/// cut.
fn common_prefix<'a>(first: &str, texts: impl Iterator<Item = &'a str> + Clone) -> usize {
    let first = first.as_bytes();
    let common = shrink(first.len(), texts.clone(), |length, text| {
        first[..length].iter().zip(text.as_bytes()).take_while(|(one, other)| one == other).count()
    });
    let is_end = |at: &usize| {
        !is_word(first[at - 1]) && texts.clone().all(|text| cut::is_allowed(text.as_bytes(), *at))
    };
    (1..=common).rev().find(is_end).unwrap_or(0)
}

/// The length of what all texts end with behind their prefix, from the first character on that is in no word and before
/// which all of them may be cut.
fn common_suffix<'a>(
    first: &str,
    prefix: usize,
    texts: impl Iterator<Item = &'a str> + Clone,
) -> usize {
    let first = &first.as_bytes()[prefix..];
    let common = shrink(first.len(), texts.clone(), |length, text| {
        let (first, text) = (first.iter().rev(), text.as_bytes()[prefix..].iter().rev());
        first.zip(text).take(length).take_while(|(one, other)| one == other).count()
    });
    let is_start = |length: &usize| {
        !is_word(first[first.len() - length])
            && texts.clone().all(|text| cut::is_allowed(text.as_bytes(), text.len() - length))
    };
    (1..=common).rev().find(is_start).unwrap_or(0)
}

/// Shrinks a length by every text, until nothing is left of it.
fn shrink<'a>(
    length: usize,
    mut texts: impl Iterator<Item = &'a str>,
    by: impl Fn(usize, &str) -> usize,
) -> usize {
    let shrunk = texts.try_fold(length, |length, text| Some(by(length, text)).filter(|to| *to > 0));
    shrunk.unwrap_or(0)
}

/// An earlier column that every text of this one contains at the same place.
fn derived<'a>(json: &Json<'a>, shape: &TableShape<'a>, column: usize) -> Option<ColumnForm<'a>> {
    let pairs = |from: usize| shape.column(column).zip(shape.column(from));
    let sources = (0..column).rev().filter(|from| shape.columns[*from].is_source);
    for from in sources.take(MAX_SOURCES) {
        let (at, source) = pairs(from).next()?;
        let (text, source) = (json.unquoted(at as usize), json.unquoted(source as usize));
        if source.len() < MIN_SOURCE {
            continue;
        }
        let Some((prefix, suffix)) = text.split_once(source) else { continue };
        let holds = pairs(from).all(|(at, source)| {
            let (text, source) = (json.unquoted(at as usize), json.unquoted(source as usize));
            let between = text.strip_prefix(prefix).and_then(|text| text.strip_suffix(suffix));
            let ends = [prefix.len(), text.len().saturating_sub(suffix.len())];
            between == Some(source) && ends.iter().all(|at| cut::is_allowed(text.as_bytes(), *at))
        });
        if holds {
            return Some(ColumnForm::Derived { prefix, from, suffix });
        }
    }
    None
}

/// Can other columns be derived from this one: plain strings in every record, under a name that templates can use?
pub(super) fn is_source(json: &Json<'_>, shape: &TableShape<'_>, column: usize) -> bool {
    let key = json.unquoted_bytes(shape.columns[column].key);
    let is_plain = |at: u32| {
        let node = json.node(at as usize);
        node.kind == LexemeKind::String && !node.content.has_escape()
    };
    lexeme::identifier(key, 0).is_ok_and(|end| end == key.len())
        && shape.column(column).all(is_plain)
}
