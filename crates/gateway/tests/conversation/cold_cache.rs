//! Decision 33: old results become references in a request for which the provider's cache must be cold, and stay so.

use crate::fixtures::{escaped, plain_words};
use crate::house::{House, TestClock};
use crate::voices::{ANTHROPIC, CHAT, CONVERSE, Conversation, GEMINI, INVOKE, OLLAMA, RESPONSES};
use crate::voices::{STREAMS, Voice};
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokenforge_config::{OldResults, Settings};
use tokenforge_engine::Mode;
use tokenforge_mock::client::PATIENCE;
use tokenforge_mock::{RedisServer, Reply};
use tokenforge_store::{
    DiskStore, EntryKind, MemoryStore, RedisStore, Store, StoreError, StoreLocation, StoreOptions,
    StoreStats,
};

/// Those whose provider says how long its cache lives.
const CACHED: [Voice; 5] = [ANTHROPIC, CHAT, RESPONSES, CONVERSE, INVOKE];

const MINUTE: Duration = Duration::from_secs(60);

/// More than any cache lives that a request here asks for.
const LONG: Duration = Duration::from_secs(2 * 60 * 60);

/// What the tool put out in a turn: nothing in it is like another turn's, and no stage makes less of it.
fn output(turn: usize) -> String {
    format!("turn {turn} begins {}", plain_words(2000 + 10 * turn))
}

fn on_disk(folder: &Path, clock: &TestClock, change: impl FnOnce(&mut Settings)) -> House {
    let (folder, times) = (folder.to_owned(), clock.clone());
    House::with_clock(clock.clone(), change, move || {
        let times = times.clone();
        let store = DiskStore::open(&folder, StoreOptions::DISK).unwrap();
        Arc::new(store.with_clock(move || times.now()))
    })
}

/// A conversation with so many outputs, a minute after each other.
fn conversation(house: &House, clock: &TestClock, voice: Voice, turns: usize) -> Conversation {
    go_on(house, clock, Conversation::new(voice), 0..turns)
}

fn go_on(
    house: &House,
    clock: &TestClock,
    from: Conversation,
    turns: std::ops::Range<usize>,
) -> Conversation {
    turns.fold(from, |conversation, turn| {
        clock.pass(MINUTE);
        conversation.with_output(house, &output(turn))
    })
}

/// What the provider gets of the conversation.
fn forwarded(house: &House, conversation: &Conversation) -> String {
    let _ = conversation.heard(house);
    conversation.voice.conversation(&house.forwarded()).to_owned()
}

/// Which outputs the model does not see.
fn left_out(forwarded: &str, turns: usize) -> Vec<usize> {
    (0..turns).filter(|turn| !forwarded.contains(&escaped(&output(*turn)))).collect()
}

#[test]
fn decision_33_old_results_become_references_after_a_pause_and_stay_so() {
    for voice in CACHED {
        let (folder, clock) = (tempfile::tempdir().unwrap(), TestClock::new());
        let mut house = on_disk(folder.path(), &clock, |_| {});
        let mut talk = conversation(&house, &clock, voice, 25);
        let warm = forwarded(&house, &talk);
        assert_eq!(left_out(&warm, 25), Vec::<usize>::new(), "{voice:?}: the cache is warm");
        clock.pass(LONG);
        let cold = forwarded(&house, &talk);
        // 25 turns, of which 20 are not old: those of more than 20 turns ago.
        assert_eq!(left_out(&cold, 25), [0, 1, 2, 3], "{voice:?}");
        assert_eq!(cold.matches("<<<SHADOW:shadow_").count(), 4, "{voice:?}");
        talk = go_on(&house, &clock, talk, 25..28);
        let later = forwarded(&house, &talk);
        assert!(later.starts_with(&cold), "{voice:?}: a warm cache was lost");
        house.restart();
        assert_eq!(forwarded(&house, &talk), later, "{voice:?}: after a restart");
        let replica = on_disk(folder.path(), &clock, |_| {});
        assert_eq!(forwarded(&replica, &talk), later, "{voice:?}: on a replica");
        clock.pass(LONG);
        let again = forwarded(&replica, &talk);
        assert_eq!(left_out(&again, 28), [0, 1, 2, 3, 4, 5, 6], "{voice:?}: the next pause");
        assert_eq!(forwarded(&house, &talk), again, "{voice:?}: which all learn of");
    }
}

#[test]
fn decision_33_streams_too() {
    for voice in STREAMS.iter().copied().filter(|voice| voice.name == "anthropic") {
        let (folder, clock) = (tempfile::tempdir().unwrap(), TestClock::new());
        let house = on_disk(folder.path(), &clock, |_| {});
        let talk = conversation(&house, &clock, voice, 23);
        clock.pass(LONG);
        assert_eq!(left_out(&forwarded(&house, &talk), 23), [0, 1]);
    }
}

#[test]
fn decision_33_l4_the_model_fetches_what_was_left_out() {
    for voice in CACHED {
        let (folder, clock) = (tempfile::tempdir().unwrap(), TestClock::new());
        let house = on_disk(folder.path(), &clock, |_| {});
        let talk = conversation(&house, &clock, voice, 24);
        clock.pass(LONG);
        house.mock.reply(Reply::expand_first_reference());
        house.mock.reply("So that was it.");
        assert_eq!(talk.heard(&house).text, "So that was it.", "{voice:?}");
        assert!(house.forwarded().contains(&escaped(&output(0))), "{voice:?}");
    }
}

#[test]
fn decision_33_a_cache_lives_as_long_as_the_request_says() {
    // Five minutes, and a fifth for the record.
    let lives = |voice: Voice, ask: fn(&mut Conversation), pause: Duration| {
        let (folder, clock) = (tempfile::tempdir().unwrap(), TestClock::new());
        let house = on_disk(folder.path(), &clock, |_| {});
        let mut talk = Conversation::new(voice);
        ask(&mut talk);
        talk = go_on(&house, &clock, talk, 0..25);
        clock.pass(pause);
        left_out(&forwarded(&house, &talk), 25).is_empty()
    };
    let hour = |talk: &mut Conversation| {
        talk.body["system"] = json!([{ "type": "text", "text": "Be brief.",
            "cache_control": { "type": "ephemeral", "ttl": "1h" } }]);
    };
    let day = |talk: &mut Conversation| talk.body["prompt_cache_retention"] = json!("24h");
    assert!(lives(ANTHROPIC, |_| {}, 5 * MINUTE));
    assert!(!lives(ANTHROPIC, |_| {}, 7 * MINUTE));
    assert!(lives(ANTHROPIC, hour, 60 * MINUTE));
    assert!(!lives(ANTHROPIC, hour, 73 * MINUTE));
    assert!(lives(CHAT, |_| {}, 60 * MINUTE));
    assert!(!lives(CHAT, |_| {}, 73 * MINUTE));
    assert!(lives(CHAT, day, 12 * 60 * MINUTE));
}

#[test]
fn decision_33_nothing_is_decided_where_a_cache_has_no_known_end_or_the_mode_leaves_nothing_out() {
    let nothing_after = |voice: Voice, change: fn(&mut Settings)| {
        let (folder, clock) = (tempfile::tempdir().unwrap(), TestClock::new());
        let house = on_disk(folder.path(), &clock, change);
        let talk = conversation(&house, &clock, voice, 25);
        clock.pass(LONG);
        assert_eq!(left_out(&forwarded(&house, &talk), 25), Vec::<usize>::new(), "{voice:?}");
    };
    nothing_after(GEMINI, |_| {});
    nothing_after(OLLAMA, |_| {});
    for change in [
        |settings: &mut Settings| settings.tool_output.mode = Mode::Lossless,
        |settings: &mut Settings| settings.tool_output.mode = Mode::Safe,
        |settings: &mut Settings| settings.tool_output.mode = Mode::Observe,
        |settings: &mut Settings| settings.tool_output.enable_expand_context = false,
        |settings: &mut Settings| settings.tool_output.old_results = OldResults::Never,
    ] {
        nothing_after(ANTHROPIC, change);
    }
}

#[test]
fn decision_33_a_store_in_memory_remembers_nothing_so_nothing_is_decided() {
    let clock = TestClock::new();
    let house = House::with_clock(clock.clone(), |_| {}, || Arc::new(MemoryStore::default()));
    let talk = conversation(&house, &clock, ANTHROPIC, 25);
    clock.pass(LONG);
    assert_eq!(left_out(&forwarded(&house, &talk), 25), Vec::<usize>::new());
}

#[test]
fn decision_33_a_conversation_that_was_never_seen_is_cold_once_the_record_is_older_than_the_cache()
{
    let (elsewhere, clock) = (House::new(), TestClock::new());
    let talk = conversation(&elsewhere, &clock, ANTHROPIC, 25);
    let folder = tempfile::tempdir().unwrap();
    // Its folder is made now.
    let clock = TestClock::new();
    let house = on_disk(folder.path(), &clock, |_| {});
    clock.pass(MINUTE);
    assert_eq!(
        left_out(&forwarded(&house, &talk), 25),
        Vec::<usize>::new(),
        "it may have been sent elsewhere"
    );
    let folder = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let house = on_disk(folder.path(), &clock, |_| {});
    clock.pass(LONG);
    assert_eq!(left_out(&forwarded(&house, &talk), 25), [0, 1, 2, 3]);
}

#[test]
fn decision_33_to_count_tokens_is_no_use_of_the_cache_and_decides_nothing() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), TestClock::new());
    let house = on_disk(folder.path(), &clock, |_| {});
    let talk = conversation(&house, &clock, ANTHROPIC, 25);
    let count = || {
        let mut body = talk.body.clone();
        body.as_object_mut().unwrap().remove("max_tokens");
        body.as_object_mut().unwrap().remove("stream");
        let response = house.post("/v1/messages/count_tokens", body.to_string());
        assert_eq!(response.status, 200, "{}", response.text());
        left_out(&house.forwarded(), 25)
    };
    clock.pass(LONG);
    assert_eq!(count(), Vec::<usize>::new());
    let _ = forwarded(&house, &talk);
    assert_eq!(count(), [0, 1, 2, 3], "what was decided is counted");
}

#[test]
fn decision_33_a_renewed_token_finds_what_was_decided() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), TestClock::new());
    let house = on_disk(folder.path(), &clock, |_| {});
    let talk = conversation(&house, &clock, ANTHROPIC, 25);
    let send = |key: &str| {
        let headers = [("content-type", "application/json"), ("authorization", key)];
        house.ask("POST", ANTHROPIC.path, &headers, talk.body.to_string());
        house.forwarded()
    };
    clock.pass(LONG);
    let first = send("Bearer a");
    assert_eq!(left_out(&first, 25), [0, 1, 2, 3]);
    assert_eq!(send("Bearer b"), first);
}

#[test]
fn decision_33_a_store_that_is_lost_brings_the_originals_back() {
    let (folder, other, clock) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), TestClock::new());
    let house = on_disk(folder.path(), &clock, |_| {});
    let talk = conversation(&house, &clock, ANTHROPIC, 25);
    clock.pass(LONG);
    assert_eq!(left_out(&forwarded(&house, &talk), 25), [0, 1, 2, 3]);
    let elsewhere = on_disk(other.path(), &TestClock::new(), |_| {});
    assert_eq!(left_out(&forwarded(&elsewhere, &talk), 25), Vec::<usize>::new());
}

#[test]
fn decision_33_another_beginning_is_another_conversation() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), TestClock::new());
    let house = on_disk(folder.path(), &clock, |_| {});
    let talk = conversation(&house, &clock, ANTHROPIC, 25);
    clock.pass(LONG);
    let _ = forwarded(&house, &talk);
    // The same outputs, but for one of the first: nothing is known of it, and the record began before its pause.
    let mut other = talk.clone();
    let text = other.body.to_string().replace("turn 3 begins", "turn three begins");
    other.body = serde_json::from_str(&text).unwrap();
    let seen = forwarded(&house, &other);
    assert_eq!(left_out(&seen, 25), [0, 1, 2, 3], "it was never seen, so it is cold");
    let again = go_on(&house, &clock, other, 25..26);
    assert!(forwarded(&house, &again).starts_with(&seen));
}

/// A store on disk behind a watcher that sees each call: before something is put, and after something was read. A
/// watcher that returns `false` makes the call fail.
struct WatchedStore<W>(DiskStore, W);

impl<W: Fn(StoreCall<'_>) -> bool + Send + Sync> WatchedStore<W> {
    fn passes(&self, call: StoreCall<'_>) -> Result<(), StoreError> {
        let (server, reason) = ("s".into(), "away".into());
        (self.1)(call).then_some(()).ok_or(StoreError::Server { server, reason })
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum StoreCall<'i> {
    Put(&'i str),
    Get(&'i str),
    Other,
}

impl<W: Fn(StoreCall<'_>) -> bool + Send + Sync> Store for WatchedStore<W> {
    fn put(&self, kind: EntryKind, tenant: &str, id: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.passes(StoreCall::Put(id))?;
        self.0.put(kind, tenant, id, bytes)
    }
    fn put_if_absent(
        &self,
        kind: EntryKind,
        tenant: &str,
        id: &str,
        bytes: &[u8],
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.passes(StoreCall::Put(id))?;
        self.0.put_if_absent(kind, tenant, id, bytes)
    }
    fn get(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let had = self.0.get(kind, tenant, id)?;
        self.passes(StoreCall::Get(id))?;
        Ok(had)
    }
    fn is_durable(&self) -> bool {
        true
    }
    fn complete_for(&self) -> Result<Option<Duration>, StoreError> {
        self.passes(StoreCall::Other)?;
        self.0.complete_for()
    }
    fn forget(&self, kind: EntryKind, tenant: &str, id: &str) -> Result<bool, StoreError> {
        self.passes(StoreCall::Other)?;
        self.0.forget(kind, tenant, id)
    }
    fn stats(&self) -> Result<StoreStats, StoreError> {
        self.passes(StoreCall::Other)?;
        self.0.stats()
    }
    fn purge(
        &self,
        kind: Option<EntryKind>,
        unused_for: Option<Duration>,
    ) -> Result<u64, StoreError> {
        self.passes(StoreCall::Other)?;
        self.0.purge(kind, unused_for)
    }
    fn key(&self) -> Result<[u8; 32], StoreError> {
        self.passes(StoreCall::Other)?;
        self.0.key()
    }
}

/// As [`on_disk`], with a watcher that may make a call fail.
fn on_watched_disk(
    folder: &Path,
    clock: &TestClock,
    watch: impl Fn(StoreCall<'_>) -> bool + Clone + Send + Sync + 'static,
) -> House {
    let (folder, times) = (folder.to_owned(), clock.clone());
    let change = |_: &mut Settings| {};
    House::with_clock(clock.clone(), change, move || {
        let times = times.clone();
        let store = DiskStore::open(&folder, StoreOptions::DISK).unwrap();
        Arc::new(WatchedStore(store.with_clock(move || times.now()), watch.clone()))
    })
}

#[test]
fn decision_33_what_was_decided_holds_although_the_store_fails_right_after() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), TestClock::new());
    let house = on_disk(folder.path(), &clock, |_| {});
    let talk = conversation(&house, &clock, ANTHROPIC, 25);
    clock.pass(LONG);
    let failing = on_watched_disk(
        folder.path(),
        &clock,
        |call| !matches!(call, StoreCall::Put(id) if id.ends_with("-seen")),
    );
    let decided = forwarded(&failing, &talk);
    assert_eq!(left_out(&decided, 25), [0, 1, 2, 3]);
    assert_eq!(forwarded(&failing, &talk), decided, "it is asked again and again");
    assert_eq!(forwarded(&house, &talk), decided, "the others see the decision");
}

#[test]
fn decision_33_a_replica_that_decides_while_another_one_asks_is_agreed_with() {
    for part in ["-seen", "-0"] {
        let (folder, clock) = (tempfile::tempdir().unwrap(), TestClock::new());
        let house = Arc::new(on_disk(folder.path(), &clock, |_| {}));
        let talk = conversation(&house, &clock, ANTHROPIC, 25);
        clock.pass(LONG);
        // While the second one has asked for this part, and not for the next, the first one decides.
        let (first, asked) = (house.clone(), talk.clone());
        let decided = Arc::new(OnceLock::new());
        let once = decided.clone();
        let second = on_watched_disk(folder.path(), &clock, move |call| {
            if matches!(call, StoreCall::Get(id) if id.starts_with("cold-") && id.ends_with(part)) {
                once.get_or_init(|| forwarded(&first, &asked));
            }
            true
        });
        let agreed = forwarded(&second, &talk);
        assert_eq!(left_out(&agreed, 25), [0, 1, 2, 3], "{part}");
        assert_eq!(Some(&agreed), decided.get(), "{part}");
    }
}

#[test]
fn decision_33_while_the_store_is_away_what_is_known_holds_and_nothing_new_is_decided() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), TestClock::new());
    let is_away = Arc::new(AtomicBool::new(false));
    let away = is_away.clone();
    let house = on_watched_disk(folder.path(), &clock, move |_| !away.load(Ordering::Relaxed));
    let talk = conversation(&house, &clock, ANTHROPIC, 25);
    clock.pass(LONG);
    let decided = forwarded(&house, &talk);
    is_away.store(true, Ordering::Relaxed);
    for _ in 0..4 {
        clock.pass(MINUTE);
        assert_eq!(forwarded(&house, &talk), decided, "the cache is warm");
    }
    clock.pass(LONG);
    assert_eq!(forwarded(&house, &talk), decided, "nothing new is decided");
    is_away.store(false, Ordering::Relaxed);
    let talk = go_on(&house, &clock, talk, 25..26);
    assert!(forwarded(&house, &talk).starts_with(&decided));
}

#[test]
fn decision_33_a_conversation_too_small_for_the_tool_gains_it_when_its_cache_is_cold() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), TestClock::new());
    let house = on_disk(folder.path(), &clock, |settings| {
        settings.tool_output.expand_injection = tokenforge_config::ExpandInjection::WhenItPays;
    });
    let talk = conversation(&house, &clock, ANTHROPIC, 25);
    let _ = forwarded(&house, &talk);
    assert!(!house.forwarded().contains("expand_context"), "its prompt is too small");
    clock.pass(LONG);
    let cold = forwarded(&house, &talk);
    let body = house.forwarded();
    assert!(body.contains("expand_context"), "{body}");
    assert_eq!(left_out(&cold, 25), [0, 1, 2, 3]);
    let talk = go_on(&house, &clock, talk, 25..26);
    assert!(forwarded(&house, &talk).starts_with(&cold));
    assert!(house.forwarded().contains("expand_context"));
}

fn on_redis(server: &RedisServer, clock: &TestClock) -> House {
    let StoreLocation::Redis(servers) = server.url().parse().unwrap() else { unreachable!() };
    // No clock decides a test, however busy the machine is.
    let store =
        move || RedisStore::new(servers.clone(), StoreOptions::DISK).with_patience(PATIENCE);
    House::with_clock(clock.clone(), |_| {}, move || Arc::new(store()))
}

#[test]
fn decision_33_replicas_on_redis_agree_also_when_both_are_asked_at_once() {
    let (server, clock) = (RedisServer::start(), TestClock::new());
    let (one, other) = (on_redis(&server, &clock), on_redis(&server, &clock));
    let talk = conversation(&one, &clock, ANTHROPIC, 25);
    clock.pass(LONG);
    let (first, second) = std::thread::scope(|scope| {
        let talk = &talk;
        let ask = |house| scope.spawn(move || forwarded(house, talk));
        let (first, second) = (ask(&one), ask(&other));
        (first.join().unwrap(), second.join().unwrap())
    });
    assert_eq!(left_out(&first, 25), [0, 1, 2, 3]);
    assert_eq!(first, second);
}

#[test]
fn decision_33_redis_lost_and_back_in_mid_conversation_changes_bytes_once_at_most() {
    let (mut server, clock) = (RedisServer::start(), TestClock::new());
    let (one, other) = (on_redis(&server, &clock), on_redis(&server, &clock));
    let talk = conversation(&one, &clock, ANTHROPIC, 25);
    clock.pass(LONG);
    let decided = forwarded(&one, &talk);
    assert_eq!(left_out(&decided, 25), [0, 1, 2, 3]);
    server.stop();
    clock.pass(2 * MINUTE);
    assert_eq!(forwarded(&one, &talk), decided, "what it knows holds");
    server.resume();
    // The server has lost everything. A replica that asks it again learns that, and forwards the originals from then
    // on.
    clock.pass(2 * MINUTE);
    let whole = |house: &House| left_out(&forwarded(house, &talk), 25).is_empty();
    assert!(whole(&other), "nothing is known of it, and the record is new");
    // For a while it does not ask a server that was away.
    let began = Instant::now();
    while !whole(&one) {
        assert!(began.elapsed() < PATIENCE, "it never asked again");
        std::thread::yield_now();
    }
    assert!(whole(&one));
    clock.pass(LONG);
    let again = forwarded(&one, &talk);
    assert_eq!(left_out(&again, 25), [0, 1, 2, 3], "the next pause");
    assert_eq!(forwarded(&other, &talk), again);
}

const FOLDER: &str = "TOKENFORGE_COLD_CACHE_TEST_FOLDER";
const PROVIDER: &str = "TOKENFORGE_COLD_CACHE_TEST_PROVIDER";
const BODY: &str = "TOKENFORGE_COLD_CACHE_TEST_BODY";

/// A gateway of its own process: sends the conversation after a pause, again and again, until it is killed.
#[test]
#[ignore = "a child of the test below"]
fn child_sends_after_a_pause() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let provider = std::env::var(PROVIDER).unwrap();
    let body = std::fs::read_to_string(std::env::var(BODY).unwrap()).unwrap();
    let clock = TestClock::new();
    clock.pass(LONG);
    let house = on_disk(Path::new(&folder), &clock, |settings| {
        settings.upstreams.backend = Some(provider.parse().unwrap());
    });
    loop {
        house.post(ANTHROPIC.path, &body);
    }
}

#[test]
fn decision_33_what_the_provider_saw_before_a_kill_is_what_it_sees_after_it() {
    let (elsewhere, clock) = (House::new(), TestClock::new());
    let talk = conversation(&elsewhere, &clock, ANTHROPIC, 25);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, talk.body.to_string()).unwrap();
    let mut decided = 0;
    for round in 0..20 {
        let (folder, clock) = (tempfile::tempdir().unwrap(), TestClock::new());
        let house = on_disk(folder.path(), &clock, |_| {});
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "cold_cache::child_sends_after_a_pause"])
            .env(FOLDER, folder.path())
            .env(PROVIDER, house.mock.url())
            .env(BODY, file.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Somewhere in the decision, before it or after it.
        house.mock.wait_for_requests(usize::from(round % 4 != 0));
        std::thread::sleep(Duration::from_micros(round * 7919 % 3000));
        child.kill().unwrap();
        child.wait().unwrap();
        let seen = house.mock.requests();
        clock.pass(LONG);
        let after = forwarded(&house, &talk);
        assert_eq!(left_out(&after, 25), [0, 1, 2, 3], "round {round}");
        for request in &seen {
            let before = String::from_utf8(request.plain().to_vec()).unwrap();
            assert_eq!(ANTHROPIC.conversation(&before), after, "round {round}");
        }
        decided += seen.len();
    }
    assert!(decided >= 15, "the provider saw some before a kill: {decided}");
}
