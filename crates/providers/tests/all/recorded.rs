//! Bodies that real clients sent, in every spelling.

use crate::support::walk::{Expected, walk};
use crate::support::{Recording, Spelling, read, recordings};
use serde_json::Value;
use std::borrow::Cow;
use tokenforge_providers::{
    Dialect, Request, ResultShape, Splice, ToolResult, expand_tool, splice,
};

/// Calls `check` with every recorded body in every spelling.
pub(crate) fn every_body(mut check: impl FnMut(&Recording, Spelling, &str)) {
    for recording in recordings() {
        for spelling in Spelling::ALL {
            check(&recording, spelling, &spelling.spell(&recording.body));
        }
    }
}

#[test]
fn g1_g13_every_result_is_found_with_its_call() {
    let mut found = 0;
    every_body(|Recording { name, dialect, .. }, spelling, body| {
        let tree: Value = serde_json::from_str(body).unwrap();
        let request = read(body.as_bytes(), *dialect);
        let seen = |result: &ToolResult| {
            let arguments = result.arguments.as_ref().map(|arguments| {
                let text = arguments.text(body.as_bytes()).unwrap();
                if arguments.is_string {
                    Value::String(text.into_owned())
                } else {
                    serde_json::from_str(&text).unwrap()
                }
            });
            Expected {
                text: result.text(body.as_bytes()).unwrap().into_owned(),
                call_id: result.id(body.as_bytes()).map(Into::into),
                tool_name: result.tool_name.as_ref().map(|name| name.text(body.as_bytes()).into()),
                arguments,
                is_error: result.is_error,
            }
        };
        let results: Vec<Expected> = request.results.iter().map(seen).collect();
        assert_eq!(results, walk(&tree, *dialect), "{name} {spelling:?}");
        found += results.len();
    });
    assert!(found > 4 * 150, "only {found} results");
}

#[test]
fn what_was_read_is_the_same_without_the_body() {
    every_body(|Recording { name, dialect, .. }, spelling, body| {
        let request = read(body.as_bytes(), *dialect);
        let owned: Request<'static> = request.clone().into_owned();
        assert_eq!(format!("{owned:?}"), format!("{request:?}"), "{name} {spelling:?}");
    });
}

#[test]
fn l1_nothing_replaced_is_nothing_changed() {
    every_body(|Recording { name, dialect, .. }, spelling, body| {
        let request = read(body.as_bytes(), *dialect);
        assert_eq!(splice(body.as_bytes(), &[]).unwrap(), body.as_bytes());
        if spelling.is_canonical() {
            let same =
                |result: &ToolResult| result.replaced_by(&result.text(body.as_bytes()).unwrap());
            let splices: Vec<Splice<'_>> = request.results.iter().map(same).collect();
            assert_eq!(
                splice(body.as_bytes(), &splices).unwrap(),
                body.as_bytes(),
                "{name} {spelling:?}"
            );
        }
    });
}

#[test]
fn l1_only_the_text_of_replaced_results_changes() {
    every_body(|Recording { name, dialect, .. }, spelling, body| {
        let results = read(body.as_bytes(), *dialect).results;
        let text = |index: usize| format!("{index}: \"é\"\\\n\u{1}/😀");
        let splices: Vec<_> = results
            .iter()
            .enumerate()
            .map(|(index, result)| result.replaced_by(&text(index)))
            .collect();
        let replaced = splice(body.as_bytes(), &splices).unwrap();

        let again = read(&replaced, *dialect).results;
        assert_eq!(again.len(), results.len());
        for (index, result) in again.iter().enumerate() {
            assert_eq!(result.text(&replaced).unwrap(), text(index), "{name} {spelling:?}");
        }
        let back = again.iter().zip(&results).map(|(new, old)| Splice {
            range: new.span.clone(),
            with: Cow::Borrowed(&body[old.span.clone()]),
        });
        let back = splice(&replaced, &back.collect::<Vec<_>>()).unwrap();
        assert_eq!(back, body.as_bytes(), "{name} {spelling:?}");
    });
}

#[test]
fn g5_results_of_one_call_share_a_number_and_lie_in_order() {
    every_body(|Recording { name, dialect, .. }, _, body| {
        for pair in read(body.as_bytes(), *dialect).results.windows(2) {
            assert!(pair[0].span.end < pair[1].span.start, "{name}");
            assert_eq!(
                pair[0].number == pair[1].number,
                pair[0].call_id == pair[1].call_id,
                "{name}"
            );
        }
    });
}

#[test]
fn c5_the_tool_is_appended_where_tools_are_and_the_rest_stays() {
    every_body(|Recording { name, dialect, .. }, _, body| {
        let request = read(body.as_bytes(), *dialect);
        let Some(tools) = request.tools else {
            assert!(name.starts_with("aider"), "{name} has no tools");
            return;
        };
        let appended = tools.with_expand_tool(*dialect).unwrap();
        let longer = splice(body.as_bytes(), std::slice::from_ref(&appended)).unwrap();
        let again = read(&longer, *dialect).tools.unwrap();
        assert_eq!(again.count, tools.count + 1, "{name}");
        assert_eq!(again.names.iter().filter(|name| *name == "expand_context").count(), 1);
        assert_eq!(again.with_expand_tool(*dialect), None);
        assert_eq!(longer.len(), body.len() + 1 + expand_tool(*dialect).len());

        // Cut out again, the body is what it was.
        let at = appended.range.start;
        let cut = Splice { range: at..at + appended.with.len(), with: Cow::Borrowed("") };
        assert_eq!(splice(&longer, &[cut]).unwrap(), body.as_bytes());
    });
}

#[test]
fn f5_forge_is_cut_out_of_every_body() {
    every_body(|Recording { name, dialect, .. }, _, body| {
        let with = body.replacen('{', r#"{"_forge":{"mode":"safe"},"#, 1);
        let forge = read(with.as_bytes(), *dialect).head.forge.unwrap();
        assert_eq!(&with[forge.value.clone()], r#"{"mode":"safe"}"#);
        let without = splice(with.as_bytes(), &[forge.removal()]).unwrap();
        assert_eq!(without, body.as_bytes(), "{name}");
    });
}

#[test]
fn g52_a_body_cut_short_is_refused() {
    for Recording { dialect, body, .. } in recordings() {
        let body = Spelling::Compact.spell(&body);
        for end in (0..body.len()).step_by(997).chain([body.len() - 1]) {
            let cut = &body.as_bytes()[..end];
            assert!(tokenforge_providers::Request::read(cut, dialect).is_err());
        }
    }
}

#[test]
fn the_model_and_the_stream_are_read() {
    every_body(|Recording { name, dialect, .. }, _, body| {
        let tree: Value = serde_json::from_str(body).unwrap();
        let head = read(body.as_bytes(), *dialect).head;
        assert_eq!(head.model.as_deref(), tree["model"].as_str(), "{name}");
        assert_eq!(head.is_stream, tree["stream"].as_bool(), "{name}");
    });
}

#[test]
fn recorded_texts_are_strings() {
    every_body(|Recording { dialect, .. }, _, body| {
        let results = read(body.as_bytes(), *dialect).results;
        assert!(results.iter().all(|result| result.shape == ResultShape::Text));
    });
    let dialects: Vec<Dialect> = recordings().iter().map(|recording| recording.dialect).collect();
    for dialect in
        [Dialect::Anthropic, Dialect::OpenAiChat, Dialect::OpenAiResponses, Dialect::Gemini]
    {
        assert!(dialects.contains(&dialect));
    }
}
