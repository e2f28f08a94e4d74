//! The key of a folder: drawn by whichever process comes first, read by all others.

use super::{make_folder, new_file};
use crate::Error;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

const LENGTH: usize = 32;

pub(super) fn read_or_make(path: &Path) -> Result<[u8; LENGTH], Error> {
    match fs::read(path) {
        Ok(bytes) => key(path, &bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let mut fresh = [0; LENGTH];
            getrandom::fill(&mut fresh).map_err(Error::NoRandomness)?;
            match make(path, &fresh) {
                Ok(()) => Ok(fresh),
                // Another process was faster: its key is the key.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    key(path, &fs::read(path).map_err(Error::file("read", path))?)
                }
                Err(error) => Err(Error::file("write", path)(error)),
            }
        }
        Err(error) => Err(Error::file("read", path)(error)),
    }
}

fn key(path: &Path, bytes: &[u8]) -> Result<[u8; LENGTH], Error> {
    let bad = || Error::BadKey { path: path.to_owned(), length: bytes.len() };
    bytes.try_into().map_err(|_| bad())
}

fn make(path: &Path, key: &[u8; LENGTH]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_folder(folder)?;
    let mut file = new_file(folder)?;
    file.write_all(key)?;
    // Entries may be lost when the power fails; the key, without which none is known again, may not.
    file.as_file().sync_all()?;
    file.persist_noclobber(path)?;
    Ok(())
}
