//! Which headings cost least: the best choice for every line, given the best choices for the lines before it.

use crate::weight::step_weight;

/// Where a name may be cut: everything before `end` would be in the heading, and is worth `weight` tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) end: usize,
    weight: usize,
}

/// The cut chosen for a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) end: usize,
    /// The name starts a new group.
    pub(super) opens: bool,
}

/// Lines longer than this are not looked at further.
const LONGEST_NAME: usize = 512;
const MOST_LEVELS: usize = 16;
const ROOT: Level = Level { end: 0, weight: 0 };

/// The cuts that save most, and about how many tokens they save. `None` if no neighbours share anything.
pub(super) fn cuts(names: &[&str]) -> Option<(Vec<Cut>, usize)> {
    let levels: Vec<Vec<Level>> = names.iter().map(|name| levels(name)).collect();
    // For every name and level: what was saved so far, and the level of the name before if that goes on or ends there.
    let mut steps: Vec<Vec<Step>> = Vec::with_capacity(names.len());
    for (index, own) in levels.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| (&levels[before], &steps[before]));
        let best = before.map_or((0, 0), |(_, steps)| best(steps));
        let shared = index.checked_sub(1).map_or(0, |before| shared(names[before], names[index]));
        let step = |(depth, level): (usize, &Level)| {
            let heading = 1 + if depth == 0 { 1 } else { level.weight as isize };
            let opened = Step { saved: best.0 - heading, from: best.1, opens: true };
            let goes_on = |&(levels, _): &(&Vec<Level>, _)| {
                level.end <= shared && levels.get(depth).is_some_and(|other| other.end == level.end)
            };
            let kept =
                before.filter(goes_on).and_then(|(_, steps): (_, &Vec<Step>)| steps.get(depth));
            let kept = kept.map(|step| Step { saved: step.saved, from: depth, opens: false });
            let step = kept.filter(|kept| kept.saved >= opened.saved).unwrap_or(opened);
            Step { saved: step.saved + level.weight as isize, ..step }
        };
        let next = own.iter().enumerate().map(step).collect();
        steps.push(next);
    }
    let (saved, mut depth) = best(steps.last()?);
    let mut cuts = Vec::with_capacity(names.len());
    for (levels, steps) in levels.iter().zip(&steps).rev() {
        let step = steps.get(depth)?;
        cuts.push(Cut { end: levels.get(depth)?.end, opens: step.opens });
        depth = step.from;
    }
    cuts.reverse();
    Some((cuts, usize::try_from(saved).ok()?))
}

#[derive(Debug, Clone, Copy)]
struct Step {
    saved: isize,
    from: usize,
    opens: bool,
}

fn best(steps: &[Step]) -> (isize, usize) {
    let indexed = steps.iter().enumerate().map(|(index, step)| (step.saved, index));
    indexed.max_by_key(|&(saved, index)| (saved, std::cmp::Reverse(index))).unwrap_or_default()
}

/// How many bytes two names share at their start.
fn shared(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// The folder that all names are in, with its last slash; no name is left empty.
pub(super) fn common_folder<'a>(names: &[&'a str]) -> &'a str {
    let Some((first, rest)) = names.split_first() else { return "" };
    let shared = rest.iter().fold(first.len(), |length, name| length.min(shared(first, name)));
    let shortest = names.iter().map(|name| name.len()).min().unwrap_or(0);
    let mut bytes = first.bytes().take(shared.min(shortest.saturating_sub(1)));
    let end = bytes.rposition(is_slash).map_or(0, |slash| slash + 1);
    first.get(..end).unwrap_or("")
}

fn is_slash(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// The places where a name may be cut: after folders, after `file:`, or, without folders, after dots.
fn levels(name: &str) -> Vec<Level> {
    let mut levels = vec![ROOT];
    let bytes = &name.as_bytes()[..name.len().min(LONGEST_NAME)];
    let start = bytes.iter().take_while(|&&byte| byte == b' ').count();
    let has_slash = memchr::memchr2(b'/', b'\\', bytes).is_some();
    let (mut part, mut dots, mut weight) = (start, 0, 0);
    for (index, &byte) in bytes.iter().enumerate().skip(start) {
        weight += step_weight(bytes, index);
        let next = bytes.get(index + 1).copied().unwrap_or(b' ');
        let cut = match byte {
            _ if levels.len() == MOST_LEVELS => break,
            b'/' | b'\\' if is_slash(next) => continue,
            b'/' | b'\\' if is_part(&bytes[part..index], index == start) => true,
            b'/' | b'\\' => break,
            b':' if is_slash(next) || next == b':' => false,
            b':' => true,
            b'.' if !has_slash && bytes[start].is_ascii_alphabetic() => {
                dots += 1;
                dots > 1
            }
            b' ' | b'=' if !has_slash => break,
            _ => false,
        };
        if cut && next != b' ' && &bytes[..=index] != b"./" {
            levels.push(Level { end: index + 1, weight });
        }
        if byte == b':' && cut {
            break;
        }
        if cut {
            part = index + 1;
        }
    }
    levels
}

/// Is this the name of a folder? Slashes of comments and fractions have nothing or blanks beside them.
fn is_part(part: &[u8], at_start: bool) -> bool {
    match (part.first(), part.last()) {
        (Some(first), Some(last)) => *first != b' ' && *last != b' ',
        _ => at_start,
    }
}
