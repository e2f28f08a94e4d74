//! Bodies made to harm, and bodies made up at random.

use crate::support::example::Example;
use crate::support::{Spelling, read, texts};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokenforge_providers::{
    Dialect, MessageTexts, Refusal, Request, RequestHead, ToolExchange, rejoin, splice,
};

#[test]
fn g52_depth_uses_no_stack() {
    for open in ["[", "{\"a\":", "{\"messages\":[", "{\"messages\":[{\"content\":["] {
        let body = open.repeat(100_000);
        for dialect in Dialect::ALL {
            assert!(Request::read(body.as_bytes(), *dialect).is_err());
        }
    }
    let deep = format!(r#"{{"messages":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(
        Request::read(deep.as_bytes(), Dialect::Anthropic),
        Err(Refusal::TooDeep { .. })
    ));
}

#[test]
fn g52_what_is_not_json_is_refused() {
    for body in [
        &b""[..],
        b" ",
        b"nope",
        b"{\"a\":1}x",
        b"{\"a\":}",
        b"{\"a\" 1}",
        b"{,}",
        b"[1,]",
        b"{\"a\":01}",
        b"{\"a\":\"\n\"}",
        b"{\"a\":\"\\x\"}",
        b"{\"a\":\"\\u12g4\"}",
        b"{\"a\":\"\xff\"}",
        b"\xef\xbb\xbf{}",
        b"{'a':1}",
        b"{\"a\":\"b",
        b"\"",
        b"{\"\\",
    ] {
        assert!(RequestHead::read(body).is_err(), "{}", String::from_utf8_lossy(body));
    }
}

#[test]
fn large_values_are_passed_in_one_go() {
    let text = r"ten million bytes \n ".repeat(500_000);
    let number = "9".repeat(1_000_000);
    let body = format!(
        r#"{{"n":{number},"e":-1.{number}e{number},"messages":[{{"role":"tool","content":"{text}"}}]}}"#
    );
    let results = read(body.as_bytes(), Dialect::OpenAiChat).results;
    assert_eq!(results[0].span.len(), text.len());
    assert_eq!(results[0].text(body.as_bytes()).unwrap().len(), text.len() - 500_000);
}

#[test]
fn many_calls_and_results_are_paired_in_linear_time() {
    let calls: Vec<String> =
        (0..100_000).map(|n| format!(r#"{{"functionCall":{{"name":"f","args":{n}}}}}"#)).collect();
    let results = [r#"{"functionResponse":{"name":"f","response":{"output":"x"}}}"#; 100_000];
    let body = format!(
        r#"{{"contents":[{{"parts":[{}]}},{{"parts":[{}]}}]}}"#,
        calls.join(","),
        results.join(",")
    );
    let request = read(body.as_bytes(), Dialect::Gemini);
    assert!(request.results.iter().enumerate().all(|(index, result)| result.call == Some(index)));
}

/// A conversation of calls and results in any order, in a dialect.
pub(crate) fn conversation(dialect: Dialect, texts: &[String]) -> Value {
    let example = Example::read(dialect);
    let turns = texts.iter().enumerate().map(|(number, text)| {
        let id = format!("call/{number}");
        let values = [("$ID", json!(id)), ("$TEXT", json!(text)), ("$N", json!(number))];
        example.filled("call_and_result", &values)
    });
    let messages: Vec<Value> = turns.flat_map(|turn| turn.as_array().unwrap().clone()).collect();
    let list = example.text("list");
    json!({"anthropic_version": "1", "model": "m", list: messages})
}

pub(crate) fn dialects() -> impl Strategy<Value = Dialect> {
    prop::sample::select(Dialect::ALL)
}

pub(crate) fn spellings() -> impl Strategy<Value = Spelling> {
    prop::sample::select(&Spelling::ALL)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn l1_l8_results_of_any_text_in_any_spelling_are_found_and_replaced(
        dialect in dialects(),
        spelling in spellings(),
        strings in prop::collection::vec("(\\PC|[\\x00-\\x7f]){0,80}", 0..6),
        others in prop::collection::vec("(\\PC|[\\x00-\\x7f]){0,80}", 6),
    ) {
        let body = spelling.spell(&conversation(dialect, &strings).to_string());
        prop_assert_eq!(&texts(&body, dialect), &strings);
        let results = read(body.as_bytes(), dialect).results;
        for (number, result) in results.iter().enumerate() {
            prop_assert_eq!(result.call, Some(number));
            prop_assert_eq!(result.tool(body.as_bytes()), &*strings[number]);
        }
        let replaced: Vec<_> = results.iter().zip(&others).map(|(result, other)| result.replaced_by(other)).collect();
        let after = splice(body.as_bytes(), &replaced).unwrap();
        let (mut at, mut rest) = (0, &*after);
        for splice in &replaced {
            rest = rest.strip_prefix(&body.as_bytes()[at..splice.range.start]).unwrap();
            rest = rest.strip_prefix(splice.with.as_bytes()).unwrap();
            at = splice.range.end;
        }
        prop_assert_eq!(rest, &body.as_bytes()[at..]);
        let after = String::from_utf8(after).unwrap();
        prop_assert_eq!(&texts(&after, dialect)[..], &others[..results.len()]);
    }

    #[test]
    fn g52_a_damaged_body_is_refused_or_its_spans_lie_in_it(
        dialect in dialects(),
        strings in prop::collection::vec("\\PC{0,20}", 1..4),
        at: prop::sample::Index,
        byte: u8,
    ) {
        let mut body = conversation(dialect, &strings).to_string().into_bytes();
        let at = at.index(body.len());
        body[at] = byte;
        if let Ok(request) = Request::read_with(&body, dialect, MessageTexts::Wanted) {
            prop_assert!(serde_json::from_slice::<Value>(&body).is_ok() || body.windows(2).any(|pair| pair == b"\\u"));
            for result in &request.results {
                prop_assert!(result.text(&body).is_some());
                prop_assert!(result.arguments.as_ref().is_none_or(|arguments| arguments.text(&body).is_some()));
            }
            prop_assert!(request.texts.iter().all(|text| text.text(&body).is_some()));
            for call in &request.calls {
                let siblings: Vec<String> = call.id.iter().map(|id| id.text(&body).into_owned()).chain(call.key(&body)).collect();
                let (siblings_before, call) = (siblings.len() / 2, "{}");
                let exchange = ToolExchange { siblings: &siblings, siblings_before, from: 0, call, id: "", answer: "x", is_error: false };
                if let Some(splices) = rejoin(&body, dialect, &request, &exchange) {
                    let joined = splice(&body, &splices).unwrap();
                    prop_assert_eq!(read(&joined, dialect).answers.len(), request.answers.len() + 1);
                }
            }
        }
    }
}
