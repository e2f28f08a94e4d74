//! The bytes and tokens of every form of a document, side by side.

use crate::output::{self, grouped};
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

/// Prints the figures to standard error, as a table or as JSON; the baseline is minified JSON.
pub(crate) fn print(json: &Json<'_>, counter: Counter, as_json: bool) {
    let rows = rows(json, counter);
    if as_json {
        output::tell(&serde_json::json!({ "baseline": "json", "forms": rows }).to_string());
        return;
    }
    let baseline = rows.iter().find(|row| row.form == "json").and_then(Row::tokens).unwrap_or(0);
    output::tell(&format!(
        "{:<12} {:>11} {:>13}  against minified JSON",
        "form", "bytes", "tokens"
    ));
    for Row { form, size } in &rows {
        match size {
            Size::Measured { bytes, tokens } => output::tell(&format!(
                "{form:<12} {:>11} {:>13}  {}",
                grouped(*bytes),
                grouped(*tokens),
                difference(*tokens, baseline),
            )),
            Size::Refused { refused } => {
                output::tell(&format!("{form:<12} {:>11} {:>13}  {refused}", "-", "-"))
            }
        }
    }
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
