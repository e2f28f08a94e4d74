//! Several processes on one folder, and processes that are killed.
//!
//! A child is this test program, asked for one of the ignored tests below; the folder is in its environment, and it
//! says on standard output what it did.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use tokenforge_store::{Disk, Kind, Settings, Store};

const FOLDER: &str = "TOKENFORGE_STORE_TEST_FOLDER";

#[test]
#[ignore = "a child of the tests below"]
fn child_puts_without_end() {
    let Some(store) = given_store() else { return };
    for index in 0.. {
        store.put(Kind::Original, "t", &id(index), &content(index)).unwrap();
        println!("\nput {index}");
    }
}

#[test]
#[ignore = "a child of the tests below"]
fn child_puts_and_gets_a_few() {
    let Some(store) = given_store() else { return };
    for index in (0..300).chain(0..300) {
        let found = store.get(Kind::Original, "t", &id(index)).unwrap();
        assert!(found.is_none_or(|found| found == content(index)), "{index} is wrong");
        store.put(Kind::Original, "t", &id(index), &content(index)).unwrap();
    }
    println!("\ndone");
}

#[test]
#[ignore = "a child of the tests below"]
fn child_asks_for_the_key() {
    let Some(store) = given_store() else { return };
    println!("\nkey {:?}", store.key().unwrap());
}

#[test]
fn l4_a_killed_process_leaves_every_entry_whole() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..5 {
        let (mut child, lines) = start("child_puts_without_end", folder.path());
        let put = lines.filter_map(|line| line.strip_prefix("put ")?.parse::<usize>().ok());
        let last = put.take(100 + 37 * round).last().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();

        let store = Disk::open(folder.path(), Settings::DISK).unwrap();
        for index in 0..=last {
            let found = store.get(Kind::Original, "t", &id(index)).unwrap();
            assert_eq!(found, Some(content(index)), "{index} of {last}");
        }
        // What was put after the last line was read is whole or not there.
        for index in last + 1..last + 1000 {
            let found = store.get(Kind::Original, "t", &id(index)).unwrap();
            assert!(found.is_none_or(|found| found == content(index)), "{index} is wrong");
        }
    }
}

#[test]
fn processes_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let children: Vec<_> =
        (0..3).map(|_| start("child_puts_and_gets_a_few", folder.path())).collect();
    for (mut child, mut lines) in children {
        assert!(lines.any(|line| line == "done"));
        assert!(child.wait().unwrap().success());
    }
    let store = Disk::open(folder.path(), Settings::DISK).unwrap();
    assert_eq!(store.stats().unwrap().total().entries, 300);
    for index in 0..300 {
        assert_eq!(store.get(Kind::Original, "t", &id(index)).unwrap(), Some(content(index)));
    }
}

#[test]
fn processes_that_race_for_the_key_get_the_same() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let children: Vec<_> =
            (0..4).map(|_| start("child_asks_for_the_key", folder.path())).collect();
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
}

fn start(test: &str, folder: &Path) -> (Child, impl Iterator<Item = String> + use<>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", test])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout: ChildStdout = child.stdout.take().unwrap();
    (child, BufReader::new(stdout).lines().map_while(Result::ok))
}

/// The store a child is told to use; none when all ignored tests are asked for.
fn given_store() -> Option<Disk> {
    let folder = std::env::var_os(FOLDER)?;
    Some(Disk::open(folder, Settings::DISK).unwrap())
}

fn id(index: usize) -> String {
    format!("entry-{index}")
}

/// From nothing to 60 KB, different for each entry.
fn content(index: usize) -> Vec<u8> {
    index.to_string().repeat(index * 7919 % 20_000).into_bytes()
}
