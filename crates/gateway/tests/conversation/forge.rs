//! What a request may ask of the gateway, and what the operator asks of all.

use crate::fixtures::{arguments, escaped, plain_words, rows, test_run, test_run_of};
use crate::house::House;
use crate::voices::{ANTHROPIC, CHAT, Conversation, GEMINI, RESPONSES, Voice, WHOLE};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use tokenforge_config::SchemaCompression;
use tokenforge_engine::Mode;

const SECRET: &str = "AKIAZ7QKXW3PLM5NVB2T";

/// The paths that the documents name.
const BOTH: [Voice; 2] = [ANTHROPIC, CHAT];

/// A conversation with this output, and what it asks for.
fn asking(house: &House, voice: Voice, output: &str, asks: &Value) -> Conversation {
    let mut conversation = Conversation::new(voice).with_output(house, output);
    conversation.body["_forge"] = json!({ "tool_output_compression": asks });
    conversation
}

/// The result of a conversation of one call, as it reaches the provider.
#[track_caller]
fn result(house: &House, conversation: &Conversation) -> String {
    let _ = conversation.heard(house);
    assert!(!house.forwarded().contains("_forge"));
    let body = house.mock.last().json();
    let last = body["messages"].as_array().unwrap().last().unwrap().clone();
    let text = if conversation.voice.name == "chat" {
        &last["content"]
    } else {
        &last["content"][0]["content"]
    };
    text.as_str().unwrap().to_owned()
}

/// The events in a log, when there are so many.
fn events(log: &Path, count: usize) -> Vec<Value> {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        let lines: Vec<_> =
            text.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
        if lines.len() >= count {
            return lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        }
        assert!(Instant::now() < until, "{} events, not {count}", lines.len());
        std::thread::yield_now();
    }
}

#[test]
fn f2_f4_the_request_goes_before_the_operator() {
    for voice in BOTH {
        let house = House::with(|settings| settings.tool_output.mode = Mode::Disabled);
        assert!(
            result(&house, &asking(&house, voice, &test_run(), &json!("standard")))
                .starts_with("<<<SHADOW:")
        );
        let object = json!({ "mode": "standard" });
        assert!(
            result(&house, &asking(&house, voice, &test_run(), &object)).starts_with("<<<SHADOW:")
        );
        let house = House::new();
        assert_eq!(
            result(&house, &asking(&house, voice, &test_run(), &json!("disabled"))),
            test_run()
        );
        // What is not named is the operator's.
        let object = json!({ "max_output_bytes": 70_000 });
        assert!(
            result(&house, &asking(&house, voice, &test_run(), &object)).starts_with("<<<SHADOW:")
        );
    }
}

#[test]
fn f4_headers_ask_for_clients_that_cannot_add_a_member() {
    let house = House::new();
    let conversation = Conversation::new(ANTHROPIC).with_output(&house, &test_run());
    for (mode, is_same) in [("off", true), ("disabled", true), ("standard", false)] {
        let headers = [
            ("content-type", "application/json"),
            ("x-forge-mode", mode),
            ("x-forge-session", "s1"),
        ];
        let body = conversation.body.to_string();
        assert_eq!(house.ask("POST", ANTHROPIC.path, &headers, &body).status, 200);
        assert_eq!(house.forwarded() == body, is_same, "{mode}");
        assert_eq!(
            (house.mock.last().header("x-forge-mode"), house.mock.last().header("x-forge-session")),
            ("", "")
        );
    }
}

#[test]
fn f4_secrets_stay_only_where_the_request_says_so() {
    for voice in BOTH {
        let house = House::new();
        let output =
            format!("{}\nkey: {SECRET}\n", "a line of some length that is not special\n".repeat(3));
        assert!(!result(&house, &asking(&house, voice, &output, &json!("safe"))).contains(SECRET));
        let asks = json!({ "mode": "safe", "redact_secrets": false });
        assert!(result(&house, &asking(&house, voice, &output, &asks)).contains(SECRET));
    }
}

#[test]
fn f4_f8_the_cap_keeps_both_ends_and_may_not_be_raised_without_bound() {
    let house = House::with(|settings| settings.limits.max_body_bytes = 64 << 20);
    let long: String = (0..110_000).map(|n| format!("line {n:06}\n")).collect();
    for (asks, bytes) in [
        // The default is no limit that anybody set, and this mode offers no way back.
        (json!({ "mode": "safe" }), long.len()),
        (json!({ "mode": "safe", "max_output_bytes": 9_000 }), 9_000),
        (json!({ "mode": "safe", "max_output_bytes": 2_000_000 }), 1_048_576),
    ] {
        for voice in BOTH {
            let result = result(&house, &asking(&house, voice, &long, &asks));
            assert!(
                result.len() <= bytes + 300 && result.len() > bytes - 300,
                "{asks}: {}",
                result.len()
            );
            assert!(result.contains("line 000000") && result.contains("line 109999"), "{asks}");
        }
    }
}

#[test]
fn f8_the_cap_keeps_the_first_error_too() {
    for voice in BOTH {
        let house = House::new();
        let line = |n: usize| match n {
            4000 => "error: the thing is broken\n".to_owned(),
            n => format!("line {n:06}\n"),
        };
        let long: String = (0..10_000).map(line).collect();
        let asks = json!({ "mode": "safe", "max_output_bytes": 6_000 });
        let result = result(&house, &asking(&house, voice, &long, &asks));
        for part in ["line 000000", "error: the thing is broken", "line 009999"] {
            assert!(result.contains(part), "{part}");
        }
        let is_own = |text: &&str| {
            !["line ", "error", "<<<SHADOW:"].iter().any(|start| text.starts_with(start))
        };
        let markers = result.lines().filter(is_own).count();
        assert!(markers <= 2, "{result}");
        assert_eq!(house.stats()["stages"]["cap_error_window"], 1, "{}", house.stats()["stages"]);
    }
}

#[test]
fn f5_what_is_wrong_is_said_and_nothing_is_sent() {
    for voice in WHOLE.iter().copied() {
        let house = House::new();
        for (forge, field, allowed) in [
            (json!({ "tool_output_compression": "max" }), "tool_output_compression", "aggressive"),
            (json!({ "tool_output_compression": 3 }), "tool_output_compression", "mode"),
            (json!({ "tool_output_compression": { "mode": "max" } }), "mode", "aggressive"),
            (json!({ "tool_output_compression": { "method": "zip" } }), "method", "repair"),
            (
                json!({ "tool_output_compression": { "max_output_bytes": 0 } }),
                "max_output_bytes",
                "positive",
            ),
            (json!({ "tool_output_compression": { "dedup": "yes" } }), "dedup", "true or false"),
            (json!({ "tool_output_compression": { "speed": 1 } }), "speed", "session_id"),
            (json!({ "schema_compression": "tiny" }), "schema_compression", "minify"),
            (json!({ "debug": 1 }), "debug", "object"),
            (json!("standard"), "_forge", "object"),
        ] {
            let mut body = Conversation::new(voice).body;
            body["_forge"] = forge.clone();
            let response = house.post(voice.path, body.to_string());
            assert_eq!(response.status, 400, "{voice:?}: {forge}");
            let text = response.text();
            assert!(text.contains(field) && text.contains(allowed), "{voice:?}: {forge}: {text}");
            let shape = match voice.name {
                "anthropic" => {
                    response.json()["error"]["type"] == "invalid_request_error"
                        && response.json()["type"] == "error"
                }
                "chat" | "responses" => response.json()["error"]["type"] == "invalid_request_error",
                "gemini" => response.json()["error"]["status"] == "INVALID_ARGUMENT",
                "interactions" => response.json()["error"]["code"] == "invalid_request",
                "ollama" => response.json()["error"].is_string(),
                _ => response.json()["message"].is_string(),
            };
            assert!(shape, "{voice:?}: {text}");
        }
        assert_eq!(house.mock.requests().len(), 0, "{voice:?}");
    }
}

#[test]
fn f5_the_member_never_reaches_the_provider() {
    for voice in WHOLE.iter().copied() {
        for mode in ["disabled", "observe", "standard"] {
            let house = House::new();
            let conversation = Conversation::new(voice).with_output(&house, "ok");
            let mut asking = conversation.clone();
            asking.body["_forge"] =
                json!({ "tool_output_compression": mode, "debug": { "run": 1 } });
            let _ = asking.heard(&house);
            let mut expected = conversation.body;
            if mode == "standard" {
                let forwarded = house.mock.last().json();
                for tools in ["tools", "toolConfig"] {
                    if !expected[tools].is_null() {
                        expected[tools] = forwarded[tools].clone();
                    }
                }
            }
            assert_eq!(house.mock.last().json(), expected, "{voice:?} {mode}");
        }
    }
}

#[test]
fn f11_a_result_that_the_session_has_seen_becomes_a_marker() {
    for voice in BOTH {
        let house = House::new();
        let asks = json!({ "session_id": "s" });
        let first = asking(&house, voice, &test_run(), &asks);
        let shown = result(&house, &first);
        assert!(shown.starts_with("<<<SHADOW:"));
        let second = asking(&house, voice, &test_run(), &asks);
        let marker = result(&house, &second);
        let call = first.calls().pop().unwrap();
        assert!(
            marker.contains(&format!("[Duplicate of {call} (Bash); see earlier result]")),
            "{marker}"
        );
        assert_eq!(result(&house, &first), shown, "sent again it is the same");
        for other in
            [json!({ "session_id": "t" }), json!({ "session_id": "s", "dedup": false }), json!({})]
        {
            let third = asking(&house, voice, &test_run(), &other);
            assert_eq!(result(&house, &third), shown, "{other}");
        }
    }
}

#[test]
fn d13_a_request_may_lower_the_operator_s_limit_and_not_raise_it() {
    for (asked, kept) in [
        (json!({}), 30_000),
        (json!({ "max_output_bytes": 60_000 }), 30_000),
        (json!({ "max_output_bytes": 9_000 }), 9_000),
    ] {
        let house = House::with(|settings| {
            settings.tool_output.mode = Mode::Safe;
            settings.tool_output.max_output_bytes = Some(30_000);
        });
        let text = plain_words(200_000);
        let conversation = asking(&house, CHAT, &text, &asked);
        let length = result(&house, &conversation).len();
        // With the marker that says where it was cut.
        assert!((kept..kept + 500).contains(&length), "{asked}: {length}");
    }
}

#[test]
fn f12_the_text_of_a_call_is_remembered_until_the_settings_change() {
    for voice in BOTH {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.jsonl");
        let house = House::with(|settings| settings.monitoring.compression_log = Some(log.clone()));
        let mut conversation = asking(&house, voice, &test_run(), &json!({ "session_id": "s" }));
        let first = result(&house, &conversation);
        assert_eq!(result(&house, &conversation), first);
        conversation.body["_forge"]["tool_output_compression"]["memo"] = json!(false);
        assert_eq!(result(&house, &conversation), first);
        conversation.body["_forge"] =
            json!({ "tool_output_compression": { "session_id": "s", "mode": "lossless" } });
        assert_ne!(result(&house, &conversation), first);
        let told: Vec<_> = events(&log, 4)
            .iter()
            .map(|event| (event["memo_reused"] == true, event["memo_changed"] == true))
            .collect();
        assert_eq!(
            told,
            [(false, false), (true, false), (false, false), (false, true)],
            "{voice:?}"
        );
    }
}

#[test]
fn f13_c13_c14_an_event_tells_what_became_of_a_result_and_nothing_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let house = House::with(|settings| settings.monitoring.compression_log = Some(log.clone()));
    let mut conversation = Conversation::new(CHAT).with_output(&house, &test_run());
    conversation.body["_forge"] = json!({ "debug": { "run": "seven" } });
    let _ = conversation.heard(&house);
    let _ = conversation.heard(&house);
    let events = events(&log, 2);
    let event = &events[0];
    assert_eq!(
        (&event["tool"], &event["family"], &event["mode"]),
        (&json!("Bash"), &json!("cargo"), &json!("standard"))
    );
    assert_eq!(
        (&event["verdict"], &event["mapping_status"]),
        (&json!("compressed"), &json!("compressed")),
        "{event}"
    );
    assert_eq!(event["debug"], json!({ "run": "seven" }));
    assert_eq!(event["bytes_in"], test_run().len());
    assert!(event["after_tokens"].as_u64() < event["before_tokens"].as_u64());
    assert_eq!(
        (&events[0]["sent_before"], &events[1]["sent_before"]),
        (&json!(false), &json!(true))
    );
    assert!(!std::fs::read_to_string(&log).unwrap().contains("case_7"));
    let counters = &house.stats()["counters"];
    assert_eq!((&counters["cache_hits"], &counters["cache_misses"]), (&json!(1), &json!(1)));
}

#[test]
fn f14_secrets_are_removed_from_what_is_said_and_from_nothing_else() {
    // Redaction of what goes to a provider is a promise of the operator's, whatever the mode.
    for mode in Mode::ALL {
        let house = House::with(|settings| {
            settings.redact_secrets = true;
            settings.tool_output.mode = mode;
        });
        let says = format!("the key is {SECRET} now");
        let mut body = Conversation::new(ANTHROPIC).body;
        body["system"] = json!([{ "type": "text", "text": says }]);
        body["tools"][0]["description"] = json!(says);
        body["messages"] = json!([
            { "role": "user", "content": says },
            { "role": "assistant", "content": [{ "type": "tool_use", "id": SECRET, "name": "Bash", "input": { "command": says } }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": SECRET, "content": says },
                { "type": "text", "text": says }] },
        ]);
        assert_eq!(
            house.post(ANTHROPIC.path, body.to_string()).status,
            200,
            "{:?}",
            house.mock.refusals()
        );
        let forwarded = house.mock.last().json();
        for place in [
            "/system/0/text",
            "/messages/0/content",
            "/messages/2/content/0/content",
            "/messages/2/content/1/text",
        ] {
            let text = forwarded.pointer(place).unwrap().as_str().unwrap();
            assert!(
                !text.contains(SECRET) && text.starts_with("the key is "),
                "{mode:?} {place}: {text}"
            );
        }
        for place in [
            "/tools/0/description",
            "/messages/1/content/0/id",
            "/messages/1/content/0/input/command",
            "/messages/2/content/0/tool_use_id",
        ] {
            assert_eq!(forwarded.pointer(place), body.pointer(place), "{mode:?} {place}");
        }
        let mut body = Conversation::new(CHAT).body;
        let function =
            json!({ "name": "Bash", "arguments": json!({ "command": says }).to_string() });
        body["messages"] = json!([
            { "role": "system", "content": says },
            { "role": "user", "content": [{ "type": "text", "text": says }] },
            { "role": "assistant", "content": null, "tool_calls": [{ "id": SECRET, "type": "function", "function": function }] },
            { "role": "tool", "tool_call_id": SECRET, "content": says },
        ]);
        assert_eq!(
            house.post(CHAT.path, body.to_string()).status,
            200,
            "{:?}",
            house.mock.refusals()
        );
        let forwarded = house.mock.last().json();
        for place in ["/messages/0/content", "/messages/1/content/0/text", "/messages/3/content"] {
            let text = forwarded.pointer(place).unwrap().as_str().unwrap();
            assert!(!text.contains(SECRET), "{mode:?} {place}: {text}");
        }
        assert_eq!(forwarded["messages"][2], body["messages"][2], "{mode:?}");
        assert_eq!(forwarded["messages"][3]["tool_call_id"], SECRET);
    }
}

#[test]
fn f14_secrets_are_removed_from_documents_and_from_what_a_program_reads_but_not_from_what_the_provider_made()
 {
    for mode in Mode::ALL {
        let house = House::with(|settings| {
            settings.redact_secrets = true;
            settings.tool_output.mode = mode;
        });
        let says = format!("the key is {SECRET} now");
        let caller = json!({ "type": "code_execution_20260120", "tool_id": "srvtoolu_1" });
        let mut body = Conversation::new(ANTHROPIC).body;
        body["messages"] = json!([
            { "role": "user", "content": [
                { "type": "document", "title": says, "source": { "type": "text", "media_type": "text/plain", "data": says } },
                { "type": "document", "source": { "type": "content", "content": [{ "type": "text", "text": says }] } },
                { "type": "text", "text": "Look into these." },
            ] },
            { "role": "assistant", "content": [
                { "type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": { "code": says } },
                { "type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}, "caller": caller },
            ] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "toolu_1", "content": says }] },
            { "role": "assistant", "content": [
                { "type": "code_execution_tool_result", "tool_use_id": "srvtoolu_1",
                  "content": { "type": "code_execution_result", "stdout": says, "stderr": "", "return_code": 0, "content": [] } },
                { "type": "text", "text": "Done." },
            ] },
            { "role": "user", "content": "Thanks." },
        ]);
        let response = house.post(ANTHROPIC.path, body.to_string());
        assert_eq!(response.status, 200, "{:?}", house.mock.refusals());
        let mut forwarded = house.mock.last().json();
        for place in [
            "/messages/0/content/0/title",
            "/messages/0/content/0/source/data",
            "/messages/0/content/1/source/content/0/text",
            "/messages/2/content/0/content",
        ] {
            let text = forwarded.pointer_mut(place).unwrap();
            let redacted = text.as_str().unwrap();
            assert!(
                !redacted.contains(SECRET) && redacted.starts_with("the key is "),
                "{mode:?} {place}: {redacted}"
            );
            *text = json!(says);
        }
        assert_eq!(forwarded["messages"], body["messages"], "{mode:?}");
    }
}

#[test]
fn f14_what_cannot_be_checked_is_not_sent() {
    let house = House::with(|settings| settings.redact_secrets = true);
    let user = |text: &str| {
        format!(
            r#"{{"model":"m","max_tokens":9,"messages":[{{"role":"user","content":"{text}"}}]}}"#
        )
    };
    for (path, body) in [
        (ANTHROPIC.path, user(&format!("\\ud800 {SECRET}"))),
        (CHAT.path, user(&format!("\\ud800 {SECRET}"))),
        (
            ANTHROPIC.path,
            format!(
                "{{\"messages\":[],\"messages\":[{{\"role\":\"user\",\"content\":\"{SECRET}\"}}]}}"
            ),
        ),
        (ANTHROPIC.path, format!("not JSON {SECRET}")),
    ] {
        let response = house.post(path, &body);
        assert_eq!(response.status, 503, "{body}: {}", response.text());
        assert!(response.json()["error"]["message"].as_str().unwrap().contains("secrets"));
        assert!(!response.text().contains(SECRET));
    }
    assert_eq!(house.mock.requests().len(), 0);
    assert_eq!(house.post(ANTHROPIC.path, user("hello")).status, 200);
}

#[test]
fn f15_descriptions_are_minified_alike_on_both_paths() {
    let text = "Runs a command.   \n\n\n\nTakes   care\tof quoting.\n```\nkeep   this  \n```\n";
    let schema = json!({ "type": "object", "properties": {
        "command": { "type": "string", "description": text },
        "description": { "type": "string", "description": "" },
    }, "required": ["command"] });
    let expected = "Runs a command.\n\nTakes care of quoting.\n```\nkeep   this\n```";
    for is_by_request in [false, true] {
        let house = House::with(|settings| {
            settings.tool_output.mode = Mode::Disabled;
            if !is_by_request {
                settings.schema_compression = SchemaCompression::Minify;
            }
        });
        let mut minified = Vec::new();
        for voice in BOTH {
            let mut body = Conversation::new(voice).body;
            let tool = match voice.name {
                "chat" => {
                    json!({ "type": "function", "function": { "name": "Bash", "description": text, "parameters": schema } })
                }
                _ => json!({ "name": "Bash", "description": text, "input_schema": schema }),
            };
            body["tools"] = json!([tool]);
            if is_by_request {
                body["_forge"] = json!({ "schema_compression": "minify" });
            }
            assert_eq!(house.post(voice.path, body.to_string()).status, 200);
            let tool = house.mock.last().json()["tools"][0].clone();
            let tool = if voice.name == "chat" { tool["function"].clone() } else { tool };
            let parameters =
                if voice.name == "chat" { &tool["parameters"] } else { &tool["input_schema"] };
            assert_eq!(parameters["properties"]["description"], json!({ "type": "string" }));
            assert_eq!(parameters["required"], json!(["command"]));
            minified.push(tool["description"].as_str().unwrap().trim_end().to_owned());
            minified.push(
                parameters["properties"]["command"]["description"]
                    .as_str()
                    .unwrap()
                    .trim_end()
                    .to_owned(),
            );
        }
        assert_eq!(minified, [expected; 4]);
    }
}

#[test]
fn f15_every_list_of_tools_is_minified_and_one_is_appended_to() {
    let text = "Runs   a command.";
    let short = |body: &Value| body.to_string().replace(text, "Runs a command.");
    let house = House::with(|settings| settings.schema_compression = SchemaCompression::Minify);
    let mut body = Conversation::new(RESPONSES).body;
    let tool = |name: &str| json!({ "type": "function", "name": name, "description": text, "parameters": { "type": "object" } });
    let item = |name: &str| json!({ "type": "additional_tools", "role": "developer", "tools": [tool(name)] });
    body["tools"] = json!([tool("a")]);
    body["input"] = json!([item("b"), { "role": "user", "content": text }, item("c")]);
    assert_eq!(
        house.post(RESPONSES.path, body.to_string()).status,
        200,
        "{:?}",
        house.mock.refusals()
    );
    let mut forwarded = house.mock.last().json();
    let tools = forwarded["tools"].as_array_mut().unwrap();
    assert_eq!(tools.pop().unwrap()["name"], "expand_context");
    assert_eq!(forwarded["input"][1], body["input"][1], "what is said is no description");
    forwarded["input"][1]["content"] = json!("Runs a command.");
    assert_eq!(forwarded.to_string(), short(&body));

    let mut body = Conversation::new(GEMINI).body;
    let tool =
        |name: &str| json!({ "functionDeclarations": [{ "name": name, "description": text }] });
    body["tools"] = json!([tool("a"), tool("b")]);
    assert_eq!(
        house.post(GEMINI.path, body.to_string()).status,
        200,
        "{:?}",
        house.mock.refusals()
    );
    let mut forwarded = house.mock.last().json();
    forwarded["tools"][1]["functionDeclarations"].as_array_mut().unwrap().pop();
    assert_eq!(forwarded.to_string(), short(&body));
}

#[test]
fn f15_compact_is_asked_for_by_setting_or_request_and_keeps_strict_tools() {
    let schema = json!({ "$schema": "urn:x", "title": "T", "type": "object", "properties": {
        "title": { "type": "string", "title": "Title" },
    }, "additionalProperties": false });
    let compact = json!({ "type": "object", "properties": { "title": { "type": "string" } } });
    for is_by_request in [false, true] {
        let house = House::with(|settings| {
            settings.tool_output.mode = Mode::Disabled;
            if !is_by_request {
                settings.schema_compression = SchemaCompression::Compact;
            }
        });
        let mut body = Conversation::new(CHAT).body;
        let tool = |name: &str, strict: bool| json!({ "type": "function", "function": { "name": name, "strict": strict, "parameters": schema } });
        body["tools"] = json!([tool("a", false), tool("b", true)]);
        body["response_format"] = json!({ "type": "json_schema", "json_schema": { "name": "r", "strict": true, "schema": schema } });
        if is_by_request {
            body["_forge"] = json!({ "schema_compression": "compact" });
        }
        assert_eq!(house.post(CHAT.path, body.to_string()).status, 200);
        let forwarded = house.mock.last().json();
        assert_eq!(forwarded["tools"][0]["function"]["parameters"], compact);
        assert_eq!(forwarded["tools"][1], body["tools"][1]);
        assert_eq!(forwarded["response_format"], body["response_format"]);
    }
}

#[test]
fn f1_calls_ids_names_arguments_and_answers_are_never_touched() {
    for voice in BOTH {
        let house = House::new();
        let mut conversation = Conversation::new(voice)
            .with_outputs(&house, &[&test_run(), &rows(), &test_run_of("till")]);
        let response = conversation.send(&house);
        conversation.goes_on(&response, &[]);
        conversation.says(&rows());
        let _ = conversation.heard(&house);
        let forwarded = house.forwarded();
        let mut restored: Value = serde_json::from_str(&forwarded).unwrap();
        restored["tools"].as_array_mut().unwrap().pop();
        let messages = restored["messages"].as_array_mut().unwrap();
        for (message, own) in
            messages.iter_mut().zip(conversation.body["messages"].as_array().unwrap())
        {
            if own["role"] == "tool" {
                message["content"] = own["content"].clone();
            } else if own["content"][0]["type"] == "tool_result" {
                for (block, own) in message["content"]
                    .as_array_mut()
                    .unwrap()
                    .iter_mut()
                    .zip(own["content"].as_array().unwrap())
                {
                    block["content"] = own["content"].clone();
                }
            }
        }
        assert_eq!(restored, conversation.body, "{voice:?}");
        assert!(forwarded.contains(&escaped(&rows())), "the user's text");
        assert!(
            forwarded.contains(&escaped(&arguments().to_string()))
                || forwarded.contains(&arguments().to_string())
        );
    }
}
