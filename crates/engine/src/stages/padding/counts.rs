//! Lines that begin with right-aligned numbers, as `wc`, `uniq -c` and `history` write them.

use super::PaddedTable;
use crate::whole_lines::{first_line, whole_lines};

const MIN_LINES: usize = 3;

/// `uniq -c` pads every count to this width.
const MIN_UNIFORM_WIDTH: usize = 7;

/// Consecutive lines whose first numbers end in the same columns.
pub(super) fn table(rest: &str) -> Option<PaddedTable> {
    let mut ends: Vec<usize> = number_ends(first_line(rest)).collect();
    let mut narrowest = usize::MAX;
    let mut widest = 0;
    let (mut len, mut lines) = (0, 0);
    for line in whole_lines(rest) {
        let common =
            ends.iter().zip(number_ends(line)).take_while(|(end, other)| *end == other).count();
        if common == 0 {
            break;
        }
        ends.truncate(common);
        let indent = line.len() - line.trim_start_matches(' ').len();
        narrowest = narrowest.min(indent);
        widest = widest.max(indent);
        len += line.len();
        lines += 1;
    }
    if lines < MIN_LINES {
        return None;
    }
    let is_padding = widest > narrowest || *ends.first()? >= MIN_UNIFORM_WIDTH && narrowest > 0;
    let text = is_padding.then(|| whole_lines(&rest[..len]).map(|line| row(line, &ends)).collect());
    Some(PaddedTable { len, text })
}

/// Whether the line begins with a number and a blank.
pub(super) fn has_count(line: &str) -> bool {
    number_ends(line).next().is_some()
}

/// The columns where the numbers at the start of the line end; a blank must follow them.
fn number_ends(line: &str) -> impl Iterator<Item = usize> {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes[at..].iter().take_while(|&&byte| byte == b' ').count();
        let end = start + bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        at = end;
        (end > start && bytes.get(end) == Some(&b' ')).then_some(end)
    })
}

fn row(line: &str, ends: &[usize]) -> String {
    let mut row = String::with_capacity(line.len());
    let mut start = 0;
    for &end in ends {
        if start > 0 {
            row.push(' ');
        }
        row.push_str(line[start..end].trim_start_matches(' '));
        start = end;
    }
    row + &line[start..]
}
