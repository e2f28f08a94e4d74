//! Finds the templates worth writing: which lines are rows of which.

use super::align;
use super::cost::Cost;
use super::heads::heads;
use super::scan::Scan;
use super::split::split;
use super::template::Template;

/// A template must save this many tokens.
const MIN_GAIN: i64 = 4;
/// And this many a row: else the line is easier to read as it was.
const MIN_GAIN_PER_ROW: i64 = 3;
/// Lines like sentences, whose words vary, must have this many constant tokens for each such word.
const MIN_CONSTANT_PER_WORD: i64 = 3;
/// All templates together must save this part of the text.
const MIN_PART: i64 = 8;

/// Which lines are rows of which template.
pub(super) struct Plan<'a> {
    /// In the order of their first rows.
    pub(super) templates: Vec<Template<'a>>,
    /// The template of each line.
    pub(super) of_line: Vec<Option<u32>>,
}

/// Rows of one template.
pub(super) struct Found {
    pub(super) gain: i64,
    pub(super) rows: Vec<u32>,
    /// How many fields are looked at; the rest of the line is one value.
    pub(super) head: Option<usize>,
}

/// The best templates of a text, at most `max`; `None` where they save too little.
pub(super) fn mine<'a>(scan: &Scan<'a>, max: usize) -> Option<Plan<'a>> {
    let mut found = Vec::new();
    for rows in classes(scan) {
        split(scan, rows, &mut |rows| found.extend(worth(scan, rows)));
    }
    heads(scan, &mut found);
    found.sort_by_key(|found: &Found| std::cmp::Reverse(found.gain));
    found.truncate(max);
    let total: i64 = scan.lines.iter().map(|line| i64::from(line.cost)).sum();
    let gain: i64 = found.iter().map(|found| found.gain).sum();
    (gain * MIN_PART > total).then(|| plan(scan, found))
}

fn plan<'a>(scan: &Scan<'a>, mut found: Vec<Found>) -> Plan<'a> {
    found.sort_by_key(|found| found.rows.first().copied());
    let mut of_line = vec![None; scan.lines.len()];
    for (id, found) in found.iter().enumerate() {
        for &row in &found.rows {
            if let Some(slot) = of_line.get_mut(row as usize) {
                *slot = Some(id as u32);
            }
        }
    }
    Plan { templates: found.iter().map(|found| Template::new(scan, found)).collect(), of_line }
}

/// Lines of the same shape, in order. Blanks of different width are the same shape if they end in the same column.
fn classes(scan: &Scan) -> Vec<Vec<u32>> {
    let mut order: Vec<(u64, u32, u32)> =
        (0u32..).zip(&scan.lines).map(|(row, line)| (line.shape, line.spacing, row)).collect();
    order.sort_unstable();
    let mut classes = Vec::new();
    let several = |class: &&[(u64, u32, u32)]| class.len() > 1 && class.iter().all(|line| line.0 != 0);
    for class in order.chunk_by(|a, b| a.0 == b.0).filter(several) {
        let mut rows: Vec<u32> = class.iter().map(|line| line.2).collect();
        rows.sort_unstable();
        if class.iter().all(|line| line.1 == class[0].1) || align::aligned(scan, &rows) {
            classes.push(rows);
        } else {
            let spaced = class.chunk_by(|a, b| a.1 == b.1).filter(several);
            classes.extend(spaced.map(|spaced| spaced.iter().map(|line| line.2).collect()));
        }
    }
    classes
}

fn worth(scan: &Scan, rows: Vec<u32>) -> Option<Found> {
    if rows.len() < 2 {
        return None;
    }
    let cost = Cost::new(scan, &rows);
    let gain = cost.literal() - cost.template() - cost.switches();
    let readable = cost.words() < 3 || cost.constant() >= MIN_CONSTANT_PER_WORD * cost.words();
    let enough = gain >= MIN_GAIN && cost.constant() >= MIN_GAIN_PER_ROW;
    (enough && readable).then_some(Found { gain, rows, head: None })
}
