//! Many filters, and the one for an output.

use std::sync::{Arc, LazyLock, OnceLock};

use regex::RegexSet;

use super::{FamilyFilter, Invocation, builtin, patterns};

/// How much of an output is looked at to recognise it.
const SHAPE_BYTES: usize = 8 << 10;

/// Filters in the order in which they are asked.
#[derive(Debug, Default)]
pub struct FilterSet {
    filters: Vec<Arc<FamilyFilter>>,
    /// Every shape of every filter, and whose it is; built when the first output of an unknown command comes.
    shapes: OnceLock<Shapes>,
}

#[derive(Debug)]
struct Shapes {
    patterns: RegexSet,
    owners: Vec<usize>,
}

impl FilterSet {
    /// The filters that come with Tokenforge.
    pub fn builtin() -> &'static Self {
        static BUILTIN: LazyLock<FilterSet> = LazyLock::new(|| FilterSet::of(builtin::read_all()));
        &BUILTIN
    }

    /// These filters and then those of this set: users' own come first.
    #[must_use]
    pub fn with(&self, first: Vec<FamilyFilter>) -> Self {
        let mut all = Self::of(first);
        all.filters.extend(self.filters.iter().cloned());
        all
    }

    /// The filter for the output of a command: the first that names the command, else the first that knows the shape
    /// of the output. Of a command that runs other tools (`make`) the shape decides first.
    pub fn find(&self, command: Option<&Invocation>, output: &str) -> Option<&FamilyFilter> {
        let named =
            command.and_then(|command| self.filters.iter().find(|filter| filter.is_for(command)));
        match named {
            Some(filter) if !filter.is_wrapper() => Some(filter),
            _ => self.find_by_shape(output).or(named.map(Arc::as_ref)),
        }
    }

    /// The filter for a command that printed in its own words, where none that names the command or knows the shape is found:
    /// one that knows the structure of runs.
    pub fn fallback(&self) -> Option<&FamilyFilter> {
        self.iter().find(|filter| filter.is_fallback())
    }

    /// Whether every line of a command was asked for: its filter leaves nothing out.
    pub fn is_asked_for(&self, command: &Invocation) -> bool {
        self.iter().find(|filter| filter.is_for(command)).is_some_and(|filter| !filter.is_lossy())
    }

    /// Every filter, in order.
    pub fn iter(&self) -> impl Iterator<Item = &FamilyFilter> {
        self.filters.iter().map(Arc::as_ref)
    }

    fn of(filters: Vec<FamilyFilter>) -> Self {
        Self { filters: filters.into_iter().map(Arc::new).collect(), shapes: OnceLock::new() }
    }

    fn find_by_shape(&self, output: &str) -> Option<&FamilyFilter> {
        let shapes = self.shapes.get_or_init(|| Shapes::of(&self.filters));
        let first = shapes.patterns.matches(beginning(output)).into_iter().next()?;
        self.filters.get(*shapes.owners.get(first)?).map(Arc::as_ref)
    }
}

impl Shapes {
    fn of(filters: &[Arc<FamilyFilter>]) -> Self {
        let (owners, written): (Vec<_>, Vec<_>) = filters
            .iter()
            .enumerate()
            .flat_map(|(owner, filter)| filter.shapes().iter().map(move |shape| (owner, shape)))
            .unzip();
        let patterns = patterns::shapes(&written).unwrap_or_else(|_| RegexSet::empty());
        Self { patterns, owners }
    }
}

/// The first whole lines of a text.
pub(super) fn beginning(text: &str) -> &str {
    if text.len() <= SHAPE_BYTES {
        return text;
    }
    let bytes = &text.as_bytes()[..SHAPE_BYTES];
    let end = bytes.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
    text.get(..end).unwrap_or_default()
}
