//! The state on a disk: one small file, changed under a lock, so that several gateways and `tokenforge shadow release` can
//! share it, and replaced whole, so that no process reads half of it.

use crate::state::ShadowState;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const NAME: &str = "shadow.json";
const LOCK: &str = "shadow.lock";
const NEXT: &str = "shadow.json.next";

/// The files that Tokenforge writes are far shorter. A longer file is from another program.
const LONGEST: u64 = 4 << 20;

/// Where the state is kept.
#[derive(Debug, Clone)]
pub struct ShadowFile {
    folder: PathBuf,
}

/// Tells one content of the file from another without reading it. `None`: there is no file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileStamp(Option<(SystemTime, u64)>);

impl ShadowFile {
    /// The file in this folder: the ledger's, beside what was spent.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        ShadowFile { folder: folder.to_owned() }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    /// What it holds; nothing if there is none.
    ///
    /// # Errors
    /// It cannot be read, or is none of ours.
    pub fn read(&self) -> io::Result<Option<ShadowState>> {
        let path = self.path();
        let length = match fs::metadata(&path) {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let wrong = |why: String| {
            let message = format!("{}: {why}; remove the file to begin anew", path.display());
            io::Error::new(io::ErrorKind::InvalidData, message)
        };
        if length > LONGEST {
            return Err(wrong(format!("expected at most {LONGEST} bytes, found {length}")));
        }
        let state: ShadowState = serde_json::from_slice(&fs::read(&path)?)
            .map_err(|error| wrong(format!("expected what Tokenforge wrote, found {error}")))?;
        if state.is_ours() {
            Ok(Some(state))
        } else {
            Err(wrong("it is of another version of Tokenforge".to_owned()))
        }
    }

    /// Changes what it holds. A lock keeps other processes from changing it meanwhile. Blocks.
    ///
    /// # Errors
    /// As [`read`](Self::read), and it cannot be written: then nothing is changed.
    pub fn update<T>(&self, now: u64, change: impl FnOnce(&mut ShadowState) -> T) -> io::Result<T> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.folder)?;
        // Freed when it is dropped.
        let lock = private(&self.folder.join(LOCK))?;
        lock.lock()?;
        let mut state = self.read()?.unwrap_or_else(|| ShadowState::new(now));
        let answer = change(&mut state);
        let next = self.folder.join(NEXT);
        let mut file = private(&next)?;
        file.write_all(&serde_json::to_vec(&state)?)?;
        file.sync_data()?;
        fs::rename(&next, self.path())?;
        Ok(answer)
    }

    /// Whether it is still what it was.
    #[must_use]
    pub fn stamp(&self) -> FileStamp {
        let metadata = fs::metadata(self.path()).ok();
        FileStamp(metadata.and_then(|it| Some((it.modified().ok()?, it.len()))))
    }
}

fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Undecided;

    #[test]
    fn v6_what_many_change_at_once_is_all_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = ShadowFile::in_folder(&folder.path().join("savings"));
        assert_eq!(file.read().unwrap(), None);
        let before = file.stamp();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        file.update(1, |state| state.skip(Undecided::Budget)).unwrap();
                    }
                });
            }
        });
        assert_eq!(file.read().unwrap().unwrap().undecided["budget"], 100);
        assert_ne!(file.stamp(), before);
    }

    #[test]
    fn v6_a_file_that_is_not_ours_is_said_and_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = ShadowFile::in_folder(folder.path());
        for other in ["", "{}", r#"{"version":9}"#] {
            fs::write(file.path(), other).unwrap();
            let error = file.read().unwrap_err().to_string();
            assert!(error.contains("shadow.json") && error.contains("remove the file"), "{error}");
            assert!(file.update(1, |state| state.skip(Undecided::Budget)).is_err());
            assert_eq!(fs::read_to_string(file.path()).unwrap(), other);
        }
        file.update(1, |_| ()).unwrap_err();
        fs::remove_file(file.path()).unwrap();
        file.update(7, |_| ()).unwrap();
        let mut other = serde_json::to_value(file.read().unwrap().unwrap()).unwrap();
        other["version"] = 9.into();
        fs::write(file.path(), other.to_string()).unwrap();
        assert!(file.read().unwrap_err().to_string().contains("another version"));
    }

    #[cfg(unix)]
    #[test]
    fn v6_no_other_user_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = ShadowFile::in_folder(folder.path());
        file.update(1, |_| ()).unwrap();
        let mode = fs::metadata(file.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");
    }
}
