//! Tokens of STC 2 by level on real JSON, beside the other forms, with the law checked on the way.

mod gcf;

use crate::corpus::CorpusDocument;
use anyhow::ensure;
use std::collections::BTreeMap;
use std::fmt::Write;
use tokenforge_formats::stc::{self, Spelling};
use tokenforge_formats::stc2::{self, Level};
use tokenforge_formats::{Json, MAX_OUTPUT, toon};
use tokenforge_tokens::Counter;

/// The kinds that are JSON throughout.
const KINDS: [&str; 4] = ["api_json_list", "api_json_nested", "cli_json", "tool_schema"];

/// As given, minified, TOON, GCF, STC 1 dense, and the three levels.
type LevelTokens = [usize; 8];

/// Where the levels start.
const LEVELS: usize = 5;

/// The table of tokens by kind. Fails if the law is broken on any document of the corpus, of any kind.
pub(crate) fn measure(documents: &[CorpusDocument]) -> anyhow::Result<String> {
    let mut kinds: BTreeMap<&str, (usize, LevelTokens)> = BTreeMap::new();
    for (document, gcf) in documents.iter().zip(gcf::texts(documents)?) {
        let tokens = measure_document(document, gcf.as_deref())?;
        for kind in [&*document.kind, "**all four**"] {
            if KINDS.contains(&&*document.kind) {
                let (count, sums) = kinds.entry(kind).or_default();
                *count += 1;
                sums.iter_mut().zip(tokens).for_each(|(sum, tokens)| *sum += tokens);
            }
        }
    }
    let mut out = format!(
        "o200k tokens of the JSON documents of four kinds. STC 2 is replaced by minified JSON where that has no more tokens, \
         TOON 4.4 and GCF ({}) where they cannot hold a document. Checked on all {} documents of the corpus: every level decodes to the minified text byte for byte.\n\n\
         | kind | n | as given | minified | TOON | GCF | STC 1 dense | STC 2 level 1 | level 2 | level 3 | \
         levels against minified | levels against as given |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        gcf::PACKAGE,
        documents.len()
    );
    for (kind, (count, sums)) in &kinds {
        let _ = write!(out, "| {kind} | {count} |");
        sums.iter().for_each(|tokens| out.push_str(&format!(" {tokens} |")));
        for base in [sums[1], sums[0]] {
            let change = |tokens: usize| 100.0 * (tokens as f64 / base as f64 - 1.0);
            let changes: Vec<String> =
                sums[LEVELS..].iter().map(|tokens| format!("{:+.1} %", change(*tokens))).collect();
            let _ = write!(out, " {} |", changes.join(", "));
        }
        out.push('\n');
    }
    Ok(out)
}

fn measure_document(document: &CorpusDocument, gcf: Option<&str>) -> anyhow::Result<LevelTokens> {
    let counter = Counter::default();
    let json = Json::parse(&document.text)?;
    let minified = json.minify();
    let baseline = counter.count(&minified);
    let mut tokens = [baseline; 8];
    tokens[0] = counter.count(&document.text);
    if let Ok(toon) = toon::encode(&json, &toon::EncodeOptions::default()) {
        tokens[2] = counter.count(&toon);
    }
    if let Some(gcf) = gcf {
        tokens[3] = counter.count(gcf);
    }
    tokens[4] = counter.count(&stc::encode(&json, Spelling::Dense));
    for (slot, level) in tokens[LEVELS..].iter_mut().zip(Level::ALL) {
        let text = stc2::encode(&json, level);
        let id = &document.id;
        ensure!(
            stc2::decode(&text, MAX_OUTPUT)? == minified,
            "{id}: {level:?} does not round-trip"
        );
        *slot = counter.count(&text).min(baseline);
    }
    Ok(tokens)
}
