//! `tokenforge store`, seen from a shell.

use crate::kit::{Folder, Run, failure, out, run_in};
use std::time::{Duration, SystemTime};
use tokenforge_store::{DiskStore, EntryKind, Store, StoreOptions};

fn run(folder: &Folder, arguments: &str) -> Run {
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    run_in(&folder.path(""), &[("FORGE_DATA_DIR", "data")], &arguments, "")
}

fn success(folder: &Folder, arguments: &str) -> String {
    let run = run(folder, arguments);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments}");
    run.stdout
}

/// A data folder with an original, a result, and an original that was used ten days ago.
fn folder() -> Folder {
    let folder = Folder::new();
    let open = || DiskStore::open(folder.path("data"), StoreOptions::DISK).expect("a store");
    open().put(EntryKind::Original, "t", "new", b"1234").expect("room");
    open().put(EntryKind::Result, "t", "new", b"123").expect("room");
    // Last: a put looks for what expired from time to time.
    let ten_days_ago = SystemTime::now() - Duration::from_secs(10 * 24 * 60 * 60);
    let earlier = open().with_clock(move || ten_days_ago);
    earlier.put(EntryKind::Original, "t", "old", b"12345").expect("room");
    folder
}

#[test]
fn stats_count_by_kind() {
    let folder = folder();
    let place = format!("disk:{}", folder.path("data").display());
    let expected = format!(
        "{place}\n\
         kind      entries  bytes\n\
         original        2      9\n\
         result          1      3\n\
         kept            0      0\n"
    );
    assert_eq!(success(&folder, "store stats"), expected);
    assert_eq!(success(&folder, &format!("store stats --store {place}")), expected);
    let json: serde_json::Value =
        serde_json::from_str(&success(&folder, "store stats --json")).expect("JSON");
    let expected = serde_json::json!({
        "store": place,
        "kinds": { "original": { "entries": 2, "bytes": 9 }, "result": { "entries": 1, "bytes": 3 }, "kept": { "entries": 0, "bytes": 0 } },
    });
    assert_eq!(json, expected);
}

#[test]
fn a_purge_removes_what_was_asked_for() {
    let folder = folder();
    let purge = |options: &str| success(&folder, &format!("store purge --yes {options}"));
    assert_eq!(purge("--older-than 11d"), "deleted 0 entries\n");
    assert_eq!(purge("--older-than 9d --kind result"), "deleted 0 results\n");
    assert_eq!(purge("--older-than 9d"), "deleted 1 entries\n");
    assert_eq!(purge("--kind original"), "deleted 1 originals\n");
    assert_eq!(purge(""), "deleted 1 entries\n");
    assert_eq!(purge(""), "deleted 0 entries\n");
}

#[test]
fn a_purge_without_a_terminal_asks_for_yes_and_removes_nothing() {
    let folder = folder();
    let purge = run(&folder, "store purge");
    assert_eq!((purge.code, purge.stdout.as_str()), (1, ""));
    assert!(purge.stderr.contains("add --yes"), "{}", purge.stderr);
    assert!(success(&folder, "store stats").contains("original        2"));
}

#[test]
fn what_cannot_be_is_said_and_a_password_is_not() {
    for (code, arguments, expected) in [
        (2, "store", "Usage: tokenforge store"),
        (2, "store purge --kind else", "original, result"),
        (2, "store purge --older-than 7", "such as 7d"),
        (1, "store stats --store memory:", "inside the gateway's process"),
        (1, "store stats --store secret", "not a store"),
        (1, "store stats --store redis://:secret@127.0.0.1:1/0", "redis://127.0.0.1:1/0"),
    ] {
        let error = failure(code, arguments, "");
        assert!(error.contains(expected) && !error.contains("secret"), "{arguments}: {error}");
    }
    assert!(out("store --help", "").contains("Examples:"));
}
