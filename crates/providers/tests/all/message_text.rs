//! What people and systems say, dialect by dialect.

use crate::support::{Spelling, read, recordings};
use serde_json::Value;
use tokenforge_providers::Dialect::{
    Anthropic, BedrockConverse, BedrockInvoke, Gemini, GeminiInteractions, Ollama, OpenAiChat,
    OpenAiResponses,
};
use tokenforge_providers::MessageRole::{Attached, System, User};
use tokenforge_providers::{
    Dialect, MessageRole, MessageText, MessageTexts, Refusal, Request, splice,
};

fn read_all(body: &[u8], dialect: Dialect) -> Request<'_> {
    Request::read_with(body, dialect, MessageTexts::Wanted).unwrap()
}

fn spoken(body: &str, dialect: Dialect) -> Vec<(MessageRole, String)> {
    let text = |text: &MessageText| (text.role, text.text(body.as_bytes()).unwrap().into_owned());
    read_all(body.as_bytes(), dialect).texts.iter().map(text).collect()
}

/// Bodies in which systems say `s` and users `u`, with a number, what is attached says `a`, and everything else is to be
/// left alone.
const BODIES: &[(Dialect, &str)] = &[
    (
        Anthropic,
        r#"{"system":"s0","messages":[{"role":"user","content":"u1"},{"content":"x","role":"assistant"},{"content":"u2","role":"user"},{"role":"system","content":"s3"}],"tools":[{"name":"x","description":"x"}]}"#,
    ),
    (
        Anthropic,
        r#"{"messages":[{"role":"user","content":[{"type":"text","text":"u0"},{"type":"image","source":{"data":"x"}},{"text":"u1","type":"text","cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":[{"type":"thinking","thinking":"x","text":"x"},{"type":"text","text":"x"},{"type":"tool_use","id":"c","name":"x","input":{"text":"x"}}]},{"content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"result"}]},{"type":"text","text":"u2"}],"role":"user"},{"role":"system","content":[{"type":"text","text":"s3"}]}],"system":[{"type":"text","text":"s4"},{"type":"text","text":"s5"}]}"#,
    ),
    (
        BedrockInvoke,
        r#"{"anthropic_version":"bedrock-2023-05-31","system":"s0","messages":[{"role":"user","content":"u1"}]}"#,
    ),
    (
        OpenAiChat,
        r#"{"messages":[{"role":"system","content":"s0"},{"role":"developer","content":[{"type":"text","text":"s1"}]},{"content":"u2","role":"user","name":"x"},{"role":"user","content":[{"type":"text","text":"u3"},{"type":"image_url","image_url":{"url":"x"}}]},{"role":"assistant","content":"x","tool_calls":[{"id":"c","function":{"name":"x","arguments":"x"}}]},{"role":"tool","tool_call_id":"c","content":"result"},{"role":"assistant","content":[{"type":"text","text":"x"}]}],"user":"x"}"#,
    ),
    (
        Ollama,
        r#"{"messages":[{"role":"system","content":"s0"},{"role":"user","content":"u1","images":["x"]},{"role":"assistant","content":"x"},{"role":"tool","tool_name":"x","content":"result"}]}"#,
    ),
    (
        Anthropic,
        r#"{"messages":[{"role":"user","content":[{"type":"document","title":"a0","source":{"data":"a1","type":"text","media_type":"x"},"context":"a2"},{"type":"document","source":{"type":"base64","data":"x"}},{"source":{"content":[{"type":"text","text":"a3"},{"type":"image","source":{"type":"base64","data":"x"}}],"type":"content"},"type":"document"},{"type":"document","source":{"type":"content","content":"a4"}},{"type":"search_result","source":"x","title":"a5","content":[{"type":"text","text":"a6"}]},{"type":"image","source":{"type":"text","data":"x"},"title":"x"},{"type":"text","text":"u7"}]},{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"x","input":{}},{"type":"web_search_tool_result","tool_use_id":"s","title":"x","content":[{"type":"web_search_result","title":"x","encrypted_content":"x"}]},{"type":"tool_use","id":"c","name":"x","input":{}},{"type":"tool_use","id":"p","name":"x","input":{},"caller":{"type":"code_execution_20260120","tool_id":"s"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"result"},{"type":"document","source":{"type":"text","data":"a8"}},{"type":"search_result","title":"a9","source":"x","content":[{"type":"text","text":"a10"}]},{"type":"browser_state","title":"x","content":"x"}]},{"type":"tool_result","tool_use_id":"p","content":"a11"},{"type":"tool_result","tool_use_id":"p","content":[{"type":"text","text":"a12"}]}]}]}"#,
    ),
    (
        OpenAiResponses,
        r#"{"input":[{"type":"function_call","call_id":"c","name":"x","arguments":"x","caller":{"type":"program","caller_id":"p"}},{"type":"function_call_output","call_id":"c","output":"a0"},{"type":"custom_tool_call_output","call_id":"d","output":[{"type":"input_text","text":"a1"}],"caller":{"type":"program","caller_id":"p"}},{"type":"shell_call","call_id":"e","environment":{"type":"container_reference"}},{"type":"shell_call_output","call_id":"e","output":[{"stdout":"x","stderr":"x"}]},{"type":"program_output","call_id":"p","output":"x"},{"role":"user","content":"u2"}]}"#,
    ),
    (
        BedrockConverse,
        r#"{"messages":[{"role":"user","content":[{"document":{"format":"txt","name":"x","source":{"text":"a0"},"context":"a1"}},{"document":{"format":"pdf","name":"x","source":{"bytes":"x"}}},{"document":{"name":"x","source":{"content":[{"text":"a2"},{"text":"a3"}]}}},{"searchResult":{"source":"x","title":"a4","content":[{"text":"a5"}]}},{"text":"u6"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"x","input":{}}},{"toolUse":{"toolUseId":"s","name":"x","input":{},"type":"server_tool_use"}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c","content":[{"text":"result"},{"document":{"name":"x","source":{"text":"a7"}}}]}},{"toolResult":{"toolUseId":"s","type":"x","content":[{"text":"x"},{"document":{"name":"x","source":{"text":"x"}}}]}}]}]}"#,
    ),
    (OpenAiResponses, r#"{"instructions":"s0","input":"u1"}"#),
    (
        OpenAiResponses,
        r#"{"input":[{"role":"user","content":"u0"},{"type":"message","role":"developer","content":[{"type":"input_text","text":"s1"}]},{"content":[{"type":"input_text","text":"u2"},{"type":"input_image","image_url":"x"}],"role":"user","type":"message"},{"type":"reasoning","summary":[{"type":"summary_text","text":"x"}],"content":[{"type":"input_text","text":"x"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]},{"type":"function_call","call_id":"c","name":"x","arguments":"x"},{"type":"function_call_output","call_id":"c","output":"result","content":"x"},{"type":"new_kind","role":"user","content":"x"},{"role":"system","content":"s3"}],"instructions":"s4"}"#,
    ),
    (
        Gemini,
        r#"{"systemInstruction":{"role":"user","parts":[{"text":"s0"},{"text":"s1"}]},"contents":[{"role":"user","parts":[{"text":"u2"},{"inlineData":{"data":"x"}}]},{"role":"model","parts":[{"text":"x"},{"functionCall":{"name":"x","args":{"text":"x"}}}]},{"parts":[{"functionResponse":{"name":"x","response":{"output":"result"}}},{"text":"u3"}]}]}"#,
    ),
    (
        Gemini,
        r#"{"request":{"contents":{"parts":{"text":"u0"}},"system_instruction":{"parts":{"text":"s1"}}}}"#,
    ),
    (GeminiInteractions, r#"{"system_instruction":"s0","input":"u1"}"#),
    (GeminiInteractions, r#"{"input":{"type":"text","text":"u0"}}"#),
    (
        GeminiInteractions,
        r#"{"input":[{"type":"user_input","content":[{"type":"text","text":"u0"},{"type":"image","data":"x"}]},{"type":"thought","signature":"x","summary":[{"type":"text","text":"x"}]},{"type":"model_output","content":[{"type":"text","text":"x"}]},{"type":"function_call","id":"c","name":"x","arguments":{"text":"x"}},{"type":"function_result","call_id":"c","name":"x","result":[{"type":"text","text":"result"}]},{"type":"code_execution_result","call_id":"e","result":"x","signature":"x"},{"type":"text","text":"u1"}],"system_instruction":"s2"}"#,
    ),
    (
        BedrockConverse,
        r#"{"system":[{"text":"s0"},{"cachePoint":{"type":"default"}}],"messages":[{"role":"user","content":[{"text":"u1"},{"image":{"source":{"bytes":"x"}}},{"guardContent":{"text":{"text":"u2","qualifiers":["query"]}}}]},{"role":"assistant","content":[{"text":"x"},{"toolUse":{"toolUseId":"c","name":"x","input":{"text":"x"}}}]},{"content":[{"toolResult":{"toolUseId":"c","content":[{"text":"result"}]}},{"text":"u3"}],"role":"user"}]}"#,
    ),
];

#[test]
fn f14_what_people_and_systems_say_is_found_in_every_dialect() {
    for (dialect, body) in BODIES {
        for spelling in Spelling::ALL {
            let body = spelling.spell(body);
            let spoken = spoken(&body, *dialect);
            assert!(!spoken.is_empty());
            for (number, (role, text)) in spoken.iter().enumerate() {
                let initial = match role {
                    User => 'u',
                    System => 's',
                    Attached => 'a',
                };
                assert_eq!(*text, format!("{initial}{number}"), "{body}");
            }
            let next = ["u", "s", "a"].map(|initial| format!("\"{initial}{}\"", spoken.len()));
            assert!(!next.iter().any(|text| body.contains(text)), "{body}");
        }
    }
}

#[test]
fn f14_results_are_the_same_whether_speech_is_wanted_or_not() {
    for (dialect, body) in BODIES {
        let unwanted = read(body.as_bytes(), *dialect);
        assert_eq!(unwanted.texts, []);
        let wanted = read_all(body.as_bytes(), *dialect);
        assert_eq!(wanted.results, unwanted.results);
        assert_eq!(wanted.calls, unwanted.calls);
        assert!(
            wanted.results.iter().all(|result| result.text(body.as_bytes()).unwrap() == "result")
        );
    }
}

#[test]
fn l1_only_what_is_said_changes() {
    for (dialect, body) in BODIES {
        let texts = read_all(body.as_bytes(), *dialect).texts;
        let splices: Vec<_> = texts.iter().map(|text| text.replaced_by("\"é\"\n")).collect();
        let replaced = String::from_utf8(splice(body.as_bytes(), &splices).unwrap()).unwrap();
        let mut expected = (*body).to_owned();
        for (_, text) in spoken(body, *dialect) {
            expected = expected.replace(&format!("\"{text}\""), "\"\\\"é\\\"\\n\"");
        }
        assert_eq!(replaced, expected);
        assert!(spoken(&replaced, *dialect).iter().all(|(_, text)| text == "\"é\"\n"));
    }
}

#[test]
fn the_last_text_of_the_user_is_told() {
    for (dialect, body) in BODIES {
        let request = read_all(body.as_bytes(), *dialect);
        let expected = spoken(body, *dialect).into_iter().rfind(|(role, _)| *role == User);
        let last = request.last_user_text().map(|text| text.text(body.as_bytes()).unwrap());
        assert_eq!(last.as_deref(), expected.as_ref().map(|(_, text)| &**text), "{body}");
    }
    let without_user = read_all(br#"{"system":"s","messages":[]}"#, Anthropic);
    assert_eq!((without_user.texts.len(), without_user.last_user_text()), (1, None));
    assert_eq!(without_user.texts[0].role, System);
}

#[test]
fn what_two_readers_could_take_for_different_speech_is_refused() {
    for (dialect, body) in [
        (Anthropic, r#"{"messages":[{"role":"user","content":"a","role":"assistant"}]}"#),
        (
            Anthropic,
            r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a","text":"b"}]}]}"#,
        ),
        (Gemini, r#"{"contents":[{"parts":[{"text":"a","text":"b"}]}]}"#),
        (BedrockConverse, r#"{"messages":[{"role":"user","content":[{"text":"a","text":"b"}]}]}"#),
        (OpenAiResponses, r#"{"input":[{"role":"user","content":"a","content":"b"}]}"#),
    ] {
        let read = Request::read_with(body.as_bytes(), dialect, MessageTexts::Wanted);
        assert!(matches!(read, Err(Refusal::Ambiguous { .. })), "{body}");
    }
}

/// What is said in a recorded body, found in its tree.
fn walk(body: &Value, dialect: Dialect) -> Vec<String> {
    let mut found = vec![];
    let mut say = |content: &Value, kind: &str| match content {
        Value::String(text) => found.push(text.clone()),
        Value::Array(blocks) => found.extend(
            blocks
                .iter()
                .filter(|block| block["type"] == kind || kind.is_empty())
                .filter_map(|block| block["text"].as_str().map(str::to_owned)),
        ),
        _ => {}
    };
    let (list, content, kind) = match dialect {
        OpenAiResponses => ("input", "content", "input_text"),
        Gemini => ("contents", "parts", ""),
        GeminiInteractions => ("input", "content", "text"),
        _ => ("messages", "content", "text"),
    };
    let others = ["assistant", "model", "tool"];
    for (name, value) in body.as_object().unwrap() {
        match &**name {
            "system" | "instructions" | "system_instruction" => say(value, kind),
            "systemInstruction" => say(&value["parts"], kind),
            _ if name == list => {
                for message in value.as_array().unwrap() {
                    let is_speech = message["type"] == "user_input"
                        || message["role"].as_str().is_some_and(|role| !others.contains(&role));
                    if is_speech {
                        say(&message[content], kind);
                    }
                }
            }
            _ => {}
        }
    }
    found.sort();
    found
}

#[test]
fn f14_everything_said_in_recorded_bodies_is_found() {
    let mut count = 0;
    for recording in recordings() {
        let expected = walk(&serde_json::from_str(&recording.body).unwrap(), recording.dialect);
        count += expected.len();
        for spelling in Spelling::ALL {
            let spoken = spoken(&spelling.spell(&recording.body), recording.dialect);
            let mut texts: Vec<_> = spoken.into_iter().map(|(_, text)| text).collect();
            texts.sort();
            assert_eq!(texts, expected, "{}", recording.name);
        }
    }
    assert!(count > 80, "only {count} texts");
}
