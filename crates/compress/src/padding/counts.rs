//! Lines that begin with right-aligned numbers, as `wc`, `uniq -c` and `history` write them.

use super::{Table, split_end};

const MIN_LINES: usize = 3;

/// `uniq -c` pads every count to this width.
const MIN_UNIFORM_WIDTH: usize = 7;

/// Consecutive lines whose first numbers end in the same columns.
pub(super) fn table(lines: &[&str]) -> Option<Table> {
    let mut ends = number_ends(lines.first()?);
    let mut narrowest = usize::MAX;
    let mut widest = 0;
    let mut taken = 0;
    for line in lines {
        let here = number_ends(line);
        let common = ends.iter().zip(&here).take_while(|(a, b)| a == b).count();
        if common == 0 {
            break;
        }
        ends.truncate(common);
        let indent = line.len() - line.trim_start_matches(' ').len();
        narrowest = narrowest.min(indent);
        widest = widest.max(indent);
        taken += 1;
    }
    let is_padding = widest > narrowest || *ends.first()? >= MIN_UNIFORM_WIDTH && narrowest > 0;
    (taken >= MIN_LINES && is_padding).then(|| Table {
        lines: taken,
        text: lines[..taken].iter().map(|line| row(line, &ends)).collect(),
    })
}

/// The columns where the numbers at the start of the line end; a blank and a text must follow them.
fn number_ends(line: &str) -> Vec<usize> {
    let (content, _) = split_end(line);
    let mut ends = Vec::new();
    let mut at = 0;
    loop {
        let start = at + content[at..].len() - content[at..].trim_start_matches(' ').len();
        let end = start + content[start..].bytes().take_while(u8::is_ascii_digit).count();
        if end == start || content.as_bytes().get(end) != Some(&b' ') {
            return ends;
        }
        ends.push(end);
        at = end;
    }
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
