//! Lines in files: several writers, torn lines, bounds.

use crate::kit::{NOON, entries, hook, read_ledger};
use proptest::prelude::*;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tokenforge_ledger::{BoundedName, EntrySource, Ledger, LedgerEntry, UtcDay};

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

fn written_ledger(entries: &[LedgerEntry]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open(folder.path()).unwrap();
    entries.iter().for_each(|entry| ledger.append(entry).unwrap());
    folder
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read(mut entries in entries()) {
        let folder = written_ledger(&entries);
        let (mut found, skipped) = read_ledger(folder.path());
        entries.sort_by_key(|entry| entry.time);
        found.sort_by_key(|entry| entry.time);
        prop_assert_eq!((found, skipped), (entries, 0));
    }

    #[test]
    fn entries_written_together_are_where_each_would_be(entries in entries()) {
        let (apart, together) = (written_ledger(&entries), tempfile::tempdir().unwrap());
        Ledger::open(together.path()).unwrap().append_all(&entries).unwrap();
        let texts = |folder: &Path| -> Vec<_> {
            let file = |file: PathBuf| (file.file_name().unwrap().to_owned(), fs::read(&file).unwrap());
            files(folder).into_iter().map(file).collect()
        };
        prop_assert_eq!(texts(apart.path()), texts(together.path()));
    }

    #[test]
    fn a_torn_line_loses_only_itself(mut entries in entries(), at in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>()) {
        prop_assume!(!entries.is_empty());
        entries.iter_mut().for_each(|entry| entry.time = NOON);
        let folder = written_ledger(&entries);
        let file = &files(folder.path())[0];
        let text = fs::read(file).unwrap();
        let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let torn = at.index(lines.len());
        // At least one byte of the line is there, and its end is not.
        let kept = 1 + cut.index(lines[torn].len() - 1);
        lines[torn] = &lines[torn][..kept];
        fs::write(file, lines.concat()).unwrap();
        let (found, skipped) = read_ledger(folder.path());
        let is_last_and_whole = torn + 1 == entries.len() && kept + 1 == text.split_inclusive(|byte| *byte == b'\n').next_back().unwrap().len();
        if !is_last_and_whole {
            entries.remove(torn);
        }
        prop_assert_eq!(found, entries);
        prop_assert_eq!(skipped, u64::from(!is_last_and_whole));
    }
}

#[test]
fn two_writers_at_once_lose_nothing() {
    const EACH: u64 = 2000;
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let folder = folder.path();
            scope.spawn(move || {
                let mut ledger = Ledger::open(folder).unwrap();
                let entries: Vec<_> = (0..EACH).map(|n| hook(NOON + writer * EACH + n)).collect();
                for together in entries.chunks(1 + 9 * writer as usize) {
                    ledger.append_all(together).unwrap();
                }
            });
        }
    });
    let (entries, skipped) = read_ledger(folder.path());
    let mut times: Vec<u64> = entries.iter().map(|entry| entry.time - NOON).collect();
    times.sort_unstable();
    assert_eq!((times, skipped), ((0..4 * EACH).collect(), 0));
}

#[test]
fn a_ledger_has_a_bound_and_the_oldest_goes() {
    const ROOM: u64 = 16 << 10;
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open(folder.path()).unwrap().with_max_bytes(ROOM);
    let days = 5;
    for n in 0..1000 {
        ledger.append(&hook(NOON + n * days * 86_400 / 1000)).unwrap();
        let bytes: u64 =
            files(folder.path()).iter().map(|file| file.metadata().unwrap().len()).sum();
        assert!(bytes <= ROOM, "{bytes}");
    }
    let (entries, _) = read_ledger(folder.path());
    let times: Vec<u64> = entries.iter().map(|entry| entry.time).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(times.last(), Some(&(NOON + 999 * days * 86_400 / 1000)), "the newest is there");
    assert!(times.len() > 100, "and not all of the others went: {}", times.len());
}

#[test]
fn lines_of_others_are_passed_over_and_counted() {
    let folder = written_ledger(&[hook(NOON)]);
    let mut file = fs::OpenOptions::new().append(true).open(&files(folder.path())[0]).unwrap();
    let long = "x".repeat(1 << 20);
    file.write_all(format!("not JSON\n\n{{\"v\":2,\"time\":1}}\n{{}}\n\u{0}\n{long}\n").as_bytes())
        .unwrap();
    file.write_all(b"\xff\xfe\n").unwrap();
    Ledger::open(folder.path()).unwrap().append(&hook(NOON + 1)).unwrap();
    let (entries, skipped) = read_ledger(folder.path());
    assert_eq!(entries, [hook(NOON), hook(NOON + 1)]);
    assert!(skipped >= 5, "{skipped}");
}

#[test]
fn members_of_later_versions_are_passed_over() {
    let folder = written_ledger(&[hook(NOON)]);
    let file = &files(folder.path())[0];
    let text = fs::read_to_string(file).unwrap().replace("\"source\"", "\"later\":[1],\"source\"");
    fs::write(file, text).unwrap();
    assert_eq!(read_ledger(folder.path()), (vec![hook(NOON)], 0));
}

#[test]
fn only_the_days_that_are_asked_for_are_read() {
    let folder = written_ledger(&[hook(NOON - 86_400), hook(NOON), hook(NOON + 86_400)]);
    let since = UtcDay::of(NOON + 86_400).first_of(2);
    let found: Vec<LedgerEntry> = Ledger::read(folder.path(), Some(since)).unwrap().collect();
    assert_eq!(found, [hook(NOON), hook(NOON + 86_400)]);
}

#[test]
fn a_ledger_that_is_not_there_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(read_ledger(&folder.path().join("none")), (vec![], 0));
}

/// Elsewhere a file that is open may not be removed.
#[cfg(unix)]
#[test]
fn a_ledger_that_is_removed_while_it_is_written_begins_anew() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("data/savings");
    let mut ledger = Ledger::open(&folder).unwrap();
    ledger.append(&hook(NOON)).unwrap();
    fs::remove_dir_all(outer.path().join("data")).unwrap();
    ledger.append(&hook(NOON + 1)).unwrap();
    ledger.append(&hook(NOON + 2)).unwrap();
    assert_eq!(read_ledger(&folder), (vec![hook(NOON + 1), hook(NOON + 2)], 0));
    fs::remove_file(&files(&folder)[0]).unwrap();
    ledger.append(&hook(NOON + 3)).unwrap();
    assert_eq!(read_ledger(&folder), (vec![hook(NOON + 3)], 0));
}

#[cfg(unix)]
#[test]
fn l10_no_other_user_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("data/ledger");
    Ledger::open(&folder).unwrap().append(&hook(NOON)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&files(&folder)[0])), (0o700, 0o600));
}

#[test]
fn the_entries_of_one_session_are_those_and_no_others() {
    let of = |session: Option<&str>| {
        let mut entry = LedgerEntry::new(EntrySource::Gateway, NOON);
        entry.session = session.map(BoundedName::of_session);
        entry
    };
    // A name elsewhere in a line is no session's.
    let mut other = of(Some("other"));
    other.project = Some(BoundedName::of_session("mine"));
    let folder = written_ledger(&[of(Some("mine")), other, of(None), of(Some("mine"))]);
    let found: Vec<_> = Ledger::read(folder.path(), None).unwrap().of_session("mine").collect();
    assert_eq!(found, [of(Some("mine")), of(Some("mine"))]);
}
