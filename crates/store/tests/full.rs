//! A disk on which there is no room, and a folder that cannot be written: errors, and nothing half.
//!
//! There are two kinds of no room. A child process may not write files beyond a size, which shows a write that fails in
//! the middle of a file (`EFBIG`). Where the system lets a user mount one, a file system of 256 KiB is really full
//! (`ENOSPC`). A child is this test program, asked for an ignored test below.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;
use tokenforge_store::{DiskStore, EntryKind, Store, StoreError, StoreOptions};

const FOLDER: &str = "TOKENFORGE_STORE_TEST_FOLDER";

#[test]
#[ignore = "a child of the tests below"]
fn child_may_write_files_of_16_kib() {
    let Some(store) = given_store() else { return };
    let put = |id, length: usize| store.put(EntryKind::Original, "t", id, &vec![7; length]);
    for _ in 0..20 {
        let error = put("large", 100_000).unwrap_err();
        assert!(matches!(error, StoreError::File { operation: "write", .. }), "{error}");
        put("small", 10_000).unwrap();
    }
    assert_eq!(store.get(EntryKind::Original, "t", "large").unwrap(), None);
    assert_eq!(store.get(EntryKind::Original, "t", "small").unwrap().unwrap().len(), 10_000);
    assert_eq!(store.stats().unwrap().total().entries, 1);
}

#[test]
#[ignore = "a child of the tests below"]
fn child_fills_the_disk() {
    let Some(store) = given_store() else { return };
    let put = |index: usize| store.put(EntryKind::Original, "t", &index.to_string(), &[7; 10_000]);
    let has =
        |index: usize| store.get(EntryKind::Original, "t", &index.to_string()).unwrap().is_some();
    let error = (0..100).find_map(|index| put(index).err().map(|error| (index, error)));
    let (full, error) = error.expect("the disk is full");
    let is_full = matches!(&error, StoreError::File { source, .. } if source.kind() == std::io::ErrorKind::StorageFull);
    assert!(full > 5 && is_full, "{full}: {error}");
    for _ in 0..20 {
        put(full).unwrap_err();
    }
    assert!((0..full).all(has));
    assert!(store.purge(None, None).unwrap() >= full as u64);
    put(full).unwrap();
    assert!(has(full));
}

#[test]
fn a_write_that_fails_in_the_middle_is_an_error_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // In blocks of 512 bytes. A signal that is ignored stays ignored in the program that is then run.
    let limit = "trap '' XFSZ && ulimit -f 32";
    run(Command::new("sh"), limit, "child_may_write_files_of_16_kib", folder.path());
    let files = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let shards = files.filter(|path| path.is_dir());
    let in_shards = shards.flat_map(|shard| fs::read_dir(shard).unwrap()).count();
    assert_eq!(in_shards, 1);
}

#[test]
fn a_full_disk_is_an_error_and_serves_again_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let mount = format!("mount -t tmpfs -o size=256k tmpfs {}", folder.path().display());
    let user_who_may_mount = || {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh"]);
        command
    };
    if !user_who_may_mount().args(["-c", &mount]).output().is_ok_and(|run| run.status.success()) {
        println!("skipped: this system does not let a user mount a file system");
        return;
    }
    run(user_who_may_mount(), &mount, "child_fills_the_disk", folder.path());
}

#[test]
fn a_folder_that_becomes_a_file_is_an_error_until_it_can_be_made_again() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("store");
    let store = DiskStore::open(&folder, StoreOptions::DISK).unwrap();
    let put = || store.put(EntryKind::Original, "t", "id", b"bytes");
    put().unwrap();
    // The first put begins a sweep, which would write into the folder while it is removed.
    store.finish_sweep().unwrap();
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, b"").unwrap();
    for _ in 0..3 {
        let error = put().unwrap_err();
        assert!(matches!(error, StoreError::File { .. }), "{error}");
        assert!(store.get(EntryKind::Original, "t", "id").is_err());
        assert!(store.key().is_err() && store.stats().is_err() && store.purge(None, None).is_err());
    }
    fs::remove_file(&folder).unwrap();
    put().unwrap();
    assert_eq!(store.get(EntryKind::Original, "t", "id").unwrap().unwrap(), b"bytes");
    assert_eq!(store.key().unwrap(), store.key().unwrap());
}

/// Runs a child in a shell, after this command.
fn run(mut shell: Command, before: &str, child: &str, folder: &Path) {
    let output = shell
        .args(["-c", &format!("{before} && exec \"$@\""), "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", child])
        .env(FOLDER, folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// The store a child is told to use; none when all ignored tests are asked for.
fn given_store() -> Option<DiskStore> {
    Some(DiskStore::open(std::env::var_os(FOLDER)?, StoreOptions::DISK).unwrap())
}
