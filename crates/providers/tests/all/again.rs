//! Bodies of which something is known: they are read as if it were not.

use crate::hostile::{conversation, dialects, spellings};
use crate::recorded::every_body;
use crate::support::{Recording, read};
use proptest::prelude::*;
use std::ops::Range;
use tokenforge_laws::reading::{EarlierBody, known_or_not};
use tokenforge_providers::{ConversationTurns, Dialect, EarlierReading, ResultShape, ToolResult};

/// Knows the texts of these places.
struct Places<'b> {
    body: &'b [u8],
    spans: Vec<Range<usize>>,
}

impl EarlierReading for Places<'_> {
    fn text_length(&self, _: usize, rest: &[u8]) -> Option<usize> {
        let texts = self.spans.iter().map(|span| &self.body[span.clone()]);
        texts.filter(|text| rest.starts_with(text)).map(<[u8]>::len).max()
    }

    fn turns(&self, _: usize, _: &[u8]) -> Option<(&ConversationTurns, usize)> {
        None
    }
}

#[test]
fn l5_a_body_of_known_texts_is_read_as_if_they_were_not() {
    every_body(|Recording { dialect, .. }, _, body| {
        let body = body.as_bytes();
        let is_text = |result: &&ToolResult| result.shape == ResultShape::Text;
        let results = read(body, *dialect).results;
        let spans = results.iter().filter(is_text).map(|result| result.span.clone());
        known_or_not(body, *dialect, &Places { body, spans: spans.collect() });
    });
}

#[test]
fn l5_a_body_of_known_turns_is_read_as_if_they_were_not() {
    let mut known = 0;
    every_body(|Recording { dialect, .. }, _, body| {
        let Some(earlier) = EarlierBody::of(body.as_bytes(), *dialect) else { return };
        known += usize::from(known_or_not(body.as_bytes(), *dialect, &earlier));
        // Another head moves everything, and another end leaves it where it is.
        let moved = format!(r#"{{"temperature":0.5,{}"#, &body[1..]);
        known_or_not(moved.as_bytes(), *dialect, &earlier);
    });
    assert!(known > 100, "only {known} bodies were known");
}

#[test]
fn l5_a_number_that_grows_is_no_turn_that_is_known() {
    let number = "1".repeat(5_000);
    let body = |turns: &str| format!(r#"{{"messages":[{{}},{turns}]}}"#);
    let earlier = EarlierBody::of(body(&number).as_bytes(), Dialect::OpenAiChat).unwrap();
    for turns in [format!("{number}2"), format!("{number},2"), format!("{number} 2")] {
        known_or_not(body(&turns).as_bytes(), Dialect::OpenAiChat, &earlier);
    }
}

#[test]
fn l5_a_result_answers_the_same_call_if_the_turns_before_it_are_known() {
    let call = |number: u8| format!(r#"{{"functionCall":{{"name":"f","args":{{"n":{number}}}}}}}"#);
    let answer = r#"{"parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}"#;
    let two_calls = format!(r#"{{"parts":[{},{}]}},{answer}"#, call(1), call(2));
    let two_turns = format!(
        r#"{{"parts":[{}]}},{{"role":"model","parts":[]}},{{"parts":[{}]}}"#,
        call(1),
        call(2)
    );
    let shell = r#"{"type":"local_shell_call","id":"s","call_id":"c","action":{}}"#;
    let printed = r#"{"type":"local_shell_call_output","id":"s","output":"x"}"#;
    for (dialect, list, before, after) in [
        (Dialect::Gemini, "contents", &*two_calls, answer),
        (Dialect::Gemini, "contents", &*two_turns, answer),
        (Dialect::OpenAiResponses, "input", shell, printed),
    ] {
        let earlier = format!(r#"{{"{list}":[{before}]}}"#);
        let body = format!(r#"{{"{list}":[{before},{after}]}}"#);
        let last = read(body.as_bytes(), dialect).answers.last().unwrap().call;
        assert_eq!(last, Some(read(body.as_bytes(), dialect).calls.len() - 1));
        if let Some(earlier) = EarlierBody::of(earlier.as_bytes(), dialect) {
            known_or_not(body.as_bytes(), dialect, &earlier);
        }
    }
}

#[test]
fn turns_take_no_more_room_than_they_have_bytes() {
    let body = format!(r#"{{"messages":[0{}]}}"#, ",0".repeat(100_000));
    let (place, turns) = read(body.as_bytes(), Dialect::OpenAiChat).turns().unwrap();
    assert!(turns.size() <= place.len(), "{} of {}", turns.size(), place.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn l5_a_conversation_that_grew_or_went_back_is_read_as_if_it_were_new(
        dialect in dialects(),
        spelling in spellings(),
        // Long ones too, because ends of short turns are not kept.
        strings in prop::collection::vec(
            ("(\\PC|[\\x00-\\x7f]){0,40}", prop::sample::select(vec![1_usize, 100]))
                .prop_map(|(string, times)| string.repeat(times)),
            1..6,
        ),
        (before, after) in (1..6_usize, 1..6_usize),
        calls in prop::collection::vec(0..6_usize, 6),
        damage in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
    ) {
        // Ids and names that come again, and texts that differ.
        let spoken = |strings: &[String]| {
            let body = spelling.spell(&conversation(dialect, strings).to_string());
            let again = |body: String, number: usize| {
                body.replace(&format!("call/{number}"), &format!("call/{}", calls[number]))
            };
            (0..strings.len()).fold(body, again)
        };
        let of = |turns: usize| spoken(&strings[..turns.min(strings.len())]);
        let Some(earlier) = EarlierBody::of(of(before).as_bytes(), dialect) else { return Ok(()) };
        let mut body = of(after).into_bytes();
        known_or_not(&body, dialect, &earlier);
        if let Some((at, byte)) = damage {
            let at = at.index(body.len());
            body[at] = byte;
            known_or_not(&body, dialect, &earlier);
        }
    }
}
