//! The laws over random documents. The same seeds every time, so that a failure can be repeated.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use tokenforge_formats::Json;
use tokenforge_formats::stc2::{self, Level};
use tokenforge_laws::damage::{COMMON, SYNTAX, scratch};
use tokenforge_laws::{codecs, document, effort, text, tokens};
use tokenforge_samples::{Nasty, nasty, repetitive};
use tokenforge_tokens::Counter;

/// Runs `law` on that many documents, spread over the cores.
fn for_all(count: u64, law: impl Fn(u64, &str) + Sync) {
    for_all_of(Nasty::default(), count, law);
}

fn for_all_of(taste: Nasty, count: u64, law: impl Fn(u64, &str) + Sync) {
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    thread::scope(|scope| {
        for thread in 0..threads {
            let law = &law;
            scope.spawn(move || {
                for seed in (thread..count).step_by(threads as usize) {
                    law(seed, &nasty(seed, taste));
                }
            });
        }
    });
}

#[test]
fn k3_l3_l6_stc_gives_back_random_documents_byte_for_byte() {
    for_all(effort(100_000, 1_000_000), |_, json| document::stc(json));
}

/// Each is written six times, so there are fewer of them unless `STC2_DOCUMENTS` says how many: a million before a release.
fn stc2_documents() -> u64 {
    let wanted = std::env::var("STC2_DOCUMENTS").ok();
    wanted.map_or(effort(40_000, 200_000), |wanted| {
        wanted.parse().expect("STC2_DOCUMENTS is a number")
    })
}

#[test]
fn l3_l6_stc2_gives_back_random_documents_byte_for_byte() {
    for_all(stc2_documents() / 2, |seed, json| {
        document::stc2(json);
        document::stc2(&repetitive(seed));
    });
}

#[test]
fn l2_the_lightest_stc2_is_never_above_minified_json() {
    for_all(effort(10_000, 20_000), |seed, json| {
        document::lightest(json, Counter::default());
        document::lightest(&repetitive(seed), Counter::default());
    });
}

#[test]
fn the_reader_of_stc2_survives_texts_with_random_damage() {
    for_all(effort(50_000, 300_000), |seed, _| {
        let text = repetitive(seed / 3);
        let json = Json::parse(&text).expect("repetitive texts are JSON");
        let level = Level::ALL[(seed % 3) as usize];
        let damaged = scratch(seed, &stc2::encode(&json, level), &SYNTAX);
        text::stc2(&damaged, (seed % 4096) as usize);
    });
}

#[test]
fn l3_l6_toon_gives_back_random_documents_or_refuses_them() {
    for_all(effort(100_000, 1_000_000), |_, json| _ = document::toon(json));
}

#[test]
fn l3_toon_holds_every_document_without_duplicate_keys_and_lone_surrogates() {
    let taste = Nasty { duplicate_keys: false, lone_surrogates: false, ..Nasty::default() };
    let count = effort(50_000, 200_000);
    for_all_of(taste, count, |_, json| assert!(document::toon(json), "refused: {json}"));
}

#[test]
fn f9_l3_tables_give_back_random_documents_or_refuse_them() {
    let (count, held) = (effort(100_000, 1_000_000), AtomicUsize::new(0));
    for_all(count, |_, json| {
        held.fetch_add(document::table(json).into(), Ordering::Relaxed);
    });
    let held = held.into_inner() as u64;
    assert!(held * 20 > count, "only {held} documents were held");
}

#[test]
fn minify_changes_nothing_but_white_space() {
    for_all(effort(50_000, 200_000), |_, json| document::minify(json));
}

#[test]
fn l2_l3_auto_is_never_above_minified_json_and_decodes_unnamed() {
    for_all(effort(10_000, 30_000), |_, json| document::auto(json, Counter::default()));
    for_all(effort(50_000, 200_000), |_, json| document::auto(json, Counter::Estimate));
}

#[test]
fn l3_l6_texts_that_hold_json_come_back_cut_off_in_strings_and_as_python_prints_them() {
    let (count, held) = (effort(5_000, 20_000), AtomicUsize::new(0));
    for_all(count, |seed, json| {
        for document in [json.to_owned(), repetitive(seed)] {
            for text in codecs::texts_holding(&document, seed as usize) {
                held.fetch_add(codecs::json_codecs(&text), Ordering::Relaxed);
                codecs::survive(&scratch(seed, &text, &SYNTAX));
            }
        }
    });
    let held = held.into_inner() as u64;
    assert!(held * 2 > count * 5, "only {held} texts were held");
}

#[test]
fn readers_survive_random_documents_with_random_damage() {
    for_all(effort(50_000, 300_000), |seed, json| {
        let damaged = damage(seed, json);
        let limit = (seed % 512) as usize;
        text::json(damaged.as_bytes());
        text::stc(&damaged, limit);
        text::table(&damaged, limit);
        text::toon(&damaged, limit);
        text::any(&damaged, limit);
    });
}

#[test]
fn l2_early_exits_change_no_answer() {
    for_all(effort(10_000, 20_000), |seed, json| tokens::early_exit(json, &damage(seed, json)));
}

/// Some form of the document, with a few characters replaced, removed or doubled.
fn damage(seed: u64, json: &str) -> String {
    let parsed = tokenforge_formats::Json::parse(json).expect("samples are JSON");
    let form = tokenforge_formats::Form::ALL[(seed % 4) as usize];
    scratch(seed, &form.encode(&parsed).unwrap_or(json.into()), &SYNTAX[..COMMON])
}
