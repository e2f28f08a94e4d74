//! Log template mining: finds the templates worth writing, and which lines are rows of which.
//!
//! The first version reckoned the cost of every class of lines, and of every way to split it, before it could say no; and
//! most texts are no logs. Now one pass adds up what the lines of each class have in common with the line before
//! (`alike`), which is little in prose and in programs: where it is too little, and half of the lines do not begin as those
//! of a log do, nothing else is looked at. How a class is split is decided by a sample of its rows (`split`).
//!
//! Tokens alone do not decide. A row is read together with its template, so its constant text must make up for looking
//! that up. At first every row had to save three tokens, wherever it stood. Now what is asked for (`MIN_CONSTANT`) is least
//! in a table of rows, more for rows that stand alone and most for a pair of lines; and sentences
//! whose words vary stay sentences (`MIN_CONSTANT_PER_WORD`).
//!
//! An eighth of the text was the least that all templates had to save, until they were tried on recorded logs: where every
//! third line is a row a twentieth is enough (`MIN_PART_OF_LOG`).

use super::align;
use super::heads;
use super::rows::ShapeRows;
use super::scan::LineScan;
use super::split::split_rows;
use super::tally::HashTally;
use super::template::LogTemplate;

/// A template must save this many tokens.
const MIN_GAIN: i64 = 4;
/// Constant tokens that make up for looking a template up: in a table of rows, for rows that stand alone,
/// for lines that are always the same, and for a pair of lines.
const MIN_CONSTANT: [i64; 4] = [3, 8, 12, 20];
/// Rows that follow each other are a table from this number on.
const TABLE: i64 = 3;
/// Lines like sentences, whose words vary, must have this many constant tokens for each such word.
const MIN_CONSTANT_PER_WORD: i64 = 3;
/// Shorter lines are left alone.
const MIN_LINE: u32 = 4;
/// All templates together must save this part of the text,
const MIN_PART: i64 = 8;
/// or this part if every third line is a row: so it is in logs, and hardly ever in programs.
const MIN_PART_OF_LOG: i64 = 20;

/// Which lines are rows of which template.
pub(super) struct TemplatePlan<'a> {
    /// In the order of their first rows.
    pub(super) templates: Vec<LogTemplate<'a>>,
    /// The template of each line.
    pub(super) of_line: Vec<Option<u32>>,
}

/// Rows of one template.
pub(super) struct TemplateRows {
    pub(super) gain: i64,
    pub(super) rows: Vec<u32>,
    /// How many fields are looked at; the rest of the line is one value.
    pub(super) head: Option<usize>,
}

/// The best templates of a text, at most `max`; `None` where they save too little.
pub(super) fn mine<'a>(scan: &LineScan<'a>, max: usize) -> Option<TemplatePlan<'a>> {
    let total: i64 = scan.lines.iter().map(|line| i64::from(line.cost)).sum();
    let classes: Vec<(i64, Vec<u32>)> = classes(scan)
        .into_iter()
        .map(|class| (alike(scan, &class), class))
        .filter(|class| class.0 >= MIN_GAIN)
        .collect();
    if classes.iter().map(|class| class.0).sum::<i64>() * MIN_PART_OF_LOG < total
        && !heads::are_many(scan)
    {
        return None;
    }
    let mut found = Vec::new();
    for (_, class) in classes {
        split_rows(scan, ShapeRows::new(scan, class), &mut |rows| found.extend(worth(rows)));
    }
    heads::find(scan, &mut found);
    found.sort_by_key(|found: &TemplateRows| std::cmp::Reverse(found.gain));
    found.truncate(max);
    let gain: i64 = found.iter().map(|found| found.gain).sum();
    let rows: usize = found.iter().map(|found| found.rows.len()).sum();
    let part = if rows * 3 >= scan.lines.len() { MIN_PART_OF_LOG } else { MIN_PART };
    (gain * part > total).then(|| plan(scan, found))
}

/// Tokens of the fields that lines of a class have in common with the line before: few in prose and in programs.
fn alike(scan: &LineScan, class: &[u32]) -> i64 {
    let mut above = class.first().map_or(&[][..], |&line| scan.fields(line));
    let mut alike = 0;
    for &line in class.iter().skip(1) {
        let fields = scan.fields(line);
        let pairs = fields.iter().zip(above).filter(|(field, above)| field.hash == above.hash);
        alike += pairs.map(|(field, _)| i64::from(field.cost)).sum::<i64>();
        above = fields;
    }
    alike
}

fn plan<'a>(scan: &LineScan<'a>, mut found: Vec<TemplateRows>) -> TemplatePlan<'a> {
    found.sort_by_key(|found| found.rows.first().copied());
    let mut of_line = vec![None; scan.lines.len()];
    for (id, found) in found.iter().enumerate() {
        for &row in &found.rows {
            if let Some(slot) = of_line.get_mut(row as usize) {
                *slot = Some(id as u32);
            }
        }
    }
    TemplatePlan {
        templates: found.iter().map(|found| LogTemplate::new(scan, found)).collect(),
        of_line,
    }
}

/// Lines of the same shape, in order. Blanks of different width are the same shape if they end in the same column.
fn classes(scan: &LineScan) -> Vec<Vec<u32>> {
    let mut order = repeated_shapes(scan);
    order.sort_unstable();
    let mut classes = Vec::new();
    let several = |class: &&[(u64, u32, u32)]| class.len() > 1;
    for class in order.chunk_by(|a, b| a.0 == b.0).filter(several) {
        let mut rows: Vec<u32> = class.iter().map(|line| line.2).collect();
        rows.sort_unstable();
        if class.first().map(|line| line.1) == class.last().map(|line| line.1)
            || align::are_aligned(scan, &rows)
        {
            classes.push(rows);
        } else {
            let spaced = class.chunk_by(|a, b| a.1 == b.1).filter(several);
            classes.extend(spaced.map(|spaced| spaced.iter().map(|line| line.2).collect()));
        }
    }
    classes
}

/// Shape, spacing and number of the lines whose shape occurs more than once, and maybe of some others.
fn repeated_shapes(scan: &LineScan) -> Vec<(u64, u32, u32)> {
    let tally = HashTally::of(scan.lines.iter().map(|line| line.shape));
    let lines = (0u32..).zip(&scan.lines).filter(|(_, line)| {
        line.shape != 0 && line.cost > MIN_LINE && tally.at_most(line.shape) > 1
    });
    let mut repeated = Vec::with_capacity(scan.lines.len());
    repeated.extend(lines.map(|(row, line)| (line.shape, line.spacing, row)));
    repeated
}

/// The rows as a template, if it saves enough and the lines are not easier to read as they were.
fn worth(rows: ShapeRows) -> Option<TemplateRows> {
    let [table, alone, same, pair] = MIN_CONSTANT;
    let constant = rows.constant();
    let needed = match rows.lines.len() as i64 {
        0 | 1 => return None,
        2 => pair,
        _ if !rows.varying.contains(&true) => same,
        count if count >= TABLE * rows.runs() => table,
        _ => alone,
    };
    let words = rows.words();
    let sentence = words > 2 && constant < MIN_CONSTANT_PER_WORD * words;
    let gain = if constant < needed || sentence { 0 } else { rows.gain() };
    (gain >= MIN_GAIN).then_some(TemplateRows { gain, rows: rows.lines, head: None })
}
