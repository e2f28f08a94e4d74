//! A held-out set: recorded outputs of test runs, builds, linters, installs and git, half of them for tuning.
//!
//! They are in `runs/`; `runs/index.toml` says of each the tool, its version, the command, the exit status, the kind and
//! the half. Which half an output is in was decided by [`SEED`] and the names alone, before a filter was written for any
//! of them. The author of a filter looks at the tuning half; the held-out half says what the filter is worth.

use fastrand::Rng;
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

/// The seed of the split.
pub const SEED: u64 = 20_261_118;

/// An output of a tool that ran, and what is known of the run.
#[derive(Debug, Clone)]
pub struct RecordedRun {
    /// The file it is in, without its ending.
    pub name: String,
    /// The tool.
    pub tool: String,
    /// The version of the tool.
    pub version: String,
    /// The command line.
    pub command: String,
    /// The exit status of the command.
    pub status: i32,
    /// What the tool does.
    pub kind: RunKind,
    /// What the output is for.
    pub half: Half,
    /// What was printed, standard output and standard error as they came.
    pub text: String,
}

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// Runs tests.
    Test,
    /// Builds, or applies what was built.
    Build,
    /// Checks sources: linters, formatters, type checkers.
    Lint,
    /// Installs packages, or unpacks and copies files.
    Install,
    /// A git command.
    Git,
}

/// What an output is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Half {
    /// Filters are written with it.
    Tuning,
    /// Filters are measured with it, and nothing is tuned to it.
    HeldOut,
}

#[derive(Deserialize)]
struct Index {
    run: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    tool: String,
    #[serde(default)]
    version: String,
    command: String,
    status: i32,
    kind: RunKind,
    half: Half,
}

/// Every recorded run.
///
/// # Panics
/// If the index or a file it names cannot be read.
#[must_use]
pub fn recorded_runs() -> Vec<RecordedRun> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("runs");
    let read = |file: &str| {
        let path = folder.join(file);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let index: Index = toml::from_str(&read("index.toml")).expect("runs/index.toml is an index");
    let run = |entry: Entry| {
        let Entry { name, tool, version, command, status, kind, half } = entry;
        let text = read(&format!("{name}.txt"));
        RecordedRun { name, tool, version, command, status, kind, half, text }
    };
    index.run.into_iter().map(run).collect()
}

/// The names that are held out: of each kind the names are sorted, shuffled by the [`SEED`] and cut in the middle.
#[must_use]
pub fn held_out(names: &[(RunKind, &str)]) -> HashSet<String> {
    let mut kinds: BTreeMap<RunKind, Vec<&str>> = BTreeMap::new();
    for (kind, name) in names {
        kinds.entry(*kind).or_default().push(name);
    }
    let mut rng = Rng::with_seed(SEED);
    let mut held_out = HashSet::new();
    for names in kinds.values_mut() {
        names.sort_unstable();
        rng.shuffle(names);
        held_out.extend(names[names.len() / 2..].iter().map(|name| (*name).to_owned()));
    }
    held_out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_halves_are_those_of_the_seed() {
        let runs = recorded_runs();
        let names: Vec<_> = runs.iter().map(|run| (run.kind, run.name.as_str())).collect();
        let held_out = held_out(&names);
        for run in &runs {
            assert_eq!(run.half == Half::HeldOut, held_out.contains(&run.name), "{}", run.name);
        }
    }

    #[test]
    fn every_file_is_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("runs");
        let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
        let files = files.map(|file| file.into_string().unwrap());
        let mut texts: Vec<_> =
            files.filter_map(|file| file.strip_suffix(".txt").map(str::to_owned)).collect();
        texts.sort();
        let mut listed: Vec<_> = recorded_runs().into_iter().map(|run| run.name).collect();
        listed.sort();
        assert_eq!(texts, listed);
    }
}
