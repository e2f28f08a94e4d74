//! Laws about the codecs of texts that hold JSON without being JSON alone: cut off, in strings, printed by Python.

use serde_json::Value;
use std::borrow::Cow;
use tokenforge_engine::internals::json::{self, nested, python_repr, truncated};
use tokenforge_engine::internals::wrapper::unescaped;
use tokenforge_formats::Form;
use tokenforge_tokens::Counter;

/// A codec, and the part of a text that it gives back.
struct TextCodec {
    name: &'static str,
    encode: fn(&str) -> Option<String>,
    decode: fn(&str) -> Option<String>,
    canonical: fn(&str) -> Cow<'_, str>,
}

const CODECS: [TextCodec; 4] = [
    TextCodec {
        name: "truncated_json",
        encode: |text| truncated::encode(text, Form::ALL, Counter::Estimate),
        decode: truncated::decode,
        canonical: truncated::minify,
    },
    TextCodec {
        name: "nested_json",
        encode: |text| nested::encode(text, Form::ALL, Counter::Estimate),
        decode: nested::decode,
        canonical: json::minify,
    },
    TextCodec {
        name: "python_repr",
        encode: |text| python_repr::encode(text, Form::ALL, Counter::Estimate),
        decode: python_repr::decode,
        canonical: |text| Cow::Borrowed(text),
    },
    TextCodec {
        name: "unescaped_strings",
        encode: unescaped::encode,
        decode: unescaped::decode,
        canonical: unescaped::minify,
    },
];

/// L3 and L6 for each of these codecs: what one writes of a text that a tool or a client made it gives back, its JSON
/// minified, and does not write again. Tells how many wrote.
pub fn json_codecs(text: &str) -> usize {
    let holds = |codec: &&TextCodec| {
        let Some(encoded) = (codec.encode)(text) else { return false };
        let decoded = (codec.decode)(&encoded);
        let canonical = (codec.canonical)(text);
        assert_eq!(decoded.as_deref(), Some(&*canonical), "{}: {encoded}", codec.name);
        assert_eq!((codec.encode)(&encoded), None, "{} wrote twice: {text}", codec.name);
        true
    };
    CODECS.iter().filter(holds).count()
}

/// They survive any text, and so do their readers. What one writes of a text that no serialiser made may be ambiguous;
/// the runner compares, and refuses it.
pub fn survive(text: &str) {
    for codec in &CODECS {
        let _ = (codec.decode)(text);
        let _ = (codec.encode)(text).and_then(|encoded| (codec.decode)(&encoded));
    }
}

/// Texts that hold a JSON text as tools and clients make them: in strings, cut at two places, and as Python would print it.
pub fn texts_holding(json: &str, seed: usize) -> Vec<String> {
    let at = |part: usize| json.floor_char_boundary(seed.wrapping_mul(part) % (json.len() + 1));
    let (one, other) = (at(31).min(at(17)), at(31).max(at(17)));
    let quote = |text: &str| Value::from(text).to_string();
    let string = quote(json);
    let python = json.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n");
    let literal = json.replace(",", ", ").replace(":", ": ").replace('"', "'");
    vec![
        json[..other].to_owned(),
        format!("{}…{seed} tokens truncated…{}", &json[..one], &json[other..]),
        format!("{}\n... [{seed} lines truncated] ...\n{}", &json[..one], &json[other..]),
        format!(r#"{{"n":{seed},"held":{string}}}"#),
        format!(r#"[{{"held":{string},"a":{}}}]"#, quote(&format!(r#"{{"b":{string}}}"#))),
        format!(r#"{{"stdout":{string},"exit_code":0}}"#),
        format!(r#"[{{"query":"a","result":{string}}},{{"query":"b","result":"x\ny"}}]"#),
        format!("meta=None content=[TextContent(type='text', text='{python}', annotations=None)]"),
        literal.replace("null", "None").replace("true", "True").replace("false", "False"),
    ]
}
