//! The version of a folder. One that does not say is of the first: so were the earliest folders.

use super::new_file;
use crate::StoreError;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

const VERSION: &str = "tokenforge-store 1";

/// Refuses a folder of another version.
pub(super) fn check_or_write(folder: &Path) -> Result<(), StoreError> {
    let path = folder.join("version");
    match fs::read(&path) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            if text.trim_end() == VERSION {
                return Ok(());
            }
            let found = text.trim_end().chars().take(64).collect();
            Err(StoreError::UnknownFormat { path, found, known: VERSION })
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // A folder that can only be read still answers, and another process may have been faster.
            let _ = write(folder, &path);
            Ok(())
        }
        Err(error) => Err(StoreError::file("read", &path)(error)),
    }
}

fn write(folder: &Path, path: &Path) -> io::Result<()> {
    let mut file = new_file(folder)?;
    writeln!(file, "{VERSION}")?;
    file.persist_noclobber(path)?;
    Ok(())
}
