//! A client's file on disk: read whole, replaced atomically, with a backup of what it was kept beside it.

use anyhow::{Context, bail};
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use tempfile::NamedTempFile;

/// What the name of a backup ends with.
const BACKUP: &str = "backup";

/// What the name of the note ends with that there was no such file. It says how many folders were made for it.
const NEW: &str = "new";

/// A file as it was when it was read.
pub(crate) struct ClientFile {
    /// As it was named.
    pub(crate) name: PathBuf,
    /// Where it is, behind all links.
    path: PathBuf,
    /// Nothing, if it is not there.
    pub(crate) text: String,
    /// `None`: it is not there.
    metadata: Option<Metadata>,
    /// Whose notes are kept beside it.
    notes: &'static str,
}

/// How a file was before we came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PriorState {
    /// It had this text.
    Text(String),
    /// It was not there, and nor were so many of the folders that it is in.
    Nothing { folders: usize },
}

impl ClientFile {
    /// The same, with notes of one's own beside it: a change that is undone on its own must not be undone by others.
    pub(crate) fn with_notes(self, notes: &'static str) -> Self {
        ClientFile { notes, ..self }
    }

    /// Reads a file that is there.
    pub(crate) fn read_if_there(name: &Path) -> anyhow::Result<Self> {
        let shown = || format!("cannot read {}", name.display());
        refuse_link_outside(name)?;
        let path = fs::canonicalize(name).with_context(shown)?;
        let metadata = fs::metadata(&path).with_context(shown)?;
        if !metadata.is_file() {
            bail!("{} is not a file", name.display());
        }
        let text = fs::read_to_string(&path).with_context(shown)?;
        Ok(ClientFile { name: name.to_owned(), path, text, metadata: Some(metadata), notes: "" })
    }

    /// Reads a file that may not be there.
    pub(crate) fn find(name: &Path) -> anyhow::Result<Self> {
        match fs::symlink_metadata(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                refuse_link_outside(name)?;
                let path = std::path::absolute(name)?;
                let text = String::new();
                Ok(ClientFile { name: name.to_owned(), path, text, metadata: None, notes: "" })
            }
            _ => Self::read_if_there(name),
        }
    }

    pub(crate) fn is_there(&self) -> bool {
        self.metadata.is_some()
    }

    /// The file as it is now, for the caller that is about to change it.
    pub(crate) fn current_state(&self) -> PriorState {
        if self.is_there() {
            return PriorState::Text(self.text.clone());
        }
        let folders = self.path.ancestors().skip(1).take_while(|folder| !folder.exists());
        PriorState::Nothing { folders: folders.count() }
    }

    /// As it was before us, if that is known.
    pub(crate) fn prior_state(&self) -> anyhow::Result<Option<PriorState>> {
        if let Some(text) = self.backup()? {
            return Ok(Some(PriorState::Text(text)));
        }
        let note = read(&self.beside(NEW))?;
        Ok(note.map(|folders| PriorState::Nothing { folders: folders.trim().parse().unwrap_or(0) }))
    }

    /// Where it is kept as it was.
    pub(crate) fn backup_path(&self) -> PathBuf {
        self.beside(BACKUP)
    }

    /// The text that it had, if that is kept.
    pub(crate) fn backup(&self) -> anyhow::Result<Option<String>> {
        read(&self.backup_path())
    }

    /// Keeps beside it how it was, if it still is as it was read: else nothing will be changed, and nothing is left behind.
    pub(crate) fn keep(&self, before: &PriorState) -> anyhow::Result<()> {
        self.check()?;
        match before {
            PriorState::Text(text) => {
                remove(&self.beside(NEW))?;
                self.put(&self.backup_path(), text)
            }
            PriorState::Nothing { folders } => {
                remove(&self.backup_path())?;
                let folder = self.path.parent().unwrap_or(Path::new("."));
                fs::create_dir_all(folder)
                    .with_context(|| format!("cannot create {}", folder.display()))?;
                self.put(&self.beside(NEW), &format!("{folders}\n"))
            }
        }
    }

    /// Is done with what is kept beside it, and with the folders that were made for it, if nothing is in them.
    pub(crate) fn forget(&self) -> anyhow::Result<()> {
        let before = self.prior_state()?;
        remove(&self.backup_path())?;
        remove(&self.beside(NEW))?;
        if let Some(PriorState::Nothing { folders }) = before {
            let made = self.path.ancestors().skip(1).take(folders);
            let _ = made.map(fs::remove_dir).take_while(Result::is_ok).count();
        }
        Ok(())
    }

    /// Puts this in its place. Clients write their files too: what came in between is not lost.
    pub(crate) fn replace(&self, text: &str) -> anyhow::Result<()> {
        self.check()?;
        self.put(&self.path, text)
    }

    /// Takes it away.
    pub(crate) fn remove_if_there(&self) -> anyhow::Result<()> {
        self.check()?;
        remove(&self.path)
    }

    /// Is it still as it was read?
    fn check(&self) -> anyhow::Result<()> {
        let now = read(&self.path)?;
        if now.as_ref() != self.is_there().then_some(&self.text) {
            bail!(
                "{} changed in the meantime, and was left as it is; try again",
                self.name.display()
            );
        }
        Ok(())
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(format!(".tokenforge-{}{ending}", self.notes));
        PathBuf::from(name)
    }

    fn put(&self, path: &Path, text: &str) -> anyhow::Result<()> {
        self.replace_atomically(path, text)
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// A new file that takes the place of the old one, so that there is always a whole one, for the same readers.
    fn replace_atomically(&self, path: &Path, text: &str) -> io::Result<()> {
        let mut new = NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
        new.write_all(text.as_bytes())?;
        if let Some(metadata) = &self.metadata {
            #[cfg(unix)]
            {
                use std::os::unix::fs::{MetadataExt, fchown};
                // Only root can give a file to another user. Others own the new file already, so a failure is ignored.
                let _ = fchown(new.as_file(), Some(metadata.uid()), Some(metadata.gid()));
            }
            new.as_file().set_permissions(metadata.permissions())?;
        }
        new.as_file().sync_all()?;
        new.persist(path)?;
        Ok(())
    }
}

/// Fails if a link leads a file of the current folder out of it: in a cloned repository, a change of the project's file
/// would be one of the user's own. A name that is absolute or has `..` in it was chosen by the user.
fn refuse_link_outside(name: &Path) -> anyhow::Result<()> {
    if name.is_absolute() || name.components().any(|part| part == Component::ParentDir) {
        return Ok(());
    }
    let here = fs::canonicalize(".").context("cannot find the current folder")?;
    let whole = here.join(name);
    let there = whole.ancestors().find(|path| fs::symlink_metadata(path).is_ok());
    let real = fs::canonicalize(there.unwrap_or(&here))
        .with_context(|| format!("cannot read {}", name.display()))?;
    if !real.starts_with(&here) {
        bail!(
            "{} is a link to {}, outside of this folder, so it is left alone; if you mean that file, name it",
            name.display(),
            real.display()
        );
    }
    Ok(())
}

/// The text of a file, if it is there.
fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Takes a file away, if it is there.
fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}
