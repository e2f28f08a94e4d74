//! What holds for every body: JSON stays JSON, once is enough, and a secret at any string is gone or the body refused.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use serde_json::{Value, json};
use tokenforge_redact::{BodyShape, redact_body};

const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        4 => "[ -~\u{e9}\u{1f600}\n\u{1b}\\[\"\\\\]{0,40}",
        1 => Just(TOKEN.to_owned()),
        1 => Just(format!("say {TOKEN}!")),
        1 => Just(json!({"deep": [TOKEN]}).to_string()),
    ];
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<i64>().prop_map(Value::from),
        text.prop_map(Value::from)
    ];
    let name = prop_oneof![4 => "[a-z_\"\\\\]{0,8}", 1 => Just("id".to_owned()), 1 => Just("type".to_owned())];
    leaf.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((name.clone(), inner), 0..6)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// The body with every letter of its strings escaped, which is another spelling of the same.
fn spelled(body: &Value) -> String {
    match body {
        Value::String(text) => {
            let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
            format!("\"{}\"", units.collect::<String>())
        }
        Value::Array(values) => {
            format!("[ {} ]", values.iter().map(spelled).collect::<Vec<_>>().join(" ,"))
        }
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| format!("{} :{}", spelled(&json!(name)), spelled(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

proptest! {
    #[test]
    fn d20_no_secret_stays_at_any_string_however_it_is_spelled(body in any_value()) {
        let same = [body.to_string(), spelled(&body), serde_json::to_string_pretty(&body).unwrap()];
        let results = same.map(|text| {
            let redacted = redact_body(text.as_bytes(), BodyShape::Unknown, &[]);
            redacted.map(|new| serde_json::from_slice::<Value>(&new.unwrap_or(text.into_bytes())).unwrap())
        });
        for result in &results {
            prop_assert_eq!(result, &results[0], "the spelling decides nothing");
            let Ok(sent) = result else { continue };
            prop_assert!(!sent.to_string().contains(TOKEN), "{}", sent);
            let again = redact_body(sent.to_string().as_bytes(), BodyShape::Unknown, &[]);
            prop_assert_eq!(again, Ok(None), "once is enough");
        }
    }

    #[test]
    fn d20_only_strings_with_secrets_change(body in any_value()) {
        let clean = body.to_string().replace(TOKEN, "nothing");
        prop_assert_eq!(redact_body(clean.as_bytes(), BodyShape::Unknown, &[]), Ok(None));
        prop_assert_eq!(redact_body(clean.as_bytes(), BodyShape::ModelRequest, &[]), Ok(None));
    }
}
