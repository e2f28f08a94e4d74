//! Row 2: splices leave every other byte alone, and every encoder's text decodes to what it was given.

use crate::dialects::{VOICES, body};
use crate::kit::ProofBench;
use crate::row::{Faults, ProofRow, RowResult};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use tokenforge_engine::Settings;
use tokenforge_engine::internals::{
    columns, csv, dictionary, diff_headers, fold, numbers, paths, templates,
};
use tokenforge_laws::document;
use tokenforge_providers::{Request, splice};
use tokenforge_samples::{Nasty, mutated, nasty, recorded, repetitive};
use tokenforge_tokens::Counter;

pub(crate) const ROW: ProofRow = ProofRow {
    number: 2,
    what: "splices, and decode(encode(x)) == x for every encoder",
    bar: "0 other bytes changed, 0 texts not restored (60 s; 1e8 cases each are aimed at)",
    prove,
};

const TIME: Duration = Duration::from_secs(20);

fn prove(_: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let documents = documents(&mut faults);
    let (tried, changed) = texts(&mut faults);
    let (bodies, replaced) = splices(&mut faults);
    faults.into_result(
        format!("{documents} documents, {tried} texts, {bodies} bodies"),
        format!("each document in every form, {changed} encodings of texts, {replaced} splices"),
    )
}

/// Minified JSON, STC in two spellings, STC 2 at each level, TOON, tables, and the automatic choice.
fn documents(faults: &mut Faults) -> usize {
    let (start, mut seed) = (Instant::now(), 0);
    while start.elapsed() < TIME {
        seed += 1;
        let text = if seed % 3 == 0 { repetitive(seed) } else { nasty(seed, Nasty::default()) };
        let holds = catch_unwind(AssertUnwindSafe(|| {
            document::minify(&text);
            document::stc(&text);
            document::stc2(&text);
            let _ = (document::toon(&text), document::table(&text));
            document::auto(&text, Counter::default());
        }));
        faults.law(holds, || format!("the document of seed {seed}"));
    }
    seed as usize
}

type CodecFn = fn(&str) -> Option<String>;

/// Every stage that writes text and promises to be lossless.
const STAGES: [(&str, CodecFn, CodecFn); 8] = [
    ("csv_rows", csv_encode, csv::decode),
    ("diff_headers", diff_headers::encode, diff_headers::decode),
    ("line_numbers", numbers::encode, numbers::decode),
    ("path_headings", paths::encode, paths::decode),
    ("repeated_columns", columns::encode, columns::decode),
    ("repeated_lines", fold::encode, fold::decode),
    ("log_templates", templates::encode, templates::decode),
    ("dictionary", dictionary_encode, dictionary_decode),
];

fn csv_encode(text: &str) -> Option<String> {
    csv::encode(text, &Settings::default().json_forms(), Counter::default())
}

fn dictionary_encode(text: &str) -> Option<String> {
    dictionary::encode(text, dictionary::DictionaryMethod::default(), &Counter::default())
}

fn dictionary_decode(text: &str) -> Option<String> {
    dictionary::decode(text, tokenforge_formats::MAX_OUTPUT).ok()
}

/// Recorded outputs and mutations of them. How many were tried, and how many a stage wrote anew.
fn texts(faults: &mut Faults) -> (usize, usize) {
    let all = recorded();
    let (start, mut tried, mut changed) = (Instant::now(), 0, 0);
    while start.elapsed() < TIME {
        let (own, other) = (&all[tried % all.len()], &all[(tried / 7 + 1) % all.len()]);
        let text = mutated(&own.text, &other.text, tried as u64);
        for (name, encode, decode) in STAGES {
            if let Some(encoded) = encode(&text) {
                changed += 1;
                let is_restored = decode(&encoded).as_deref() == Some(&text);
                faults.check(is_restored, || format!("{name}: {} of {tried}", own.name));
            }
        }
        tried += 1;
    }
    (tried, changed)
}

/// Bodies of every dialect whose results are replaced. How many, and how many results.
fn splices(faults: &mut Faults) -> (usize, usize) {
    let (start, mut bodies, mut replaced) = (Instant::now(), 0, 0);
    while start.elapsed() < TIME {
        let voice = VOICES[bodies % VOICES.len()];
        bodies += 1;
        let seed = bodies as u64;
        let output = nasty(seed, Nasty { lone_surrogates: false, ..Nasty::default() });
        let body = body(voice.dialect, &output, &nasty(seed + 1, Nasty::default()));
        let Ok(request) = Request::read(body.as_bytes(), voice.dialect) else { continue };
        let new = nasty(seed + 2, Nasty { lone_surrogates: false, ..Nasty::default() });
        let splices: Vec<_> =
            request.results.iter().map(|result| result.replaced_by(&new)).collect();
        let Some(spliced) = splice(body.as_bytes(), &splices) else {
            faults.add(format!("{:?}: seed {seed} cannot be spliced", voice.dialect));
            continue;
        };
        replaced += splices.len();
        // What is left when every splice is taken out again must be the client's bytes.
        let (mut at, mut shift, mut is_same) = (0, 0_isize, true);
        for splice in &splices {
            let place = |offset: usize| offset.saturating_add_signed(shift);
            is_same &= body.as_bytes()[at..splice.range.start]
                == spliced[place(at)..place(splice.range.start)];
            at = splice.range.end;
            shift += splice.with.len() as isize - splice.range.len() as isize;
        }
        is_same &= body.as_bytes()[at..] == spliced[at.saturating_add_signed(shift)..];
        let is_read = Request::read(&spliced, voice.dialect).is_ok_and(|again| {
            again.results.iter().all(|result| result.text(&spliced).as_deref() == Some(&*new))
        });
        faults.check(is_same && is_read, || format!("{:?}: seed {seed}", voice.dialect));
    }
    (bodies, replaced)
}
