//! The forms that tool results take, dialect by dialect.

use crate::support::example::Example;
use crate::support::{read, texts};
use serde_json::Value;
use tokenforge_engine::expand_tool::DEFINITION;
use tokenforge_engine::reference::EXPAND_TOOL;
use tokenforge_providers::Dialect::{
    Anthropic, BedrockConverse, BedrockInvoke, Gemini, GeminiInteractions, Ollama, OpenAiChat,
    OpenAiResponses,
};
use tokenforge_providers::{Dialect, Refusal, Request, expand_tool, splice};

/// The body with every text of a result in capitals.
#[track_caller]
fn shouted(body: &str, dialect: Dialect) -> String {
    let request = read(body.as_bytes(), dialect);
    let shout = |result: &tokenforge_providers::ToolResult| {
        result.replaced_by(&result.text(body.as_bytes()).unwrap().to_uppercase())
    };
    let splices: Vec<_> = request.results.iter().map(shout).collect();
    String::from_utf8(splice(body.as_bytes(), &splices).unwrap()).unwrap()
}

/// An Anthropic body with these blocks as the user's answer to a call `t1` of `bash`.
fn anthropic(blocks: &str) -> String {
    format!(
        r#"{{"messages":[{{"role":"assistant","content":[{{"type":"tool_use","id":"t1","name":"bash","input":{{"command":"ls"}}}}]}},{{"role":"user","content":[{blocks}]}}]}}"#
    )
}

#[test]
fn g1_the_id_may_come_first_or_last() {
    for block in [
        r#"{"tool_use_id":"t1","type":"tool_result","content":"out"}"#,
        r#"{"content":"out","type":"tool_result","tool_use_id":"t1"}"#,
        r#"{ "content" : "out" , "\u0074ype" : "tool\u005fresult" , "tool_use_id" : "\u00741" }"#,
    ] {
        let body = anthropic(block);
        let results = read(body.as_bytes(), Anthropic).results;
        assert_eq!(results.len(), 1, "{block}");
        assert_eq!(results[0].id(body.as_bytes()).as_deref(), Some("t1"));
        assert_eq!(results[0].tool(body.as_bytes()), "bash");
        assert_eq!(results[0].call, Some(0));
        let arguments = results[0].arguments.as_ref().unwrap().text(body.as_bytes());
        assert_eq!(arguments.as_deref(), Some(r#"{"command":"ls"}"#));
    }
}

#[test]
fn g5_between_texts_everything_else_stays() {
    let blocks = r#"{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"one"},{"type":"image","source":{"data":"text"}},{"text":"two","cache_control":{"type":"ephemeral"},"type":"text"},{"type":"document","text":"doc"},{"type":"search_result","content":[{"type":"text","text":"x"}]},{"type":"tool_reference","tool_name":"t"}],"cache_control":{"type":"ephemeral"}}"#;
    let body = anthropic(blocks);
    assert_eq!(texts(&body, Anthropic), ["one", "two"]);
    let numbers: Vec<usize> =
        read(body.as_bytes(), Anthropic).results.iter().map(|result| result.number).collect();
    assert_eq!(numbers, [0, 0]);
    assert_eq!(
        shouted(&body, Anthropic),
        body.replace("\"one\"", "\"ONE\"").replace("\"two\"", "\"TWO\"")
    );
}

#[test]
fn g6_errors_are_told() {
    for (flag, is_error) in [("true", true), ("false", false), ("null", false)] {
        let body =
            anthropic(&format!(r#"{{"type":"tool_result","is_error":{flag},"content":"x"}}"#));
        assert_eq!(read(body.as_bytes(), Anthropic).results[0].is_error, is_error, "{flag}");
    }
}

#[test]
fn f1_what_is_no_tool_result_is_not_found() {
    for block in [
        r#"{"type":"text","text":"user text"}"#,
        r#"{"type":"web_search_tool_result","tool_use_id":"t1","content":[{"type":"text","text":"x"}]}"#,
        r#"{"type":"mcp_tool_result","tool_use_id":"t1","content":[{"type":"text","text":"x"}]}"#,
        r#"{"type":"code_execution_tool_result","tool_use_id":"t1","content":"x"}"#,
        r#"{"type":"new_block","content":[{"type":"text","text":"x"}]}"#,
        r#"{"type":"tool_result","tool_use_id":"t1"}"#,
        r#"{"type":"tool_result","tool_use_id":"t1","content":[]}"#,
        r#"{"content":"x"}"#,
        r#""tool_result""#,
        "[[{}]]",
    ] {
        assert_eq!(texts(&anthropic(block), Anthropic), [""; 0], "{block}");
    }
}

#[test]
fn f1_what_a_program_reads_is_left_alone() {
    let called = |caller: &str| {
        format!(
            r#"{{"messages":[{{"role":"assistant","content":[{{"type":"tool_use","id":"t1","name":"bash","input":{{}},"caller":{caller}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t1","content":"out"}}]}}]}}"#
        )
    };
    assert_eq!(texts(&called(r#"{"type":"direct"}"#), Anthropic), ["out"]);
    assert_eq!(texts(&called("null"), Anthropic), ["out"]);
    for caller in [r#"{"type":"code_execution_20260120","tool_id":"s1"}"#, "{}", r#""program""#] {
        assert_eq!(texts(&called(caller), Anthropic), [""; 0], "{caller}");
    }
    for (caller, expected) in
        [(r#"{"type":"program","caller_id":"p"}"#, 0), (r#"{"type":"direct"}"#, 1)]
    {
        let of_output = format!(
            r#"{{"input":[{{"type":"function_call_output","call_id":"c","output":"out","caller":{caller}}}]}}"#
        );
        assert_eq!(texts(&of_output, OpenAiResponses).len(), expected, "{caller}");
        let of_call = format!(
            r#"{{"input":[{{"type":"function_call","call_id":"c","caller":{caller}}},{{"type":"function_call_output","call_id":"c","output":"out"}}]}}"#
        );
        assert_eq!(texts(&of_call, OpenAiResponses).len(), expected, "{caller}");
    }
}

#[test]
fn g11_the_same_content_is_found_in_every_dialect() {
    for (dialect, body) in [
        (
            Anthropic,
            r#"{"messages":[{"content":[{"type":"tool_use","id":"c","name":"f","input":{"a":1}}]},{"content":[{"type":"tool_result","tool_use_id":"c","content":"out"}]}]}"#,
        ),
        (
            BedrockInvoke,
            r#"{"messages":[{"content":[{"type":"tool_use","id":"c","name":"f","input":{"a":1}}]},{"content":[{"type":"tool_result","tool_use_id":"c","content":"out"}]}],"anthropic_version":"bedrock-2023-05-31"}"#,
        ),
        (
            OpenAiChat,
            r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c","content":"out"}]}"#,
        ),
        (
            OpenAiChat,
            r#"{"messages":[{"role":"assistant","function_call":{"name":"f","arguments":"{\"a\":1}"}},{"role":"function","name":"f","content":"out"}]}"#,
        ),
        (
            OpenAiChat,
            r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"custom","custom":{"name":"f","input":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c","content":"out"}]}"#,
        ),
        (
            OpenAiResponses,
            r#"{"input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":1}"},{"type":"function_call_output","call_id":"c","output":"out"}]}"#,
        ),
        (
            Gemini,
            r#"{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":1}}}]},{"parts":[{"functionResponse":{"name":"f","response":{"output":"out"}}}]}]}"#,
        ),
        (
            Gemini,
            r#"{"request":{"contents":[{"parts":[{"function_call":{"name":"f","args":{"a":1}}}]},{"parts":{"function_response":{"name":"f","response":{"output":"out"}}}}]}}"#,
        ),
        (
            BedrockConverse,
            r#"{"messages":[{"content":[{"toolUse":{"toolUseId":"c","name":"f","input":{"a":1}}}]},{"content":[{"toolResult":{"toolUseId":"c","content":[{"text":"out"}]}}]}]}"#,
        ),
        (
            Ollama,
            r#"{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},{"role":"tool","tool_name":"f","content":"out"}]}"#,
        ),
    ] {
        let request = read(body.as_bytes(), dialect);
        assert_eq!(texts(body, dialect), ["out"], "{body}");
        let result = &request.results[0];
        let tool = result.tool(body.as_bytes());
        assert_eq!((&*tool, result.call), ("f", Some(0)), "{body}");
        let arguments = result.arguments.as_ref().unwrap().text(body.as_bytes());
        assert_eq!(arguments.as_deref(), Some(r#"{"a":1}"#), "{body}");
        assert_eq!(shouted(body, dialect), body.replace("\"out\"", "\"OUT\""));
    }
}

#[test]
fn g12_gemini_keeps_the_name_of_the_key_and_its_siblings() {
    let body = |response: &str| {
        format!(
            r#"{{"contents":[{{"parts":[{{"functionResponse":{{"id":"1","name":"f","response":{response}}}}}]}}]}}"#
        )
    };
    for (before, after) in [
        (r#"{"output":"a","exit":0}"#, r#"{"output":"A","exit":0}"#),
        (r#"{"result": [{"x":"b"}] }"#, r#"{"result": "[{\"X\":\"B\"}]" }"#),
        (r#"{"n":1,"content":{"k":null}}"#, r#"{"n":1,"content":"{\"K\":NULL}"}"#),
        (r#"{"n":1,"ok":true}"#, r#"{"n":1,"ok":true}"#),
        ("null", "null"),
    ] {
        assert_eq!(shouted(&body(before), Gemini), body(after));
    }
    let failed = body(r#"{"error":"no such file"}"#);
    assert!(read(failed.as_bytes(), Gemini).results[0].is_error);
}

#[test]
fn g11_gemini_without_ids_is_paired_by_name_and_order_within_a_turn() {
    let call =
        |n: u32| format!(r#"{{"parts":[{{"functionCall":{{"name":"f","args":{{"n":{n}}}}}}}]}}"#);
    let response = r#"{"parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}"#;
    let user = r#"{"parts":[{"text":"never mind"}]}"#;
    let paired = |contents: &[&str]| -> Vec<Option<usize>> {
        let body = format!(r#"{{"contents":[{}]}}"#, contents.join(","));
        read(body.as_bytes(), Gemini).results.iter().map(|result| result.call).collect()
    };
    let (one, two) = (&*call(1), &*call(2));
    assert_eq!(paired(&[one, two, response, response]), [Some(0), Some(1)]);
    assert_eq!(paired(&[one, response, two, response]), [Some(0), Some(1)]);
    assert_eq!(paired(&[one, user, two, response]), [Some(1)]);
    assert_eq!(paired(&[one, response, response]), [Some(0), None]);
}

#[test]
fn g13_every_output_item_of_responses_is_found() {
    for (call, output, name, text) in [
        (
            r#"{"type":"custom_tool_call","call_id":"c","name":"exec","namespace":"functions","input":"text(1)"}"#,
            r#"{"type":"custom_tool_call_output","call_id":"c","output":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"b"},{"type":"input_text","text":"d"}]}"#,
            "exec",
            &["a", "d"] as &[&str],
        ),
        (
            r#"{"type":"local_shell_call","id":"l1","call_id":"c","action":{"type":"exec","command":["ls"]}}"#,
            r#"{"type":"local_shell_call_output","id":"l1","output":"{\"output\":\"x\"}"}"#,
            "local_shell",
            &[r#"{"output":"x"}"#],
        ),
        (
            r#"{"type":"shell_call","call_id":"c","action":{"commands":["ls"]},"environment":{"type":"local"}}"#,
            r#"{"type":"shell_call_output","call_id":"c","output":[{"stderr":"e","stdout":"o","outcome":{"type":"exit","exit_code":1}}],"max_output_length":null}"#,
            "shell",
            &["e", "o"],
        ),
        (
            r#"{"type":"apply_patch_call","call_id":"c","operation":{"type":"update_file"}}"#,
            r#"{"type":"apply_patch_call_output","call_id":"c","status":"failed","output":"no such hunk"}"#,
            "apply_patch",
            &["no such hunk"],
        ),
    ] {
        let body = format!(r#"{{"input":[{call},{output}]}}"#);
        assert_eq!(texts(&body, OpenAiResponses), text);
        let results = read(body.as_bytes(), OpenAiResponses).results;
        assert_eq!(results[0].tool(body.as_bytes()), name);
        assert!(results[0].arguments.is_some(), "{name}");
        assert_eq!(results[0].is_error, name == "apply_patch");
    }
}

#[test]
fn f1_what_ran_at_the_provider_is_left_alone() {
    for item in [
        r#"{"type":"mcp_call","output":"x"}"#,
        r#"{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot"}}"#,
        r#"{"type":"tool_search_output","call_id":"c","output":"x"}"#,
        r#"{"type":"program_output","call_id":"c","output":"x"}"#,
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}"#,
        r#"{"type":"shell_call","call_id":"c","environment":{"type":"container_reference"}},{"type":"shell_call_output","call_id":"c","output":[{"stdout":"x","stderr":""}]}"#,
    ] {
        assert_eq!(texts(&format!(r#"{{"input":[{item}]}}"#), OpenAiResponses), [""; 0], "{item}");
    }
    assert_eq!(texts(r#"{"input":"a question"}"#, OpenAiResponses), [""; 0]);
    let converse = r#"{"messages":[{"content":[{"toolResult":{"type":"nova_code_interpreter_result","toolUseId":"c","content":[{"text":"x"}]}}]}]}"#;
    assert_eq!(texts(converse, BedrockConverse), [""; 0]);
}

#[test]
fn g13_an_output_without_its_call_is_found_without_a_name() {
    let body = r#"{"previous_response_id":"r","input":[{"type":"function_call_output","call_id":"c","output":"x"}]}"#;
    let result = &read(body.as_bytes(), OpenAiResponses).results[0];
    assert_eq!(result.id(body.as_bytes()).as_deref(), Some("c"));
    assert_eq!((&result.tool_name, result.call), (&None, None));
}

#[test]
fn g14_content_as_parts_stays_parts() {
    let body = r#"{"messages":[{"content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"text"}},{"text":"b","type":"text"}],"tool_call_id":"c","role":"tool"},{"role":"user","content":[{"type":"text","text":"c"}]}]}"#;
    let expected = body.replace("\"a\"", "\"A\"").replace("\"b\"", "\"B\"");
    assert_eq!(shouted(body, OpenAiChat), expected);
}

#[test]
fn g11_a_json_block_of_bedrock_becomes_a_text_block() {
    let body = r#"{"messages":[{"content":[{"toolResult":{"toolUseId":"c","status":"error","content":[{ "json" : {"a":[1]} },{"image":{"format":"png"}},{"text":"t"}]}}]}]}"#;
    let expected =
        body.replace(r#""json" : {"a":[1]}"#, r#""text":"{\"A\":[1]}""#).replace("\"t\"", "\"T\"");
    assert_eq!(shouted(body, BedrockConverse), expected);
    assert!(read(body.as_bytes(), BedrockConverse).results.iter().all(|result| result.is_error));
}

#[test]
fn a_bedrock_body_of_another_model_is_not_read_as_anthropic_s() {
    let body = r#"{"messages":[{"content":[{"type":"tool_result","content":"x"}]}],"tools":[{"name":"t"}]}"#;
    let request = read(body.as_bytes(), BedrockInvoke);
    assert!(request.results.is_empty() && request.tools.is_none());
}

#[test]
fn l8_of_two_calls_with_one_id_the_latest_is_answered() {
    let turn = |name: &str| {
        format!(
            r#"{{"content":[{{"type":"tool_use","id":"c","name":"{name}","input":{{}}}}]}},{{"content":[{{"type":"tool_result","tool_use_id":"c","content":"x"}}]}}"#
        )
    };
    let body = format!(r#"{{"messages":[{},{}]}}"#, turn("first"), turn("second"));
    let results = read(body.as_bytes(), Anthropic).results;
    let names: Vec<_> = results.iter().map(|result| result.tool(body.as_bytes())).collect();
    assert_eq!(names, ["first", "second"]);
}

#[test]
fn a_member_that_decides_and_occurs_twice_is_refused() {
    for body in [
        r#"{"messages":[],"messages":[]}"#,
        r#"{"tools":[],"tools":[]}"#,
        r#"{"model":"a","model":"b"}"#,
        &anthropic(r#"{"type":"tool_result","type":"text","content":"x"}"#),
        &anthropic(r#"{"type":"tool_result","content":"x","content":"y"}"#),
        &anthropic(r#"{"type":"tool_result","content":"x","c\u006fntent":"y"}"#),
        &anthropic(r#"{"type":"tool_result","content":[{"type":"text","text":"a","text":"b"}]}"#),
        &anthropic(r#"{"type":"tool_result","tool_use_id":"a","tool_use_id":"b"}"#),
    ] {
        assert!(
            matches!(Request::read(body.as_bytes(), Anthropic), Err(Refusal::Ambiguous { .. })),
            "{body}"
        );
    }
    let harmless =
        anthropic(r#"{"type":"tool_result","content":"x","note":1,"note":{"type":1,"type":2}}"#);
    assert_eq!(texts(&harmless, Anthropic), ["x"]);
}

#[test]
fn half_a_surrogate_pair_refuses_that_result_only() {
    let block = |text: &str| format!(r#"{{"type":"tool_result","content":"{text}"}}"#);
    let body = anthropic(&format!("{},{}", block(r"a\ud800"), block(r"\ud83d\ude00")));
    let results = read(body.as_bytes(), Anthropic).results;
    assert_eq!(results[0].text(body.as_bytes()), None);
    assert_eq!(results[1].text(body.as_bytes()).as_deref(), Some("😀"));
}

#[test]
fn c5_every_dialect_spells_the_same_definition() {
    let definition: Value = serde_json::from_str(DEFINITION).unwrap();
    for dialect in Dialect::ALL {
        let tool: Value = serde_json::from_str(expand_tool(*dialect)).unwrap();
        let (name, description, schema) =
            (&definition["name"], &definition["description"], &definition["input_schema"]);
        let values = [
            ("$NAME", name.clone()),
            ("$DESCRIPTION", description.clone()),
            ("$SCHEMA", schema.clone()),
        ];
        let expected = Example::read(*dialect).filled("expand_tool", &values);
        assert_eq!(tool, expected, "{dialect:?}");
    }
    assert_eq!(expand_tool(Anthropic), DEFINITION);
    assert_eq!(definition["name"], EXPAND_TOOL);
}

#[test]
fn c5_the_tool_goes_to_the_end_of_the_list_and_only_where_there_is_one() {
    for (dialect, body, expected) in [
        (Anthropic, r#"{"tools":[{"name":"a"} ] }"#, Some(r#"{"tools":[{"name":"a"} ,@] }"#)),
        (
            OpenAiChat,
            r#"{"tools":[{"type":"function","function":{"name":"a"}}]}"#,
            Some(r#"{"tools":[{"type":"function","function":{"name":"a"}},@]}"#),
        ),
        (
            OpenAiResponses,
            r#"{"tools":[],"input":[{"type":"additional_tools","tools":[{"type":"namespace","name":"n"}]},{"type":"additional_tools","tools":[{"name":"b"}]}]}"#,
            Some(
                r#"{"tools":[],"input":[{"type":"additional_tools","tools":[{"type":"namespace","name":"n"},@]},{"type":"additional_tools","tools":[{"name":"b"}]}]}"#,
            ),
        ),
        (
            OpenAiResponses,
            r#"{"input":[{"tools":[{"name":"b"}],"type":"additional_tools"}],"tools":[{"name":"a"}]}"#,
            Some(
                r#"{"input":[{"tools":[{"name":"b"}],"type":"additional_tools"}],"tools":[{"name":"a"},@]}"#,
            ),
        ),
        (
            Gemini,
            r#"{"tools":[{"functionDeclarations":[{"name":"a"}]},{"googleSearch":{}}]}"#,
            Some(r#"{"tools":[{"functionDeclarations":[{"name":"a"},@]},{"googleSearch":{}}]}"#),
        ),
        (
            Gemini,
            r#"{"tools":[{"functionDeclarations":[{"name":"a"}]},{"functionDeclarations":[]}]}"#,
            Some(
                r#"{"tools":[{"functionDeclarations":[{"name":"a"},@]},{"functionDeclarations":[]}]}"#,
            ),
        ),
        (
            GeminiInteractions,
            r#"{"tools":[{"type":"google_search"},{"type":"function","name":"a"}]}"#,
            Some(r#"{"tools":[{"type":"google_search"},{"type":"function","name":"a"},@]}"#),
        ),
        (
            BedrockConverse,
            r#"{"toolConfig":{"tools":[{"toolSpec":{"name":"a"}}]}}"#,
            Some(r#"{"toolConfig":{"tools":[{"toolSpec":{"name":"a"}},@]}}"#),
        ),
        (Anthropic, r#"{"tools":[]}"#, None),
        (Anthropic, r#"{"tools":null}"#, None),
        (Gemini, r#"{"tools":[{"googleSearch":{}}]}"#, None),
        (Anthropic, r#"{"tools":[{"name":"expand_context"},{"name":"a"}]}"#, None),
        (OpenAiChat, r#"{"tools":[{"function":{"name":"expand_context"}}]}"#, None),
    ] {
        let tools = read(body.as_bytes(), dialect).tools;
        let appended = tools.and_then(|tools| tools.with_expand_tool(dialect));
        let longer = appended
            .map(|tool| String::from_utf8(splice(body.as_bytes(), &[tool]).unwrap()).unwrap());
        assert_eq!(
            longer,
            expected.map(|expected| expected.replace('@', expand_tool(dialect))),
            "{body}"
        );
    }
}

#[test]
fn f15_every_list_of_tools_is_found() {
    for (dialect, body, expected) in [
        (Anthropic, r#"{"tools":[{"name":"a"}]}"#, "a"),
        (
            OpenAiResponses,
            r#"{"input":[{"type":"additional_tools","tools":[{"name":"b"}]},{"tools":[{"name":"c"}],"type":"additional_tools"}],"tools":[{"name":"a"}]}"#,
            "abc",
        ),
        (
            OpenAiResponses,
            r#"{"tools":[],"input":[{"type":"additional_tools","tools":[{"name":"a"}]},{"type":"additional_tools","tools":[{"name":"b"}]},{"type":"other","tools":[{"name":"x"}]}]}"#,
            "ab",
        ),
        (
            Gemini,
            r#"{"tools":[{"functionDeclarations":[{"name":"b"}]},{"functionDeclarations":[{"name":"a"}]},{"functionDeclarations":[]}]}"#,
            "ab",
        ),
    ] {
        let request = read(body.as_bytes(), dialect);
        let lists = request.tools.iter().chain(&request.further_tools);
        let names: String = lists.flat_map(|tools| &tools.names[..1]).map(|name| &**name).collect();
        assert_eq!(names, expected, "{body}");
    }
}

#[test]
fn c5_a_list_of_tools_is_replaced_and_appended_to_in_one_go() {
    for (dialect, before, after) in [
        (Anthropic, r#"{"tools":["#, r#"]}"#),
        (OpenAiResponses, r#"{"input":[{"type":"additional_tools","tools":["#, r#"]},{}]}"#),
        (Gemini, r#"{"tools":[{"googleSearch":{}},{"function_declarations":["#, r#"]}]}"#),
        (BedrockConverse, r#"{"toolConfig":{"tools":["#, r#"]}}"#),
        (GeminiInteractions, r#"{"tools":["#, r#"],"input":"hi"}"#),
    ] {
        let body = |tools: &str| format!("{before}{tools}{after}");
        let replaced = |tools: &str, spelling: Option<&str>, with_expand: bool| {
            let body = body(tools);
            let tools = read(body.as_bytes(), dialect).tools.unwrap();
            let definition = with_expand.then(|| expand_tool(dialect));
            let splice_in = tools.replacement(body.as_bytes(), spelling, definition)?;
            Some(String::from_utf8(splice(body.as_bytes(), &[splice_in]).unwrap()).unwrap())
        };
        let (long, short) = (r#" { "name" : "a" } "#, r#"[{"name":"a"}]"#);
        let (a, ours) = (r#"{"name":"a"}"#, expand_tool(dialect));
        assert_eq!(replaced(long, Some(short), true), Some(body(&format!("{a},{ours}"))));
        assert_eq!(replaced(long, Some(short), false), Some(body(a)));
        assert_eq!(replaced(long, None, true), Some(body(&format!("{long},{ours}"))));
        assert_eq!(replaced(long, None, false), None);
        assert_eq!(replaced(long, Some("[]"), true), Some(body(ours)));
        assert_eq!(replaced(a, Some(short), false), None, "the same already");
        assert_eq!(replaced(a, Some("{}"), false), None, "no list");
        let both = format!(r#"{a}, {{"name":"expand_context"}}"#);
        assert_eq!(replaced(&both, Some(short), true), Some(body(a)));
        assert_eq!(replaced(&both, None, true), None);
    }
}

#[test]
fn c1_steps_of_an_interaction_have_results_of_every_shape() {
    let steps = |result: &str| {
        format!(
            r#"{{"input":[{{"type":"function_call","id":"c","name":"ls","arguments":{{"path":"."}}}},
            {{"type":"function_result","call_id":"c","result":{result}}}]}}"#
        )
    };
    for (result, expected) in [
        (r#""a\nb""#, &["a\nb"][..]),
        (
            r#"[{"type":"text","text":"a"},{"type":"image","data":"AA=="},{"type":"text","text":"b"}]"#,
            &["a", "b"],
        ),
        (r#"{"output":"a","rows":[1, 2],"count":3}"#, &["a", "[1, 2]"]),
        ("null", &[]),
        ("7", &[]),
    ] {
        assert_eq!(texts(&steps(result), GeminiInteractions), expected, "{result}");
    }
    let body = steps(r#""x""#);
    let results = read(body.as_bytes(), GeminiInteractions).results;
    assert_eq!((results[0].call, results[0].tool(body.as_bytes())), (Some(0), "ls".into()));
    let arguments = results[0].arguments.as_ref().unwrap();
    assert_eq!(arguments.text(body.as_bytes()).as_deref(), Some(r#"{"path":"."}"#));
}

#[test]
fn c1_a_result_whose_call_the_provider_keeps_is_known_by_its_own_name() {
    let body = r#"{"previous_interaction_id":"v1_a","input":[{"type":"function_result","result":{"error":"x"},"name":"cat","call_id":"c"}]}"#;
    let request = read(body.as_bytes(), GeminiInteractions);
    let result = &request.results[0];
    assert_eq!((result.tool(body.as_bytes()), result.call), ("cat".into(), None));
    assert!(result.is_error && request.head.has_previous_response);
    assert_eq!(request.head.previous_response.unwrap().text(body.as_bytes()), "v1_a");
    let one = r#"{"input":{"type":"function_result","call_id":"c","result":"x","is_error":true}}"#;
    assert!(read(one.as_bytes(), GeminiInteractions).results[0].is_error);
}

#[test]
fn f1_what_the_provider_s_own_tools_found_is_left_alone() {
    for kind in ["code_execution_result", "mcp_server_tool_result", "google_search_result", "new"] {
        let step = format!(
            r#"{{"input":[{{"type":"{kind}","call_id":"c","result":"x","signature":"s"}}]}}"#
        );
        assert_eq!(texts(&step, GeminiInteractions), [""; 0], "{kind}");
    }
    assert_eq!(texts(r#"{"input":"hi"}"#, GeminiInteractions), [""; 0]);
    assert_eq!(texts(r#"{"input":[{"type":"text","text":"hi"}]}"#, GeminiInteractions), [""; 0]);
}

#[test]
fn l4_an_agent_s_work_and_what_is_had_later_are_known() {
    let is_background = |body: &str| read(body.as_bytes(), GeminiInteractions).is_background;
    assert!(is_background(r#"{"background":true}"#) && is_background(r#"{"agent":"a"}"#));
    assert!(!is_background(r#"{"background":false,"agent":null}"#));
}
