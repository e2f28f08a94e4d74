//! The bytes and tokens of every form of a document, side by side.

use crate::output::group_digits;
use crate::screen;
use serde::Serialize;
use tokenforge_formats::stc::{self, Spelling};
use tokenforge_formats::stc2::{self, Level};
use tokenforge_formats::{Form, Json, Refusal};
use tokenforge_tokens::Counter;

#[derive(Serialize)]
struct Row {
    form: &'static str,
    #[serde(flatten)]
    size: Size,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Size {
    Measured { bytes: usize, tokens: usize },
    Refused { refused: String },
}

/// The figures of every form; the baseline is minified JSON.
pub(crate) fn document(json: &Json<'_>, counter: Counter) -> serde_json::Value {
    serde_json::json!({ "baseline": "json", "forms": rows(json, counter) })
}

/// The same as a table.
pub(crate) fn table(json: &Json<'_>, counter: Counter) -> String {
    let rows = rows(json, counter);
    let baseline = rows.iter().find(|row| row.form == "json").and_then(Row::tokens).unwrap_or(0);
    let title = format!("{:<12} {:>11} {:>13}  against minified JSON", "form", "bytes", "tokens");
    let line = |Row { form, size }: &Row| {
        let (bytes, tokens, says) = match size {
            Size::Measured { bytes, tokens } => {
                (group_digits(*bytes), group_digits(*tokens), difference(*tokens, baseline))
            }
            Size::Refused { refused } => ("-".to_owned(), "-".to_owned(), refused.clone()),
        };
        let head = format!("{form:<12} {bytes:>11} {tokens:>13}  ");
        screen::wrap_text(&says, &head, &" ".repeat(head.len()))
    };
    [title].into_iter().chain(rows.iter().map(line)).collect::<Vec<_>>().join("\n")
}

fn rows(json: &Json<'_>, counter: Counter) -> Vec<Row> {
    let row = |form, text: Result<&str, Refusal>| {
        let size = match text {
            Ok(text) => Size::Measured { bytes: text.len(), tokens: counter.count(text) },
            Err(refusal) => Size::Refused { refused: refusal.to_string() },
        };
        Row { form, size }
    };
    let form = |form: Form| form.encode(json);
    vec![
        row("as given", Ok(json.text())),
        row("json", Ok(&json.minify())),
        row("toon", form(Form::Toon).as_deref().map_err(|refusal| *refusal)),
        row("stc adr", Ok(&stc::encode(json, Spelling::Adr))),
        row("stc dense", Ok(&stc::encode(json, Spelling::Dense))),
        row("stc2 dense", Ok(&stc2::encode(json, Level::Dense))),
        row("stc2 nested", Ok(&stc2::encode(json, Level::Nested))),
        row("stc2 shared", Ok(&stc2::encode(json, Level::Shared))),
        row("table", form(Form::Table).as_deref().map_err(|refusal| *refusal)),
    ]
}

impl Row {
    fn tokens(&self) -> Option<usize> {
        match self.size {
            Size::Measured { tokens, .. } => Some(tokens),
            Size::Refused { .. } => None,
        }
    }
}

fn difference(tokens: usize, baseline: usize) -> String {
    if tokens == baseline || baseline == 0 {
        return "the same".to_owned();
    }
    let percent = 100.0 * (tokens as f64 - baseline as f64) / baseline as f64;
    format!("{percent:+.1} %")
}
