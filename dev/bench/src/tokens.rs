//! Tokens of every form on real tool outputs, by kind, with the laws checked on the way.

use crate::corpus::CorpusDocument;
use crate::tables::Tables;
use anyhow::ensure;
use std::collections::BTreeMap;
use std::fmt::Write;
use tokenforge_formats::stc::{self, Spelling};
use tokenforge_formats::{Form, Json, MAX_OUTPUT, cheapest, decode_any, toon};
use tokenforge_tokens::Counter;

/// What a column of the table counts.
const COLUMNS: [&str; 7] =
    ["as given", "minified", "TOON", "STC adr", "STC dense", "table", "auto"];

/// Tokens per column; a form that refuses a document is counted as minified JSON there.
type FormTokens = [usize; COLUMNS.len()];

/// The table of tokens by kind. Fails if a law is broken on any document: L3 (every form decodes to the
/// minified text) or L2 (auto is never above minified JSON).
pub(crate) fn measure(documents: &[CorpusDocument]) -> anyhow::Result<String> {
    let mut kinds: BTreeMap<&str, (usize, FormTokens)> = BTreeMap::new();
    let mut choices: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, document) in documents.iter().enumerate() {
        eprint!("\rtokens: document {} of {} ", index + 1, documents.len());
        let (tokens, choice) = measure_document(document)?;
        let (count, sums) = kinds.entry(&document.kind).or_default();
        *count += 1;
        sums.iter_mut().zip(tokens).for_each(|(sum, tokens)| *sum += tokens);
        *choices.entry(choice.name()).or_default() += 1;
    }
    eprintln!();
    let total =
        kinds.values().fold((0, FormTokens::default()), |(count, mut sums), (n, tokens)| {
            sums.iter_mut().zip(tokens).for_each(|(sum, tokens)| *sum += tokens);
            (count + n, sums)
        });
    let mut out = format!(
        "o200k tokens of the {} JSON documents among the corpus's tool outputs. A form that cannot hold a \
         document counts as minified JSON there. Checked on every document: STC, the table and auto decode to the \
         minified text byte for byte, TOON to a text that gives the same TOON again, and auto is never above \
         minified JSON.\n\n| kind | n |",
        documents.len()
    );
    COLUMNS.iter().for_each(|column| out.push_str(&format!(" {column} |")));
    out.push_str(" auto against minified |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (kind, (count, sums)) in &kinds {
        push_row(&mut out, kind, *count, sums);
    }
    push_row(&mut out, "**all**", total.0, &total.1);
    let chosen: Vec<String> = choices.iter().map(|(form, n)| format!("{form} {n}")).collect();
    let _ = writeln!(out, "\nauto chose: {}.", chosen.join(", "));
    let mut tables = Tables::default();
    for document in documents {
        // Some edge cases are JSON for us and not for a parser that builds values.
        tables.add(&serde_json::from_str(&document.text).unwrap_or_default());
    }
    let _ = writeln!(
        out,
        "\nTabular arrays, nested ones too: {}; as a table {} of them have fewer tokens ({} in all) than as \
         objects ({}).",
        tables.arrays, tables.cheaper, tables.as_tables, tables.as_objects
    );
    Ok(out)
}

fn push_row(out: &mut String, kind: &str, count: usize, sums: &FormTokens) {
    let _ = write!(out, "| {kind} | {count} |");
    sums.iter().for_each(|tokens| out.push_str(&format!(" {tokens} |")));
    let (minified, auto) = (sums[1] as f64, sums[6] as f64);
    let _ = writeln!(out, " {:+.1} % |", 100.0 * (auto - minified) / minified);
}

fn measure_document(document: &CorpusDocument) -> anyhow::Result<(FormTokens, Form)> {
    let counter = Counter::default();
    let id = &document.id;
    let json = Json::parse(&document.text)?;
    let minified = json.minify();
    let baseline = counter.count(&minified);

    let adr = stc::encode(&json, Spelling::Adr);
    let dense = stc::encode(&json, Spelling::Dense);
    for text in [&adr, &dense] {
        ensure!(stc::decode(text, MAX_OUTPUT)? == minified, "{id}: STC does not round-trip");
    }
    let table = Form::Table.encode(&json).ok();
    if let Some(text) = &table {
        ensure!(
            Form::Table.decode(text, MAX_OUTPUT)? == minified,
            "{id}: table does not round-trip"
        );
    }
    let options = toon::EncodeOptions::default();
    let toon = toon::encode(&json, &options).ok();
    if let Some(text) = &toon {
        let decoded = toon::decode(text, &toon::DecodeOptions::default())?;
        let again = toon::encode(&Json::parse(&decoded)?, &options)?;
        ensure!(again == *text, "{id}: TOON does not round-trip");
    }
    let auto = cheapest(&json, Form::ALL, counter);
    ensure!(decode_any(&auto.text, MAX_OUTPUT)? == minified, "{id}: auto does not round-trip");
    ensure!(auto.tokens <= baseline, "{id}: auto is worse than minified JSON");
    ensure!(auto.tokens == counter.count(&auto.text), "{id}: auto reports a wrong count");

    let tokens = [
        counter.count(&document.text),
        baseline,
        toon.map_or(baseline, |text| counter.count(&text)),
        counter.count(&adr),
        counter.count(&dense),
        table.map_or(baseline, |text| counter.count(&text)),
        auto.tokens,
    ];
    Ok((tokens, auto.form))
}
