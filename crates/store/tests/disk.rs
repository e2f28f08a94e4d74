//! What the store on disk promises beside: bounds, permissions, damage, errors, the key.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod kit;

use kit::{HOUR, Passing, Time};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, SystemTime};
use tokenforge_store::{DiskStore, EntryKind, Store, StoreError, StoreOptions, StoreStats};

fn open(folder: &Path) -> DiskStore {
    DiskStore::open(folder, StoreOptions::DISK).unwrap()
}

/// Every file under a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let is_entry = |path: &PathBuf| path.extension().is_some();
    files(folder).into_iter().filter(is_entry).collect()
}

#[test]
fn g39_entries_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    let found = open(folder.path()).get(EntryKind::Original, "t", "id").unwrap();
    assert_eq!(found.unwrap(), b"bytes");
}

#[test]
fn g39_the_key_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let key = open(folder.path()).key().unwrap();
    assert_eq!(open(folder.path()).key().unwrap(), key);
    let other = tempfile::tempdir().unwrap();
    assert_ne!(open(other.path()).key().unwrap(), key);
}

#[test]
fn a_damaged_key_is_reported_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    fs::write(&path, b"short").unwrap();
    let error = open(folder.path()).key().unwrap_err();
    assert!(matches!(error, StoreError::BadKey { length: 5, .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"short");
}

#[test]
fn a_folder_says_its_version_and_one_of_another_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("version");
    open(folder.path()).put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "tokenforge-store 1\n");
    for other in ["tokenforge-store 2\n", "", "\u{0}"] {
        fs::write(&path, other).unwrap();
        let error = DiskStore::open(folder.path(), StoreOptions::DISK).unwrap_err();
        assert!(matches!(error, StoreError::UnknownFormat { .. }), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), other);
    }
    fs::write(&path, "tokenforge-store 2\n").unwrap();
    let error = DiskStore::open(folder.path(), StoreOptions::DISK).unwrap_err().to_string();
    let start = format!("{} says `tokenforge-store 2`, and", path.display());
    assert!(error.starts_with(&start), "{error}");
}

#[test]
fn a_folder_from_before_there_were_versions_is_used() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    fs::remove_file(folder.path().join("version")).unwrap();
    assert!(open(folder.path()).get(EntryKind::Original, "t", "id").unwrap().is_some());
}

#[test]
fn the_bound_holds_and_the_longest_unused_make_room() {
    let folder = tempfile::tempdir().unwrap();
    let time = Time::default();
    let settings = StoreOptions { max_bytes: 1 << 20, ..StoreOptions::DISK };
    let store = DiskStore::open(folder.path(), settings).unwrap().with_clock(time.clock());
    for index in 0..400usize {
        let bytes = vec![1; index * 7919 % 60_000];
        store.put(EntryKind::Original, "t", &index.to_string(), &bytes).unwrap();
        store.finish_sweep().unwrap();
        time.pass(Duration::from_secs(1));
        // A favourite is used all the time.
        assert!(store.get(EntryKind::Original, "t", "7").unwrap().is_some() || index < 7);
        let blocks = entries(folder.path())
            .into_iter()
            .map(|path| fs::metadata(path).unwrap().len().next_multiple_of(4096));
        let total: u64 = blocks.sum();
        assert!(total <= 1 << 20, "{total} after {index}");
    }
    let has =
        |index: usize| store.get(EntryKind::Original, "t", &index.to_string()).unwrap().is_some();
    let kept: Vec<usize> = (8..400).filter(|index| has(*index)).collect();
    assert!(kept.len() >= 10 && kept == (400 - kept.len()..400).collect::<Vec<_>>(), "{kept:?}");
}

#[test]
fn an_entry_above_the_bound_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store =
        DiskStore::open(folder.path(), StoreOptions { max_bytes: 1 << 20, ..StoreOptions::DISK })
            .unwrap();
    let error = store.put(EntryKind::Original, "t", "id", &[0; 1 << 18]).unwrap_err();
    let message = "an entry of 266240 bytes is more than this store takes: 131072 bytes";
    assert_eq!(error.to_string(), message);
    assert_eq!(store.stats().unwrap(), StoreStats::default());
}

#[test]
fn what_is_expired_leaves_the_disk_too() {
    let folder = tempfile::tempdir().unwrap();
    let time = Time::default();
    let store = open(folder.path()).with_clock(time.clock());
    for index in 0..20 {
        store.put(EntryKind::Original, "t", &index.to_string(), b"bytes").unwrap();
    }
    time.pass(25 * HOUR);
    store.put(EntryKind::Original, "t", "new", b"bytes").unwrap();
    store.finish_sweep().unwrap();
    assert_eq!(entries(folder.path()).len(), 1);
}

/// A store whose clock only this thread may look at: sweeps wait until what is beside it is dropped.
fn hold_sweeps(
    folder: &Path,
    settings: StoreOptions,
    time: &Time,
) -> (DiskStore, mpsc::Sender<()>) {
    let (letting, held) = mpsc::channel();
    let (now, me, held) = (time.clock(), thread::current().id(), Mutex::new(held));
    let clock = move || {
        if thread::current().id() != me {
            let _ = held.lock().unwrap().recv();
        }
        now()
    };
    (DiskStore::open(folder, settings).unwrap().with_clock(clock), letting)
}

#[test]
fn d73_a_put_does_not_wait_for_a_sweep() {
    let folder = tempfile::tempdir().unwrap();
    let time = Time::default();
    let (store, letting) = hold_sweeps(folder.path(), StoreOptions::DISK, &time);
    for index in 0..20 {
        store.put(EntryKind::Original, "t", &index.to_string(), b"bytes").unwrap();
    }
    time.pass(25 * HOUR);
    // A sweep is due, and cannot go on.
    for index in 20..40 {
        store.put(EntryKind::Original, "t", &index.to_string(), b"bytes").unwrap();
        assert!(store.get(EntryKind::Original, "t", &index.to_string()).unwrap().is_some());
    }
    assert_eq!(entries(folder.path()).len(), 40);
    drop(letting);
    store.finish_sweep().unwrap();
    assert_eq!(entries(folder.path()).len(), 20);
}

#[test]
fn d73_while_a_sweep_is_under_way_the_bound_is_passed_by_an_eighth_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let time = Time::default();
    let settings = StoreOptions { max_bytes: 1 << 20, ..StoreOptions::DISK };
    let (store, letting) = hold_sweeps(folder.path(), settings, &time);
    let put = |id: usize| store.put(EntryKind::Original, "t", &id.to_string(), &[1; 40_000]);
    let refused = (0..1000).find_map(|id| put(id).err()).unwrap();
    assert!(matches!(refused, StoreError::Full { .. }), "{refused}");
    // A sweep may take away what was listed.
    let length = |path: &PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let total = || -> u64 { entries(folder.path()).iter().map(length).sum() };
    let held_up = total();
    assert!(held_up <= (1 << 20) / 8 * 9, "{held_up}");
    drop(letting);
    store.finish_sweep().unwrap();
    for id in 0..1000 {
        // A put that is faster than the sweep is refused, and the rest is within the bound.
        let _ = put(id);
        let total = total();
        assert!(total <= (1 << 20) / 8 * 9, "{total}");
    }
    store.finish_sweep().unwrap();
    assert!(put(1001).is_ok());
}

#[test]
fn d73_a_put_that_fails_because_of_a_sweep_has_written_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    // A folder in the place of its mark: no sweep can begin.
    fs::create_dir(folder.path().join("swept")).unwrap();
    let time = Time::default();
    time.pass(2 * HOUR);
    let store = store.with_clock(time.clock());
    let refused = (0..100_000).find(|id| {
        let id = id.to_string();
        let put = store.put(EntryKind::Original, "t", &id, b"bytes");
        let is_there = store.get(EntryKind::Original, "t", &id).unwrap().is_some();
        assert_eq!(put.is_ok(), is_there, "{put:?}");
        put.is_err()
    });
    assert!(refused.is_some(), "the sweeps that failed were never told of");
}

#[test]
fn files_of_killed_processes_are_swept_and_those_being_written_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let time = Time::default();
    // A store whose clock is ahead takes away no file that is being written.
    time.pass(2 * HOUR);
    let store = open(folder.path()).with_clock(time.clock());
    let path = folder.path().join("00").join(".abc.new");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, b"half").unwrap();
    store.sweep().unwrap();
    assert!(path.exists());
    assert_eq!(store.stats().unwrap().total().entries, 0);
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() - 2 * HOUR).unwrap();
    store.sweep().unwrap();
    assert!(!path.exists());
}

#[test]
fn a_damaged_entry_is_missing_and_never_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.put(EntryKind::Original, "t", "id", b"the original").unwrap();
    let get = || store.get(EntryKind::Original, "t", "id").unwrap();
    let path = entries(folder.path()).remove(0);
    let intact = fs::read(&path).unwrap();
    for at in 0..intact.len() {
        let mut damaged = intact.clone();
        damaged[at] ^= 1;
        fs::write(&path, &damaged).unwrap();
        assert_eq!(get(), None, "byte {at} flipped");
        fs::write(&path, &intact[..at]).unwrap();
        assert_eq!(get(), None, "cut at {at}");
    }
    fs::write(&path, [&intact[..], b"more"].concat()).unwrap();
    assert_eq!(get(), None);
    store.put(EntryKind::Original, "t", "id", b"the original").unwrap();
    assert_eq!(get().unwrap(), b"the original");
}

#[test]
fn g40_a_file_moved_to_another_tenants_place_is_not_that_tenants_entry() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.put(EntryKind::Original, "a", "id", b"of a").unwrap();
    let of_a = entries(folder.path()).remove(0);
    store.put(EntryKind::Original, "b", "id", b"of b").unwrap();
    let of_b = entries(folder.path()).into_iter().find(|path| *path != of_a).unwrap();
    fs::rename(of_a, of_b).unwrap();
    assert_eq!(store.get(EntryKind::Original, "b", "id").unwrap(), None);
}

#[test]
fn nothing_a_caller_says_is_seen_in_a_path() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).put(EntryKind::Original, "../../acme corp", "shadow_abc", b"x").unwrap();
    for path in files(folder.path()) {
        let path = path.strip_prefix(folder.path()).unwrap().to_string_lossy().into_owned();
        assert!(
            !path.contains("acme") && !path.contains("shadow") && !path.contains(".."),
            "{path}"
        );
    }
}

#[cfg(unix)]
#[test]
fn only_the_user_may_look() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data/store");
    let store = open(&folder);
    store.key().unwrap();
    store.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert!(files(&folder).len() >= 3);
    for path in files(&folder) {
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        assert_eq!(mode(path.parent().unwrap()), 0o700, "{}", path.display());
    }
}

#[test]
fn g45_a_folder_that_cannot_be_made_is_named() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, b"").unwrap();
    let folder = file.join("store");
    let error = DiskStore::open(&folder, StoreOptions::DISK).unwrap_err().to_string();
    let start = format!("cannot make the folder {}: ", folder.display());
    assert!(error.starts_with(&start), "{error}");
}

#[test]
fn g45_a_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    // A file where a folder should be stops even a superuser, whom permissions do not.
    for shard in 0..=255u8 {
        fs::write(folder.path().join(format!("{shard:02x}")), b"").unwrap();
    }
    let error = store.put(EntryKind::Original, "t", "id", b"bytes").unwrap_err().to_string();
    let start = format!("cannot write {}", folder.path().display());
    assert!(error.starts_with(&start), "{error}");
}

#[test]
fn a_folder_that_vanishes_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.put(EntryKind::Original, "t", "one", b"bytes").unwrap();
    // The first put begins a sweep, which would write into the folder while it is removed.
    store.finish_sweep().unwrap();
    fs::remove_dir_all(folder.path()).unwrap();
    assert_eq!(store.get(EntryKind::Original, "t", "one").unwrap(), None);
    assert_eq!(store.stats().unwrap(), StoreStats::default());
    store.put(EntryKind::Original, "t", "two", b"bytes").unwrap();
    assert!(store.get(EntryKind::Original, "t", "two").unwrap().is_some());
}
