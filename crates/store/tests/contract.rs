//! What every store promises.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod kit;

use kit::server::{Database, open};
use kit::{HOUR, Passing, Time};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_store::{
    DiskStore, EntryAmount, EntryKind, MemoryStore, Store, StoreError, StoreOptions, StoreStats,
};

/// Runs a test with each store, for which time passes when told.
fn each(settings: StoreOptions, test: impl Fn(&dyn Store, &dyn Passing)) {
    each_with_our_clock(settings, |store, time| test(store, time));
    let database = Database::new();
    test(&*open(&database.url, settings), &database);
}

/// Runs a test with each store that goes by a clock we set.
fn each_with_our_clock(settings: StoreOptions, test: impl Fn(&dyn Store, &Time)) {
    let time = Time::default();
    test(&MemoryStore::new(settings).with_clock(time.clock()), &time);
    let folder = tempfile::tempdir().unwrap();
    let time = Time::default();
    let disk = DiskStore::open(folder.path(), settings).unwrap().with_clock(time.clock());
    test(&SweptStore(disk), &time);
}

/// A store on disk in which no sweep is under way when a put is over: by our clock, what is being written is old.
struct SweptStore(DiskStore);

impl Store for SweptStore {
    fn put(&self, kind: EntryKind, tenant: &str, id: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.0.put(kind, tenant, id, bytes)?;
        self.0.finish_sweep()
    }
    fn pin(&self, tenant: &str, id: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let pinned = self.0.pin(tenant, id, bytes);
        self.0.finish_sweep()?;
        pinned
    }
    fn get(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.get(kind, tenant, id)
    }
    fn put_if_absent(
        &self,
        kind: EntryKind,
        tenant: &str,
        id: &str,
        bytes: &[u8],
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.put_if_absent(kind, tenant, id, bytes)
    }
    fn complete_for(&self) -> Result<Option<Duration>, StoreError> {
        self.0.complete_for()
    }
    fn forget(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<bool, StoreError> {
        self.0.forget(kind, tenant, id)
    }
    fn stats(&self) -> Result<StoreStats, StoreError> {
        self.0.stats()
    }
    fn purge(
        &self,
        kind: Option<EntryKind>,
        unused_for: Option<Duration>,
    ) -> Result<u64, StoreError> {
        self.0.purge(kind, unused_for)
    }
    fn key(&self) -> Result<[u8; 32], StoreError> {
        self.0.key()
    }
}

#[test]
fn what_was_put_comes_back() {
    each(StoreOptions::MEMORY, |store, _| {
        let large = vec![7; 1 << 20];
        for (id, bytes) in [("empty", &b""[..]), ("binary", &[0, 255, 10]), ("large", &large)] {
            store.put(EntryKind::Original, "t", id, bytes).unwrap();
            assert_eq!(
                store.get(EntryKind::Original, "t", id).unwrap().as_deref(),
                Some(bytes),
                "{id}"
            );
        }
        assert_eq!(store.get(EntryKind::Original, "t", "unknown").unwrap(), None);
    });
}

#[test]
fn the_last_put_counts() {
    each(StoreOptions::MEMORY, |store, _| {
        store.put(EntryKind::Result, "t", "id", b"one").unwrap();
        store.put(EntryKind::Result, "t", "id", b"other").unwrap();
        assert_eq!(store.get(EntryKind::Result, "t", "id").unwrap().unwrap(), b"other");
        assert_eq!(store.stats().unwrap().total(), EntryAmount { entries: 1, bytes: 5 });
    });
}

#[test]
fn decision_33_the_first_put_counts_where_it_is_asked_for() {
    each(StoreOptions::MEMORY, |store, time| {
        let put = |bytes: &[u8]| store.put_if_absent(EntryKind::Result, "t", "id", bytes).unwrap();
        assert_eq!(put(b"one"), None);
        assert_eq!(put(b"other").as_deref(), Some(&b"one"[..]));
        assert_eq!(store.get(EntryKind::Result, "t", "id").unwrap().unwrap(), b"one");
        time.pass(25 * HOUR);
        assert_eq!(put(b"late"), None, "its lifetime was over");
        assert_eq!(store.get(EntryKind::Result, "t", "id").unwrap().unwrap(), b"late");
    });
}

#[test]
fn decision_33_of_many_that_put_first_all_learn_of_one() {
    each(StoreOptions::MEMORY, |store, _| {
        let kept: Vec<Vec<u8>> = std::thread::scope(|scope| {
            let put = |n: u8| {
                let kept = store.put_if_absent(EntryKind::Result, "t", "id", &[n]).unwrap();
                kept.unwrap_or_else(|| vec![n])
            };
            let threads: Vec<_> = (0..8).map(|n| scope.spawn(move || put(n))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(kept.iter().all(|bytes| *bytes == kept[0]), "{kept:?}");
    });
}

#[test]
fn decision_33_a_store_on_disk_is_complete_until_an_entry_makes_room() {
    let (folder, time) = (tempfile::tempdir().unwrap(), Time::default());
    let settings = StoreOptions { max_bytes: 1 << 20, ..StoreOptions::DISK };
    let store = DiskStore::open(folder.path(), settings).unwrap().with_clock(time.clock());
    let at_first = store.complete_for().unwrap().unwrap();
    store.put(EntryKind::Original, "t", "first", b"").unwrap();
    time.pass(HOUR);
    assert_eq!(store.complete_for().unwrap(), Some(at_first + HOUR));
    for n in 0..16 {
        store.put(EntryKind::Original, "t", &format!("id{n}"), &[0; 100_000]).unwrap();
        store.finish_sweep().unwrap();
    }
    assert_eq!(store.get(EntryKind::Original, "t", "first").unwrap(), None);
    assert_eq!(store.complete_for().unwrap(), Some(Duration::ZERO));
    time.pass(HOUR);
    store.purge(None, None).unwrap();
    assert_eq!(store.complete_for().unwrap(), Some(Duration::ZERO));
}

#[test]
fn decision_33_a_server_is_complete_from_when_it_was_first_asked_until_entries_are_removed() {
    let database = Database::new();
    let store = open(&database.url, StoreOptions::MEMORY);
    let note = || -> String {
        redis::cmd("GET").arg("tokenforge:1:complete").query(&mut database.connection()).unwrap()
    };
    assert!(store.complete_for().unwrap().unwrap() < HOUR);
    let first = note();
    assert!(store.complete_for().unwrap().is_some());
    assert_eq!(note(), first, "it is remembered");
    let (evictions, seconds) = first.rsplit_once(' ').unwrap();
    let earlier = seconds.parse::<u64>().unwrap() - 2 * HOUR.as_secs();
    let set = format!("{evictions} {earlier}");
    redis::cmd("SET")
        .arg("tokenforge:1:complete")
        .arg(set)
        .exec(&mut database.connection())
        .unwrap();
    assert!(store.complete_for().unwrap().unwrap() >= 2 * HOUR);
    store.purge(None, None).unwrap();
    assert!(store.complete_for().unwrap().unwrap() < HOUR);
}

#[test]
fn g79_the_age_of_a_server_counts_from_its_first_entry() {
    let database = Database::new();
    let note = || -> Option<String> {
        redis::cmd("GET").arg("tokenforge:1:complete").query(&mut database.connection()).unwrap()
    };
    let stores = [(); 2].map(|()| open(&database.url, StoreOptions::MEMORY));
    assert_eq!(stores[0].get(EntryKind::Result, "t", "id").unwrap(), None);
    assert_eq!(note(), None, "nothing was kept so far");
    stores[0].put(EntryKind::Result, "t", "id", b"first").unwrap();
    let first = note().unwrap();
    // Another replica, an hour later: it did not begin anew.
    let (evictions, seconds) = first.rsplit_once(' ').unwrap();
    let earlier = seconds.parse::<u64>().unwrap() - HOUR.as_secs();
    let set = format!("{evictions} {earlier}");
    redis::cmd("SET")
        .arg("tokenforge:1:complete")
        .arg(&set)
        .exec(&mut database.connection())
        .unwrap();
    stores[1].put_if_absent(EntryKind::Result, "t", "id", b"second").unwrap();
    assert_eq!(note(), Some(set));
    assert!(stores[1].complete_for().unwrap().unwrap() >= HOUR);
}

#[test]
fn g78_a_server_that_lost_its_entries_has_another_epoch() {
    let database = Database::new();
    let store = open(&database.url, StoreOptions::MEMORY);
    store.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    let before = store.epoch().unwrap().unwrap();
    assert_eq!(store.epoch().unwrap(), Some(before));
    redis::cmd("FLUSHDB").exec(&mut database.connection()).unwrap();
    let after = store.epoch().unwrap().unwrap();
    assert_ne!(after, before);
    assert_eq!(store.epoch().unwrap(), Some(after));
}

#[test]
fn g78_evictions_that_are_counted_leave_the_epoch_as_it_is() {
    let database = Database::new();
    let stores = [(); 2].map(|()| open(&database.url, StoreOptions::MEMORY));
    stores[0].put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    let before = stores.each_ref().map(|store| store.epoch().unwrap().unwrap());
    redis::cmd("SET")
        .arg("tokenforge:1:complete")
        .arg("another count of evictions 1")
        .exec(&mut database.connection())
        .unwrap();
    assert!(stores[0].complete_for().unwrap().unwrap() < HOUR, "it was counted");
    assert_eq!(stores.each_ref().map(|store| store.epoch().unwrap().unwrap()), before);
    stores[1].purge(None, None).unwrap();
    let after = stores.each_ref().map(|store| store.epoch().unwrap().unwrap());
    assert!(after[0] != before[0] && after[1] != before[1], "both learn of a loss");
}

#[test]
fn what_is_forgotten_is_gone() {
    each(StoreOptions::MEMORY, |store, _| {
        store.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
        assert!(store.forget(EntryKind::Original, "t", "id").unwrap());
        assert!(!store.forget(EntryKind::Original, "t", "id").unwrap());
        assert_eq!(store.get(EntryKind::Original, "t", "id").unwrap(), None);
        assert_eq!(store.stats().unwrap(), StoreStats::default());
    });
}

#[test]
fn g40_a_tenant_sees_and_removes_only_its_own() {
    each(StoreOptions::MEMORY, |store, _| {
        store.put(EntryKind::Original, "a", "id", b"of a").unwrap();
        for other in ["b", "", "a/", "../a", "A", "a\0", "a\0id"] {
            assert_eq!(store.get(EntryKind::Original, other, "id").unwrap(), None, "{other:?}");
            assert!(!store.forget(EntryKind::Original, other, "id").unwrap(), "{other:?}");
        }
        assert_eq!(store.get(EntryKind::Result, "a", "id").unwrap(), None);
        assert_eq!(store.get(EntryKind::Original, "a", "id").unwrap().unwrap(), b"of a");
    });
}

#[test]
fn an_id_that_is_none_is_refused() {
    each(StoreOptions::MEMORY, |store, _| {
        for id in ["", "../key", "a b"] {
            let error = store.put(EntryKind::Original, "t", id, b"").unwrap_err();
            assert!(matches!(error, StoreError::BadId { .. }), "{error}");
            assert!(store.get(EntryKind::Original, "t", id).is_err());
            assert!(store.forget(EntryKind::Original, "t", id).is_err());
        }
    });
}

#[test]
fn c4_each_kind_has_its_own_lifetime() {
    let settings =
        StoreOptions { original_lifetime: HOUR, result_lifetime: 3 * HOUR, ..StoreOptions::MEMORY };
    each(settings, |store, time| {
        let has = |kind| store.get(kind, "t", "id").unwrap().is_some();
        for kind in EntryKind::ALL {
            store.put(*kind, "t", "id", b"bytes").unwrap();
        }
        time.pass(HOUR);
        assert!(!has(EntryKind::Original) && has(EntryKind::Result));
        time.pass(3 * HOUR);
        assert!(!has(EntryKind::Result));
    });
}

#[test]
fn c4_use_starts_the_lifetime_anew() {
    let lifetime = StoreOptions::MEMORY.original_lifetime;
    assert_eq!(lifetime, 24 * HOUR);
    each(StoreOptions::MEMORY, |store, time| {
        let has = || store.get(EntryKind::Original, "t", "id").unwrap().is_some();
        store.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
        for _ in 0..5 {
            time.pass(lifetime - Duration::from_secs(1));
            assert!(has());
        }
        time.pass(lifetime);
        assert!(!has());
    });
}

#[test]
fn a_clock_that_is_set_back_expires_nothing() {
    each_with_our_clock(StoreOptions::MEMORY, |store, time| {
        time.pass(100 * HOUR);
        store.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
        time.go_back(90 * HOUR);
        assert!(store.get(EntryKind::Original, "t", "id").unwrap().is_some());
    });
}

#[test]
fn stats_tell_the_kinds_apart() {
    each(StoreOptions::MEMORY, |store, _| {
        store.put(EntryKind::Original, "a", "one", b"12345").unwrap();
        store.put(EntryKind::Original, "b", "two", b"").unwrap();
        store.put(EntryKind::Result, "a", "one", b"123").unwrap();
        let stats = store.stats().unwrap();
        assert_eq!(stats.of(EntryKind::Original), EntryAmount { entries: 2, bytes: 5 });
        assert_eq!(stats.of(EntryKind::Result), EntryAmount { entries: 1, bytes: 3 });
        assert_eq!(stats.total(), EntryAmount { entries: 3, bytes: 8 });
    });
}

#[test]
fn a_purge_removes_what_is_meant_and_nothing_else() {
    each(StoreOptions::MEMORY, |store, time| {
        let has = |kind, id| store.get(kind, "t", id).unwrap().is_some();
        let key = store.key().unwrap();
        for kind in EntryKind::ALL {
            store.put(*kind, "t", "unused", b"bytes").unwrap();
            store.put(*kind, "t", "used", b"bytes").unwrap();
        }
        time.pass(2 * HOUR);
        assert!(EntryKind::ALL.iter().all(|kind| has(*kind, "used")));
        assert_eq!(store.purge(Some(EntryKind::Result), Some(3 * HOUR)).unwrap(), 0);
        assert_eq!(store.purge(Some(EntryKind::Result), Some(HOUR)).unwrap(), 1);
        assert!(has(EntryKind::Result, "used") && !has(EntryKind::Result, "unused"));
        assert_eq!(store.purge(Some(EntryKind::Original), None).unwrap(), 2);
        assert!(has(EntryKind::Result, "used") && !has(EntryKind::Original, "used"));
        assert_eq!(store.purge(None, None).unwrap(), 3);
        assert_eq!(store.stats().unwrap(), StoreStats::default());
        assert_eq!(store.key().unwrap(), key);
    });
}

#[test]
fn several_entries_are_put_and_had_at_once() {
    each(StoreOptions::MEMORY, |store, _| {
        store.put(EntryKind::Original, "other", "c", b"of another").unwrap();
        let large = vec![7; 300_000];
        store.put_all(EntryKind::Original, "t", &[("a", b"1"), ("b", &large)]).unwrap();
        let found = store.get_all(EntryKind::Original, "t", &["b", "c", "a"]).unwrap();
        assert_eq!(found, [Some(large), None, Some(b"1".to_vec())]);
        store.put_all(EntryKind::Original, "t", &[]).unwrap();
        assert_eq!(
            store.get_all(EntryKind::Original, "t", &[]).unwrap(),
            Vec::<Option<Vec<u8>>>::new()
        );
        let error =
            store.put_all(EntryKind::Original, "t", &[("a", b"2"), ("../a", b"")]).unwrap_err();
        assert!(matches!(error, StoreError::BadId { .. }), "{error}");
    });
}

#[test]
fn the_key_stays_and_a_given_key_wins() {
    each(StoreOptions::MEMORY, |store, _| {
        let key = store.key().unwrap();
        assert_eq!(store.key().unwrap(), key);
        assert_ne!(key, [0; 32]);
    });
    each(StoreOptions { key: Some([7; 32]), ..StoreOptions::MEMORY }, |store, _| {
        assert_eq!(store.key().unwrap(), [7; 32]);
    });
}

#[test]
fn many_threads_share_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let folder = format!("disk:{}", folder.path().display());
    for url in ["memory:", &folder, &Database::new().url] {
        let store = open(url, StoreOptions::DISK);
        let work = |thread: usize| {
            let store = Arc::clone(&store);
            move || {
                for index in 0..200 {
                    let id = ((index + thread) % 50).to_string();
                    store.put(EntryKind::Result, "t", &id, id.repeat(1000).as_bytes()).unwrap();
                    let found = store.get(EntryKind::Result, "t", &id).unwrap();
                    assert_eq!(found.unwrap(), id.repeat(1000).as_bytes());
                }
            }
        };
        let threads: Vec<_> = (0..4).map(|thread| std::thread::spawn(work(thread))).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(store.stats().unwrap().total().entries, 50);
    }
}

/// Puts by other tenants, of more bytes together than a store of 2 MiB holds.
fn others_put(store: &dyn Store) {
    for n in 0..64 {
        let tenant = format!("tenant {n}");
        // A store on disk may refuse some while it is swept.
        let _ = store.put(EntryKind::Original, &tenant, "noise", &[0; 100_000]);
        let _ = store.put(EntryKind::Result, &tenant, "noise", &[0; 100_000]);
    }
}

const SMALL: StoreOptions = StoreOptions { max_bytes: 2 << 20, ..StoreOptions::MEMORY };

#[test]
fn g81_what_is_pinned_stays_whatever_others_put() {
    each(SMALL, |store, _| {
        store.pin("t", "pinned", b"an original").unwrap();
        others_put(store);
        for n in 0..64 {
            let _ = store.put(EntryKind::Original, "t", &format!("own{n}"), &[0; 100_000]);
        }
        assert_eq!(store.get(EntryKind::Original, "t", "pinned").unwrap().unwrap(), b"an original");
        assert_eq!(store.get(EntryKind::Original, "other", "pinned").unwrap(), None);
    });
}

#[test]
fn g81_a_pin_survives_puts_of_the_same_id() {
    each(SMALL, |store, _| {
        store.pin("t", "first pinned", b"bytes").unwrap_err();
        for (id, pinned_first) in [("pinned-first", true), ("put-first", false)] {
            if pinned_first {
                store.pin("t", id, b"bytes").unwrap();
                store.put(EntryKind::Original, "t", id, b"other").unwrap();
            } else {
                store.put(EntryKind::Original, "t", id, b"bytes").unwrap();
                store.pin("t", id, b"other").unwrap();
            }
            others_put(store);
            assert_eq!(store.get(EntryKind::Original, "t", id).unwrap().unwrap(), b"other", "{id}");
            let kept = store.put_if_absent(EntryKind::Original, "t", id, b"late").unwrap();
            assert_eq!(kept.unwrap(), b"other", "{id}");
            assert!(store.forget(EntryKind::Original, "t", id).unwrap());
            assert_eq!(store.get(EntryKind::Original, "t", id).unwrap(), None, "{id}");
        }
    });
}

#[test]
fn g81_a_pin_lives_as_long_as_an_original() {
    each_with_our_clock(SMALL, |store, time| {
        store.pin("t", "id", &[0; 100_000]).unwrap();
        time.pass(23 * HOUR);
        assert!(store.get(EntryKind::Original, "t", "id").unwrap().is_some());
        time.pass(23 * HOUR);
        assert!(store.get(EntryKind::Original, "t", "id").unwrap().is_some(), "used since");
        time.pass(24 * HOUR);
        assert_eq!(store.get(EntryKind::Original, "t", "id").unwrap(), None);
    });
}

#[test]
fn g82_a_tenants_pins_are_bounded_and_others_have_room() {
    let settings = StoreOptions { max_bytes: 8 << 20, ..StoreOptions::MEMORY };
    each_with_our_clock(settings, |store, time| {
        let fill = |tenant: &str| {
            let pin = |n: &u64| store.pin(tenant, &format!("id{n}"), &[7; 100_000]).is_ok();
            (0..100).take_while(pin).count()
        };
        let (first, second) = (fill("first"), fill("second"));
        assert!((18..=20).contains(&first), "a quarter of the store: {first}");
        assert!((9..=10).contains(&second), "half of what is left: {second}");
        let error = store.pin("first", "more", &[7; 100_000]).unwrap_err();
        assert!(matches!(error, StoreError::PinsFull { .. }), "{error}");
        store.pin("first", "id0", &[7; 100_000]).unwrap();
        assert!(store.put(EntryKind::Original, "first", "more", &[7; 100_000]).is_ok());
        // Those that are expired take no room. On disk a refusal begins the sweep that finds them.
        time.pass(25 * HOUR);
        let _ = store.pin("first", "probe", b"");
        assert_eq!(fill("third"), first);
    });
}

#[test]
fn g82_nothing_that_is_too_large_is_pinned_or_evicts_anything() {
    each_with_our_clock(SMALL, |store, _| {
        store.put(EntryKind::Result, "t", "kept", b"bytes").unwrap();
        for bytes in [600_000, 3 << 20] {
            store.pin("t", "large", &vec![0; bytes]).unwrap_err();
        }
        assert_eq!(store.stats().unwrap().total(), EntryAmount { entries: 1, bytes: 5 });
    });
}

#[derive(Debug, Clone)]
enum ContractStep {
    Put(EntryKind, u8, u8, Vec<u8>),
    Get(EntryKind, u8, u8),
    Forget(EntryKind, u8, u8),
    Wait(u8),
}

fn step() -> impl Strategy<Value = ContractStep> {
    let kind = prop_oneof![Just(EntryKind::Original), Just(EntryKind::Result)];
    let place = (kind, 0..3u8, 0..4u8);
    let bytes = prop::collection::vec(any::<u8>(), 0..50);
    prop_oneof![
        (place.clone(), bytes)
            .prop_map(|((kind, t, i), bytes)| ContractStep::Put(kind, t, i, bytes)),
        place.clone().prop_map(|(kind, t, i)| ContractStep::Get(kind, t, i)),
        place.prop_map(|(kind, t, i)| ContractStep::Forget(kind, t, i)),
        (0..20u8).prop_map(ContractStep::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is done in whatever order, a store answers as a map with a lifetime would.
    #[test]
    fn a_store_is_a_map_whose_entries_age(steps in prop::collection::vec(step(), 0..60)) {
        each(StoreOptions::MEMORY, |store, time| {
            let mut model: HashMap<(EntryKind, u8, u8), (Vec<u8>, Duration)> = HashMap::new();
            let mut now = Duration::ZERO;
            for step in &steps {
                let (tenant, id) = match step {
                    ContractStep::Put(_, t, i, _) | ContractStep::Get(_, t, i) | ContractStep::Forget(_, t, i) =>
                        (t.to_string(), i.to_string()),
                    ContractStep::Wait(hours) => {
                        now += *hours as u32 * HOUR;
                        time.pass(*hours as u32 * HOUR);
                        continue
                    }
                };
                model.retain(|_, (_, last_use)| now - *last_use < 24 * HOUR);
                match step {
                    ContractStep::Put(kind, t, i, bytes) => {
                        store.put(*kind, &tenant, &id, bytes).unwrap();
                        model.insert((*kind, *t, *i), (bytes.clone(), now));
                    }
                    ContractStep::Get(kind, t, i) => {
                        let expected = model.get_mut(&(*kind, *t, *i)).map(|(bytes, last_use)| {
                            *last_use = now;
                            bytes.clone()
                        });
                        assert_eq!(store.get(*kind, &tenant, &id).unwrap(), expected);
                    }
                    ContractStep::Forget(kind, t, i) => {
                        store.forget(*kind, &tenant, &id).unwrap();
                        model.remove(&(*kind, *t, *i));
                    }
                    ContractStep::Wait(_) => {}
                }
            }
        });
    }
}
