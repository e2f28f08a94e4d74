//! A folder of recordings: `outputs/KIND/*.jsonl`, `sessions/SET/*.json`, `probes/SET/*.jsonl`.

use crate::probes::Probe;
use crate::source::{self, LogSource};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of recordings.
#[derive(Debug, Clone)]
pub struct Corpus {
    folder: PathBuf,
}

/// Why a recording could not be read.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// The file or folder cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not what its place in the folder promises.
    #[error("{path}, line {line}: {reason}")]
    Malformed {
        /// Which file.
        path: PathBuf,
        /// Which line of it.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// There is nothing to measure.
    #[error("{0} holds no recordings; expected outputs/KIND/*.jsonl or sessions/SET/*.json in it")]
    Empty(PathBuf),
}

/// A recorded tool output.
#[derive(Debug, Clone, Deserialize)]
pub struct Recording {
    /// What the tool said.
    pub content: String,
    /// The tool's name.
    #[serde(default)]
    pub tool: Option<String>,
    /// The command line, or the call's arguments as JSON.
    #[serde(default)]
    pub command: Option<String>,
}

impl Corpus {
    /// The recordings in a folder.
    ///
    /// # Errors
    /// If there are none.
    pub fn open(folder: &Path) -> Result<Self, CorpusError> {
        let corpus = Corpus { folder: folder.to_owned() };
        if corpus.kinds()?.is_empty() && corpus.sets()?.is_empty() {
            return Err(CorpusError::Empty(folder.to_owned()));
        }
        Ok(corpus)
    }

    /// The kinds of outputs, by name.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn kinds(&self) -> Result<Vec<String>, CorpusError> {
        names(&self.folder.join("outputs"))
    }

    /// The sets of sessions, by name.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn sets(&self) -> Result<Vec<String>, CorpusError> {
        names(&self.folder.join("sessions"))
    }

    /// The outputs of a kind.
    ///
    /// # Errors
    /// If a file cannot be read or is not JSON lines.
    pub fn outputs(&self, kind: &str) -> Result<Vec<Recording>, CorpusError> {
        let mut outputs = Vec::new();
        for file in files(&self.folder.join("outputs").join(kind), "jsonl")? {
            outputs.append(&mut lines(&file)?);
        }
        Ok(outputs)
    }

    /// The sessions of a set, each with its probes.
    ///
    /// # Errors
    /// If the folder or a file of probes cannot be read.
    pub fn sessions(&self, set: &str) -> Result<Vec<(LogSource, Vec<Probe>)>, CorpusError> {
        let mut sessions = Vec::new();
        for file in files(&self.folder.join("sessions").join(set), "json")? {
            let name = file.file_stem().unwrap_or_default();
            let probes = self.folder.join("probes").join(set).join(name).with_extension("jsonl");
            let probes = if probes.exists() { lines(&probes)? } else { Vec::new() };
            sessions.extend(source::at(&file).into_iter().map(|source| (source, probes.clone())));
        }
        Ok(sessions)
    }
}

fn read(path: &Path) -> Result<String, CorpusError> {
    fs::read_to_string(path).map_err(|source| CorpusError::Read { path: path.to_owned(), source })
}

fn lines<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Vec<T>, CorpusError> {
    let malformed = |line: usize, error: serde_json::Error| CorpusError::Malformed {
        path: path.to_owned(),
        line: line + 1,
        reason: error.to_string(),
    };
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| serde_json::from_str(line).map_err(|error| malformed(at, error)))
        .collect()
}

/// The names of the folders in a folder, sorted; none if it does not exist.
fn names(folder: &Path) -> Result<Vec<String>, CorpusError> {
    let folders = entries(folder)?.into_iter().filter(|path| path.is_dir());
    Ok(folders.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect())
}

fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, CorpusError> {
    let mut files = entries(folder)?;
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    Ok(files)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let fail = |source| CorpusError::Read { path: folder.to_owned(), source };
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(fail)?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(fail)?;
    paths.sort();
    Ok(paths)
}
