//! Calls of ours that come back beside the client's own.

use crate::support::example::Example;
use crate::support::pairing::assert_paired;
use crate::support::{Spelling, read};
use serde_json::{Value, json};
use tokenforge_providers::{Dialect, Request, ToolExchange, call_key, put_back, rejoin, splice};

/// A conversation in which the model called `ls` and `cat` in its second turn, and in its first and third something
/// else. Results come in another order than calls.
fn body(dialect: Dialect) -> Value {
    Example::read(dialect).get("conversation").clone()
}

/// What the model called beside `ls` and `cat`.
fn ours(dialect: Dialect, id: &str) -> String {
    Example::read(dialect).filled("own_call", &[("$ID", json!(id))]).to_string()
}

fn has_ids(dialect: Dialect) -> bool {
    Example::read(dialect).get("calls_by_name").is_null()
}

/// The siblings of our call, as the model made them.
fn siblings(dialect: Dialect) -> Vec<String> {
    match Example::read(dialect).get("calls_by_name") {
        Value::Array(calls) => {
            let key = |call: &Value| call_key(call[0].as_str().unwrap(), call[1].as_str().unwrap());
            calls.iter().map(key).collect()
        }
        _ => vec!["c1".to_owned(), "c2".to_owned()],
    }
}

/// Where the turn begins that ours belongs to: behind the first answer.
fn second_turn(request: &Request<'_>) -> usize {
    request.answers[0].element.as_ref().unwrap().end
}

fn parse(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap()
}

#[test]
fn g29_every_call_is_answered_when_ours_joins_its_siblings_again() {
    for dialect in Dialect::ALL {
        for spelling in Spelling::ALL {
            for is_error in [false, true] {
                let body = spelling.spell(&body(*dialect).to_string());
                assert_paired(&parse(body.as_bytes()), *dialect);
                let request = read(body.as_bytes(), *dialect);
                let siblings = siblings(*dialect);
                let ids = if has_ids(*dialect) { ["ours/1", "ours/2"] } else { ["", ""] };
                let calls = ids.map(|id| ours(*dialect, id));
                let joined: Vec<_> = (0..2)
                    .flat_map(|n| {
                        let (call, id, answer) = (&*calls[n], ids[n], ["\"one\"\n", "two"][n]);
                        let siblings_before = 2 * n;
                        let exchange = ToolExchange {
                            siblings: &siblings,
                            siblings_before,
                            from: second_turn(&request),
                            call,
                            id,
                            answer,
                            is_error,
                        };
                        rejoin(body.as_bytes(), *dialect, &request, &exchange).unwrap()
                    })
                    .collect();
                let joined = splice(body.as_bytes(), &joined).unwrap();

                assert_paired(&parse(&joined), *dialect);
                let again = read(&joined, *dialect);
                assert_eq!(again.calls.len(), request.calls.len() + 2, "{dialect:?}");
                let texts = again.results.iter().filter_map(|result| {
                    let is_ours = result.tool(&joined) == "expand_context";
                    is_ours.then(|| result.text(&joined).unwrap())
                });
                assert_eq!(texts.collect::<Vec<_>>(), ["\"one\"\n", "two"], "{dialect:?}");
            }
        }
    }
}

#[test]
fn g29_without_a_sibling_and_its_answer_nothing_is_inserted() {
    for dialect in Dialect::ALL {
        let body = body(*dialect).to_string();
        let rejoined = |body: &str, siblings: &[String], id: &str| {
            let call = &ours(*dialect, "ours");
            let exchange = ToolExchange {
                siblings,
                siblings_before: siblings.len(),
                from: 0,
                call,
                id,
                answer: "x",
                is_error: false,
            };
            rejoin(body.as_bytes(), *dialect, &read(body.as_bytes(), *dialect), &exchange).is_some()
        };
        let siblings = siblings(*dialect);
        assert!(rejoined(&body, &siblings, "ours"), "{dialect:?}");
        assert!(rejoined(&body, &["gone".to_owned(), siblings[1].clone()], "ours"), "{dialect:?}");
        assert!(!rejoined(&body, &["gone".to_owned()], "ours"), "{dialect:?}");
        assert!(!rejoined(&body, &[], "ours"), "{dialect:?}");
        if has_ids(*dialect) {
            assert!(!rejoined(&body, &siblings, "c3"), "there already: {dialect:?}");
            let renamed = body.replace(r#""c1""#, r#""d1""#);
            assert!(!rejoined(&renamed, &siblings[..1], "ours"), "{dialect:?}");
        }
        // The turn is cut off behind its calls.
        let mut cut: Value = serde_json::from_str(&body).unwrap();
        let list = cut.as_object_mut().unwrap().values_mut().find_map(Value::as_array_mut).unwrap();
        let calls = list.iter().position(|entry| entry.to_string().contains("cat")).unwrap();
        list.truncate(calls + 1);
        assert!(!rejoined(&cut.to_string(), &siblings[1..], "ours"), "{dialect:?}");
    }
}

#[test]
fn g29_our_call_stands_where_the_model_made_it() {
    // Google wants the signature of a thought on the first call of a turn.
    let body = body(Dialect::Gemini).to_string();
    let names = |siblings: &[String], siblings_before: usize| -> Vec<String> {
        let call = r#"{"functionCall":{"name":"expand_context","args":{}},"thoughtSignature":"s"}"#;
        let (id, answer) = ("", "x");
        let request = read(body.as_bytes(), Dialect::Gemini);
        let from = second_turn(&request);
        let exchange =
            ToolExchange { siblings, siblings_before, from, call, id, answer, is_error: false };
        let splices = rejoin(body.as_bytes(), Dialect::Gemini, &request, &exchange).unwrap();
        let joined = parse(&splice(body.as_bytes(), &splices).unwrap());
        assert_paired(&joined, Dialect::Gemini);
        let calls = joined["contents"][2]["parts"].as_array().unwrap().iter();
        calls.filter_map(|part| part["functionCall"]["name"].as_str().map(str::to_owned)).collect()
    };
    let siblings = siblings(Dialect::Gemini);
    assert_eq!(names(&siblings, 0), ["expand_context", "ls", "cat"]);
    assert_eq!(names(&siblings, 1), ["ls", "expand_context", "cat"]);
    assert_eq!(names(&siblings, 2), ["ls", "cat", "expand_context"]);
    let dropped = [siblings[0].clone(), "gone".to_owned()];
    assert_eq!(names(&dropped, 2), ["ls", "expand_context", "cat"]);
    let dropped = ["gone".to_owned(), siblings[1].clone()];
    assert_eq!(names(&dropped, 1), ["ls", "expand_context", "cat"]);
}

#[test]
fn the_last_turn_is_what_the_model_has_not_seen() {
    for dialect in Dialect::ALL {
        let mut body = body(*dialect);
        let is_last = |body: &Value| -> Vec<bool> {
            let body = body.to_string();
            let answers = read(body.as_bytes(), *dialect).answers;
            answers.iter().map(|answer| answer.is_last_turn).collect()
        };
        assert_eq!(is_last(&body), [false, false, false, true], "{dialect:?}");
        let example = Example::read(*dialect);
        for (speaker, expected) in [("user", true), ("model", false), ("user", false)] {
            let message = example.get("said")[speaker].clone();
            body[example.text("list")].as_array_mut().unwrap().push(message);
            assert_eq!(is_last(&body), [false, false, false, expected], "{dialect:?} {speaker}");
        }
    }
    for (item, expected) in [
        (json!({"type": "reasoning", "summary": []}), false),
        (json!({"type": "web_search_call", "id": "w"}), false),
        (json!({"type": "compaction_trigger"}), true),
    ] {
        let output = json!({"type": "function_call_output", "call_id": "c", "output": "x"});
        let body = json!({"input": [output, item]}).to_string();
        let request = read(body.as_bytes(), Dialect::OpenAiResponses);
        assert_eq!(request.answers[0].is_last_turn, expected, "{body}");
        assert_eq!(request.results[0].number, 0);
    }
}

#[test]
fn calls_outside_lists_have_no_neighbours() {
    for (dialect, body) in [
        (
            Dialect::OpenAiChat,
            r#"{"messages":[{"role":"assistant","function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"out"}]}"#,
        ),
        (
            Dialect::Gemini,
            r#"{"contents":[{"parts":{"functionCall":{"name":"f"}}},{"parts":{"functionResponse":{"name":"f","response":{}}}}]}"#,
        ),
    ] {
        let request = read(body.as_bytes(), dialect);
        assert_eq!(request.calls[0].key(body.as_bytes()), Some(call_key("f", "{}")));
        assert_eq!((&request.calls[0].element, request.answers[0].call), (&None, Some(0)));
        let siblings = [call_key("f", "{}")];
        let exchange = ToolExchange {
            siblings: &siblings,
            siblings_before: 0,
            from: 0,
            call: "{}",
            id: "i",
            answer: "",
            is_error: false,
        };
        assert_eq!(rejoin(body.as_bytes(), dialect, &request, &exchange), None);
    }
}

/// What is put back behind the first thought of a body.
fn put_back_in(dialect: Dialect, body: &str, behind: usize) -> Option<Value> {
    let request = Request::read(body.as_bytes(), dialect).unwrap();
    let call = match dialect {
        Dialect::OpenAiResponses => {
            r#"{"type":"function_call","call_id":"x","name":"expand_context","arguments":"{}"}"#
        }
        Dialect::GeminiInteractions => {
            r#"{"type":"function_call","id":"x","name":"expand_context","arguments":{}}"#
        }
        Dialect::BedrockConverse => {
            r#"{"toolUse":{"toolUseId":"x","name":"expand_context","input":{}}}"#
        }
        _ => r#"{"type":"tool_use","id":"x","name":"expand_context","input":{}}"#,
    };
    let exchange = ToolExchange {
        siblings: &[],
        siblings_before: 0,
        from: 0,
        call,
        id: "x",
        answer: "y",
        is_error: false,
    };
    let thought = request.thoughts.first()?;
    let splice = put_back(body.as_bytes(), dialect, &request, thought, behind, &[exchange])?;
    let body = tokenforge_providers::splice(body.as_bytes(), &[splice]).unwrap();
    Some(serde_json::from_slice(&body).unwrap())
}

#[test]
fn d52_a_reply_that_was_joined_is_taken_apart_wherever_its_role_stands() {
    let thought =
        |seal: &str| format!(r#"{{"type":"thinking","thinking":"","signature":"{seal}"}}"#);
    let text = r#"{"type":"text","text":"so"}"#;
    let blank = r#"{"type":"text","text":" "}"#;
    let call = r#"{"type":"tool_use","id":"a","name":"ls","input":{}}"#;
    let joined = format!("[{}, {text} ,{blank}, {} , {call}]", thought("s1"), thought("s2"));
    for message in [
        format!(r#"{{"role":"assistant","content":{joined}}}"#),
        format!(r#"{{ "content" : {joined} , "role":"assistant","id":"m"}}"#),
    ] {
        let body = format!(r#"{{"messages":[{{"role":"user","content":"hi"}}, {message}]}}"#);
        let whole = put_back_in(Dialect::Anthropic, &body, 1).unwrap();
        let messages = whole["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 4, "{whole}");
        let roles: Vec<_> =
            messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["user", "assistant", "user", "assistant"]);
        let kinds = |message: &Value| -> Vec<String> {
            let blocks = message["content"].as_array().unwrap().iter();
            blocks.map(|block| block["type"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(kinds(&messages[1]), ["thinking", "text", "tool_use"]);
        assert_eq!(kinds(&messages[2]), ["tool_result"]);
        assert_eq!(kinds(&messages[3]), ["text", "thinking", "tool_use"]);
    }
    let ends = format!(r#"{{"messages":[{{"role":"assistant","content":[{}]}}]}}"#, thought("s1"));
    assert!(put_back_in(Dialect::Anthropic, &ends, 0).is_none(), "nothing was joined to it");
    assert!(put_back_in(Dialect::Anthropic, &ends, 3).is_none());
}

#[test]
fn d52_items_are_put_back_behind_the_thought_that_led_to_them() {
    let body = r#"{"input":[{"type":"reasoning","id":"rs_1","summary":[]},{"type":"message","role":"assistant","content":"so"},
        {"type":"reasoning","id":"rs_2","summary":[]},{"type":"function_call","call_id":"a","name":"ls","arguments":"{}"}]}"#;
    for (behind, place) in [(0, 1), (1, 2)] {
        let whole = put_back_in(Dialect::OpenAiResponses, body, behind).unwrap();
        assert_eq!(whole["input"][place]["call_id"], "x", "{whole}");
        assert_eq!(whole["input"][place + 1]["type"], "function_call_output", "{whole}");
    }
    let steps = r#"{"input":[{"type":"thought","signature":"s1"},{"type":"model_output","content":[]},{"type":"thought","signature":"s2"}]}"#;
    for (behind, place) in [(0, 1), (1, 2)] {
        let whole = put_back_in(Dialect::GeminiInteractions, steps, behind).unwrap();
        assert_eq!(whole["input"][place]["id"], "x", "{whole}");
        assert_eq!(whole["input"][place + 1]["call_id"], "x", "{whole}");
    }
    let converse = r#"{"messages":[{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"","signature":"s1"}}},
        {"reasoningContent":{"redactedContent":"czI="}},{"text":"so"}]}]}"#;
    let whole = put_back_in(Dialect::BedrockConverse, converse, 0).unwrap();
    assert_eq!(whole["messages"].as_array().unwrap().len(), 3, "{whole}");
    assert_eq!(whole["messages"][0]["content"][1]["toolUse"]["toolUseId"], "x");
}
