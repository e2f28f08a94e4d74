//! Stores that fail: requests go on, and nothing is left out that could not be fetched back. What is in the request can be.

use crate::kit::{
    Ask, PATIENCE, World, conversation, forwarded, messages, rows, streaming, test_run, world_on,
    world_with,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokenforge_config::Strategy;
use tokenforge_mock::{RedisServer, Reply, first_reference};
use tokenforge_store::{
    DiskStore, EntryKind, MemoryStore, RedisStore, Store, StoreError, StoreLocation, StoreOptions,
    StoreStats,
};
use tokenforge_testkit::store::{StoreCall, WrappedStore};

/// How a store is no good.
#[derive(Clone, Copy, Debug)]
enum Bad {
    Fails,
    Panics,
    Blocks,
}

impl Bad {
    fn act<T>(self) -> Result<T, StoreError> {
        match self {
            Bad::Fails => Err(StoreError::Server { server: "s".into(), reason: "away".into() }),
            Bad::Panics => panic!("a defect in a store"),
            Bad::Blocks => loop {
                std::thread::park();
            },
        }
    }
}

impl Store for Bad {
    fn put(&self, _: EntryKind, _: &str, _: &str, _: &[u8]) -> Result<(), StoreError> {
        self.act()
    }
    fn get(&self, _: EntryKind, _: &str, _: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.act()
    }
    fn forget(&self, _: EntryKind, _: &str, _: &str) -> Result<bool, StoreError> {
        self.act()
    }
    fn stats(&self) -> Result<StoreStats, StoreError> {
        self.act()
    }
    fn purge(&self, _: Option<EntryKind>, _: Option<Duration>) -> Result<u64, StoreError> {
        self.act()
    }
    fn key(&self) -> Result<[u8; 32], StoreError> {
        self.act()
    }
}

/// A request succeeds and has nothing in it that was left out.
fn assert_harmless(world: &World, what: &str) {
    world.mock.clear();
    let answer = world.send(messages(&conversation(&test_run())));
    assert_eq!(answer.status, 200, "{what}: {}", answer.text());
    assert!(forwarded(&world.mock).contains("case_number_317"), "{what}: something was left out");
    assert!(!forwarded(&world.mock).contains("<<<SHADOW:"), "{what}");
    assert_eq!(world.send(messages(&streaming("short"))).status, 200, "{what}");
    assert_eq!(world.mock.refusals(), Vec::<String>::new(), "{what}");
}

#[test]
fn the_example_is_one_from_which_something_is_left_out() {
    let world = world_with(|_| {});
    world.send(messages(&conversation(&test_run())));
    assert!(forwarded(&world.mock).starts_with("<<<SHADOW:shadow_"), "{}", forwarded(&world.mock));
    assert!(!forwarded(&world.mock).contains("case_number_317"));
}

#[test]
fn a_store_that_fails_and_has_no_key_leaves_requests_whole() {
    for bad in [Bad::Fails, Bad::Panics] {
        let world = world_on(Arc::new(bad), |_| {});
        assert_harmless(&world, &format!("{bad:?}"));
        // What needs no way back is still done.
        world.send(messages(&conversation(&rows())));
        assert!(forwarded(&world.mock).len() < rows().len() / 2, "{bad:?}");
        assert!(world.counter("store_failures") > 0, "{bad:?}");
    }
}

#[test]
fn decision_29_with_a_key_in_the_settings_a_store_that_fails_changes_no_byte() {
    let key = |settings: &mut tokenforge_config::Settings| {
        settings.store.key = Some(tokenforge_config::Secret::new("k"));
    };
    let whole = world_with(key);
    whole.send(messages(&conversation(&test_run())));
    for bad in [Bad::Fails, Bad::Panics] {
        let world = world_on(Arc::new(bad), key);
        world.mock.reply(Reply::expand_first_reference());
        world.mock.reply("seen");
        assert_eq!(world.send(messages(&conversation(&test_run()))).status, 200);
        let requests = world.mock.requests();
        assert_eq!(requests[0].body, whole.mock.last().body, "{bad:?}");
        assert!(String::from_utf8_lossy(&requests[1].body).contains("case_number_317"), "{bad:?}");
        assert!(world.counter("store_failures") > 0, "{bad:?}");
    }
}

#[test]
fn decision_29_what_only_a_store_could_give_back_is_not_left_out() {
    let key = |settings: &mut tokenforge_config::Settings| {
        settings.store.key = Some(tokenforge_config::Secret::new("k"));
    };
    let mut body = conversation(&test_run());
    body["config"] = serde_json::json!({"mode": "ccr"});
    let body = body.to_string();
    // The same messages for a model and for a caller that has only what is stored.
    let world = world_on(Arc::new(Bad::Fails), key);
    world.send(messages(&conversation(&test_run())));
    let compressed = world.send(Ask::post("/v1/compress", body));
    assert_eq!(compressed.status, 200);
    assert!(compressed.text().contains("case_number_317"), "{}", compressed.text());
    assert_eq!(compressed.json()["hashes"], serde_json::json!([]));
}

#[test]
fn a_store_that_never_answers_delays_requests_only_briefly() {
    let blocked = |strategy| {
        world_on(Arc::new(Bad::Blocks), move |settings| {
            settings.tool_output.deadline = Duration::ZERO;
            settings.tool_output.strategy = strategy;
            settings.limits.compression_threads = 1;
            settings.store.key = Some(tokenforge_config::Secret::new("k"));
        })
    };
    let is_served = |world: World| {
        let answer = world.send(messages(&conversation(&test_run())));
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(forwarded(&world.mock).contains("case_number_317"));
        assert_eq!(world.mock.refusals(), Vec::<String>::new());
    };
    std::thread::scope(|scope| {
        for strategy in [Strategy::Passthrough, Strategy::Simple] {
            scope.spawn(move || is_served(blocked(strategy)));
        }
        scope.spawn(|| {
            let id = "shadow_abcdefghijklmnopqrstuvwxyzabcdefghi";
            let world = blocked(Strategy::Passthrough);
            assert_eq!(world.get(&format!("/_forge/api/expand?id={id}")).status, 404);
            assert_eq!(world.get("/_forge/api/stats").status, 200);
        });
    });
}

#[test]
fn a_folder_that_was_deleted_is_no_reason_to_fail() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("store");
    let disk = DiskStore::open(&place, StoreOptions::DISK).unwrap();
    let world = world_on(Arc::new(disk), |_| {});
    world.send(messages(&conversation("short")));
    std::fs::remove_dir_all(&place).unwrap();
    let answer = world.send(messages(&conversation(&test_run())));
    assert_eq!(answer.status, 200);
    // Either nothing was left out, or it can be had.
    if let Some(id) = first_reference(&world.mock.last().body) {
        let ask = Ask::new("GET", &format!("/_forge/api/expand?id={id}"));
        let original = world.send(ask.header("x-api-key", "sk-client"));
        assert_eq!(original.text(), test_run());
    } else {
        assert_eq!(forwarded(&world.mock), test_run());
    }
}

#[test]
fn a_redis_that_is_away_is_no_reason_to_fail() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let store =
        tokenforge_store::open(&format!("redis://{closed}/0"), StoreOptions::MEMORY).unwrap();
    assert_harmless(&world_on(store, |_| {}), "Redis down");
}

/// Whether the caller of these conversations can have an original.
fn has_original(world: &World, id: &str) -> bool {
    let ask = Ask::new("GET", &format!("/_forge/api/expand?id={id}"));
    world.send(ask.header("x-api-key", "sk-client")).status == 200
}

#[test]
fn g78_a_redis_that_lost_its_data_gets_originals_again() {
    let mut redis = RedisServer::start();
    let StoreLocation::Redis(servers) = redis.url().parse().unwrap() else { unreachable!() };
    let store = RedisStore::new(servers, StoreOptions::MEMORY).with_patience(PATIENCE);
    let world = world_on(Arc::new(store), |_| {});
    let send = || {
        let answer = world.send(messages(&conversation(&test_run())));
        assert_eq!(answer.status, 200, "{}", answer.text());
        world.mock.last().body
    };
    let first = send();
    let id = first_reference(&first).unwrap();
    assert!(has_original(&world, id));
    for _ in 0..2 {
        redis.lose_all();
        assert_eq!(send(), first, "the same bytes go on");
        // The request does not wait for its originals to be stored again.
        let begun = std::time::Instant::now();
        while !has_original(&world, id) {
            assert!(begun.elapsed() < PATIENCE, "the original is not stored again");
            std::thread::yield_now();
        }
    }
}

#[test]
fn g77_figures_do_not_count_the_store_each_time() {
    let counts = Arc::new(AtomicUsize::new(0));
    let counted = counts.clone();
    let store = WrappedStore::new(move |call| {
        counted.fetch_add(usize::from(call == StoreCall::Stats), Ordering::SeqCst);
        Ok(())
    });
    let world = world_on(Arc::new(store.durable()), |_| {});
    world.send(messages(&conversation(&test_run())));
    for _ in 0..20 {
        let stats = world.get("/_forge/api/stats").json();
        assert_eq!(stats["store"]["entries"], 1, "{stats}");
    }
    assert_eq!(counts.load(Ordering::SeqCst), 1);
}

#[test]
fn what_was_left_out_before_the_store_failed_stays_left_out_and_can_be_had() {
    let is_broken = Arc::new(AtomicBool::new(false));
    let fails = is_broken.clone();
    let store =
        WrappedStore::new(
            move |_| {
                if fails.load(Ordering::SeqCst) { Bad::Fails.act() } else { Ok(()) }
            },
        );
    let world = world_on(Arc::new(store), |_| {});
    world.send(messages(&conversation(&test_run())));
    let before = world.mock.last().body;
    is_broken.store(true, Ordering::SeqCst);
    world.mock.clear();
    world.mock.reply(Reply::expand_first_reference());
    world.mock.reply("seen");
    assert_eq!(world.send(messages(&conversation(&test_run()))).status, 200);
    let requests = world.mock.requests();
    assert_eq!(requests[0].body, before, "the provider's cache would be lost");
    assert!(String::from_utf8_lossy(&requests[1].body).contains("case_number_317"));
}

#[test]
fn a_deadline_that_passed_is_remembered_so_that_no_later_turn_differs() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let late = world_on(store.clone(), |settings| settings.tool_output.deadline = Duration::ZERO);
    late.send(messages(&conversation(&test_run())));
    let first = forwarded(&late.mock);
    assert!(first.contains("case_number_317"));
    assert_eq!(late.counter("deadlines_passed"), 1);
    // A restart, and all the time there is.
    let again = world_on(store, |_| {});
    again.send(messages(&conversation(&test_run())));
    assert_eq!(forwarded(&again.mock), first);
    // Another result has its own luck.
    let other = test_run().replace("suite::", "other::");
    again.send(messages(&conversation(&other)));
    assert!(forwarded(&again.mock).starts_with("<<<SHADOW:"));
}
