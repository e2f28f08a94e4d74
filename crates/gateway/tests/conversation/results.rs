//! What becomes of tool results, and of nothing else.

use crate::fixtures::{arguments, escaped, plain_words, rows, test_run};
use crate::house::House;
use crate::voices::{ANTHROPIC, CHAT, Conversation, GEMINI_WITHOUT_IDS, RESPONSES, WHOLE};
use serde_json::{Value, json};
use tokenforge_config::Strategy;
use tokenforge_engine::Mode;

/// A conversation in Anthropic's dialect with one result of a tool.
fn anthropic(tool: &str, input: &Value, result: Value) -> Value {
    let mut body = Conversation::new(ANTHROPIC).body;
    let mut block = json!({ "type": "tool_result", "tool_use_id": "toolu_1" });
    block.as_object_mut().unwrap().extend(result.as_object().unwrap().clone());
    body["messages"] = json!([
        { "role": "user", "content": "hi" },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "toolu_1", "name": tool, "input": input }] },
        { "role": "user", "content": [block] },
    ]);
    body
}

/// Sends a body, which the provider must accept, and returns what it got.
#[track_caller]
fn forwarded(house: &House, path: &str, body: &Value) -> Value {
    let response = house.post(path, body.to_string());
    assert_eq!(response.status, 200, "{}: {:?}", response.text(), house.mock.refusals());
    house.mock.last().json()
}

/// A body without the tool that was appended.
fn without_tool(mut body: Value) -> Value {
    body["tools"]
        .as_array_mut()
        .unwrap()
        .retain(|tool| !tool.to_string().contains("expand_context"));
    body
}

#[test]
fn g1_f1_the_block_shrinks_and_all_before_it_is_the_same() {
    let house = House::new();
    let conversation = Conversation::new(ANTHROPIC).with_output(&house, &test_run());
    let _ = conversation.heard(&house);
    let (client, provider) = (conversation.body.to_string(), house.forwarded());
    let at = client.find(&escaped("   Compiling cart")).unwrap();
    assert_eq!(client[..at], provider[..at]);
    let (client, provider) =
        (conversation.body["messages"][2]["content"][0].clone(), house.mock.last().json());
    let provider = &provider["messages"][2]["content"][0];
    assert_eq!(client["tool_use_id"], provider["tool_use_id"]);
    let text = provider["content"].as_str().unwrap();
    assert!(text.len() < test_run().len() / 2, "{text}");
}

#[test]
fn g11_c1_the_same_output_is_compressed_in_every_dialect() {
    for voice in WHOLE.iter().copied() {
        for (output, has_reference) in [(test_run(), true), (rows(), false)] {
            let house = House::new();
            let conversation = Conversation::new(voice).with_output(&house, &output);
            let response = conversation.send(&house);
            let _ = voice.hears(&response);
            let forwarded = house.forwarded();
            let text = voice.conversation(&forwarded);
            assert!(!text.contains(&escaped(&output)), "{voice:?}");
            assert_eq!(text.contains("<<<SHADOW:shadow_"), has_reference, "{voice:?}: {text}");
            let client = conversation.body.to_string();
            // Small models, which Ollama's are taken for, get rows as objects without quotes around their keys.
            let times = if voice.name == "ollama" && !has_reference { 1 } else { 2 };
            assert!(text.len() * times < voice.conversation(&client).len(), "{voice:?}: {text}");
            let tokens = |name| response.header(name).parse::<usize>().unwrap();
            assert!(tokens("x-forge-tokens-after") < tokens("x-forge-tokens-before"), "{voice:?}");
        }
    }
}

#[test]
fn g5_images_cache_control_and_order_survive() {
    let house = House::new();
    let image = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" } });
    let content = json!([
        { "type": "text", "text": test_run() },
        image,
        { "type": "text", "text": rows(), "cache_control": { "type": "ephemeral" } },
    ]);
    let body = anthropic("Bash", &arguments(), json!({ "content": content }));
    let mut forwarded = without_tool(forwarded(&house, ANTHROPIC.path, &body));
    let blocks = forwarded["messages"][2]["content"][0]["content"].as_array_mut().unwrap();
    for (at, text) in [(0, test_run()), (2, rows())] {
        assert!(blocks[at]["text"].as_str().unwrap().len() < text.len(), "{at}");
        blocks[at]["text"] = json!(text);
    }
    assert_eq!(forwarded, body);
}

#[test]
fn g6_of_a_failed_call_only_passes_are_left_out() {
    let house = House::new();
    let steps: String = (0..40).map(|n| format!("   Compiling part-{n} v1.0.{n}\n")).collect();
    let failure =
        "thread 'cart::tests::sums' panicked at src/lib.rs:15:56:\n  left: 17\n right: 19\n";
    for is_error in [false, true] {
        let result =
            json!({ "content": format!("{steps}{}{failure}", test_run()), "is_error": is_error });
        let body = forwarded(&house, ANTHROPIC.path, &anthropic("Bash", &arguments(), result));
        let text = body["messages"][2]["content"][0]["content"].as_str().unwrap();
        assert!(text.contains("<<<SHADOW:") && text.contains(failure), "{text}");
        assert!(!text.contains("case_77_of_many"), "{text}");
        // What a build says it is doing is no pass.
        assert_eq!(text.contains("lines of compiling"), !is_error, "{text}");
    }
}

#[test]
fn g7_c2_c14_sizes_at_the_bounds_of_the_strategy() {
    let house = House::with(|settings| {
        settings.tool_output.strategy = Strategy::Simple;
        settings.tool_output.min_bytes = 2048;
        settings.tool_output.max_bytes = 4096;
    });
    for (size, is_shortened) in [(2048, false), (2049, true), (4096, true), (4097, false)] {
        let text = plain_words(size);
        let conversation = Conversation::new(CHAT).with_output(&house, &text);
        let _ = conversation.heard(&house);
        let forwarded = house.forwarded();
        assert_eq!(forwarded.contains(&text), !is_shortened, "{size}");
        assert_eq!(forwarded.contains("<<<SHADOW:shadow_"), is_shortened, "{size}");
    }
    let text = plain_words(2048);
    let conversation = Conversation::new(CHAT).with_output(&house, &text);
    let headers = [("content-type", "application/json"), ("x-compression-threshold", "1000")];
    house.ask("POST", CHAT.path, &headers, conversation.body.to_string());
    assert!(!house.forwarded().contains(&text), "the header is the threshold");
}

#[test]
fn g8_what_would_not_be_smaller_stays() {
    let house = House::with(|settings| {
        settings.tool_output.strategy = Strategy::Simple;
        settings.tool_output.min_bytes = 100;
    });
    // One word more than the strategy keeps: the reference costs more than that word.
    let text = plain_words(201 * 6);
    let conversation = Conversation::new(CHAT).with_output(&house, &text);
    let _ = conversation.heard(&house);
    assert!(house.forwarded().contains(&text));
}

#[test]
fn g9_the_second_of_two_equal_results_points_to_the_first() {
    for voice in [ANTHROPIC, CHAT] {
        let house = House::new();
        let output = rows();
        let conversation = Conversation::new(voice).with_outputs(&house, &[&output, &output]);
        let _ = conversation.heard(&house);
        let forwarded = house.forwarded();
        assert_eq!(forwarded.matches("the last one").count(), 1, "{voice:?}");
        let once = Conversation::new(voice).with_output(&house, &output);
        let _ = once.heard(&house);
        let pointer = forwarded.len() - house.forwarded().len();
        assert!(pointer < 700, "{voice:?}: {pointer} bytes for a call and a pointer");
    }
}

#[test]
fn g10_tools_in_the_skip_list_are_left_alone() {
    let house = House::with(|settings| {
        settings.tool_output.skip_tools = ["read", "edit", "write"].map(str::to_owned).to_vec();
    });
    for tool in ["Read", "Edit", "Write"] {
        let body =
            anthropic(tool, &json!({ "file_path": "/a.json" }), json!({ "content": rows() }));
        assert_eq!(without_tool(forwarded(&house, ANTHROPIC.path, &body)), body, "{tool}");
    }
    let body = anthropic("Bash", &arguments(), json!({ "content": rows() }));
    assert_ne!(without_tool(forwarded(&house, ANTHROPIC.path, &body)), body);
}

#[test]
fn g12_gemini_keeps_the_names_around_a_text() {
    let house = House::new();
    let respond = |response: Value| {
        let mut body = Conversation::new(GEMINI_WITHOUT_IDS).body;
        body["contents"] = json!([
            { "role": "user", "parts": [{ "text": "hi" }] },
            { "role": "model", "parts": [{ "functionCall": { "name": "Bash", "args": arguments() } }] },
            { "role": "user", "parts": [{ "functionResponse": { "name": "Bash", "response": response } }] },
        ]);
        let forwarded = forwarded(&house, GEMINI_WITHOUT_IDS.path, &body);
        forwarded["contents"][2]["parts"][0]["functionResponse"]["response"].clone()
    };
    let mut response = respond(json!({ "exit": 0, "output": test_run(), "signal": null }));
    assert!(response["output"].as_str().unwrap().starts_with("<<<SHADOW:"));
    response["output"] = json!("");
    assert_eq!(response, json!({ "exit": 0, "output": "", "signal": null }));
    let listed: Value = serde_json::from_str(&rows()).unwrap();
    let response = respond(json!({ "result": listed }));
    assert!(response["result"].as_str().unwrap().contains("the last one"), "{response}");
}

#[test]
fn g13_other_kinds_of_calls_in_responses_are_compressed() {
    let house = House::new();
    let action = json!({ "type": "exec", "command": ["cargo", "test"], "env": {} });
    for (call, answer) in [
        (
            json!({ "type": "custom_tool_call", "call_id": "c1", "name": "shell", "input": "cargo test" }),
            json!({ "type": "custom_tool_call_output", "call_id": "c1", "output": test_run() }),
        ),
        (
            json!({ "type": "local_shell_call", "id": "l1", "call_id": "c1", "status": "completed", "action": action }),
            json!({ "type": "local_shell_call_output", "id": "l2", "call_id": "c1", "output": test_run() }),
        ),
    ] {
        let mut body = Conversation::new(RESPONSES).body;
        body["input"] = json!([{ "role": "user", "content": "hi" }, call, answer]);
        let forwarded = forwarded(&house, RESPONSES.path, &body);
        let text = forwarded["input"][2]["output"].as_str().unwrap();
        assert!(text.len() < test_run().len() / 2, "{call}: {text}");
    }
}

#[test]
fn g14_a_list_of_parts_stays_a_list() {
    let house = House::new();
    let mut body = Conversation::new(CHAT).body;
    let function = json!({ "name": "Bash", "arguments": arguments().to_string() });
    body["messages"] = json!([
        { "role": "user", "content": "hi" },
        { "role": "assistant", "content": null, "tool_calls": [{ "id": "c1", "type": "function", "function": function }] },
        { "role": "tool", "tool_call_id": "c1", "content": [{ "type": "text", "text": test_run() }] },
    ]);
    let mut forwarded = without_tool(forwarded(&house, CHAT.path, &body));
    let text = &mut forwarded["messages"][2]["content"][0]["text"];
    assert!(text.as_str().unwrap().starts_with("<<<SHADOW:"));
    *text = json!(test_run());
    assert_eq!(forwarded, body);
}

#[test]
fn decision_15_the_tool_is_offered_from_the_start_by_modes_that_leave_something_out() {
    for (mode, is_offered) in [
        (Mode::Disabled, false),
        (Mode::Observe, false),
        (Mode::Safe, false),
        (Mode::Lossless, false),
        (Mode::Standard, true),
        (Mode::Aggressive, true),
    ] {
        let house = House::with(|settings| settings.tool_output.mode = mode);
        let conversation = Conversation::new(ANTHROPIC);
        let _ = conversation.heard(&house);
        assert_eq!(house.forwarded().contains("expand_context"), is_offered, "{mode:?}");
        let conversation = conversation.with_output(&house, &test_run());
        let _ = conversation.heard(&house);
        assert_eq!(house.forwarded().contains("<<<SHADOW:"), is_offered, "{mode:?}");
    }
}

#[test]
fn c5_when_referenced_the_tool_comes_with_the_first_reference() {
    let house = House::with(|settings| {
        settings.tool_output.expand_injection = tokenforge_config::ExpandInjection::WhenReferenced;
    });
    let conversation = Conversation::new(ANTHROPIC);
    let _ = conversation.heard(&house);
    assert!(!house.forwarded().contains("expand_context"));
    let _ = conversation.with_output(&house, &test_run()).heard(&house);
    assert!(house.forwarded().contains("expand_context"));
}

#[test]
fn decision_24_every_other_change_is_announced() {
    let house = House::with(|settings| {
        settings.redact_secrets = true;
        settings.toon.enabled = true;
        settings.toon.min_bytes = 256;
        settings.schema_compression = tokenforge_config::SchemaCompression::Minify;
    });
    let mut body = Conversation::new(ANTHROPIC).body;
    body["_forge"] = json!({});
    body["tools"][0]["description"] = json!("Runs   a command.");
    body["system"] = json!("The key is AKIAZ7QKXW3PLM5NVB2T, keep it.");
    body["messages"][0]["content"] = json!(rows());
    let _ = forwarded(&house, ANTHROPIC.path, &body);
    let stats = house.stats();
    for change in [
        "forge_removed",
        "expand_tool_added",
        "schemas_minified",
        "input_redacted",
        "prompt_converted",
    ] {
        assert_eq!(stats["changes"][change], 1, "{change}: {}", stats["changes"]);
    }
}

/// A conversation in Anthropic's dialect in which these calls were answered, one after another.
fn answered(calls: &[(&str, Value, &str)]) -> Value {
    let mut body = Conversation::new(ANTHROPIC).body;
    let mut messages = vec![json!({ "role": "user", "content": "hi" })];
    for (number, (tool, input, text)) in calls.iter().enumerate() {
        let id = format!("toolu_0{number}");
        messages.push(json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": tool, "input": input }] }));
        messages.push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": text }] }));
    }
    body["messages"] = messages.into();
    body
}

/// What the model gets to see of the results.
fn results(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().unwrap().iter();
    let contents = messages.filter_map(|message| message["content"][0]["content"].as_str());
    contents.map(str::to_owned).collect()
}

fn source(from: usize) -> String {
    (from..from + 60).map(|n| format!("{n:6}→    let value_{n} = compute({});\n", n * n)).collect()
}

#[test]
fn d1_a_read_names_the_file_and_its_lines_and_never_a_call() {
    let house = House::new();
    let (file, text) = (json!({ "file_path": "src/a.rs" }), source(1));
    let edited = text.replace("value_30 = compute(900)", "value_30 = compute(7)");
    let part = json!({ "file_path": "src/a.rs", "offset": 20, "limit": 10 });
    let part_text: String =
        text.lines().skip(19).take(10).map(|line| format!("{line}\n")).collect();
    let calls = [
        ("Read", file.clone(), &*text),
        ("Read", file.clone(), &*edited),
        ("Read", part, &*part_text),
        ("Read", file, &*edited),
    ];
    let body = forwarded(&house, "/v1/messages", &answered(&calls));
    let shown = results(&body);
    assert!(shown[1].contains("[Forge same as lines 2-29 of src/a.rs above]"), "{}", shown[1]);
    assert!(shown[1].contains("30→    let value_30 = compute(7);"), "{}", shown[1]);
    assert!(shown[1].contains("[Forge same as lines 31-60 of src/a.rs above]"), "{}", shown[1]);
    assert!(
        !shown[2].contains("same as") && shown[2].contains("value_25 = compute(625)"),
        "{}",
        shown[2]
    );
    assert!(
        !shown[3].contains("same as") && shown[3].contains("value_59"),
        "asked again: {}",
        shown[3]
    );
    assert!(shown.iter().all(|text| !text.contains("toolu_")), "{shown:?}");
}

#[test]
fn d1_an_equal_result_names_the_command() {
    let house = House::new();
    let calls: Vec<_> =
        (0..3).map(|_| ("Bash", json!({ "command": "cat notes" }), plain_words(3000))).collect();
    let calls: Vec<_> =
        calls.iter().map(|(tool, input, text)| (*tool, input.clone(), &**text)).collect();
    let shown = results(&forwarded(&house, "/v1/messages", &answered(&calls)));
    assert_eq!(shown[1], "[Duplicate of cat notes; see earlier result]");
    assert_eq!(shown[2], shown[0], "asked again");
}

#[test]
fn d10_without_dedup_nothing_is_a_duplicate() {
    let text = source(1);
    let calls = [0, 1].map(|_| ("Read", json!({ "file_path": "src/a.rs" }), &*text));
    let body = answered(&calls);
    let mut asking = body.clone();
    asking["_forge"] = json!({ "tool_output_compression": { "dedup": false } });
    let off = House::with(|settings| settings.tool_output.dedup = false);
    for (house, body) in [(House::new(), &asking), (off, &body)] {
        let shown = results(&forwarded(&house, "/v1/messages", body));
        assert_eq!(shown[1], shown[0]);
    }
    let shown = results(&forwarded(&House::new(), "/v1/messages", &body));
    assert_eq!(shown[1], "[Duplicate of src/a.rs; see earlier result]");
}

#[test]
fn d10_another_tool_with_the_same_text_is_no_duplicate() {
    let house = House::new();
    let text = plain_words(3000);
    let calls = [
        ("Bash", json!({ "command": "cat notes" }), &*text),
        ("get_notes", json!({ "about": "it" }), &*text),
    ];
    let shown = results(&forwarded(&house, "/v1/messages", &answered(&calls)));
    assert!(!shown[1].contains("Duplicate of"), "{}", shown[1]);
}
