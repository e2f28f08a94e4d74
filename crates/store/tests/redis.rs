//! What the store on a server promises beside: outages, strangers' data, secrecy, sharing, clusters, TLS.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod kit;

use kit::server::{Database, TestServer, open};
use redis::Commands;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokenforge_store::{EntryKind, Store, StoreError, StoreOptions};

fn store(url: &str) -> Arc<dyn Store> {
    open(url, StoreOptions::DISK)
}

/// A store as a gateway has it.
fn impatient(url: &str) -> Arc<dyn Store> {
    tokenforge_store::open(url, StoreOptions::DISK).unwrap()
}

/// Tries until it works.
fn retry<T>(mut attempt: impl FnMut() -> Result<T, StoreError>) -> T {
    loop {
        match attempt() {
            Ok(done) => return done,
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

#[test]
fn g39_entries_and_the_key_are_shared_and_survive_a_restart_of_the_gateway() {
    let database = Database::new();
    let (one, other) = (store(&database.url), store(&database.url));
    one.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    let key = one.key().unwrap();
    drop(one);
    assert_eq!(other.get(EntryKind::Original, "t", "id").unwrap().unwrap(), b"bytes");
    assert_eq!(other.key().unwrap(), key);
    assert_ne!(store(&Database::new().url).key().unwrap(), key);
}

#[test]
fn stores_that_race_for_the_key_get_the_same() {
    for _ in 0..10 {
        let database = Database::new();
        let ask = || {
            let store = store(&database.url);
            std::thread::spawn(move || store.key().unwrap())
        };
        let threads: Vec<_> = (0..8).map(|_| ask()).collect();
        let keys: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    }
}

#[test]
fn d66_a_server_that_lost_its_data_is_given_the_key_again() {
    let mut server = TestServer::start(&[]);
    let (one, other) = (store(&server.url()), store(&server.url()));
    let key = one.key().unwrap();
    assert_eq!(other.key().unwrap(), key);
    server.kill();
    server.run();
    // Any call connects anew.
    assert_eq!(retry(|| one.get(EntryKind::Original, "t", "id")), None);
    assert_eq!(store(&server.url()).key().unwrap(), key, "one that was restarted");
    assert_eq!(one.known_key(), Some(key));
}

#[test]
fn d66_who_finds_another_key_after_a_loss_adopts_it() {
    let mut server = TestServer::start(&[]);
    let (one, other) = (store(&server.url()), store(&server.url()));
    let key = one.key().unwrap();
    assert_eq!(other.key().unwrap(), key);
    server.kill();
    server.run();
    let drawn = store(&server.url()).key().unwrap();
    assert_ne!(drawn, key);
    for store in [one, other] {
        assert_eq!(store.known_key(), Some(key));
        assert_eq!(retry(|| store.get(EntryKind::Original, "t", "id")), None);
        assert_eq!(store.known_key(), Some(drawn));
    }
}

#[test]
fn d66_a_loss_without_a_lost_connection_is_noticed_when_an_original_is_put() {
    let server = TestServer::start(&[]);
    let (one, other) = (store(&server.url()), store(&server.url()));
    let key = one.key().unwrap();
    assert_eq!(other.key().unwrap(), key);
    server.tell("FLUSHALL");
    one.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    assert_eq!(store(&server.url()).key().unwrap(), key);
    server.tell("FLUSHALL");
    let drawn = store(&server.url()).key().unwrap();
    other.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    assert_eq!(other.known_key(), Some(drawn));
}

#[test]
fn a_damaged_key_is_reported_and_left_alone() {
    let database = Database::new();
    let _: () = database.connection().set("tokenforge:1:key", "short").unwrap();
    let error = store(&database.url).key().unwrap_err();
    assert!(matches!(error, StoreError::BadKey { length: 5, .. }), "{error}");
    let kept: String = database.connection().get("tokenforge:1:key").unwrap();
    assert_eq!(kept, "short");
}

#[test]
fn an_outage_is_an_error_and_over_when_the_server_is_back() {
    let mut server = TestServer::start(&[]);
    let store = store(&server.url());
    store.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    server.kill();
    let get = || store.get(EntryKind::Original, "t", "id");
    for _ in 0..100 {
        let error = get().unwrap_err();
        assert!(matches!(error, StoreError::Server { .. }), "{error}");
    }
    assert!(store.put(EntryKind::Original, "t", "id", b"bytes").is_err());
    assert!(store.key().is_err());
    assert!(store.stats().is_err());
    server.run();
    assert_eq!(retry(get), None);
    store.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    assert_eq!(get().unwrap().unwrap(), b"bytes");
}

#[test]
fn a_restart_between_two_calls_is_not_noticed() {
    let mut server = TestServer::start(&[]);
    let store = store(&server.url());
    store.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    server.kill();
    server.run();
    assert_eq!(store.get(EntryKind::Original, "t", "id").unwrap(), None);
    store.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
}

#[test]
fn a_server_that_is_not_there_at_the_start_is_used_when_it_comes() {
    let mut server = TestServer::start(&[]);
    server.kill();
    let store = store(&server.url());
    assert!(store.key().is_err());
    server.run();
    let key = retry(|| store.key());
    assert_eq!(store.key().unwrap(), key);
}

/// A server that takes connections and says nothing: each call that waits for it shows as a connection.
#[test]
fn a_server_that_hangs_is_asked_by_one_call_and_not_by_those_after_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&connections);
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            counter.fetch_add(1, Ordering::SeqCst);
            open.push(stream);
        }
    });
    let store = impatient(&url);
    let ask = |_| store.get(EntryKind::Original, "t", "id").unwrap_err().to_string();
    let errors: Vec<String> = (0..100).map(ask).collect();
    assert!(errors[0].ends_with("no connection within 250 ms"), "{}", errors[0]);
    let at_once = errors.iter().filter(|error| error.ends_with("not asked again yet")).count();
    let waited = errors.len() - at_once;
    assert!(at_once > 50 && connections.load(Ordering::SeqCst) <= waited, "{errors:?}");
}

/// The server holds the answers back: its connections stay open and nothing comes.
#[test]
fn a_server_that_stops_answering_is_an_error_and_never_a_late_answer() {
    let server = TestServer::start(&[]);
    let store = impatient(&server.url());
    for id in ["one", "two"] {
        retry(|| store.put(EntryKind::Original, "t", id, id.as_bytes()));
    }
    server.tell("CLIENT PAUSE 600000 WRITE");
    let error = store.get(EntryKind::Original, "t", "one").unwrap_err();
    assert!(matches!(error, StoreError::Server { .. }), "{error}");
    server.tell("CLIENT UNPAUSE");
    let found = retry(|| store.get(EntryKind::Original, "t", "two"));
    assert_eq!(found.unwrap(), b"two");
}

/// A signal that this process handles, such as the end of a tool server, interrupts a read that has a timeout.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_read_is_begun_again_and_is_no_outage() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let _entered = runtime.enter();
    let handled = tokio::signal::unix::SignalKind::user_defined1();
    let _handler = tokio::signal::unix::signal(handled).unwrap();
    let server = TestServer::start(&[]);
    let store = store(&server.url());
    store.put(EntryKind::Original, "t", "one", b"one").unwrap();
    server.tell("CLIENT PAUSE 600000 WRITE");
    let (sender, receiver) = std::sync::mpsc::channel();
    let asking = std::thread::spawn(move || {
        sender.send(std::fs::read_link("/proc/thread-self").unwrap()).unwrap();
        store.get(EntryKind::Original, "t", "one")
    });
    let thread = receiver.recv().unwrap();
    let status = std::path::Path::new("/proc").join(&thread).join("status");
    while !std::fs::read_to_string(&status).unwrap().contains("State:\tS") {
        std::thread::yield_now();
    }
    let kill = format!("kill -USR1 {}", thread.file_name().unwrap().display());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    server.tell("CLIENT UNPAUSE");
    assert_eq!(asking.join().unwrap().unwrap().as_deref(), Some(&b"one"[..]));
}

/// The names of the entries, without the notes of the store's age and of its losses.
fn entries(database: &Database) -> Vec<String> {
    let mut names = database.names();
    names.retain(|name| !matches!(&**name, "tokenforge:1:complete" | "tokenforge:1:epoch"));
    names
}

#[test]
fn what_a_stranger_left_under_a_name_is_no_entry() {
    let database = Database::new();
    let store = store(&database.url);
    store.put(EntryKind::Original, "t", "id", b"the original").unwrap();
    let get = || store.get(EntryKind::Original, "t", "id").unwrap();
    let name = entries(&database).remove(0);
    let mut connection = database.connection();
    let intact: Vec<u8> = connection.get(&name).unwrap();
    let mut flipped = intact.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let (cut, longer) = (&intact[..intact.len() - 1], [&intact[..], b"more"].concat());
    for wrong in [&b""[..], b"short", cut, &longer, &flipped] {
        let _: () = connection.set(&name, wrong).unwrap();
        assert_eq!(get(), None, "{wrong:?}");
    }
    let _: () = connection.del(&name).unwrap();
    let _: () = connection.lpush(&name, "an item").unwrap();
    assert_eq!(get(), None);
    assert_eq!(store.stats().unwrap().total().entries, 0);
    store.put(EntryKind::Original, "t", "id", b"the original").unwrap();
    assert_eq!(get().unwrap(), b"the original");
}

#[test]
fn g40_a_value_moved_to_another_tenants_name_is_not_that_tenants_entry() {
    let database = Database::new();
    let store = store(&database.url);
    store.put(EntryKind::Original, "a", "id", b"of a").unwrap();
    let of_a = entries(&database).remove(0);
    store.put(EntryKind::Original, "b", "id", b"of b").unwrap();
    let of_b = entries(&database).into_iter().find(|name| *name != of_a).unwrap();
    let _: () = database.connection().rename(of_a, of_b).unwrap();
    assert_eq!(store.get(EntryKind::Original, "b", "id").unwrap(), None);
}

#[test]
fn l10_nothing_a_caller_says_is_seen_in_a_name() {
    let database = Database::new();
    let store = store(&database.url);
    for kind in EntryKind::ALL {
        store.put(*kind, "acme corp", "shadow_abc", b"canary").unwrap();
    }
    store.key().unwrap();
    let names = database.names();
    assert_eq!(names.len(), EntryKind::ALL.len() + 3, "the entries, the key and two notes");
    for name in names {
        let rest = name.strip_prefix("tokenforge:1:").unwrap();
        let hash = rest.split('.').next().unwrap();
        assert!(
            matches!(rest, "key" | "complete" | "epoch")
                || hash.len() == 32 && hash.bytes().all(|b| b.is_ascii_hexdigit()),
            "{name}"
        );
    }
}

#[test]
fn c4_entries_expire_on_the_server_and_the_key_does_not() {
    let database = Database::new();
    let lifetimes = StoreOptions {
        original_lifetime: Duration::from_secs(60),
        result_lifetime: Duration::from_secs(600),
        ..StoreOptions::DISK
    };
    let store = open(&database.url, lifetimes);
    store.key().unwrap();
    for kind in EntryKind::ALL {
        store.put(*kind, "t", "id", b"bytes").unwrap();
    }
    for name in database.names() {
        let remaining: i64 = database.connection().pttl(&name).unwrap();
        let expected = match name.rsplit_once('.') {
            Some((_, "original" | "kept")) => 1..=60_000,
            Some(_) => 60_001..=600_000,
            None => -1..=-1,
        };
        assert!(expected.contains(&remaining), "{name}: {remaining}");
    }
}

#[test]
fn c4_the_shortest_and_the_longest_lifetime_are_taken() {
    let database = Database::new();
    for lifetime in [Duration::ZERO, Duration::MAX] {
        let settings = StoreOptions { original_lifetime: lifetime, ..StoreOptions::DISK };
        let store = open(&database.url, settings);
        store.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
        store.get(EntryKind::Original, "t", "id").unwrap();
    }
}

#[test]
fn stats_and_a_purge_see_many_entries_and_only_ours() {
    let database = Database::new();
    let store = store(&database.url);
    let ids: Vec<String> = (0..5000).map(|index| index.to_string()).collect();
    let entries: Vec<(&str, &[u8])> = ids.iter().map(|id| (id.as_str(), id.as_bytes())).collect();
    store.put_all(EntryKind::Result, "t", &entries).unwrap();
    store.key().unwrap();
    let strangers = ["tokenforge:2:7f.original", "tokenforge:1:else", "else"];
    for name in strangers {
        let _: () = database.connection().set(name, "else").unwrap();
    }
    let amount = store.stats().unwrap().of(EntryKind::Result);
    let bytes = ids.iter().map(String::len).sum::<usize>() as u64;
    assert_eq!((amount.entries, amount.bytes), (5000, bytes));
    assert_eq!(store.purge(None, None).unwrap(), 5000);
    let mut left = database.names();
    left.sort();
    assert_eq!(left, ["else", "tokenforge:1:else", "tokenforge:1:key", "tokenforge:2:7f.original"]);
}

#[test]
fn a_server_that_says_no_is_quoted_and_still_asked() {
    let server = TestServer::start(&[]);
    let store = store(&server.url());
    store.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    let key = store.key().unwrap();
    server.tell("CONFIG SET maxmemory 1");
    let error = store.put(EntryKind::Original, "t", "two", b"bytes").unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("the store at {} cannot be used: ", server.url())),
        "{error}"
    );
    assert!(error.contains("OOM"), "{error}");
    assert_eq!(store.get(EntryKind::Original, "t", "id").unwrap().unwrap(), b"bytes");
    assert_eq!(store.key().unwrap(), key);
}

#[test]
fn g84_redis_pins_only_where_the_server_evicts_nothing() {
    let server = TestServer::start(&["--maxmemory", "64mb", "--maxmemory-policy", "volatile-lru"]);
    let store = store(&server.url());
    let error = store.pin("t", "id", b"bytes").unwrap_err();
    assert!(matches!(error, StoreError::CannotPin { .. }), "{error}");
    assert!(error.to_string().contains("volatile-lru"), "{error}");
    assert_eq!(store.get(EntryKind::Original, "t", "id").unwrap(), None);
    server.tell("CONFIG SET maxmemory-policy noeviction");
    store.pin("t", "id", b"bytes").unwrap();
    let noise = vec![0; 1 << 20];
    let put = |n: u32| store.put(EntryKind::Original, "other", &n.to_string(), &noise);
    assert!((0..80).any(|n| put(n).is_err()), "the server is full");
    assert_eq!(store.get(EntryKind::Original, "t", "id").unwrap().unwrap(), b"bytes");
    store.pin("t", "second", &noise).unwrap_err();
}

#[test]
fn l10_a_password_opens_the_server_and_is_in_no_message() {
    let server = TestServer::start(&["--user", "forge", "on", ">canary-password", "~*", "+@all"]);
    let url = |password| format!("redis://forge:{password}@{}/0", server.host());
    let right = store(&url("canary-password"));
    right.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    assert!(right.get(EntryKind::Original, "t", "id").unwrap().is_some());
    let error = store(&url("canary-wrong")).key().unwrap_err();
    let (shown, debug) = (error.to_string(), format!("{error:?}"));
    assert!(!shown.contains("canary") && !debug.contains("canary"), "{debug}");
}

#[test]
fn a_cluster_is_used_like_one_server() {
    let servers = cluster_of_three();
    let hosts: Vec<String> = servers.iter().map(TestServer::host).collect();
    // The first host is not there: the others are enough.
    let store = store(&format!("redis+cluster://127.0.0.1:1,{}", hosts.join(",")));
    let key = store.key().unwrap();
    let ids: Vec<String> = (0..500).map(|index| index.to_string()).collect();
    let entries: Vec<(&str, &[u8])> = ids.iter().map(|id| (id.as_str(), id.as_bytes())).collect();
    store.put_all(EntryKind::Original, "t", &entries).unwrap();
    let asked: Vec<&str> = ids.iter().map(String::as_str).collect();
    let found = store.get_all(EntryKind::Original, "t", &asked).unwrap();
    assert!(found.iter().zip(&ids).all(|(found, id)| found.as_deref() == Some(id.as_bytes())));
    for server in &servers {
        let size: usize = redis::cmd("DBSIZE").query(&mut server.connection()).unwrap();
        assert!(size > 50, "{size}");
    }
    assert_eq!(store.stats().unwrap().total().entries, 500);
    assert!(store.forget(EntryKind::Original, "t", "7").unwrap());
    assert_eq!(store.purge(Some(EntryKind::Original), None).unwrap(), 499);
    assert_eq!(store.key().unwrap(), key);
}

#[test]
fn a_cluster_whose_slots_move_is_followed() {
    let servers = cluster_of_three();
    let store = store(&format!("redis+cluster://{}", servers[0].host()));
    let ids: Vec<String> = (0..50).map(|index| index.to_string()).collect();
    let put = |id: &String| store.put(EntryKind::Original, "t", id, id.as_bytes());
    ids.iter().for_each(|id| put(id).unwrap());
    // The slots of the third go to the second, with nothing in them.
    let of = |server: &TestServer| -> String {
        redis::cmd("CLUSTER").arg("MYID").query(&mut server.connection()).unwrap()
    };
    let new_owner = of(&servers[1]);
    servers[2].tell("FLUSHALL");
    for slot in SLOTS[2].0..=SLOTS[2].1 {
        for server in &servers {
            server.tell(&format!("CLUSTER SETSLOT {slot} NODE {new_owner}"));
        }
    }
    for id in &ids {
        retry(|| put(id));
        assert_eq!(retry(|| store.get(EntryKind::Original, "t", id)).unwrap(), id.as_bytes());
    }
}

#[test]
fn an_outage_of_a_cluster_is_an_error_and_over_when_it_is_back() {
    let mut servers = cluster_of_three();
    let hosts: Vec<String> = servers.iter().map(TestServer::host).collect();
    let store = store(&format!("redis+cluster://{}", hosts.join(",")));
    store.put(EntryKind::Original, "t", "id", b"bytes").unwrap();
    servers.iter_mut().for_each(TestServer::kill);
    for _ in 0..100 {
        assert!(store.get(EntryKind::Original, "t", "id").is_err());
    }
    servers.iter_mut().for_each(TestServer::run);
    retry(|| store.put(EntryKind::Original, "t", "id", b"bytes"));
    assert_eq!(retry(|| store.get(EntryKind::Original, "t", "id")).unwrap(), b"bytes");
}

const SLOTS: [(u16, u16); 3] = [(0, 5460), (5461, 10922), (10923, 16383)];

fn cluster_of_three() -> Vec<TestServer> {
    let servers: Vec<TestServer> =
        SLOTS.iter().map(|_| TestServer::start(&["--cluster-enabled", "yes"])).collect();
    for (server, (from, to)) in servers.iter().zip(SLOTS) {
        server.tell(&format!("CLUSTER ADDSLOTSRANGE {from} {to}"));
        server.tell(&format!("CLUSTER MEET {}", servers[0].host().replace(':', " ")));
    }
    let is_ready = |server: &TestServer| {
        let info: String =
            redis::cmd("CLUSTER").arg("INFO").query(&mut server.connection()).unwrap();
        info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:3")
    };
    while !servers.iter().all(is_ready) {
        std::thread::sleep(Duration::from_millis(20));
    }
    servers
}
