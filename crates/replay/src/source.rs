//! Session logs: where agents keep them, and what is in a folder.

use crate::account::ReplayedSession;
use crate::plan::ReplayPlan;
use crate::preamble_survey::PreambleSurvey;
use crate::probes::Probe;
use crate::read::{self, EventSink, LogOrigin, UnreadableLog, opencode};
use crate::session::{SessionReplay, SkippedLines};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use tokenforge_agents::SessionLogs;

/// Folders deeper than this are not looked into.
const DEEPEST: usize = 12;

/// A log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSource {
    path: PathBuf,
    kind: SourceKind,
    /// How many bytes it has; of a folder that is not known.
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SourceKind {
    File,
    /// The folder of an opencode session's messages.
    OpencodeSession,
}

/// A folder in which an agent keeps its logs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFolder {
    /// Whose.
    pub client: LogOrigin,
    /// Where.
    pub path: PathBuf,
}

/// Where agents keep their logs. `variable` gives the value of a variable that names a folder.
#[must_use]
pub fn log_folders(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<LogFolder> {
    let all = tokenforge_agents::all().iter().filter_map(|agent| agent.logs.as_ref());
    let resolved = all.filter_map(|SessionLogs { format, folder, .. }| {
        Some(LogFolder { client: (*format).into(), path: folder.resolve(variable)? })
    });
    resolved.collect()
}

/// The logs at a path: the file itself, or all files below a folder whose names end like those of logs.
#[must_use]
pub fn at(path: &Path) -> Vec<LogSource> {
    if path.is_file() {
        return LogSource::file(path).into_iter().collect();
    }
    let sessions = opencode::sessions(path);
    if !sessions.is_empty() {
        let session = |path| LogSource { path, kind: SourceKind::OpencodeSession, bytes: 0 };
        return sessions.into_iter().map(session).collect();
    }
    let mut found = Vec::new();
    below(path, 0, &mut found);
    found
}

fn below(folder: &Path, depth: usize, found: &mut Vec<LogSource>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        // A link may lead back to where it is.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEEPEST => below(&path, depth + 1, found),
            Ok(kind) if kind.is_dir() => {}
            _ if is_log(&path) => found.extend(LogSource::file(&path)),
            _ => {}
        }
    }
}

fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl" || extension == "json")
}

impl LogSource {
    fn file(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(LogSource { path: path.to_owned(), kind: SourceKind::File, bytes: found.len() })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Tells the ids of all requests in it that may be in another log too.
    pub(crate) fn requests(&self, tell: &mut dyn FnMut(u64)) {
        if self.kind == SourceKind::File {
            let open = || {
                let input = BufReader::with_capacity(256 << 10, File::open(&self.path)?);
                Ok(Box::new(input) as Box<dyn BufRead>)
            };
            // What cannot be read is said when it is replayed.
            let _ = read::requests(&open, tell);
        }
    }

    /// Replays its sessions while it reads them, and tells `progress` how many bytes it read. Requests that are copies,
    /// as `is_copy` says of their ids, are only what comes before the others.
    ///
    /// # Errors
    /// It cannot be read, or its format is unknown.
    pub fn replay(
        &self,
        plan: &ReplayPlan<'_>,
        probes: Vec<Probe>,
        is_copy: &dyn Fn(u64) -> bool,
        progress: &dyn Fn(u64),
    ) -> Result<(Vec<ReplayedSession>, SkippedLines), UnreadableLog> {
        let (mut sessions, skipped) = self.replay_once(plan, probes.clone(), is_copy, progress)?;
        let sums = |session: &ReplayedSession| session.account.old_results.unwrap_or_default();
        if sessions.iter().any(|session| sums(session).left_out > 0) {
            // What that saves is known by doing without it: fetches and pointers to earlier results differ too.
            let plan = plan.without_old_results();
            let (without, _) = self.replay_once(&plan, probes, is_copy, &|_| {})?;
            for (session, without) in sessions.iter_mut().zip(&without) {
                let saved = without.account.after.less(&session.account.after);
                session.account.old_results.get_or_insert_default().saved = saved;
            }
        }
        Ok((sessions, skipped))
    }

    fn replay_once(
        &self,
        plan: &ReplayPlan<'_>,
        probes: Vec<Probe>,
        is_copy: &dyn Fn(u64) -> bool,
        progress: &dyn Fn(u64),
    ) -> Result<(Vec<ReplayedSession>, SkippedLines), UnreadableLog> {
        let mut survey = PreambleSurvey::new(plan);
        self.read_events(&mut |event| survey.take(event), &|_| {})?;
        let replay = SessionReplay::new(plan).with_probes(probes).with_copies(is_copy);
        let mut replay = replay.with_preambles(survey.finish());
        let client = self.read_events(&mut |event| replay.take(event), progress)?;
        Ok(replay.finish(client, &self.path.display().to_string()))
    }

    /// Tells what is in it.
    pub(crate) fn read_events(
        &self,
        tell: EventSink<'_>,
        progress: &dyn Fn(u64),
    ) -> Result<LogOrigin, UnreadableLog> {
        match self.kind {
            SourceKind::OpencodeSession => {
                opencode::session(&self.path, tell)?;
                Ok(LogOrigin::Opencode)
            }
            SourceKind::File => {
                // The box of a reader must not borrow, and the bytes are told when it is done with them.
                let counted = BytesRead::default();
                let open = || {
                    let input = File::open(&self.path)?;
                    let read = counted.0.clone();
                    let input = BufReader::with_capacity(256 << 10, CountingReader { input, read });
                    Ok(Box::new(input) as Box<dyn BufRead>)
                };
                let mut told = 0;
                read::transcript(&open, &mut |event| {
                    let now = counted.0.get().min(self.bytes);
                    progress(now.saturating_sub(told));
                    told = told.max(now);
                    tell(event);
                })
            }
        }
    }
}

#[derive(Default)]
struct BytesRead(std::rc::Rc<std::cell::Cell<u64>>);

struct CountingReader {
    input: File,
    read: std::rc::Rc<std::cell::Cell<u64>>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.read.set(self.read.get() + count as u64);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_logs_are_looked_for_where_their_variables_say() {
        let set = |name: &str| match name {
            "HOME" => Some(PathBuf::from("/home/u")),
            "CODEX_HOME" => Some(PathBuf::from("/c")),
            _ => None,
        };
        let paths: Vec<_> = log_folders(&set).into_iter().map(|folder| folder.path).collect();
        let expected =
            ["/home/u/.claude/projects", "/c/sessions", "/home/u/.local/share/opencode/storage"];
        assert_eq!(paths, expected.map(PathBuf::from));
        assert_eq!(log_folders(&|_| None), []);
    }

    #[test]
    fn a_folder_is_all_logs_below_it() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("2026/11");
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("rollout-1.jsonl"), "").unwrap();
        fs::write(folder.path().join("notes.txt"), "").unwrap();
        fs::write(folder.path().join("a.json"), "{}").unwrap();
        let found = at(folder.path());
        let names: Vec<_> = found.iter().filter_map(|source| source.path().file_name()).collect();
        assert_eq!(names, ["rollout-1.jsonl", "a.json"]);
        assert_eq!(at(&folder.path().join("none")), []);
    }
}
