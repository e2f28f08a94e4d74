//! What was forwarded once is forwarded for ever, and what was left out can always be had.

use crate::fixtures::{arguments, escaped, plain_words, rows, test_run, test_run_of};
use crate::house::House;
use crate::voices::{ANTHROPIC, CHAT, Conversation, STREAMS, Voice, WHOLE, all};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokenforge_config::{Fallback, Secret, Strategy};
use tokenforge_engine::Mode;
use tokenforge_mock::{Fault, MockCompressor, Reply, first_reference};
use tokenforge_store::MemoryStore;

const KEY_A: (&str, &str) = ("authorization", "Bearer key-of-a");
const KEY_B: (&str, &str) = ("authorization", "Bearer key-of-b");

/// The reference in the last request.
fn reference(house: &House) -> String {
    first_reference(house.forwarded().as_bytes()).expect("a reference").to_owned()
}

fn in_request(house: &House, conversation: &Conversation) -> String {
    let _ = conversation.heard(house);
    reference(house)
}

#[test]
fn g2_g3_a_growing_history_keeps_every_byte_across_a_restart() {
    for voice in all() {
        let folder = tempfile::tempdir().unwrap();
        let mut house = House::on_disk(folder.path(), |_| {});
        let mut conversation = Conversation::new(voice);
        let mut before = String::new();
        for turn in 0..10 {
            if turn == 5 {
                house.restart();
            }
            let output = match turn % 3 {
                0 => test_run_of(&format!("part{turn}")),
                1 => rows(),
                _ => "ok".to_owned(),
            };
            conversation = conversation.with_output(&house, &output);
            let _ = conversation.heard(&house);
            let forwarded = house.forwarded();
            let now = voice.conversation(&forwarded);
            assert!(now.starts_with(&before), "{voice:?}, turn {turn}");
            before = now.to_owned();
        }
        assert!(before.matches("<<<SHADOW:").count() >= 4, "{voice:?}");
    }
}

#[test]
fn g4_c8_c14_what_failed_once_is_not_tried_again() {
    let compressor = MockCompressor::start();
    let house = House::with(|settings| {
        settings.tool_output.strategy = Strategy::Api;
        settings.tool_output.api.endpoint = Some(compressor.url().parse().unwrap());
        settings.tool_output.api.timeout = Duration::from_secs(5);
    });
    let text = plain_words(6000);
    compressor.fail_once(Reply::status(503, &[], "busy"));
    let mut conversation = Conversation::new(CHAT).with_output(&house, &text);
    let response = conversation.send(&house);
    let first = house.forwarded();
    assert!(first.contains(&text), "the original went on");
    conversation.goes_on(&response, &[]);
    conversation.says("Go on.");
    let _ = conversation.heard(&house);
    let (second, voice) = (house.forwarded(), conversation.voice);
    assert!(voice.conversation(&second).starts_with(voice.conversation(&first)));
    // Another text is another decision.
    let other = format!("{} and more", plain_words(6000));
    let _ = Conversation::new(CHAT).with_output(&house, &other).heard(&house);
    assert!(house.forwarded().contains("<<<SHADOW:"));
}

#[test]
fn c14_a_strategy_that_fails_or_is_late_falls_back_as_told() {
    for (fault, timeout) in [(Fault::ResetBeforeHeaders, 5), (Fault::StallBeforeHeaders, 0)] {
        for (fallback, status) in
            [(Fallback::Passthrough, 200), (Fallback::Simple, 200), (Fallback::Error, 502)]
        {
            let compressor = MockCompressor::start();
            let house = House::with(|settings| {
                settings.tool_output.strategy = Strategy::Api;
                settings.tool_output.fallback_strategy = fallback;
                settings.tool_output.api.endpoint = Some(compressor.url().parse().unwrap());
                let late = Duration::from_millis(50);
                settings.tool_output.api.timeout = Duration::from_secs(timeout).max(late);
            });
            compressor.fail_once(Reply::from("x").fault(fault.clone()));
            let text = plain_words(6000);
            let conversation = Conversation::new(ANTHROPIC).with_output(&house, &text);
            house.mock.clear();
            let response = conversation.send(&house);
            assert_eq!(response.status, status, "{fallback:?}: {}", response.text());
            match fallback {
                Fallback::Passthrough => assert!(house.forwarded().contains(&text)),
                Fallback::Simple => assert!(house.forwarded().contains("<<<SHADOW:")),
                Fallback::Error => {
                    assert_eq!(response.json()["type"], "error");
                    assert_eq!(house.mock.requests().len(), 0);
                }
            }
        }
    }
}

#[test]
fn c3_the_same_content_has_the_same_id() {
    let house = House::new();
    let one = in_request(&house, &Conversation::new(ANTHROPIC).with_output(&house, &test_run()));
    let again = in_request(&house, &Conversation::new(CHAT).with_output(&house, &test_run()));
    let other =
        in_request(&house, &Conversation::new(CHAT).with_output(&house, &test_run_of("till")));
    assert_eq!(one, again);
    assert_ne!(one, other);
}

/// A request with so many results, none of which is like another.
fn many(count: usize) -> Value {
    let mut body = Conversation::new(ANTHROPIC).body;
    let mut messages = vec![json!({ "role": "user", "content": "hi" })];
    for number in 0..count {
        let id = format!("toolu_{number}");
        let text: String =
            (0..40).map(|n| format!("test part{number}::case_{n} ... ok\n")).collect();
        messages.push(json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "Bash", "input": arguments() }] }));
        messages.push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id,
            "content": format!("running 40 tests\n{text}\ntest result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n") }] }));
    }
    body["messages"] = messages.into();
    body
}

#[test]
fn g38_after_many_other_results_the_original_is_taken_from_the_request() {
    let settings = tokenforge_store::StoreOptions {
        max_bytes: 64 << 10,
        ..tokenforge_store::StoreOptions::MEMORY
    };
    let house = House::built(|_| {}, move || Arc::new(MemoryStore::new(settings)));
    let conversation = Conversation::new(ANTHROPIC).with_output(&house, &test_run());
    let id = in_request(&house, &conversation);
    assert_eq!(house.get(&format!("/_forge/api/expand?id={id}")).status, 200);
    assert_eq!(house.post(ANTHROPIC.path, many(1050).to_string()).status, 200);
    assert_eq!(
        house.get(&format!("/_forge/api/expand?id={id}")).status,
        404,
        "the store forgot it"
    );
    house.mock.reply(Reply::expand_first_reference());
    house.mock.reply("I see.");
    assert_eq!(conversation.heard(&house).text, "I see.");
    assert!(house.forwarded().contains(&escaped(&test_run())));
}

#[test]
fn g39_after_a_restart_an_id_is_still_worth_something() {
    let folder = tempfile::tempdir().unwrap();
    let on_disk = House::on_disk(folder.path(), |_| {});
    let with_key =
        House::with(|settings| settings.store.key = Some(Secret::new("the key of all replicas")));
    for mut house in [on_disk, with_key] {
        let conversation = Conversation::new(CHAT).with_output(&house, &test_run());
        let before = in_request(&house, &conversation);
        house.restart();
        house.mock.reply(Reply::expand_first_reference());
        house.mock.reply("I see.");
        assert_eq!(conversation.heard(&house).text, "I see.");
        assert_eq!(reference(&house), before);
        assert!(house.forwarded().contains(&escaped(&test_run())));
    }
    // An id that only the store knows.
    let mut house = House::on_disk(folder.path(), |_| {});
    let id = in_request(&house, &Conversation::new(CHAT).with_output(&house, &test_run()));
    house.restart();
    house.mock.reply(Reply::calling("expand_context", json!({ "id": id })));
    assert_eq!(Conversation::new(CHAT).heard(&house).text, "ok");
    assert!(house.forwarded().contains(&escaped(&test_run())));
}

#[test]
fn g40_one_tenant_never_reads_what_is_anothers() {
    for voice in [ANTHROPIC, CHAT] {
        let house = House::new();
        let headers_of = |key| [("content-type", "application/json"), key];
        let of_a = Conversation::new(voice).with_output(&house, &test_run());
        house.ask("POST", voice.path, &headers_of(KEY_A), of_a.body.to_string());
        let id = reference(&house);
        let path = format!("/_forge/api/expand?id={id}");
        let own = house.ask("GET", &path, &[KEY_A], "");
        assert_eq!((own.status, own.text()), (200, &*test_run()));
        let foreign = house.ask("GET", &path, &[KEY_B], "");
        assert_eq!(foreign.status, 404);
        assert!(!foreign.text().contains("case_7"));
        house.mock.reply(Reply::calling("expand_context", json!({ "id": id })));
        house.mock.reply("Never mind.");
        let body = Conversation::new(voice).body.to_string();
        let response = house.ask("POST", voice.path, &headers_of(KEY_B), body);
        assert_eq!(voice.hears(&response).text, "Never mind.");
        let forwarded = house.forwarded();
        assert!(forwarded.contains("No original is kept under") && !forwarded.contains("case_7"));
    }
}

#[test]
fn g54_an_original_comes_back_byte_for_byte() {
    let odd = test_run()
        .replace("case_7_of", "fall_\u{fc}\u{1f600}\u{0}\u{7}_of")
        .replace("\n\n", "\r\n\r\n");
    for voice in WHOLE.iter().copied() {
        let house = House::new();
        let id = in_request(&house, &Conversation::new(voice).with_output(&house, &odd));
        assert_eq!(house.get(&format!("/_forge/api/expand?id={id}")).text(), odd, "{voice:?}");
        let part = house.get(&format!("/_forge/api/expand?id={id}&grep=case_19_"));
        assert!(
            part.text().contains("case_19_of_many") && part.text().len() < 200,
            "{}",
            part.text()
        );
    }
}

#[test]
fn g54_lossless_means_that_the_json_can_be_read_again() {
    let nasty = "[\n {\"k\": \"\\u0000 \\r\\n é 😀 \\ud83d\\ude00\", \"n\": 1.10, \"m\": -0},\n {\"k\": \"x, y: z\", \"n\": 1E400, \"m\": 7}\n]";
    // With nothing in common that a stage for lines would say once.
    let row =
        |n: u64| format!("{{\"id\": {}, \"word\": \"{:x}\"}}", n * 7919 % 1000, n * 2_654_435_761);
    let rows = (1..20).map(row).collect::<Vec<_>>().join(",\n ");
    let padded = format!("{{\"rows\": [{rows}], \"odd\": {nasty}}}");
    let house = House::with(|settings| settings.tool_output.mode = Mode::Lossless);
    for text in [padded, nasty.replace("[\n", &format!("[{}", " ".repeat(300)))] {
        let _ = Conversation::new(CHAT).with_output(&house, &text).heard(&house);
        let forwarded = house.mock.last().json();
        let shown = forwarded["messages"][2]["content"].as_str().unwrap();
        assert!(shown.len() < text.len() && !shown.contains("<<<SHADOW:"), "{shown}");
        let expected = tokenforge_formats::Json::parse(&text).unwrap().minify().into_owned();
        let decoded = tokenforge_formats::decode_any(shown, expected.len());
        assert_eq!(decoded.as_deref(), Ok(&*expected), "{shown}");
    }
}

#[test]
fn c4_p11_originals_are_forgotten_sooner_than_what_was_made_of_them() {
    let hours = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let (clock, began) = (hours.clone(), SystemTime::now());
    let settings = tokenforge_store::StoreOptions {
        original_lifetime: Duration::from_secs(5 * 60),
        ..tokenforge_store::StoreOptions::MEMORY
    };
    let house = House::built(
        |settings| settings.tool_output.strategy = Strategy::Simple,
        move || {
            let clock = clock.clone();
            Arc::new(MemoryStore::new(settings).with_clock(move || {
                began + Duration::from_secs(3600 * clock.load(std::sync::atomic::Ordering::Relaxed))
            }))
        },
    );
    let text = plain_words(6000);
    let conversation = Conversation::new(CHAT).with_output(&house, &text);
    let id = in_request(&house, &conversation);
    hours.store(1, std::sync::atomic::Ordering::Relaxed);
    house.mock.reply(Reply::calling("expand_context", json!({ "id": id })));
    house.mock.reply("Then again.");
    assert_eq!(Conversation::new(CHAT).heard(&house).text, "Then again.");
    assert!(house.forwarded().contains("No original is kept under"), "its end is announced");
    let stored = house.stats()["counters"]["strategy_remembered"].clone();
    let mut elsewhere = Conversation::new(CHAT).with_output(&house, &text);
    elsewhere.says("And?");
    assert_eq!(in_request(&house, &elsewhere), id);
    assert_ne!(house.stats()["counters"]["strategy_remembered"], stored);
}

#[test]
fn p12_tokens_are_counted_as_the_model_counts_them() {
    let house = House::new();
    let conversation = Conversation::new(CHAT).with_output(&house, &test_run());
    let response = conversation.send(&house);
    let counter =
        tokenforge_tokens::Counter::from(tokenforge_tokens::for_model("gpt-5").vocabulary);
    assert_eq!(response.header("x-forge-tokens-before"), counter.count(&test_run()).to_string());
    let forwarded = house.mock.last().json();
    let shown = forwarded["messages"][2]["content"].as_str().unwrap();
    assert_eq!(response.header("x-forge-tokens-after"), counter.count(shown).to_string());
    let stats = house.stats();
    let saved = counter.count(&test_run()) - counter.count(shown);
    assert_eq!(stats["tokens"]["saved_fresh"], saved, "{}", stats["tokens"]);
}

#[test]
fn p15_what_is_stored_is_the_json_as_it_came() {
    let house = House::with(|settings| {
        settings.toon.enabled = true;
        settings.tool_output.strategy = Strategy::Simple;
        settings.tool_output.min_bytes = 256;
    });
    let row = |n: usize| json!({ "id": n, "text": plain_words(30 + n) });
    let output = serde_json::to_string_pretty(&(0..60).map(row).collect::<Vec<_>>()).unwrap();
    let id = in_request(&house, &Conversation::new(CHAT).with_output(&house, &output));
    assert_eq!(house.get(&format!("/_forge/api/expand?id={id}")).text(), output);
}

#[test]
fn decision_27_an_expansion_is_not_told_again() {
    for voice in STREAMS.iter().chain(WHOLE).copied().collect::<Vec<Voice>>() {
        let house = House::new();
        let mut conversation = Conversation::new(voice).with_output(&house, &test_run());
        house.mock.reply(Reply::expand_first_reference());
        house.mock.reply("I see.");
        let response = conversation.send(&house);
        conversation.goes_on(&response, &[]);
        conversation.says("Look again.");
        house.mock.clear();
        house.mock.reply(Reply::expand_first_reference());
        house.mock.reply("Still there.");
        assert_eq!(conversation.heard(&house).text, "Still there.", "{voice:?}");
        let requests = house.mock.requests();
        assert!(!String::from_utf8_lossy(&requests[0].plain()).contains(&escaped(&test_run())));
        assert!(house.forwarded().contains(&escaped(&test_run())), "{voice:?}");
    }
}

#[test]
fn g33_the_operator_sees_the_full_sum() {
    let house = House::new();
    let conversation = Conversation::new(CHAT).with_output(&house, &test_run());
    house.mock.clear();
    let sum = |name: &str| house.stats()["counters"][name].as_u64().unwrap();
    let (input, expansions) = (sum("input_tokens"), sum("expansions"));
    house.mock.reply(Reply::expand_first_reference());
    house.mock.reply("I see.");
    let _ = conversation.heard(&house);
    let sizes =
        house.mock.requests().iter().map(|request| request.body.len() as u64 / 4 + 1).sum::<u64>();
    assert_eq!(sum("input_tokens") - input, sizes);
    assert_eq!(sum("expansions") - expansions, 1);
}

#[test]
fn d04_a_renewed_token_changes_no_byte_and_old_references_can_still_be_expanded() {
    for voice in all() {
        let house = House::new();
        let mut conversation = Conversation::new(voice).with_output(&house, &test_run());
        let send = |conversation: &Conversation, key| {
            let headers = [("content-type", "application/json"), key];
            house.ask("POST", voice.path, &headers, conversation.body.to_string())
        };
        let response = send(&conversation, KEY_A);
        let (before, id) = (house.forwarded(), reference(&house));
        conversation.goes_on(&response, &[]);
        conversation.says("Go on.");
        house.mock.clear();
        house.mock.reply(Reply::calling("expand_context", json!({ "id": id })));
        house.mock.reply("I see.");
        let response = send(&conversation, KEY_B);
        assert_eq!(voice.hears(&response).text, "I see.", "{voice:?}");
        let requests = house.mock.requests();
        let renewed = String::from_utf8(requests[0].plain().to_vec()).unwrap();
        assert!(
            voice.conversation(&renewed).starts_with(voice.conversation(&before)),
            "{voice:?}: the provider's cache is lost"
        );
        assert!(house.forwarded().contains(&escaped(&test_run())), "{voice:?}");
    }
}

#[test]
fn d04_replicas_with_the_same_key_print_the_same_for_every_tenant() {
    let key = |settings: &mut tokenforge_config::Settings| {
        settings.store.key = Some(Secret::new("the key of all replicas"));
    };
    let (one, other) = (House::with(key), House::with(key));
    let conversation = Conversation::new(ANTHROPIC).with_output(&one, &test_run());
    for (house, key) in [(&one, KEY_A), (&other, KEY_B)] {
        let headers = [("content-type", "application/json"), key];
        house.ask("POST", ANTHROPIC.path, &headers, conversation.body.to_string());
    }
    assert_eq!(one.forwarded(), other.forwarded());
}

#[test]
fn d04_what_there_was_no_time_for_is_the_same_for_a_renewed_token() {
    let store: Arc<MemoryStore> = Arc::default();
    let opened = store.clone();
    let late = House::built(
        |settings| settings.tool_output.deadline = Duration::ZERO,
        move || opened.clone(),
    );
    let in_time = House::built(|_| {}, move || store.clone());
    let conversation = Conversation::new(CHAT).with_output(&late, &test_run());
    for (house, key) in [(&late, KEY_A), (&in_time, KEY_B)] {
        let headers = [("content-type", "application/json"), key];
        house.ask("POST", CHAT.path, &headers, conversation.body.to_string());
    }
    assert!(late.forwarded().contains("case_7_of_many"));
    assert_eq!(late.forwarded(), in_time.forwarded());
}
