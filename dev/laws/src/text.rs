//! Laws about what readers do with any text.

use serde::de::IgnoredAny;
use tokenforge_formats::{Error, ErrorKind, Form, Json, decode_any, stc2, toon};

/// What is JSON for us is JSON for others, and the reverse.
pub fn json(bytes: &[u8]) {
    let ours = Json::from_slice(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        let kind = ours.map(|_| ()).map_err(|error| error.kind());
        assert_eq!(kind, Err(ErrorKind::NotUtf8), "{bytes:?}");
        return;
    };
    let theirs = serde_json::from_str::<IgnoredAny>(text);
    match &ours {
        Ok(json) => {
            let too_deep =
                theirs.as_ref().is_err_and(|error| error.to_string().contains("recursion"));
            assert!(theirs.is_ok() || too_deep, "only we accept: {}", json.text());
        }
        Err(error) if matches!(error.kind(), ErrorKind::TooDeep { .. }) => {}
        Err(error) => {
            assert!(theirs.is_err(), "only we refuse: {error}\n{bytes:?}");
            assert!(error.offset() <= bytes.len());
        }
    }
}

/// STC in any spelling: no panic, valid output, within the limit.
pub fn stc(text: &str, max_output: usize) {
    check(text, Form::Stc.decode(text, max_output), max_output);
}

/// STC 2, with and without its header: no panic, valid output, within the limit.
pub fn stc2(text: &str, max_output: usize) {
    check(text, stc2::decode(text, max_output), max_output);
    let text = format!("{}{text}", stc2::HEADER);
    check(&text, stc2::decode(&text, max_output), max_output);
}

/// The typed table: no panic, valid output, within the limit.
pub fn table(text: &str, max_output: usize) {
    check(text, Form::Table.decode(text, max_output), max_output);
}

/// TOON, strict or not: no panic, valid output, within the limit; leniency changes no strict document.
pub fn toon(text: &str, max_output: usize) {
    let strict = toon::DecodeOptions { max_output, ..Default::default() };
    let lenient = toon::DecodeOptions { strict: false, ..strict };
    let (strict, lenient) = (toon::decode(text, &strict), toon::decode(text, &lenient));
    if strict.is_ok() {
        assert_eq!(lenient, strict, "leniency changed a strict document: {text}");
    }
    check(text, strict, max_output);
    check(text, lenient, max_output);
}

/// The reader that is not told the form.
pub fn any(text: &str, max_output: usize) {
    check(text, decode_any(text, max_output), max_output);
}

fn check(text: &str, decoded: Result<String, Error>, max_output: usize) {
    match decoded {
        Ok(decoded) => {
            assert!(decoded.len() <= max_output, "{} > {max_output}: {text}", decoded.len());
            let json = Json::parse(&decoded);
            let json = json.unwrap_or_else(|error| panic!("{error}\n{decoded}\nfrom: {text}"));
            assert_eq!(json.minify(), decoded, "the output is not minified: {text}");
        }
        Err(error) => {
            assert!(error.offset() <= text.len(), "the error points outside: {error}\n{text}");
            let lines = text[..error.offset()].matches('\n').count();
            assert_eq!(error.line(), lines + 1, "{text}");
        }
    }
}
