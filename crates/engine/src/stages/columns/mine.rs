//! Finding patterns: rows are split where a column's commonest value parts them, for as long as that saves tokens.

use super::OVERHEAD;
use super::pattern::{Pattern, fields, may_repeat};
use crate::weight::weight;
use foldhash::HashMap;
use tokenforge_tokens::interrupt::tick;
use xxhash_rust::xxh3::xxh3_64_with_seed;

const FEWEST_ROWS: usize = 6;
const FEWEST_COLUMNS: usize = 3;
const MOST_COLUMNS: usize = 64;
const MOST_PATTERNS: usize = 12;
/// So many rows, spread over the text, show what there is to find.
const SAMPLE: usize = 96;
const _: () = assert!(SAMPLE <= u8::MAX as usize, "rows are counted by `u8`");
/// Of the columns that a split may go by, the most promising are tried.
const TRIED: usize = 3;
/// Patterns must save this part of a text.
const LEAST_PART: usize = 10;

/// What was found in a text.
#[derive(Debug)]
pub(super) struct MinedPatterns<'a> {
    /// How many columns the rows have.
    pub(super) columns: usize,
    /// Those that save most come first.
    pub(super) patterns: Vec<Pattern<'a>>,
}

/// Patterns worth using for these lines.
pub(super) fn patterns<'a>(lines: &[&'a str]) -> Option<MinedPatterns<'a>> {
    let sample = Sample::of(lines)?;
    let root = sample.node((0..sample.rows).collect());
    let whole = root.plain;
    if sample.repeated_weight() * LEAST_PART < whole {
        return None;
    }
    let mut nodes = vec![root];
    let mut leaves = Vec::new();
    let mut counts = vec![0; sample.values.len()];
    while let Some(node) = nodes.pop() {
        match sample.best_split(&node, &mut counts) {
            Some((one, other)) if nodes.len() + leaves.len() < MOST_PATTERNS - 1 => {
                nodes.push(other);
                nodes.push(one);
            }
            _ => leaves.push(node),
        }
    }
    let spent: usize = leaves.iter().map(RowGroup::cost).sum();
    let worth = leaves.iter().filter(|leaf| leaf.patterned < leaf.plain);
    let mut patterns: Vec<_> = worth.map(|leaf| sample.pattern(leaf)).collect();
    patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.weight()));
    let pays = !patterns.is_empty() && (whole - spent) * LEAST_PART > whole;
    pays.then_some(MinedPatterns { columns: sample.columns, patterns })
}

/// Rows that may share a pattern.
#[derive(Debug)]
struct RowGroup {
    rows: Vec<usize>,
    /// What the rows cost as they are.
    plain: usize,
    /// What they cost with a pattern of all columns that they share.
    patterned: usize,
}

impl RowGroup {
    fn cost(&self) -> usize {
        self.plain.min(self.patterned)
    }
}

/// Rows of a text as a table of values, equal numbers for equal values of a column.
#[derive(Debug)]
struct Sample<'a> {
    rows: usize,
    columns: usize,
    fields: Vec<&'a str>,
    values: Vec<u32>,
    weights: Vec<usize>,
}

impl<'a> Sample<'a> {
    fn of(lines: &[&'a str]) -> Option<Self> {
        let step = lines.len().div_ceil(SAMPLE).max(1);
        let lines = lines.iter().step_by(step).copied();
        let mut rows: Vec<_> =
            lines.map(|line| (line, fields(line, MOST_COLUMNS + 1).count())).collect();
        let columns = usual_count(rows.iter().map(|&(_, count)| count))?;
        rows.retain(|(_, count)| *count >= columns);
        if rows.len() < FEWEST_ROWS {
            return None;
        }
        let mut cells = Vec::with_capacity(rows.len() * columns);
        rows.iter().for_each(|(row, _)| cells.extend(fields(row, columns)));
        // By hash: when two values collide, even on purpose, the rows do not fit the pattern.
        let mut numbers: HashMap<u64, u32> =
            HashMap::with_capacity_and_hasher(cells.len(), Default::default());
        let mut number = |(index, cell): (usize, &&str)| {
            let next = numbers.len() as u32;
            let column = (index % columns) as u64;
            *numbers.entry(xxh3_64_with_seed(cell.as_bytes(), column)).or_insert(next)
        };
        let values = cells.iter().enumerate().map(&mut number).collect();
        let weights = cells.iter().map(|field| weight(field)).collect();
        Some(Self { rows: rows.len(), columns, fields: cells, values, weights })
    }

    /// The weight of all values that their column has more than once: no more can be saved.
    fn repeated_weight(&self) -> usize {
        let mut counts = vec![0u32; self.values.len()];
        self.values.iter().for_each(|&value| counts[value as usize] += 1);
        let repeated = self.values.iter().zip(&self.weights);
        repeated.filter(|(value, _)| counts[**value as usize] > 1).map(|(_, weight)| weight).sum()
    }

    fn value(&self, row: usize, column: usize) -> u32 {
        self.values[row * self.columns + column]
    }

    fn weight(&self, row: usize, column: usize) -> usize {
        self.weights[row * self.columns + column]
    }

    /// Do all rows have the same in this column, so that it can be part of their pattern?
    fn is_shared(&self, rows: &[usize], column: usize) -> bool {
        let first = rows[0];
        rows.iter().all(|&row| self.value(row, column) == self.value(first, column))
            && may_repeat(self.fields[first * self.columns + column])
    }

    fn node(&self, rows: Vec<usize>) -> RowGroup {
        tick(rows.len() * self.columns);
        let of_column = |column| rows.iter().map(|&row| self.weight(row, column)).sum::<usize>();
        let (mut plain, mut patterned) = (0, OVERHEAD + rows.len());
        for column in 0..self.columns {
            let all = of_column(column);
            plain += all;
            patterned +=
                if self.is_shared(&rows, column) { self.weight(rows[0], column) } else { 1 + all };
        }
        RowGroup { rows, plain, patterned }
    }

    /// The best split of a node's rows into those with a certain value in a certain column, and the others. `counts` are
    /// zero for every value, before and after.
    fn best_split(&self, node: &RowGroup, counts: &mut [u8]) -> Option<(RowGroup, RowGroup)> {
        let commonest = |column| self.commonest(&node.rows, column, counts);
        let mut candidates: Vec<_> = (0..self.columns).filter_map(commonest).collect();
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.weight));
        let splits = candidates.iter().take(TRIED).map(|candidate| {
            let has_value = |row: &usize| self.value(*row, candidate.column) == candidate.value;
            let (with, without): (Vec<_>, _) = node.rows.iter().copied().partition(has_value);
            (self.node(with), self.node(without))
        });
        let best = splits.min_by_key(|(one, other)| one.cost() + other.cost())?;
        (best.0.cost() + best.1.cost() < node.cost()).then_some(best)
    }

    /// The commonest value of a column which not all rows share.
    fn commonest(&self, rows: &[usize], column: usize, counts: &mut [u8]) -> Option<Candidate> {
        let values = || rows.iter().map(|&row| self.value(row, column) as usize);
        values().for_each(|value| counts[value] += 1);
        let most = rows.iter().copied().max_by_key(|&row| counts[self.value(row, column) as usize]);
        let count = most.map_or(0, |row| usize::from(counts[self.value(row, column) as usize]));
        values().for_each(|value| counts[value] = 0);
        let row = most.filter(|_| count > 1 && count < rows.len())?;
        let weight = self.weight(row, column).max(1) * count;
        Some(Candidate { column, value: self.value(row, column), weight })
    }

    /// The columns that the rows of a node share.
    fn pattern(&self, node: &RowGroup) -> Pattern<'a> {
        let first = node.rows[0];
        let field = |column| self.fields[first * self.columns + column];
        let shared = |column| self.is_shared(&node.rows, column).then(|| field(column));
        Pattern::new((0..self.columns).map(shared).collect())
    }
}

#[derive(Debug)]
struct Candidate {
    column: usize,
    value: u32,
    weight: usize,
}

/// The least number of columns that a tenth of the rows have; more are part of the last.
fn usual_count(counts: impl Iterator<Item = usize>) -> Option<usize> {
    let mut rows = [0; MOST_COLUMNS + 2];
    counts.for_each(|count| rows[count] += 1);
    let rows = &rows[FEWEST_COLUMNS..];
    let usual = rows.iter().sum::<usize>().div_ceil(LEAST_PART).max(2);
    rows.iter().position(|&rows| rows >= usual).map(|count| count + FEWEST_COLUMNS)
}
