//! A client's file on disk: read whole, replaced whole, with what it was before kept beside it.

use anyhow::{Context, bail};
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What the name of a backup ends with.
const BACKUP: &str = ".tokenforge-backup";

/// A file as it was when it was read.
pub(super) struct ClientFile {
    /// As it was named.
    pub(super) name: PathBuf,
    /// Where it is, behind all links.
    path: PathBuf,
    pub(super) text: String,
    metadata: Metadata,
}

impl ClientFile {
    pub(super) fn read(name: &Path) -> anyhow::Result<Self> {
        let shown = || format!("cannot read {}", name.display());
        let path = fs::canonicalize(name).with_context(shown)?;
        let metadata = fs::metadata(&path).with_context(shown)?;
        if !metadata.is_file() {
            bail!("{} is not a file", name.display());
        }
        let text = fs::read_to_string(&path).with_context(shown)?;
        Ok(ClientFile { name: name.to_owned(), path, text, metadata })
    }

    /// Where it is kept as it was.
    pub(super) fn backup_path(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(BACKUP);
        PathBuf::from(name)
    }

    /// As it was, if that is kept.
    pub(super) fn backup(&self) -> anyhow::Result<Option<String>> {
        let path = self.backup_path();
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Keeps this beside it.
    pub(super) fn keep(&self, text: &str) -> anyhow::Result<()> {
        self.put(&self.backup_path(), text)
    }

    /// Is done with the backup.
    pub(super) fn forget(&self) -> anyhow::Result<()> {
        let path = self.backup_path();
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", path.display()))
            }
            _ => Ok(()),
        }
    }

    /// Puts this in its place. Clients write their files too: what came in between is not lost.
    pub(super) fn replace(&self, text: &str) -> anyhow::Result<()> {
        if fs::read_to_string(&self.path).ok().as_deref() != Some(&self.text) {
            bail!(
                "{} changed in the meantime, and was left as it is; try again",
                self.name.display()
            );
        }
        self.put(&self.path, text)
    }

    fn put(&self, path: &Path, text: &str) -> anyhow::Result<()> {
        self.written(path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// A new file that takes the place of the old one, so that there is always a whole one, for the same readers.
    fn written(&self, path: &Path, text: &str) -> io::Result<()> {
        let mut new = NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
        new.write_all(text.as_bytes())?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            // Whoever is not root can only give it to himself, which it is already.
            let _ = fchown(new.as_file(), Some(self.metadata.uid()), Some(self.metadata.gid()));
        }
        new.as_file().set_permissions(self.metadata.permissions())?;
        new.as_file().sync_all()?;
        new.persist(path)?;
        Ok(())
    }
}
