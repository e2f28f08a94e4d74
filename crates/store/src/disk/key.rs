//! A key file: drawn by whichever process comes first, read by all others.

use super::{make_folder, new_file};
use crate::{StoreError, key};
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// The key in a file, which is made, for this user alone, if it is not there. Processes that do this at once agree.
///
/// # Errors
/// There is no such file and none can be made, or it holds something else.
pub fn key_file(path: &Path) -> Result<[u8; key::LENGTH], StoreError> {
    match fs::read(path) {
        Ok(bytes) => key::read_key(path.display(), &bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let fresh = key::random()?;
            match make(path, &fresh) {
                Ok(()) => Ok(fresh),
                // Another process was faster: its key is the key.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    let bytes = fs::read(path).map_err(StoreError::file("read", path))?;
                    key::read_key(path.display(), &bytes)
                }
                Err(error) => Err(StoreError::file("write", path)(error)),
            }
        }
        Err(error) => Err(StoreError::file("read", path)(error)),
    }
}

fn make(path: &Path, key: &[u8; key::LENGTH]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_folder(folder)?;
    let mut file = new_file(folder)?;
    file.write_all(key)?;
    // Entries may be lost when the power fails; the key, without which none is known again, may not.
    file.as_file().sync_all()?;
    file.persist_noclobber(path)?;
    Ok(())
}
