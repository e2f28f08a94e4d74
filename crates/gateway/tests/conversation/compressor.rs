//! The compressor in one's own process: the bytes that a gateway forwards.

use crate::fixtures::{rows, test_run};
use crate::house::House;
use crate::recorded::{forwarded, recordings};
use crate::voices::{ANTHROPIC, CONVERSE, Conversation, GEMINI, Voice};
use serde_json::{Value, json};
use std::sync::Arc;
use tokenforge_config::{ExpandInjection, Secret, Settings, Strategy};
use tokenforge_conversation::{
    CompressError, Compressor, CompressorError, ExpandQuery, OriginalsReader,
};
use tokenforge_engine::{Mode, Output};
use tokenforge_providers::Dialect;
use tokenforge_samples::{recorded, recorded_runs};
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
            let path_model = recording.path_model();
            let made = compressor.compress(recording.dialect(), body.clone(), model, path_model);
            // What cannot be read a gateway forwards as it came; here it is an error.
            let made = made.map_or(body.clone(), |made| made.body.to_vec());
            assert!(made == forwarded(&house, &recording), "{} in {mode}", recording.name);
            smaller += usize::from(made.len() < body.len());
        }
    }
    assert!(smaller >= 30, "only {smaller} are smaller");
}

/// Every recorded output, with the tool and the arguments of its call.
fn outputs() -> impl Iterator<Item = (String, String, String)> {
    let runs = recorded_runs()
        .into_iter()
        .map(|run| ("Bash".to_owned(), json!({ "command": run.command }).to_string(), run.text));
    recorded().into_iter().map(|one| (one.tool, one.arguments, one.text)).chain(runs)
}

/// A conversation that begins with a call and its output.
fn chat(tool: &str, arguments: &str, output: &str) -> String {
    let function = json!({ "name": tool, "arguments": arguments });
    let schema = json!({ "type": "object", "properties": { "command": { "type": "string" } } });
    json!({
        "model": "gpt-5",
        "messages": [
            { "role": "user", "content": "go on" },
            { "role": "assistant", "tool_calls": [{ "id": "call_1", "type": "function", "function": function }] },
            { "role": "tool", "tool_call_id": "call_1", "content": output },
        ],
        "tools": [{ "type": "function", "function": { "name": "Bash", "parameters": schema } }],
    })
    .to_string()
}

#[test]
fn c16_l5_every_recorded_output_becomes_the_text_that_the_gateway_forwards() {
    let change = |settings: &mut Settings| {
        change(Mode::default())(settings);
        settings.tool_output.expand_injection = ExpandInjection::FromStart;
    };
    let (house, compressor) = (House::with(change), compressor(change));
    let (mut count, mut smaller) = (0, 0);
    for (tool, arguments, text) in outputs() {
        let body = chat(&tool, &arguments, &text);
        assert_eq!(house.post("/v1/chat/completions", &body).status, 200, "{arguments}");
        let forwarded = house.mock.last().body.to_vec();
        let request = compressor.compress(Dialect::OpenAiChat, body, OriginalsReader::Model, None);
        assert!(request.unwrap().body == forwarded, "{arguments}: the request");
        let forwarded: Value = serde_json::from_slice(&forwarded).unwrap();
        let output =
            Output { text: &text, tool: &tool, arguments: &arguments, call: None, is_error: false };
        let made = compressor.compress_output(&output, Some("gpt-5")).unwrap();
        assert_eq!(forwarded["messages"][2]["content"], made.text, "{arguments}: the text");
        count += 1;
        smaller += usize::from(made.text.len() < text.len());
    }
    assert!(count >= 400 && smaller >= 200, "{smaller} of {count} are smaller");
}

/// What the gateway forwards of a conversation with one output, to a model that its path names.
fn forwarded_to(path: &'static str, voice: Voice, output: &str) -> (String, Vec<u8>) {
    let house = House::with(|settings| {
        change(Mode::Lossless)(settings);
        settings.tool_output.expand_injection = ExpandInjection::default();
    });
    let talk = Conversation::new(Voice { path, ..voice }).with_output(&house, output);
    assert_eq!(talk.send(&house).status, 200, "{path}: {:?}", house.mock.refusals());
    (talk.body.to_string(), house.mock.last().body.to_vec())
}

#[test]
fn c16_a_model_that_stands_in_the_path_decides_as_it_does_in_the_gateway() {
    let compressor = compressor(change(Mode::Lossless));
    for (path, voice, dialect, small_model) in [
        (
            "/v1beta/models/gemini-2.5-flash-lite:generateContent",
            GEMINI,
            Dialect::Gemini,
            "gemini-2.5-flash-lite",
        ),
        (
            "/model/amazon.nova-lite-v1:0/converse",
            CONVERSE,
            Dialect::BedrockConverse,
            "amazon.nova-lite-v1:0",
        ),
    ] {
        let (body, forwarded) = forwarded_to(path, voice, &rows());
        let made = |model| {
            compressor.compress(dialect, body.clone(), OriginalsReader::Model, model).unwrap().body
        };
        assert!(made(Some(small_model)) == forwarded, "{path}");
        assert!(made(None) != forwarded, "{path}: the model makes no difference here");
    }
}

#[test]
fn c16_what_became_of_each_result_is_told_and_its_original_can_be_had() {
    let compressor = compressor(|settings| {
        settings.tool_output.expand_injection = ExpandInjection::FromStart;
    });
    let talk = Conversation::new(ANTHROPIC).with_output(&House::new(), &test_run());
    let made = compressor
        .compress(Dialect::Anthropic, talk.body.to_string(), OriginalsReader::Model, None)
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
    let made = |reader| {
        compressor.compress(Dialect::Anthropic, talk.body.to_string(), reader, None).unwrap()
    };
    let (model, caller) = (made(OriginalsReader::Model), made(OriginalsReader::Caller));
    assert_eq!(model.results[0].reference, None);
    assert!(caller.results[0].reference.is_some());
}

#[test]
fn c16_bad_input_is_an_error_that_says_where_and_changes_nothing() {
    let compressor = compressor(|_| {});
    let error = |body: &'static str| {
        compressor.compress(Dialect::Anthropic, body, OriginalsReader::Model, None).unwrap_err()
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
    let compress =
        |body| compressor.compress(Dialect::Anthropic, body, OriginalsReader::Model, None);
    let made = compress(body).unwrap();
    assert!(!String::from_utf8_lossy(&made.body).contains(&secret));
    let body = format!(r#"{{"messages":[],"{secret}":1}}"#);
    let error = compress(body).unwrap_err();
    assert!(matches!(error, CompressError::Unchecked(_)), "{error}");
}
