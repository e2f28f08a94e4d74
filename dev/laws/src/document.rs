//! Laws about a JSON document.

use serde_json::Value;
use tokenforge_formats::stc::Spelling;
use tokenforge_formats::stc2::{self, Level};
use tokenforge_formats::toon::{self, Numbers};
use tokenforge_formats::{Form, Json, MAX_OUTPUT, cheapest, decode_any, stc, table};
use tokenforge_tokens::Counter;

/// Minifying changes nothing but white space, and nothing the second time.
pub fn minify(text: &str) {
    let json = parse(text);
    let minified = json.minify();
    assert_eq!(parse(&minified).minify(), minified, "minify is not idempotent: {text}");
    assert_eq!(value(text), value(&minified), "minify changed the value: {text}");
}

/// L3 and L6 for every spelling of STC.
pub fn stc(text: &str) {
    let json = parse(text);
    for spelling in [Spelling::Adr, Spelling::Dense, Spelling::Flat] {
        let encoded = stc::encode(&json, spelling);
        let decoded = stc::decode(&encoded, MAX_OUTPUT);
        assert_eq!(decoded.as_deref(), Ok(&*json.minify()), "{spelling:?}: {encoded}");
        let again = stc::encode(&parse(&decoded.unwrap_or_default()), spelling);
        assert_eq!(again, encoded, "{spelling:?} is not idempotent: {text}");
    }
}

/// L3 and L6 for every level of STC 2, and never longer than minified JSON.
pub fn stc2(text: &str) {
    let json = parse(text);
    let minified = json.minify();
    for level in Level::ALL {
        let encoded = stc2::encode(&json, level);
        let decoded = stc2::decode(&encoded, MAX_OUTPUT);
        assert_eq!(decoded.as_deref(), Ok(&*minified), "{level:?}: {encoded}");
        assert_eq!(stc2::encode(&parse(&minified), level), encoded, "{level:?}: {text}");
        assert!(encoded.len() <= minified.len(), "{level:?}: {encoded}");
    }
}

/// L2 for STC 2: the lightest level is never above minified JSON, and its count is right.
pub fn lightest(text: &str, counter: Counter) {
    let json = parse(text);
    let weighed = stc2::lightest(&json, &Level::ALL, counter);
    assert!(weighed.tokens <= counter.count(&json.minify()), "{text}");
    assert_eq!(weighed.tokens, counter.count(&weighed.text), "{text}");
    assert_eq!(stc2::decode(&weighed.text, MAX_OUTPUT).as_deref(), Ok(&*json.minify()), "{text}");
}

/// L3 and L6 for TOON, where it holds the document: the value survives, with verbatim numbers their text too.
/// Tells whether it was held.
pub fn toon(text: &str) -> bool {
    let json = parse(text);
    let mut is_held = true;
    for numbers in [Numbers::Canonical, Numbers::Verbatim] {
        let options = toon::EncodeOptions { numbers, ..Default::default() };
        let Ok(encoded) = toon::encode(&json, &options) else {
            is_held = false;
            continue;
        };
        let decoded = toon::decode(&encoded, &toon::DecodeOptions::default())
            .unwrap_or_else(|error| panic!("own TOON is not read: {error}\n{encoded}\n{text}"));
        if numbers == Numbers::Verbatim {
            assert_eq!(value(&decoded), value(text), "TOON changed the value:\n{encoded}");
        }
        let again = toon::encode(&parse(&decoded), &options);
        assert_eq!(again.as_deref(), Ok(&*encoded), "TOON is not idempotent: {text}");
    }
    is_held
}

/// L3 for the typed table, where it holds the document. Tells whether it was held.
pub fn table(text: &str) -> bool {
    let json = parse(text);
    let Ok(encoded) = table::encode(&json) else { return false };
    let decoded = table::decode(&encoded, MAX_OUTPUT);
    assert_eq!(decoded.as_deref(), Ok(&*json.minify()), "{encoded}");
    true
}

/// L2 and L3 for the automatic choice: never above minified JSON, and decoded without being told the form.
pub fn auto(text: &str, counter: Counter) {
    let json = parse(text);
    let levels = [Level::Nested, Level::Shared].map(Form::Stc2);
    let newer = levels.map(|level| [Form::ALL, &[level]].concat());
    for allowed in [Form::ALL, &newer[0], &newer[1]] {
        let choice = cheapest(&json, allowed, counter);
        assert!(choice.tokens <= counter.count(&json.minify()), "{text}");
        assert!(!choice.text.is_empty() && choice.text.len() <= text.len(), "{text}");
        assert_eq!(choice.tokens, counter.count(&choice.text), "{text}");
        let decoded = decode_any(&choice.text, MAX_OUTPUT);
        assert_eq!(decoded.as_deref(), Ok(&*json.minify()), "{}", choice.text);
    }
}

fn parse(text: &str) -> Json<'_> {
    Json::parse(text).unwrap_or_else(|error| panic!("a law needs JSON: {error}\n{text}"))
}

/// The value as another parser reads it, with number text kept and key order ignored. `None` for what that
/// parser cannot hold: lone surrogates, and nesting beyond its limit.
fn value(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}
