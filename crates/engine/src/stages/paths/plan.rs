//! Dynamic programming over headings, which cost least: the best choice for every line, given the best choices for the lines before it.

use crate::weight::step_weight;

/// Where a name may be cut: everything before `end` would be in the heading, and is worth `weight` tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CutLevel {
    pub(super) end: usize,
    weight: usize,
}

/// The cut chosen for a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NameCut {
    pub(super) end: usize,
    /// The name starts a new group.
    pub(super) opens: bool,
}

/// Lines longer than this are not looked at further.
const LONGEST_NAME: usize = 512;
const MOST_LEVELS: usize = 16;
const ROOT: CutLevel = CutLevel { end: 0, weight: 0 };

/// The cuts that save most, and about how many tokens they save.
pub(super) fn cuts(names: &[&str]) -> (Vec<NameCut>, usize) {
    if !often_share(names) {
        let root = |index| NameCut { end: 0, opens: index == 0 };
        return ((0..names.len()).map(root).collect(), 0);
    }
    let mut grid = Grid::default();
    for (index, name) in names.iter().enumerate() {
        let shared = index.checked_sub(1).map_or(0, |before| shared_prefix(names[before], name));
        grid.add(levels(name), shared);
    }
    grid.best_cuts()
}

/// Names, and for each the levels it may be cut at with the best that can be done up to there.
#[derive(Debug, Default)]
struct Grid {
    steps: Vec<GridStep>,
    /// Where the steps of each name start.
    names: Vec<usize>,
}

impl Grid {
    /// Adds a name with the number of bytes that it shares with the one before.
    fn add(&mut self, levels: impl Iterator<Item = CutLevel>, shared: usize) {
        let before = self.names.last().copied().unwrap_or(0);
        let start = self.steps.len();
        let (best_saved, best_depth) = best(&self.steps[before..]);
        for (depth, level) in levels.enumerate() {
            let weight = level.weight as isize;
            let heading = 1 + if depth == 0 { 1 } else { weight };
            let opened =
                GridStep { level, saved: best_saved - heading, from: best_depth, opens: true };
            let same = |step: &&GridStep| step.level.end == level.end && level.end <= shared;
            let above = self.steps[before..start].get(depth).filter(same);
            let kept = above.map(|step| GridStep { from: depth, opens: false, ..*step });
            let step = kept.filter(|kept| kept.saved >= opened.saved).unwrap_or(opened);
            self.steps.push(GridStep { level, saved: step.saved + weight, ..step });
        }
        self.names.push(start);
    }

    fn best_cuts(&self) -> (Vec<NameCut>, usize) {
        let last = self.names.last().copied().unwrap_or(0);
        let (saved, mut depth) = best(&self.steps[last..]);
        let cut = |&start: &usize| {
            let step = self.steps[start + depth];
            depth = step.from;
            NameCut { end: step.level.end, opens: step.opens }
        };
        let mut cuts: Vec<_> = self.names.iter().rev().map(cut).collect();
        cuts.reverse();
        (cuts, usize::try_from(saved).unwrap_or(0))
    }
}

/// A name cut at a level.
#[derive(Debug, Clone, Copy)]
struct GridStep {
    level: CutLevel,
    /// Tokens saved up to here.
    saved: isize,
    /// The level at which the name before is cut.
    from: usize,
    opens: bool,
}

fn best(steps: &[GridStep]) -> (isize, usize) {
    let indexed = steps.iter().enumerate().map(|(index, step)| (step.saved, index));
    indexed.max_by_key(|&(saved, index)| (saved, std::cmp::Reverse(index))).unwrap_or_default()
}

/// Do enough neighbours start with the same folder for a closer look?
pub(super) fn often_share(names: &[&str]) -> bool {
    let separator = |byte: &u8| matches!(byte, b'/' | b'\\' | b':' | b'.');
    let sharing = names.windows(2).filter(|pair| {
        let pair = [pair[0].as_bytes(), pair[1].as_bytes()];
        // Most neighbours differ at once.
        pair[0].first() == pair[1].first()
            && pair[0].iter().zip(pair[1]).take_while(|(a, b)| a == b).any(|(a, _)| separator(a))
    });
    4 * sharing.count() >= names.len()
}

/// How many bytes two names share at their start.
fn shared_prefix(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

fn is_slash(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// The places where a name may be cut: after folders, after `file:`, or, without folders, after dots.
fn levels(name: &str) -> impl Iterator<Item = CutLevel> {
    let bytes = &name.as_bytes()[..name.len().min(LONGEST_NAME)];
    let start = bytes.iter().take_while(|&&byte| byte == b' ').count();
    let has_slash = memchr::memchr2(b'/', b'\\', bytes).is_some();
    // A URL is copied and searched for whole.
    let bytes = if memchr::memmem::find(bytes, b"://").is_some() { &[][..] } else { bytes };
    let has_words = !has_slash && bytes.get(start).is_some_and(u8::is_ascii_alphabetic);
    let (mut index, mut part, mut dots, mut weight) = (start, start, 0, 0);
    let folders = std::iter::from_fn(move || {
        while index < bytes.len() {
            let (byte, next) = (bytes[index], bytes.get(index + 1).copied().unwrap_or(b' '));
            weight += step_weight(bytes, index);
            index += 1;
            let ends = match byte {
                b'/' | b'\\' if is_slash(next) => false,
                b'/' | b'\\' if is_part(&bytes[part..index - 1], index - 1 == start) => true,
                b':' => !is_slash(next) && next != b':',
                b'.' if has_words => {
                    dots += 1;
                    dots > 1
                }
                b'/' | b'\\' => return None,
                b' ' | b'=' if !has_slash => return None,
                _ => false,
            };
            // Between digits it is part of a number, a date or a time.
            let is_inside = ends
                && next.is_ascii_digit()
                && index.checked_sub(2).is_some_and(|before| bytes[before].is_ascii_digit());
            if ends && !is_inside {
                part = index;
                let end = index;
                // What follows the name of a file is text.
                index = if byte == b':' { bytes.len() } else { index };
                if next != b' ' && bytes[..end] != *b"./" {
                    return Some(CutLevel { end, weight });
                }
            }
        }
        None
    });
    std::iter::once(ROOT).chain(folders).take(MOST_LEVELS)
}

/// Is this the name of a folder? Slashes of comments and fractions have nothing or blanks beside them.
fn is_part(part: &[u8], at_start: bool) -> bool {
    match (part.first(), part.last()) {
        (Some(first), Some(last)) => *first != b' ' && *last != b' ',
        _ => at_start,
    }
}
