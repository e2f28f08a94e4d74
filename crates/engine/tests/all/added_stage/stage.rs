//! The stage with its decoder: lines that begin alike, with their beginning said once.

use tokenforge_engine::{Fidelity, Stage, StageContext, StageOutput};

const HEADER: &str = "[each line begins with: ";
const END: &str = "]\n";

/// A shorter beginning is not worth the header.
const SHORTEST: usize = 12;

pub(crate) struct SharedStart;

impl Stage for SharedStart {
    fn name(&self) -> &'static str {
        "shared_start"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        let mut lines = text.split_inclusive('\n');
        let first = lines.next()?.trim_end_matches('\n');
        let start = lines.fold(first, |start, line| &start[..common(start, line)]);
        let is_worth_it = start.len() >= SHORTEST && text.lines().count() > 2;
        let rest = || text.split_inclusive('\n').map(|line| &line[start.len()..]);
        is_worth_it.then(|| format!("{HEADER}{start}{END}{}", rest().collect::<String>()).into())
    }

    fn decode(&self, text: &str) -> Option<String> {
        let (start, rest) = text.strip_prefix(HEADER)?.split_once(END)?;
        Some(rest.split_inclusive('\n').map(|line| format!("{start}{line}")).collect())
    }
}

/// How many bytes two texts have in common at their beginning, in whole characters.
fn common(one: &str, other: &str) -> usize {
    let same = one.char_indices().zip(other.chars()).take_while(|((_, a), b)| a == b);
    same.last().map_or(0, |((at, char), _)| at + char.len_utf8())
}
