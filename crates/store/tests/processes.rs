//! Several processes on one store, and processes that are killed.
//!
//! A child is this test program, asked for one of the ignored tests below; the store is in its environment, and it
//! says on standard output what it did.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod kit;

use kit::server::{Database, open};
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokenforge_store::{EntryKind, Store, StoreOptions};

const URL: &str = "TOKENFORGE_STORE_TEST_URL";
const FIRST: &str = "TOKENFORGE_STORE_TEST_FIRST";

#[test]
#[ignore = "a child of the tests below"]
fn child_puts_without_end() {
    let Some(store) = given_store() else { return };
    let first: usize = std::env::var(FIRST).unwrap().parse().unwrap();
    for index in first.. {
        store.put(EntryKind::Original, "t", &id(index), &content(index)).unwrap();
        println!("\nput {index}");
    }
}

#[test]
#[ignore = "a child of the tests below"]
fn child_puts_and_gets_a_few() {
    let Some(store) = given_store() else { return };
    for index in (0..300).chain(0..300) {
        let found = store.get(EntryKind::Original, "t", &id(index)).unwrap();
        assert!(found.is_none_or(|found| found == content(index)), "{index} is wrong");
        store.put(EntryKind::Original, "t", &id(index), &content(index)).unwrap();
    }
    println!("\ndone");
}

#[test]
#[ignore = "a child of the tests below"]
fn child_asks_for_the_key() {
    let Some(store) = given_store() else { return };
    println!("\nkey {:?}", store.key().unwrap());
}

/// Every reference that was handed out before a kill resolves after it.
#[test]
fn l4_what_was_put_before_200_kills_is_there_after_them() {
    const ENTRIES_OF_A_CHILD: usize = 1000;
    let (_folder, url) = folder();
    let mut put = Vec::new();
    for round in 0..200 {
        let first = round * ENTRIES_OF_A_CHILD;
        let (mut child, mut lines) = start("child_puts_without_end", &url, first);
        let mut last = None;
        while last.is_none_or(|last| last < first + round % 10) {
            last = number(&lines.next().unwrap());
        }
        // Somewhere in a put: at its beginning, its end, or between.
        std::thread::sleep(Duration::from_micros((round * 7919 % 400) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        // What it said before it was killed may still be on its way.
        let last = lines.filter_map(|line| number(&line)).last().or(last).unwrap();
        put.extend(first..=last);

        let store = open(&url, StoreOptions::DISK);
        let get = |index| store.get(EntryKind::Original, "t", &id(index)).unwrap();
        assert!((first..=last).all(|index| get(index) == Some(content(index))), "round {round}");
        // The one it may have been at is whole or not there.
        assert!(get(last + 1).is_none_or(|found| found == content(last + 1)), "round {round}");
    }
    let store = open(&url, StoreOptions::DISK);
    for index in put {
        let found = store.get(EntryKind::Original, "t", &id(index)).unwrap();
        assert_eq!(found, Some(content(index)), "{index}");
    }
}

#[test]
fn processes_share_a_folder() {
    let (_folder, url) = folder();
    processes_share(&url);
}

#[test]
fn processes_share_a_server() {
    processes_share(&Database::new().url);
}

fn processes_share(url: &str) {
    let children: Vec<_> = (0..3).map(|_| start("child_puts_and_gets_a_few", url, 0)).collect();
    for (mut child, mut lines) in children {
        assert!(lines.any(|line| line == "done"));
        assert!(child.wait().unwrap().success());
    }
    let store = open(url, StoreOptions::DISK);
    assert_eq!(store.stats().unwrap().total().entries, 300);
    for index in 0..300 {
        assert_eq!(store.get(EntryKind::Original, "t", &id(index)).unwrap(), Some(content(index)));
    }
}

#[test]
fn processes_that_race_for_the_key_of_a_folder_get_the_same() {
    for _ in 0..5 {
        let (_folder, url) = folder();
        processes_race_for_the_key(&url);
    }
}

#[test]
fn processes_that_race_for_the_key_of_a_server_get_the_same() {
    for _ in 0..5 {
        processes_race_for_the_key(&Database::new().url);
    }
}

fn processes_race_for_the_key(url: &str) {
    let children: Vec<_> = (0..4).map(|_| start("child_asks_for_the_key", url, 0)).collect();
    let keys: Vec<String> = children
        .into_iter()
        .map(|(mut child, mut lines)| {
            let key = lines.find(|line| line.starts_with("key ")).unwrap();
            assert!(child.wait().unwrap().success());
            key
        })
        .collect();
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
}

fn folder() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("disk:{}", folder.path().display());
    (folder, url)
}

fn start(test: &str, url: &str, first: usize) -> (Child, impl Iterator<Item = String> + use<>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", test])
        .env(URL, url)
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout: ChildStdout = child.stdout.take().unwrap();
    (child, BufReader::new(stdout).lines().map_while(Result::ok))
}

/// The store a child is told to use; none when all ignored tests are asked for.
fn given_store() -> Option<Arc<dyn Store>> {
    Some(open(&std::env::var(URL).ok()?, StoreOptions::DISK))
}

fn number(line: &str) -> Option<usize> {
    line.strip_prefix("put ")?.parse().ok()
}

fn id(index: usize) -> String {
    format!("entry-{index}")
}

/// From nothing to 60 KB, different for each entry.
fn content(index: usize) -> Vec<u8> {
    let mut content = index.to_string().repeat(index * 7919 % 20_000).into_bytes();
    content.truncate(60_000);
    content
}
