//! What holds for every body: JSON stays JSON, once is enough, and a secret at any string is gone or the body refused,
//! whatever kind of secret it is and however it is dressed.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use base64::prelude::{BASE64_STANDARD, Engine as _};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokenforge_redact::{BodyShape, Unscannable, redact_body};

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

/// One secret of each kind that the scanner knows: by its own form, by the name it is given, by its place in a URL. The
/// second is the part that must not be seen.
const KINDS: [(&str, &str); 3] = [
    (TOKEN, "k1L2m3N4o5P6q7R8"),
    (
        r#"{"aws_secret_access_key": "7LNzq+0fV/8JmTk3Rb5wYxPd2Gh9Ue6SaCi1oXt4"}"#,
        "8JmTk3Rb5wYxPd2G",
    ),
    ("postgres://app:s3cr3tPassw0rd9@db.internal/app", "s3cr3tPassw0rd9"),
];

fn redacted(body: &str) -> Result<String, Unscannable> {
    let redacted = redact_body(body.as_bytes(), BodyShape::Unknown, &[])?;
    Ok(redacted.map_or_else(|| body.to_owned(), |bytes| String::from_utf8(bytes).unwrap()))
}

#[track_caller]
fn assert_gone(body: &str, secret: &str) {
    if let Ok(sent) = redacted(body) {
        assert!(!sent.replace("\\/", "/").contains(secret), "{sent}");
    }
}

#[test]
fn d20_every_kind_of_secret_is_found_however_deep_it_is_in_json() {
    for (text, secret) in KINDS {
        let mut body = json!({ "input": text }).to_string();
        for _ in 0..12 {
            assert_gone(&body, secret);
            // As PHP writes it, which the scanner of plain text does not read.
            assert_gone(&body.replace('/', "\\/"), secret);
            body = json!({ "input": body }).to_string();
        }
    }
}

#[test]
fn d20_a_secret_is_known_by_the_name_of_its_member_or_by_the_name_beside_it() {
    let secret = "7LNzq+0fV/8JmTk3Rb5wYxPd2Gh9Ue6SaCi1oXt4";
    for body in [
        json!({ "aws_secret_access_key": secret }),
        json!({ "env": [{ "name": "AWS_SECRET_ACCESS_KEY", "value": secret }] }),
        json!({ "env": [{ "value": secret, "name": "AWS_SECRET_ACCESS_KEY" }] }),
    ] {
        let sent = redacted(&body.to_string()).unwrap();
        assert!(!sent.contains("8JmTk3Rb5wYxPd2G") && sent.contains("[REDACTED:"), "{sent}");
        assert_eq!(redacted(&sent), Ok(sent));
    }
    let digest = json!({ "cache": "7LNzq+0fV/8JmTk3Rb5wYxPd2Gh9Ue6SaCi1oXt4" }).to_string();
    assert_eq!(redacted(&digest), Ok(digest.clone()), "only the name says what it is");
}

#[test]
fn d20_long_lists_of_keys_are_no_base64() {
    let tokens = |line: &str| json!({ "input": format!("{line}\n").repeat(40) }).to_string();
    assert_gone(&tokens(&format!("GITHUB_TOKEN={TOKEN}")), TOKEN);
    assert_gone(&tokens(TOKEN), TOKEN);
}

#[test]
fn d20_base64_is_seen_through_whatever_it_holds_and_however_it_is_spaced() {
    let json = json!({ "key": TOKEN }).to_string().replace('g', "\\u0067");
    let twice = BASE64_STANDARD.encode(TOKEN);
    for inner in [TOKEN, &json, &twice] {
        let data = BASE64_STANDARD.encode(inner);
        for data in [data.clone(), format!(" {data} "), format!("{} {}", &data[..20], &data[20..])]
        {
            let body = json!({ "data": data }).to_string();
            assert_eq!(redacted(&body), Err(Unscannable::SecretInData), "{inner}");
            // A tool's result may become another text.
            let result = body.find(&data).unwrap()..body.len() - 2;
            let sent =
                redact_body(body.as_bytes(), BodyShape::Unknown, &[result]).unwrap().unwrap();
            assert_eq!(sent, br#"{"data":"[REDACTED:encoded-secret]"}"#);
        }
    }
}

#[test]
fn d64_a_long_name_is_not_read_for_every_string_under_it() {
    let strings = ["\"\""; 20_000].join(",");
    let body = format!("{{\"{}\":[{strings}]}}", "a".repeat(2 << 20));
    assert_eq!(redacted(&body), Ok(body.clone()));
}
