//! Originals of conversations that the provider keeps: no later request has them, so only the store can give them back.

use crate::client::Response;
use crate::fixtures::{escaped, test_run, test_run_of};
use crate::house::House;
use crate::reversible::Refusing;
use crate::voices::{INTERACTIONS, RESPONSES, Voice};
use serde_json::{Value, json};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tokenforge_config::{GatewayKey, Secret};
use tokenforge_mock::{Reply, first_reference};
use tokenforge_store::{DiskStore, EntryKind, MemoryStore, Store, StoreOptions};

const TOOL: &str = "expand_context";
const KEEPING: [Voice; 2] = [RESPONSES, INTERACTIONS];
const MIB: usize = 1 << 20;
const JSON: (&str, &str) = ("content-type", "application/json");
const FIRST_TOKEN: (&str, &str) = ("authorization", "Bearer first");
const RENEWED_TOKEN: (&str, &str) = ("authorization", "Bearer renewed");

/// A conversation of which the provider keeps everything, and the client only the id of the last reply.
struct KeptConversation<'h> {
    house: &'h House,
    voice: Voice,
    previous: String,
    call: String,
    /// What the client shows beside its requests.
    headers: Vec<(&'static str, &'static str)>,
}

impl<'h> KeptConversation<'h> {
    /// The model called a shell.
    fn begin(house: &'h House, voice: Voice) -> Self {
        Self::begin_with(house, voice, &[])
    }

    /// The same, with these headers.
    fn begin_with(
        house: &'h House,
        voice: Voice,
        headers: &[(&'static str, &'static str)],
    ) -> Self {
        let (previous, call) = (String::new(), String::new());
        let mut begun = KeptConversation { house, voice, previous, call, headers: headers.into() };
        begun.call_shell(&begun.user("hi"));
        begun
    }

    fn user(&self, text: &str) -> Value {
        match self.voice.name {
            "interactions" => json!(text),
            _ => json!([{ "role": "user", "content": text }]),
        }
    }

    fn body(&self, input: &Value) -> String {
        let schema = json!({ "type": "object", "properties": { "command": { "type": "string" } } });
        let mut tool = json!({ "type": "function", "name": "Bash", "parameters": schema });
        let (model, previous) = match self.voice.name {
            "interactions" => ("gemini-3-pro", "previous_interaction_id"),
            _ => ("gpt-5", "previous_response_id"),
        };
        if self.voice.name == "responses" {
            tool["strict"] = json!(false);
        }
        let mut body = json!({ "model": model, "input": input, "tools": [tool] });
        if !self.previous.is_empty() {
            body[previous] = json!(self.previous);
        }
        body.to_string()
    }

    fn ask(&mut self, input: &Value) -> Response {
        let headers = [&[JSON][..], &self.headers].concat();
        let response = self.house.ask("POST", self.voice.path, &headers, self.body(input));
        assert_eq!(self.house.mock.refusals(), Vec::<String>::new(), "{:?}", self.voice);
        self.previous = self.voice.hears(&response).id;
        response
    }

    fn call_shell(&mut self, input: &Value) {
        self.house.mock.reply(Reply::calling("Bash", json!({ "command": "cargo test" })));
        let response = self.ask(input);
        self.call = self.voice.hears(&response).calls[0].id.clone();
    }

    /// The shell put this out, as the client says it.
    fn result(&self, text: &str) -> Value {
        match self.voice.name {
            "interactions" => json!([
                { "type": "function_result", "name": "Bash", "call_id": self.call, "result": text }
            ]),
            _ => json!([{ "type": "function_call_output", "call_id": self.call, "output": text }]),
        }
    }

    /// The shell put this out, and the model calls it again: what it saw of it.
    fn goes_on_with(&mut self, text: &str) -> String {
        let input = self.result(text);
        self.house.mock.clear();
        self.call_shell(&input);
        self.house.forwarded()
    }

    /// Asks for a reference in a later turn, as the model. The request that holds the answer.
    fn fetched(&mut self, reference: &str) -> String {
        self.house.mock.clear();
        self.house.mock.reply(Reply::calling(TOOL, json!({ "id": reference })));
        self.house.mock.reply("Seen.");
        let input = if self.call.is_empty() { self.user("Go on.") } else { self.result("a.txt") };
        self.call.clear();
        let _ = self.ask(&input);
        self.house.forwarded()
    }
}

fn is_left_out(body: &str) -> bool {
    body.contains("<<<SHADOW:shadow_")
}

fn reference(body: &str) -> String {
    first_reference(body.as_bytes()).unwrap().to_owned()
}

/// Originals of 100 kB with these numbers, of eighty other tenants.
fn others_put(store: &dyn Store, originals: Range<usize>) {
    let text = vec![b'x'; 100_000];
    for n in originals {
        let tenant = format!("tenant {}", n % 80);
        // A store on disk that is being swept refuses some.
        let _ = store.put(EntryKind::Original, &tenant, &format!("shadow_{n}"), &text);
    }
}

fn in_memory(max_bytes: usize) -> Arc<dyn Store> {
    let options = StoreOptions { max_bytes: max_bytes as u64, ..StoreOptions::MEMORY };
    Arc::new(MemoryStore::new(options))
}

fn on_disk(folder: &Path, max_bytes: usize) -> Arc<DiskStore> {
    let options = StoreOptions { max_bytes: max_bytes as u64, ..StoreOptions::DISK };
    Arc::new(DiskStore::open(folder, options).unwrap())
}

fn house(store: &Arc<dyn Store>) -> House {
    let store = store.clone();
    House::built(|_| {}, move || store.clone())
}

#[test]
fn g81_a_noisy_neighbour_evicts_no_original_of_a_kept_conversation() {
    for voice in KEEPING {
        let store = in_memory(64 * MIB);
        let house = house(&store);
        let mut conversation = KeptConversation::begin(&house, voice);
        let body = conversation.goes_on_with(&test_run());
        assert!(is_left_out(&body), "{voice:?}: {body}");
        others_put(&*store, 0..800);
        let fetched = conversation.fetched(&reference(&body));
        assert!(fetched.contains(&escaped(&test_run())), "{voice:?}: {fetched}");
    }
}

#[test]
fn g81_a_noisy_neighbour_on_disk_evicts_no_original_either() {
    let folder = tempfile::tempdir().unwrap();
    let disk = on_disk(folder.path(), 8 * MIB);
    let store: Arc<dyn Store> = disk.clone();
    let mut house = house(&store);
    let mut conversation = KeptConversation::begin(&house, RESPONSES);
    let body = conversation.goes_on_with(&test_run());
    assert!(is_left_out(&body), "{body}");
    let KeptConversation { previous, call, headers, .. } = conversation;
    // Four times as much as it holds.
    for n in 0..32 {
        others_put(&*store, 10 * n..10 * n + 10);
        disk.finish_sweep().unwrap();
    }
    house.restart();
    let mut conversation =
        KeptConversation { house: &house, voice: RESPONSES, previous, call, headers };
    let fetched = conversation.fetched(&reference(&body));
    assert!(fetched.contains(&escaped(&test_run())), "{fetched}");
}

#[test]
fn g81_a_renewed_credential_still_finds_the_original() {
    for voice in KEEPING {
        let house = House::new();
        let mut conversation = KeptConversation::begin_with(&house, voice, &[FIRST_TOKEN]);
        let body = conversation.goes_on_with(&test_run());
        assert!(is_left_out(&body), "{voice:?}: {body}");
        conversation.headers = vec![RENEWED_TOKEN];
        let id = reference(&body);
        let fetched = conversation.fetched(&id);
        assert!(fetched.contains(&escaped(&test_run())), "{voice:?}: {fetched}");
        let path = format!("/_forge/api/expand?id={id}");
        let has_original =
            |headers: &[(&str, &str)]| house.ask("GET", &path, headers, "").status == 200;
        assert!(has_original(&[RENEWED_TOKEN]), "{voice:?}");
        assert!(!has_original(&[RENEWED_TOKEN, ("via", "1.1 proxy")]), "{voice:?}");
    }
}

#[test]
fn g81_a_tenant_key_finds_the_original_beside_a_renewed_credential() {
    let key = ("x-forge-key", "key-of-one-0123456789");
    let house = House::with(|settings| {
        let (name, key) = ("one".to_owned(), Secret::new(key.1));
        settings.keys = vec![GatewayKey { name, key }];
    });
    let mut conversation = KeptConversation::begin_with(&house, RESPONSES, &[key, FIRST_TOKEN]);
    let body = conversation.goes_on_with(&test_run());
    assert!(is_left_out(&body), "{body}");
    conversation.headers = vec![key, RENEWED_TOKEN];
    let fetched = conversation.fetched(&reference(&body));
    assert!(fetched.contains(&escaped(&test_run())), "{fetched}");
}

#[test]
fn g80_nothing_is_left_out_where_only_a_credential_tells_the_tenant() {
    for voice in KEEPING {
        let shared = House::with(|settings| settings.allow_hosts = vec!["127.0.0.1".to_owned()]);
        let personal = House::new();
        let through_proxy: &[_] = &[FIRST_TOKEN, ("via", "1.1 proxy")];
        for (house, headers) in [(&shared, &[FIRST_TOKEN][..]), (&personal, through_proxy)] {
            let mut conversation = KeptConversation::begin_with(house, voice, headers);
            let body = conversation.goes_on_with(&test_run());
            assert!(!is_left_out(&body), "{voice:?}, {headers:?}: {body}");
            assert!(body.contains("case_117_of_many"), "{voice:?}, {headers:?}: {body}");
        }
    }
}

#[test]
fn g80_decision_40_nothing_is_left_out_where_the_store_takes_no_original() {
    let folder = tempfile::tempdir().unwrap();
    let stores: [(&str, Arc<dyn Store>); 3] = [
        ("refuses puts", Arc::new(Refusing { has_key: true })),
        ("smaller than the original", in_memory(8 << 10)),
        ("on disk, smaller than the original", on_disk(folder.path(), 64 << 10)),
    ];
    for voice in KEEPING {
        for (what, store) in &stores {
            let house = house(store);
            let body = KeptConversation::begin(&house, voice).goes_on_with(&test_run());
            assert!(!is_left_out(&body), "{voice:?}, {what}: {body}");
            assert!(body.contains("case_117_of_many"), "{voice:?}, {what}: {body}");
        }
    }
}

#[test]
fn g80_a_first_request_that_may_be_continued_counts_as_kept() {
    for (store, is_shortened) in [(None, false), (Some(true), false), (Some(false), true)] {
        let house = house(&(Arc::new(Refusing { has_key: true }) as Arc<dyn Store>));
        let call = json!({ "type": "function_call", "call_id": "call_0123456789abcdef",
            "name": "Bash", "arguments": "{\"command\":\"cargo test\"}" });
        let output = json!({ "type": "function_call_output", "call_id": "call_0123456789abcdef",
            "output": test_run() });
        let conversation = KeptConversation {
            house: &house,
            voice: RESPONSES,
            previous: String::new(),
            call: String::new(),
            headers: Vec::new(),
        };
        let user = json!({ "role": "user", "content": "hi" });
        let mut body: Value =
            serde_json::from_str(&conversation.body(&json!([user, call, output]))).unwrap();
        if let Some(store) = store {
            body["store"] = json!(store);
        }
        assert_eq!(house.post(RESPONSES.path, body.to_string()).status, 200);
        // The whole history comes again where nothing is stored, and every original with it.
        assert_eq!(is_left_out(&house.forwarded()), is_shortened, "store: {store:?}");
    }
}

#[test]
fn g82_a_conversation_that_fills_the_store_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let stores: [Arc<dyn Store>; 2] = [in_memory(MIB / 4), on_disk(folder.path(), MIB / 2)];
    for store in stores {
        let house = house(&store);
        let mut conversation = KeptConversation::begin(&house, RESPONSES);
        let runs: Vec<String> = (0..40).map(|n| test_run_of(&format!("crate{n}"))).collect();
        let seen: Vec<String> = runs.iter().map(|run| conversation.goes_on_with(run)).collect();
        let left_out = seen.iter().filter(|body| is_left_out(body)).count();
        assert!((2..40).contains(&left_out), "{left_out}: it fills its share, and not more");
        for (run, body) in runs.iter().zip(&seen) {
            let whole = if is_left_out(body) {
                conversation.fetched(&reference(body))
            } else {
                body.clone()
            };
            assert!(whole.contains("case_117_of_many ... ok"), "{body}\n{whole}");
            assert!(!is_left_out(body) || whole.contains(&escaped(run)), "{body}\n{whole}");
        }
    }
}

#[test]
fn g83_a_retried_request_is_forwarded_with_the_same_bytes() {
    let store = in_memory(MIB / 4);
    let mut house = house(&store);
    let mut conversation = KeptConversation::begin(&house, RESPONSES);
    let mut sent = Vec::new();
    for n in 0..40 {
        let run = test_run_of(&format!("crate{n}"));
        let body = conversation.body(&conversation.result(&run));
        sent.push((body, conversation.goes_on_with(&run)));
    }
    let left_out = sent.iter().filter(|(_, forwarded)| is_left_out(forwarded)).count();
    assert!((2..40).contains(&left_out), "{left_out}");
    // There is room for all of them now, and no process remembers that there was none.
    store.purge(Some(EntryKind::Original), None).unwrap();
    house.restart();
    for (body, forwarded) in sent {
        let _ = house.post(RESPONSES.path, body);
        assert_eq!(house.forwarded(), forwarded);
    }
}
