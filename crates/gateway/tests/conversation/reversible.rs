//! Nothing is left out unless the model can fetch it back in that very request: every mode, every dialect, and whatever a
//! request or a store may be like.

use crate::fixtures::{escaped, test_run};
use crate::house::House;
use crate::voices::{
    ANTHROPIC, CHAT, CONVERSE, Conversation, GEMINI, INTERACTIONS, INVOKE, OLLAMA, RESPONSES, Voice,
};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::{ExpandInjection, Secret};
use tokenforge_mock::{Reply, first_reference};
use tokenforge_store::{EntryKind, MemoryStore, Store, StoreError, StoreStats};

const MODES: [&str; 6] = ["disabled", "observe", "safe", "lossless", "standard", "aggressive"];
const DIALECTS: [Voice; 8] =
    [ANTHROPIC, CHAT, RESPONSES, GEMINI, INTERACTIONS, CONVERSE, INVOKE, OLLAMA];
const TOOL: &str = "expand_context";

/// Words of twelve letters, none of which comes twice: whatever lossless form a line takes, its word is in it.
struct Words(u64);

impl Words {
    fn next(&mut self) -> String {
        let mut letter = || {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            char::from(b'a' + (self.0 % 26) as u8)
        };
        (0..12).map(|_| letter()).collect()
    }
}

/// 300 KB, and the word of every line.
fn long_output() -> (String, Vec<String>) {
    let (mut words, mut text, mut marks) = (Words(0x9e37_79b9_7f4a_7c15), String::new(), vec![]);
    while text.len() < 300_000 {
        let mark = words.next();
        let _ = writeln!(text, "{} {mark} {} {}", words.next(), words.next(), words.next());
        marks.push(mark);
    }
    (text, marks)
}

/// A test run in which one of many tests failed, and the word of every line that is of some test.
fn failing_run() -> (String, Vec<String>) {
    let mut words = Words(0x2545_f491_4f6c_dd1d);
    let marks: Vec<String> = (0..200).map(|_| words.next()).collect();
    let mut text = "running 200 tests\n".to_owned();
    for (number, mark) in marks.iter().enumerate() {
        let verdict = if number == 77 { "FAILED" } else { "ok" };
        let _ = writeln!(text, "test cart::{mark} ... {verdict}");
    }
    let _ = write!(
        text,
        "\nfailures:\n\n---- cart::{0} stdout ----\nthread 'cart::{0}' panicked at src/cart.rs:7:5:\n\
         assertion failed: left == right\n\nfailures:\n    cart::{0}\n\n\
         test result: FAILED. 199 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.04s\n",
        marks[77]
    );
    (text, marks)
}

/// What a request is like, and whether the model can call a tool that is added to it.
struct Case {
    name: &'static str,
    is_callable: bool,
    /// Makes a request so, or says that the dialect has no way to say it.
    change: fn(Voice, &mut Value) -> bool,
}

const CASES: &[Case] = &[
    Case { name: "tools", is_callable: true, change: |_, _| true },
    Case { name: "any tool", is_callable: true, change: any_tool },
    Case { name: "no tools", is_callable: false, change: no_tools },
    Case { name: "an empty list", is_callable: false, change: empty_list },
    Case { name: "tool_choice none", is_callable: false, change: no_choice },
    Case { name: "a forced tool", is_callable: false, change: forced_tool },
    Case { name: "allowed tools", is_callable: false, change: allowed_tools },
    Case { name: "two answers", is_callable: false, change: two_answers },
    Case { name: "in the background", is_callable: false, change: in_background },
];

fn any_tool(voice: Voice, body: &mut Value) -> bool {
    match voice.name {
        "anthropic" | "invoke" => body["tool_choice"] = json!({ "type": "any" }),
        "gemini" => body["toolConfig"] = json!({ "functionCallingConfig": { "mode": "ANY" } }),
        "converse" => body["toolConfig"]["toolChoice"] = json!({ "any": {} }),
        "chat" | "responses" => body["tool_choice"] = json!("required"),
        "interactions" => body["generation_config"] = json!({ "tool_choice": "any" }),
        _ => return false,
    }
    true
}

fn no_tools(voice: Voice, body: &mut Value) -> bool {
    let member = if voice.name == "converse" { "toolConfig" } else { "tools" };
    body.as_object_mut().unwrap().remove(member).is_some()
}

fn empty_list(voice: Voice, body: &mut Value) -> bool {
    match voice.name {
        "converse" => body["toolConfig"]["tools"] = json!([]),
        "gemini" => body["tools"] = json!([{ "functionDeclarations": [] }]),
        _ => body["tools"] = json!([]),
    }
    true
}

fn no_choice(voice: Voice, body: &mut Value) -> bool {
    match voice.name {
        "anthropic" | "invoke" => body["tool_choice"] = json!({ "type": "none" }),
        "gemini" => body["toolConfig"] = json!({ "functionCallingConfig": { "mode": "NONE" } }),
        "converse" => return false,
        "interactions" => body["generation_config"] = json!({ "tool_choice": "none" }),
        _ => body["tool_choice"] = json!("none"),
    }
    true
}

fn forced_tool(voice: Voice, body: &mut Value) -> bool {
    match voice.name {
        "anthropic" | "invoke" => body["tool_choice"] = json!({ "type": "tool", "name": "Bash" }),
        "gemini" => {
            let forced = json!({ "mode": "ANY", "allowedFunctionNames": ["Bash"] });
            body["toolConfig"] = json!({ "functionCallingConfig": forced });
        }
        "converse" => body["toolConfig"]["toolChoice"] = json!({ "tool": { "name": "Bash" } }),
        "responses" => body["tool_choice"] = json!({ "type": "function", "name": "Bash" }),
        "interactions" => return false,
        _ => {
            body["tool_choice"] = json!({ "type": "function", "function": { "name": "Bash" } });
        }
    }
    true
}

fn allowed_tools(voice: Voice, body: &mut Value) -> bool {
    let named = json!({ "type": "function", "function": { "name": "Bash" } });
    match voice.name {
        "chat" => {
            let allowed = json!({ "mode": "auto", "tools": [named] });
            body["tool_choice"] = json!({ "type": "allowed_tools", "allowed_tools": allowed });
        }
        "responses" => {
            let tools = json!([{ "type": "function", "name": "Bash" }]);
            body["tool_choice"] =
                json!({ "type": "allowed_tools", "mode": "required", "tools": tools });
        }
        "interactions" => {
            let allowed = json!({ "mode": "any", "tools": ["Bash"] });
            body["generation_config"] = json!({ "tool_choice": { "allowed_tools": allowed } });
        }
        _ => return false,
    }
    true
}

fn two_answers(voice: Voice, body: &mut Value) -> bool {
    match voice.name {
        "chat" => body["n"] = json!(2),
        "gemini" => body["generationConfig"] = json!({ "candidateCount": 2 }),
        _ => return false,
    }
    true
}

fn in_background(voice: Voice, body: &mut Value) -> bool {
    body["background"] = json!(true);
    matches!(voice.name, "responses" | "interactions")
}

/// A store that keeps nothing, and gives its key or not.
pub(crate) struct Refusing {
    pub(crate) has_key: bool,
}

impl Refusing {
    fn refuse<T>() -> Result<T, StoreError> {
        Err(StoreError::Server { server: "s".into(), reason: "away".into() })
    }
}

impl Store for Refusing {
    fn put(&self, _: EntryKind, _: &str, _: &str, _: &[u8]) -> Result<(), StoreError> {
        Self::refuse()
    }
    fn get(&self, _: EntryKind, _: &str, _: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Self::refuse()
    }
    fn forget(&self, _: EntryKind, _: &str, _: &str) -> Result<bool, StoreError> {
        Self::refuse()
    }
    fn stats(&self) -> Result<StoreStats, StoreError> {
        Self::refuse()
    }
    fn purge(&self, _: Option<EntryKind>, _: Option<Duration>) -> Result<u64, StoreError> {
        Self::refuse()
    }
    fn key(&self) -> Result<[u8; 32], StoreError> {
        if self.has_key { Ok([7; 32]) } else { Self::refuse() }
    }
}

/// Two outputs in a conversation: how each is spelled in a body, and its words that must not be lost.
struct Told {
    conversation: Conversation,
    outputs: [(String, Vec<String>); 2],
}

fn told(house: &House, voice: Voice) -> Told {
    let outputs = [long_output(), failing_run()];
    let texts = outputs.each_ref().map(|(text, _)| text.as_str());
    let conversation = Conversation::new(voice).with_outputs(house, &texts);
    Told { conversation, outputs: outputs.map(|(text, marks)| (escaped(&text), marks)) }
}

impl Told {
    /// The words that are not in a body. An output that is there whole is found in no time, its words one by one are not.
    fn lost(&self, body: &str) -> Vec<String> {
        let (mut body, mut marks) = (body.to_owned(), vec![]);
        for (whole, words) in &self.outputs {
            match body.split_once(whole) {
                Some((before, after)) => body = [before, after].concat(),
                None => marks.extend_from_slice(words),
            }
        }
        lost(&marks, &body)
    }

    /// Sends it in a mode and checks what reached the provider: whatever is not in it can be fetched. How much is not.
    fn check(&self, house: &House, mode: &str, case: &Case) -> Option<usize> {
        let voice = self.conversation.voice;
        let what = format!("{mode}, {}, {}", voice.name, case.name);
        let mut body = self.conversation.body.clone();
        if !(case.change)(voice, &mut body) {
            return None;
        }
        let forwarded = send(house, voice.path, mode, &body);
        let mut rest = self.lost(&forwarded);
        let left_out = rest.len();
        if left_out == 0 {
            return Some(0);
        }
        assert!(case.is_callable, "{what}: {left_out} lines are gone for good");
        assert!(offers_our_tool(&forwarded), "{what}: {left_out} lines, and no tool");
        for id in references(&forwarded) {
            house.mock.clear();
            house.mock.reply(Reply::calling(TOOL, json!({ "id": id })));
            house.mock.reply("I see.");
            let again = send(house, voice.path, mode, &body);
            assert_eq!(house.mock.requests().len(), 2, "{what}: {:?}", house.mock.refusals());
            rest = lost(&rest, &again);
        }
        assert_eq!(rest, Vec::<String>::new(), "{what}: not to be had");
        Some(left_out)
    }
}

/// Sends a body in a mode: the last that reached the provider.
fn send(house: &House, path: &str, mode: &str, body: &Value) -> String {
    let headers = [("content-type", "application/json"), ("x-forge-mode", mode)];
    house.ask("POST", path, &headers, body.to_string());
    house.forwarded()
}

/// The words that are not in a body.
fn lost(marks: &[String], body: &str) -> Vec<String> {
    let body = body.replace("\\n", "\n");
    let words: HashSet<&str> = body.split(|letter: char| !letter.is_ascii_lowercase()).collect();
    marks.iter().filter(|mark| !words.contains(mark.as_str())).cloned().collect()
}

fn offers_our_tool(body: &str) -> bool {
    let body: Value = serde_json::from_str(body).unwrap();
    let tools = if body["tools"].is_null() { &body["toolConfig"] } else { &body["tools"] };
    tools.to_string().contains(r#""name":"expand_context""#)
}

fn references(body: &str) -> Vec<&str> {
    let starts = body.match_indices("<<<SHADOW:").map(|(at, _)| &body[at..]);
    starts.filter_map(|rest| first_reference(rest.as_bytes())).collect()
}

/// Walks all modes and dialects with a gateway and such requests. How many lines were left out, in all.
fn walk(house: &House, cases: &[Case]) -> usize {
    let mut left_out = 0;
    for voice in DIALECTS {
        let told = told(house, voice);
        for mode in MODES {
            for case in cases {
                left_out += told.check(house, mode, case).unwrap_or_default();
            }
        }
    }
    left_out
}

#[test]
fn d02_l4_nothing_is_left_out_that_the_model_cannot_fetch_in_that_very_request() {
    assert!(walk(&House::new(), CASES) > 0, "the example is one from which something is left out");
}

#[test]
fn d02_l4_without_expansion_nothing_is_left_out() {
    let house = House::with(|settings| settings.tool_output.enable_expand_context = false);
    assert_eq!(walk(&house, CASES), 0);
}

#[test]
fn d62_l4_without_a_key_for_references_nothing_is_left_out() {
    let house = House::built(|_| {}, || Arc::new(Refusing { has_key: false }));
    assert_eq!(walk(&house, CASES), 0);
}

#[test]
fn d62_decision_29_without_a_store_the_same_bytes_go_out_and_the_request_answers() {
    let key = |settings: &mut tokenforge_config::Settings| {
        settings.store.key = Some(Secret::new("the key of all replicas"));
    };
    let small = tokenforge_store::StoreOptions {
        max_bytes: 5_000,
        ..tokenforge_store::StoreOptions::MEMORY
    };
    let whole = House::with(key);
    let down = House::built(key, || Arc::new(Refusing { has_key: true }));
    let full = House::built(key, move || Arc::new(MemoryStore::new(small)));
    for voice in DIALECTS {
        let told = told(&whole, voice);
        let mut forced = told.conversation.body.clone();
        forced_tool(voice, &mut forced);
        // Only the last two modes ask the store. That the others do not is no matter of the dialect: one shows it.
        let modes = if voice.name == ANTHROPIC.name { &MODES[..] } else { &MODES[4..] };
        for mode in modes {
            for body in [&told.conversation.body, &forced] {
                let expected = send(&whole, voice.path, mode, body);
                for (house, what) in [(&down, "down"), (&full, "full")] {
                    let is_same = send(house, voice.path, mode, body) == expected;
                    assert!(is_same, "{what}, {mode}, {voice:?}");
                }
            }
        }
    }
    let callable = &CASES[..2];
    assert!(callable.iter().all(|case| case.is_callable));
    assert!(walk(&down, callable) > 0 && walk(&full, callable) > 0);
}

#[test]
fn d62_a_count_is_of_what_would_be_sent_with_the_same_tools() {
    let house = House::new();
    for voice in [ANTHROPIC, GEMINI] {
        let told = told(&house, voice);
        let path = match voice.name {
            "anthropic" => "/v1/messages/count_tokens",
            _ => "/v1beta/models/gemini-3-pro:countTokens",
        };
        for mode in MODES {
            for case in CASES {
                let mut body = told.conversation.body.clone();
                if !(case.change)(voice, &mut body) {
                    continue;
                }
                let counted = send(&house, path, mode, &body);
                let sent = send(&house, voice.path, mode, &body);
                assert_eq!(counted, sent, "{mode}, {}, {}", voice.name, case.name);
                let gone = told.lost(&counted).len();
                assert!(case.is_callable || gone == 0, "{mode}, {}: {gone}", case.name);
            }
        }
    }
}

#[test]
fn decision_11_a_limit_that_the_caller_set_is_kept_and_says_so() {
    let set = House::with(|settings| settings.tool_output.max_output_bytes = Some(9_000));
    let asked = House::new();
    for (house, forge) in [(&set, json!({})), (&asked, json!({ "max_output_bytes": 9_000 }))] {
        for voice in [ANTHROPIC, CHAT, RESPONSES] {
            for mode in ["safe", "standard", "aggressive"] {
                let (text, marks) = long_output();
                let mut body = Conversation::new(voice).with_output(house, &text).body;
                no_tools(voice, &mut body);
                body["_forge"] = json!({ "tool_output_compression": forge });
                body["_forge"]["tool_output_compression"]["mode"] = json!(mode);
                house.post(voice.path, body.to_string());
                let forwarded = house.forwarded();
                let what = format!("{mode}, {}", voice.name);
                assert!(forwarded.len() < 12_000, "{what}");
                assert!(!lost(&marks, &forwarded).is_empty(), "{what}");
                assert!(forwarded.contains(&escaped("[Forge left out ")), "{what}");
                let id = first_reference(forwarded.as_bytes()).expect("a reference");
                assert_eq!(
                    house.get(&format!("/_forge/api/expand?id={id}")).text(),
                    text,
                    "{what}"
                );
            }
        }
    }
}

#[test]
fn decision_15_from_start_offers_no_tool_that_cannot_be_called() {
    for voice in DIALECTS {
        for change in [no_choice, forced_tool, allowed_tools] {
            let house = House::with(|settings| {
                settings.tool_output.expand_injection = ExpandInjection::FromStart;
            });
            let mut conversation = Conversation::new(voice);
            if change(voice, &mut conversation.body) {
                let _ = conversation.with_output(&house, &test_run()).heard(&house);
                assert!(!house.forwarded().contains("expand_context"), "{voice:?}");
            }
        }
    }
}
