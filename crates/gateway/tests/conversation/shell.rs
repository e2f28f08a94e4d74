//! Decision 38: a model whose shell runs on this machine fetches what is left out with `tokenforge expand`, where our tool
//! does not pay; and only where all that this takes is given.

use crate::fixtures::{escaped, plain_words, rows, test_run, test_run_of};
use crate::house::{House, TestClock};
use crate::voices::{ANTHROPIC, Conversation, Voice, WHOLE};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::{ExpandBy, ExpandInjection, GatewayKey, Secret, Settings};
use tokenforge_engine::Mode;
use tokenforge_engine::reference::ExpandHint;
use tokenforge_mock::first_reference;
use tokenforge_store::{
    DiskStore, EntryKind, MemoryStore, Store, StoreError, StoreOptions, StoreStats,
};

const TOOL: &str = "expand_context";
/// Whose originals the command prints.
const TENANT: &str = "local";
const MARK: &str = "/p/web/shell/claude";
const JSON: (&str, &str) = ("content-type", "application/json");
const CLAUDE: (&str, &str) = ("user-agent", "claude-cli/2.1.325 (external, cli)");

/// A gateway that `tokenforge expand` shares its store with, and with the settings that users have.
fn house(folder: &Path, change: impl FnOnce(&mut Settings)) -> House {
    let house = House::on_disk(folder, |settings| {
        settings.tool_output.expand_injection = ExpandInjection::default();
        change(settings);
    });
    house.admit_command(TENANT);
    house
}

/// What the provider gets of a request that comes this way.
fn sent(
    house: &House,
    conversation: &Conversation,
    mark: &str,
    headers: &[(&str, &str)],
) -> String {
    let path = format!("{mark}{}", conversation.voice.path);
    let headers: Vec<_> = [JSON].iter().chain(headers).copied().collect();
    let response = house.ask("POST", &path, &headers, conversation.body.to_string());
    assert_eq!(house.mock.refusals(), Vec::<String>::new(), "{:?}", conversation.voice);
    assert_eq!(response.status, 200, "{}", String::from_utf8_lossy(&response.body));
    house.forwarded()
}

/// The same behind `wrap`.
fn wrapped(house: &House, conversation: &Conversation) -> String {
    sent(house, conversation, MARK, &[CLAUDE])
}

fn is_shortened(body: &str) -> bool {
    body.contains("<<<SHADOW:shadow_")
}

/// Is the model told of the command, and of nothing else?
fn names_command(body: &str) -> bool {
    is_shortened(body) && body.contains(&escaped(ExpandHint::Shell.line())) && !body.contains(TOOL)
}

fn large_prompt(mut conversation: Conversation) -> Conversation {
    let prompt = "You are a careful engineer. Read before you write. ".repeat(700);
    conversation.body["system"] = json!([{ "type": "text", "text": prompt }]);
    conversation
}

#[test]
fn decision_38_l4_a_small_prompt_is_shortened_and_the_command_finds_the_original() {
    for voice in WHOLE {
        let folder = tempfile::tempdir().unwrap();
        let house = house(folder.path(), |_| {});
        let conversation = Conversation::new(*voice).with_output(&house, &test_run());
        let body = wrapped(&house, &conversation);
        assert!(names_command(&body), "{voice:?}: {body}");
        // As the command does it: another process, which knows the folder and the id.
        let store = DiskStore::open(folder.path(), StoreOptions::DISK).unwrap();
        let id = first_reference(body.as_bytes()).unwrap();
        let original = store.get(EntryKind::Original, TENANT, id).unwrap();
        assert_eq!(original.as_deref(), Some(test_run().as_bytes()), "{voice:?}");
        assert!(!house.mock.last().path_and_query.contains("shell"), "{voice:?}");
    }
}

#[test]
fn decision_38_l5_every_turn_a_restart_and_a_second_wrap_send_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = house(folder.path(), |_| {});
    let (mut conversation, mut before) = (Conversation::new(ANTHROPIC), String::new());
    for turn in 0..8 {
        if turn == 3 {
            one.restart();
            one.admit_command(TENANT);
        }
        let output = match turn % 2 {
            0 => test_run_of(&format!("part{turn}")),
            _ => rows(),
        };
        conversation = conversation.with_output(&one, &output);
        let body = wrapped(&one, &conversation);
        let now = ANTHROPIC.conversation(&body);
        assert!(now.starts_with(&before), "turn {turn}");
        before = now.to_owned();
    }
    assert_eq!(before.matches("<<<SHADOW:").count(), 4);
    // A gateway of its own, for another project, with a login that was renewed.
    let other = house(folder.path(), |_| {});
    let renewed = [CLAUDE, ("authorization", "Bearer renewed")];
    let again = sent(&other, &conversation, "/p/other/shell/claude", &renewed);
    assert!(again == one.forwarded(), "the provider's cache is lost");
}

#[test]
fn decision_38_nothing_is_left_out_where_one_condition_is_missing() {
    let proxied = ("x-forwarded-for", "192.0.2.1");
    let python = ("user-agent", "Anthropic/Python 2.8.0");
    let plain = |_: &mut Settings| {};
    let (mark, claude) = (MARK, &[CLAUDE][..]);
    type Change = fn(&mut Settings);
    type Case<'c> = (&'c str, &'c str, &'c [(&'c str, &'c str)], Change);
    let cases: [Case<'_>; 13] = [
        ("nothing in the path", "", claude, plain),
        ("only a project in the path", "/p/web", claude, plain),
        ("not the agent that was started", mark, &[python], plain),
        ("no user agent", mark, &[], plain),
        ("another agent", "/p/web/shell/opencode", claude, plain),
        ("through a proxy", mark, &[CLAUDE, proxied], plain),
        ("others may ask too", mark, &[CLAUDE, ("x-forge-key", "k1")], |settings| {
            settings.keys = vec![GatewayKey { name: TENANT.into(), key: Secret::new("k1") }];
        }),
        ("other machines reach it", mark, claude, |settings| {
            settings.listen = "192.0.2.7:8787".parse().unwrap();
            settings.allow_hosts = vec!["127.0.0.1".to_owned()];
        }),
        ("forgotten too soon", mark, claude, |settings| {
            settings.store.original_ttl = Duration::from_secs(60 * 60);
        }),
        ("the tool alone", mark, claude, |settings| {
            settings.tool_output.expand_by = ExpandBy::Tool;
        }),
        ("no fetching", mark, claude, |settings| {
            settings.tool_output.enable_expand_context = false;
        }),
        ("lossless", mark, claude, |settings| settings.tool_output.mode = Mode::Lossless),
        ("only observed", mark, claude, |settings| settings.tool_output.mode = Mode::Observe),
    ];
    let talk = Conversation::new(ANTHROPIC).with_output(&House::new(), &test_run());
    let run = |change: Change, is_admitted: bool, edit: fn(&mut Value), mark, headers: &[_]| {
        let folder = tempfile::tempdir().unwrap();
        let house = House::on_disk(folder.path(), |settings| {
            settings.tool_output.expand_injection = ExpandInjection::default();
            change(settings);
        });
        if is_admitted {
            house.admit_command(TENANT);
        }
        let mut conversation = talk.clone();
        edit(&mut conversation.body);
        sent(&house, &conversation, mark, headers)
    };
    assert!(names_command(&run(plain, true, |_| {}, mark, claude)), "all conditions hold");
    for (what, mark, headers, change) in cases {
        let body = run(change, true, |_| {}, mark, headers);
        assert!(!is_shortened(&body) && !body.contains(TOOL), "{what}");
    }
    assert!(!is_shortened(&run(plain, false, |_| {}, mark, claude)), "another store");
    type Edit = (&'static str, fn(&mut Value));
    let edits: [Edit; 4] = [
        ("no shell", |body| body["tools"][0]["name"] = json!("lookup")),
        ("a shell of a tool server", |body| body["tools"][0]["name"] = json!("mcp__box__Bash")),
        ("a shell that is not declared yet", |body| {
            body["tools"][0]["defer_loading"] = json!(true);
        }),
        ("no call allowed", |body| body["tool_choice"] = json!({ "type": "none" })),
    ];
    for (what, edit) in edits {
        assert!(!is_shortened(&run(plain, true, edit, mark, claude)), "{what}");
    }
}

#[test]
fn decision_38_the_tool_stays_where_it_pays_unless_the_settings_say_otherwise() {
    for (expand_by, tool, command) in [
        (ExpandBy::Auto, true, false),
        (ExpandBy::Tool, true, false),
        (ExpandBy::Shell, false, true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let house = house(folder.path(), |settings| settings.tool_output.expand_by = expand_by);
        let conversation = large_prompt(Conversation::new(ANTHROPIC));
        let conversation = conversation.with_output(&house, &test_run());
        let body = wrapped(&house, &conversation);
        assert!(is_shortened(&body), "{expand_by:?}");
        assert_eq!((body.contains(TOOL), names_command(&body)), (tool, command), "{expand_by:?}");
    }
    // Where there is no shell of this machine, `shell` alone is nothing at all.
    let folder = tempfile::tempdir().unwrap();
    let house = house(folder.path(), |settings| settings.tool_output.expand_by = ExpandBy::Shell);
    let conversation = large_prompt(Conversation::new(ANTHROPIC)).with_output(&house, &test_run());
    let body = sent(&house, &conversation, "", &[CLAUDE]);
    assert!(!is_shortened(&body) && !body.contains(TOOL));
}

/// Gives its key and keeps nothing.
struct Full;

impl Store for Full {
    fn put(&self, _: EntryKind, _: &str, _: &str, _: &[u8]) -> Result<(), StoreError> {
        Err(StoreError::NoKey { reason: "the disk is full".to_owned() })
    }
    fn get(&self, _: EntryKind, _: &str, _: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }
    fn forget(&self, _: EntryKind, _: &str, _: &str) -> Result<bool, StoreError> {
        Ok(false)
    }
    fn stats(&self) -> Result<StoreStats, StoreError> {
        MemoryStore::default().stats()
    }
    fn purge(&self, _: Option<EntryKind>, _: Option<Duration>) -> Result<u64, StoreError> {
        Ok(0)
    }
    fn key(&self) -> Result<[u8; 32], StoreError> {
        Ok([7; 32])
    }
}

#[test]
fn decision_38_l4_what_the_store_does_not_take_is_not_left_out() {
    let house = House::built(
        |settings| settings.tool_output.expand_injection = ExpandInjection::default(),
        || Arc::new(Full),
    );
    house.admit_command(TENANT);
    let conversation = Conversation::new(ANTHROPIC).with_output(&house, &test_run());
    let body = wrapped(&house, &conversation);
    assert!(!is_shortened(&body), "the command would find nothing: {body}");
}

#[test]
fn decision_33_decision_38_old_results_are_left_to_the_tool_where_the_settings_let_it() {
    for expand_by in [ExpandBy::Auto, ExpandBy::Shell] {
        let (folder, clock) = (tempfile::tempdir().unwrap(), TestClock::new());
        let (place, times) = (folder.path().to_owned(), clock.clone());
        let mut house = House::with_clock(
            clock.clone(),
            |settings| {
                settings.tool_output.expand_injection = ExpandInjection::default();
                settings.tool_output.expand_by = expand_by;
            },
            move || {
                let times = times.clone();
                let store = DiskStore::open(&place, StoreOptions::DISK).unwrap();
                Arc::new(store.with_clock(move || times.now()))
            },
        );
        house.admit_command(TENANT);
        let output = |turn: usize| format!("turn {turn} begins {}", plain_words(6000 + 10 * turn));
        let mut conversation = Conversation::new(ANTHROPIC).with_output(&house, &test_run());
        for turn in 0..30 {
            clock.pass(Duration::from_secs(60));
            conversation = conversation.with_output(&house, &output(turn));
            let warm = wrapped(&house, &conversation);
            assert!(names_command(&warm), "turn {turn}: the cache is warm");
        }
        clock.pass(Duration::from_secs(2 * 60 * 60));
        let cold = wrapped(&house, &conversation);
        assert!(cold.matches("<<<SHADOW:").count() > 5, "{expand_by:?}");
        let is_told = (cold.contains(TOOL), names_command(&cold));
        assert_eq!(is_told, (expand_by == ExpandBy::Auto, expand_by == ExpandBy::Shell));
        assert!(is_told.1 || !cold.contains("tokenforge expand"), "one way, not both");
        house.restart();
        house.admit_command(TENANT);
        assert!(wrapped(&house, &conversation) == cold, "{expand_by:?}: after a restart");
        if expand_by == ExpandBy::Shell {
            let (store, now) = (DiskStore::open(folder.path(), StoreOptions::DISK), clock.now());
            let store = store.unwrap().with_clock(move || now);
            let mut ids =
                cold.split("<<<SHADOW:").skip(1).map(|rest| rest.split(">>>").next().unwrap());
            let of = |id: &str| store.get(EntryKind::Original, TENANT, id).unwrap();
            assert!(ids.all(|id| of(id).is_some()), "the command finds every one");
        }
    }
}

#[test]
fn decision_38_what_the_command_prints_is_not_shortened_again() {
    let folder = tempfile::tempdir().unwrap();
    let house = house(folder.path(), |_| {});
    let conversation = Conversation::new(ANTHROPIC).with_output(&house, &test_run());
    let body = wrapped(&house, &conversation);
    let id = first_reference(body.as_bytes()).unwrap().to_owned();
    let mut next = Conversation::new(Voice { ..ANTHROPIC });
    next.body["messages"] = json!([
        { "role": "user", "content": "hi" },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "t9", "name": "Bash",
            "input": { "command": format!("tokenforge expand {id} --lines 1-400") } }] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "t9", "content": test_run() }] },
    ]);
    assert!(wrapped(&house, &next).contains(&escaped(&test_run())));
}
