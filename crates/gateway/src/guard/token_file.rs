//! A token in the data folder: drawn from the operating system once, readable by its owner alone.

use super::hex;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use tokenforge_config::Secret;

/// The fewest characters that a token has: 128 bits in hexadecimal digits.
const SHORTEST: usize = 32;

/// The longest file that can be one.
const LONGEST: u64 = 4096;

/// The token in this file, which is drawn if there is none. A file that is there is never written.
///
/// # Errors
/// The file can neither be read nor made, holds no token, or can be read by others.
pub fn draw_token(path: &Path) -> io::Result<Secret> {
    match read_token(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        read => return read,
    }
    let mut bytes = [0; 36];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    if let Some(folder) = path.parent() {
        private_folder(folder)?;
    }
    let draft = path.with_extension(format!("{}.new", hex(&bytes[..4])));
    match put(path, &draft, &hex(&bytes[4..])) {
        // Another process was quicker: its token counts.
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => read_token(path),
    }
}

/// The token in this file.
///
/// # Errors
/// The file cannot be read, holds no token, or can be read by others.
pub fn read_token(path: &Path) -> io::Result<Secret> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    if let Some(mode) = shared_mode(&metadata) {
        return Err(io::Error::other(format!(
            "other users can read or write it (mode {mode:o}): run `chmod 600 {}`, or remove it and restart the gateway \
             for a new token",
            path.display()
        )));
    }
    if metadata.len() > LONGEST {
        return Err(io::Error::other("it holds no token; remove it to get a new one"));
    }
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let token = text.trim();
    let is_token = token.len() >= SHORTEST && token.bytes().all(|byte| byte.is_ascii_graphic());
    if is_token {
        Ok(Secret::new(token))
    } else {
        Err(io::Error::other("it holds no token; remove it to get a new one"))
    }
}

/// Puts a whole file in its place at once, unless there is one: a link to a file that is complete.
fn put(path: &Path, draft: &Path, token: &str) -> io::Result<()> {
    write(draft, token)?;
    let linked = fs::hard_link(draft, path);
    let _ = fs::remove_file(draft);
    match linked {
        // A file system without links: another reader may see an empty file for a moment, and says so.
        Err(error) if error.kind() != ErrorKind::AlreadyExists => write(path, token),
        linked => linked,
    }
}

fn write(path: &Path, token: &str) -> io::Result<()> {
    let mut file = private_file(path)?;
    writeln!(file, "{token}")?;
    file.sync_all()
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// The mode of a file that others than its owner can use.
#[cfg(unix)]
fn shared_mode(metadata: &fs::Metadata) -> Option<u32> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
fn shared_mode(_: &fs::Metadata) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d60_the_token_is_drawn_once_for_all_who_start_at_the_same_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data/admin_token");
        let draw = || draw_token(&path).unwrap().expose().to_owned();
        let drawn = std::thread::scope(|scope| {
            let drawn: Vec<_> = (0..8).map(|_| scope.spawn(draw)).collect();
            drawn.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        let token = draw();
        assert!(drawn.iter().all(|other| *other == token));
        assert_eq!(token.len(), 64);
        let names: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
        assert_eq!(names.len(), 1, "no draft is left");
    }

    #[cfg(unix)]
    #[test]
    fn d60_the_token_is_its_owners_alone_and_never_overwritten() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data/admin_token");
        draw_token(&path).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let shared = draw_token(&path).unwrap_err().to_string();
        assert!(shared.contains("chmod 600"), "{shared}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        for wrong in ["", "short\n", "a token with spaces in it, which no header can have"] {
            fs::write(&path, wrong).unwrap();
            assert!(draw_token(&path).is_err(), "{wrong}");
            assert_eq!(fs::read_to_string(&path).unwrap(), wrong);
        }
    }
}
