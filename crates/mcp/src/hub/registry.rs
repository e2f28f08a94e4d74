//! Servers that were added, changed or removed at run time, kept in a file.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tokenforge_config::McpBackend;

/// What differs from the settings, by prefix; `None`: the server is removed.
#[derive(Debug, Default)]
pub struct BackendRegistry {
    file: Option<PathBuf>,
    entries: BTreeMap<String, Option<McpBackend>>,
    /// Does the file hold what could not be read? It is not to be lost.
    is_unread: bool,
}

/// A change that could not be kept, and was not made.
#[derive(Debug, thiserror::Error)]
#[error("the change cannot be kept in {}: {error}", path.display())]
pub struct NotSaved {
    path: PathBuf,
    error: io::Error,
}

impl BackendRegistry {
    /// Reads the file, if there is one.
    ///
    /// # Errors
    /// It cannot be read, or holds what is no server.
    pub fn open(file: Option<PathBuf>) -> io::Result<Self> {
        let entries = file.as_deref().map(read).transpose()?.unwrap_or_default();
        Ok(BackendRegistry { file, entries, is_unread: false })
    }

    /// The same for who serves: what cannot be read is said, and is no reason not to.
    pub(super) fn open_or_empty(file: Option<PathBuf>) -> Self {
        Self::open(file.clone()).unwrap_or_else(|error| {
            let path = file.as_deref().unwrap_or(Path::new(""));
            tracing::error!(path = %path.display(), %error, "tool servers that were added are not there");
            BackendRegistry { file, entries: BTreeMap::new(), is_unread: true }
        })
    }

    /// Reads the file again.
    pub(super) fn reload(&mut self) -> io::Result<()> {
        *self = Self::open(self.file.clone())?;
        Ok(())
    }

    /// These servers, with what differs.
    #[must_use]
    pub fn over(&self, settings: &BTreeMap<String, McpBackend>) -> BTreeMap<String, McpBackend> {
        let mut all = settings.clone();
        for (prefix, entry) in &self.entries {
            match entry {
                Some(definition) => all.insert(prefix.clone(), definition.clone()),
                None => all.remove(prefix),
            };
        }
        all
    }

    /// Changes an entry, once that is kept.
    ///
    /// # Errors
    /// It cannot be kept.
    pub fn put(&mut self, prefix: &str, definition: Option<McpBackend>) -> Result<(), NotSaved> {
        let mut entries = self.entries.clone();
        entries.insert(prefix.to_owned(), definition);
        if let Some(path) = &self.file {
            let written = if self.is_unread {
                Err(io::Error::other("what is in it cannot be read, and would be lost"))
            } else {
                write(path, &entries)
            };
            written.map_err(|error| NotSaved { path: path.clone(), error })?;
        }
        self.entries = entries;
        Ok(())
    }
}

fn read(path: &Path) -> io::Result<BTreeMap<String, Option<McpBackend>>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error),
    };
    let document: Value = serde_json::from_str(&text)?;
    let mut entries = BTreeMap::new();
    for (prefix, entry) in document["backends"].as_object().into_iter().flatten() {
        let definition = match entry {
            Value::Null => None,
            entry => Some(McpBackend::from_json(prefix, entry).map_err(io::Error::other)?),
        };
        entries.insert(prefix.clone(), definition);
    }
    Ok(entries)
}

/// Writes a new file and puts it in the place of the old one, so that there is always a whole one. It holds keys: only
/// its owner reads it.
fn write(path: &Path, entries: &BTreeMap<String, Option<McpBackend>>) -> io::Result<()> {
    let stored = |(prefix, entry): (&String, &Option<McpBackend>)| {
        (prefix.clone(), entry.as_ref().map_or(Value::Null, McpBackend::to_stored_json))
    };
    let backends: Map<String, Value> = entries.iter().map(stored).collect();
    let text = serde_json::to_vec_pretty(&json!({ "backends": backends }))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // Under an unpredictable name and for this user alone, because another user who may write to the folder could have
    // put a link there.
    let mut file = tempfile::Builder::new().prefix(".mcp").tempfile_in(folder)?;
    file.write_all(&text)?;
    keep_owner(file.as_file(), folder);
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// An administrator may add a server for a service: its file is the service's, or that could not read it.
#[cfg(unix)]
fn keep_owner(file: &File, folder: &Path) {
    use std::os::unix::fs::{MetadataExt, fchown};
    if let (Ok(own), Ok(folder)) = (file.metadata(), fs::metadata(folder))
        && own.uid() != folder.uid()
    {
        let _ = fchown(file, Some(folder.uid()), Some(folder.gid()));
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn backend(url: &str) -> McpBackend {
        McpBackend::from_json("x", &json!({"url": url, "headers": {"Authorization": "Bearer k"}}))
            .unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_another_user_made_is_not_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("other");
        fs::write(&other, "precious").unwrap();
        let path = folder.path().join("mcp.json");
        for name in ["mcp.new", "mcp.json"] {
            std::os::unix::fs::symlink(&other, folder.path().join(name)).unwrap();
        }
        let mut registry =
            BackendRegistry { file: Some(path.clone()), ..BackendRegistry::default() };
        registry.put("a", Some(backend("http://a/"))).unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "precious");
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
    }

    #[test]
    fn m20_changes_are_kept_in_a_file_that_only_its_owner_reads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/mcp.json");
        let mut registry = BackendRegistry::open(Some(path.clone())).unwrap();
        registry.put("a", Some(backend("http://a/"))).unwrap();
        registry.put("b", None).unwrap();
        let again = BackendRegistry::open(Some(path.clone())).unwrap();
        let settings = BTreeMap::from([("b".to_owned(), backend("http://b/"))]);
        assert_eq!(again.over(&settings), BTreeMap::from([("a".to_owned(), backend("http://a/"))]));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_change_that_cannot_be_kept_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("folder");
        fs::create_dir(&path).unwrap();
        let mut registry = BackendRegistry { file: Some(path), ..BackendRegistry::default() };
        assert!(registry.put("a", Some(backend("http://a/"))).is_err());
        assert!(registry.over(&BTreeMap::new()).is_empty());
    }

    #[test]
    fn a_file_that_cannot_be_read_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        fs::write(&path, "{\"backends\": {\"a\": {\"command\": \"x\"},}}").unwrap();
        assert!(BackendRegistry::open(Some(path.clone())).is_err());
        let mut registry = BackendRegistry::open_or_empty(Some(path.clone()));
        let said = registry.put("b", Some(backend("http://b/"))).unwrap_err().to_string();
        assert!(said.contains("would be lost"), "{said}");
        assert!(fs::read_to_string(&path).unwrap().contains("\"x\""));
    }
}
