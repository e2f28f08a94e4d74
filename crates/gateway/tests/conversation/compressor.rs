//! The compressor in one's own process: the bytes that a gateway forwards.

use crate::fixtures::test_run;
use crate::house::House;
use crate::recorded::{forwarded, recordings};
use crate::voices::{ANTHROPIC, Conversation};
use std::sync::Arc;
use tokenforge_config::{ExpandInjection, Secret, Settings, Strategy};
use tokenforge_engine::Mode;
use tokenforge_gateway::{
    CompressError, Compressor, CompressorError, ExpandQuery, OriginalsReader,
};
use tokenforge_providers::Dialect;
use tokenforge_store::MemoryStore;

fn change(mode: Mode) -> impl Fn(&mut Settings) {
    move |settings| {
        settings.tool_output.mode = mode;
        settings.tool_output.deadline = std::time::Duration::from_secs(600);
        settings.store.key = Some(Secret::new("a key that is the same in every run"));
    }
}

fn compressor(change: impl Fn(&mut Settings)) -> Compressor {
    let mut settings = Settings::default();
    change(&mut settings);
    Compressor::new(settings, Arc::new(MemoryStore::default())).unwrap()
}

#[test]
fn c16_l5_every_recorded_request_becomes_the_bytes_that_the_gateway_forwards() {
    let mut smaller = 0;
    for mode in Mode::ALL {
        let change = change(mode);
        let compressor = compressor(&change);
        let house = House::with(|settings| {
            settings.tool_output.expand_injection = ExpandInjection::default();
            change(settings);
        });
        for recording in recordings() {
            let body = recording.body().to_vec();
            let model = OriginalsReader::Model;
            let made = compressor.compress(recording.dialect(), body.clone(), model);
            // What cannot be read a gateway forwards as it came; here it is an error.
            let made = made.map_or(body.clone(), |made| made.body.to_vec());
            assert!(made == forwarded(&house, &recording), "{} in {mode}", recording.name);
            smaller += usize::from(made.len() < body.len());
        }
    }
    assert!(smaller >= 30, "only {smaller} are smaller");
}

#[test]
fn c16_what_became_of_each_result_is_told_and_its_original_can_be_had() {
    let compressor = compressor(|settings| {
        settings.tool_output.expand_injection = ExpandInjection::FromStart;
    });
    let talk = Conversation::new(ANTHROPIC).with_output(&House::new(), &test_run());
    let made = compressor
        .compress(Dialect::Anthropic, talk.body.to_string(), OriginalsReader::Model)
        .unwrap();
    assert!(made.offers_expansion, "{:?}", made.results);
    assert!(made.tokens_after() < made.tokens_before());
    let [result] = &made.results[..] else { panic!("{:?}", made.results) };
    assert_eq!((&*result.tool, result.verdict), ("Bash", "compressed"));
    assert_eq!(result.call.as_deref(), Some(&*talk.calls()[0]));
    let id = result.reference.unwrap().to_string();
    let query = ExpandQuery { id: id.clone(), ..ExpandQuery::default() };
    assert_eq!(compressor.expand(&query), Ok(test_run()));
    let first = ExpandQuery { id, lines: Some("1".to_owned()), ..ExpandQuery::default() };
    let line = test_run().lines().next().unwrap().to_owned() + "\n";
    assert_eq!(compressor.expand(&first), Ok(line));
}

#[test]
fn c16_without_tools_nothing_is_left_out_unless_the_caller_fetches_it() {
    let compressor = compressor(|_| {});
    let mut talk = Conversation::new(ANTHROPIC).with_output(&House::new(), &test_run());
    talk.body.as_object_mut().unwrap().remove("tools");
    let made =
        |reader| compressor.compress(Dialect::Anthropic, talk.body.to_string(), reader).unwrap();
    let (model, caller) = (made(OriginalsReader::Model), made(OriginalsReader::Caller));
    assert_eq!(model.results[0].reference, None);
    assert!(caller.results[0].reference.is_some());
}

#[test]
fn c16_bad_input_is_an_error_that_says_where_and_changes_nothing() {
    let compressor = compressor(|_| {});
    let error = |body: &'static str| {
        compressor.compress(Dialect::Anthropic, body, OriginalsReader::Model).unwrap_err()
    };
    let unreadable = error(r#"{"messages":[}"#);
    assert!(matches!(unreadable, CompressError::Unreadable(_)));
    assert_eq!(unreadable.to_string(), "not a request body: invalid JSON at byte 13");
    let option = error(r#"{"messages":[],"_forge":{"tool_output_compression":"turbo"}}"#);
    assert!(matches!(option, CompressError::BadOption(_)), "{option}");
    let mut settings = Settings::default();
    settings.tool_output.strategy = Strategy::Simple;
    let error = Compressor::new(settings, Arc::new(MemoryStore::default())).err().unwrap();
    assert!(matches!(error, CompressorError::Strategy { found: "simple" }), "{error}");
}

#[test]
fn c16_l10_a_request_that_cannot_be_checked_for_secrets_is_an_error() {
    let compressor = compressor(|settings| settings.redact_secrets = true);
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let body = format!(r#"{{"messages":[{{"role":"user","content":"{secret}"}}]}}"#);
    let made = compressor.compress(Dialect::Anthropic, body, OriginalsReader::Model).unwrap();
    assert!(!String::from_utf8_lossy(&made.body).contains(&secret));
    let body = format!(r#"{{"messages":[],"{secret}":1}}"#);
    let error = compressor.compress(Dialect::Anthropic, body, OriginalsReader::Model).unwrap_err();
    assert!(matches!(error, CompressError::Unchecked(_)), "{error}");
}
