//! The usage that providers report is read in every mode, whether or not the gateway reads the answer for another
//! reason.

use crate::fixtures::rows;
use crate::house::House;
use crate::voices::{ANTHROPIC, ANTHROPIC_STREAM, CHAT, Conversation, Voice, all};
use std::path::Path;
use std::time::{Duration, Instant};
use tokenforge_engine::Mode;
use tokenforge_ledger::{Ledger, LedgerEntry};
use tokenforge_mock::{Encoding, Reply};

const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn house(mode: Mode, folder: &Path) -> House {
    House::with(|settings| {
        settings.tool_output.mode = mode;
        settings.ledger.path = Some(folder.to_owned());
    })
}

/// The last entry of a ledger, once there are so many.
fn entry(folder: &Path, count: usize) -> LedgerEntry {
    entries(folder, count).pop().unwrap()
}

/// The entries of a ledger, once there are so many.
pub(crate) fn entries(folder: &Path, count: usize) -> Vec<LedgerEntry> {
    let started = Instant::now();
    loop {
        let entries: Vec<LedgerEntry> = Ledger::read(folder, None).unwrap().collect();
        if entries.len() >= count {
            return entries;
        }
        assert!(started.elapsed() < PATIENCE, "{} of {count} entries", entries.len());
        std::thread::yield_now();
    }
}

fn without_tools(voice: Voice) -> Conversation {
    let mut conversation = Conversation::new(voice);
    let body = conversation.body.as_object_mut().unwrap();
    body.remove("tools");
    body.remove("toolConfig");
    conversation
}

/// What the client was told is in the ledger, each token once.
fn is_counted(conversation: &Conversation, house: &House, folder: &Path, count: usize) {
    let heard = conversation.heard(house).usage;
    let said = format!("{:?}", conversation.voice);
    assert!(heard.input + heard.output > 0, "{said}");
    let usage = entry(folder, count).usage.unwrap_or_else(|| panic!("nothing counted: {said}"));
    assert_eq!(usage.output, heard.output, "{said}");
    let all = match conversation.voice.name {
        "anthropic" | "invoke" | "converse" => heard.input + heard.cache_read + heard.cache_write,
        _ => heard.input,
    };
    assert_eq!(usage.all_input(), all, "{said}");
}

#[test]
fn d31_usage_is_read_in_every_mode_and_dialect_streamed_or_not_with_and_without_tools() {
    for mode in [Mode::Observe, Mode::Safe, Mode::Lossless, Mode::Standard, Mode::Aggressive] {
        let folder = tempfile::tempdir().unwrap();
        let house = house(mode, folder.path());
        let mut count = 0;
        for voice in all() {
            for conversation in [Conversation::new(voice), without_tools(voice)] {
                count += 1;
                is_counted(&conversation, &house, folder.path(), count);
            }
        }
    }
}

#[test]
fn d31_usage_is_read_from_coded_answers_which_pass_as_they_came() {
    for mode in [Mode::Observe, Mode::Standard] {
        for (encoding, name) in [
            (Encoding::Gzip, "gzip"),
            (Encoding::Deflate, "deflate"),
            (Encoding::Br, "br"),
            (Encoding::Zstd, "zstd"),
        ] {
            for voice in [ANTHROPIC, ANTHROPIC_STREAM, CHAT] {
                let folder = tempfile::tempdir().unwrap();
                let house = house(mode, folder.path());
                house.mock.reply(Reply::from("coded").encoded(encoding));
                let response = without_tools(voice).send(&house);
                assert_eq!(response.status, 200, "{mode} {name} {voice:?}");
                assert_eq!(response.header("content-encoding"), name, "{mode} {voice:?}");
                let usage = entry(folder.path(), 1).usage;
                assert!(usage.is_some_and(|usage| usage.output > 0), "{mode} {name} {voice:?}");
            }
        }
    }
}

#[test]
fn d31_what_was_counted_before_an_answer_broke_off_is_kept() {
    for mode in [Mode::Observe, Mode::Standard] {
        let folder = tempfile::tempdir().unwrap();
        let house = house(mode, folder.path());
        let conversation = Conversation::new(ANTHROPIC_STREAM);
        let mut stream = house.open(
            "POST",
            ANTHROPIC_STREAM.path,
            &[("content-type", "application/json")],
            conversation.body.to_string(),
        );
        crate::client::read_until(&mut stream, "message_start");
        drop(stream);
        let usage = entry(folder.path(), 1).usage;
        assert!(usage.is_some_and(|usage| usage.all_input() > 0), "{mode}: {usage:?}");
    }
}

#[test]
fn d36_what_a_client_hears_of_tokens_is_what_was_forwarded() {
    for (mode, is_smaller) in [(Mode::Observe, false), (Mode::Lossless, true)] {
        let folder = tempfile::tempdir().unwrap();
        let house = house(mode, folder.path());
        let conversation = Conversation::new(ANTHROPIC).with_output(&house, &rows());
        let response = conversation.send(&house);
        let tokens = |name: &str| response.header(name).parse::<u64>().unwrap();
        let (before, after) = (tokens("x-forge-tokens-before"), tokens("x-forge-tokens-after"));
        assert!(before > 0, "{mode}");
        assert_eq!(after < before, is_smaller, "{mode}: {before} {after}");
    }
}
