//! What the engine costs, in plain token counts of the same text, and on text that was made to be slow.

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Engine, History, Mode, Output, Settings, Vault};
use tokenforge_replay::corpus::RecordedOutput;
use tokenforge_replay::{Corpus, outputs};
use tokenforge_tokens::Counter;

const ROUNDS: usize = 3;
const MODES: [Mode; 4] = [Mode::Safe, Mode::Lossless, Mode::Standard, Mode::Aggressive];
const MEGABYTE: usize = 1 << 20;

/// How many of the texts that were made to be slow are shown.
const SLOWEST: usize = 5;

/// How many counts each mode costs, over all outputs and on the kind where it costs most.
pub(crate) fn cost(folder: &Path) -> anyhow::Result<String> {
    let corpus = Corpus::open(folder)?;
    let mut sums = [0.0; 5];
    let mut bytes = 0;
    let mut dearest = [const { (0.0, String::new()) }; 4];
    for kind in corpus.kinds()? {
        let recordings = corpus.outputs(&kind)?;
        let times = times(&recordings);
        bytes += recordings.iter().map(|recording| recording.content.len()).sum::<usize>();
        sums.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
        for (dearest, cost) in dearest.iter_mut().zip(in_counts(times)) {
            if cost > dearest.0 {
                *dearest = (cost, kind.clone());
            }
        }
    }
    let all = in_counts(sums).map(|cost| format!("{cost:.2}"));
    let dearest = dearest.map(|(cost, kind)| format!("{cost:.2} ({kind})"));
    Ok(format!(
        "A count runs at {:.0} MB/s here.\n\n\
         | in counts | safe | lossless | standard | aggressive |\n|---|---|---|---|---|\n\
         | all outputs | {} |\n| the kind where it costs most | {} |\n",
        bytes as f64 / 1e6 / sums[0],
        all.join(" | "),
        dearest.join(" | "),
    ))
}

fn in_counts([count, modes @ ..]: [f64; 5]) -> [f64; 4] {
    modes.map(|time| time / count)
}

/// The best times to count all outputs, and to take them through each mode, measured in turns.
fn times(recordings: &[RecordedOutput]) -> [f64; 5] {
    let counter = Counter::default();
    let mut best = [f64::INFINITY; 5];
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for recording in recordings {
            black_box(counter.count(&recording.content));
        }
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        for (mode, best) in MODES.iter().zip(&mut best[1..]) {
            let start = Instant::now();
            for recording in recordings {
                black_box(compress(
                    &recording.content,
                    &outputs::arguments(recording),
                    recording.tool.as_deref(),
                    *mode,
                ));
            }
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best
}

fn compress(text: &str, arguments: &str, tool: Option<&str>, mode: Mode) -> usize {
    let settings = Settings { mode, ..Settings::default() };
    let key = ReferenceSecret::from_bytes([7; 32]);
    let engine = Engine::new(&settings).with_vault(Vault::for_reader(&key));
    let tool = tool.unwrap_or("Bash");
    let output = Output { text, tool, arguments, call: None, is_error: false };
    engine.compress(&output, &History::default()).text(text).len()
}

/// How fast a megabyte of text that was made to be slow goes through, against a megabyte of each kind of output.
pub(crate) fn hard(folder: &Path) -> anyhow::Result<String> {
    let corpus = Corpus::open(folder)?;
    let mut texts: Vec<String> = Vec::new();
    for kind in corpus.kinds()? {
        let all: String =
            corpus.outputs(&kind)?.into_iter().map(|recording| recording.content).collect();
        let all = all.repeat(MEGABYTE / all.len().max(1) + 1);
        texts.push(all[..all.floor_char_boundary(MEGABYTE)].to_owned());
    }
    let ordinary: Vec<[f64; 3]> = texts.iter().map(|text| speed(text)).collect();
    let median = |column: usize| {
        let mut speeds: Vec<f64> = ordinary.iter().map(|speed| speed[column]).collect();
        speeds.sort_by(f64::total_cmp);
        speeds[speeds.len() / 2]
    };
    let medians = [median(0), median(1), median(2)];
    let slowest_kind = ordinary.iter().fold(medians, |slowest, speed| least(slowest, *speed));
    let mut table = String::from(
        "| 1 MB of | lossless, MB/s | standard, MB/s | aggressive, MB/s |\n|---|---|---|---|\n",
    );
    push_speeds(&mut table, "the median kind of output", medians);
    push_speeds(&mut table, "the slowest kind of output", slowest_kind);
    let mut made_up: Vec<_> =
        adversaries().into_iter().map(|(name, text)| (name, speed(&text))).collect();
    made_up.sort_by(|(_, one), (_, other)| one[1].total_cmp(&other[1]));
    for (name, speed) in made_up.iter().take(SLOWEST) {
        push_speeds(&mut table, name, *speed);
    }
    let slowest = made_up.iter().fold(slowest_kind, |slowest, (_, speed)| least(slowest, *speed));
    let [lossless, standard, aggressive] =
        [0, 1, 2].map(|column| slowest[column] / medians[column]);
    let _ = writeln!(
        table,
        "\nOf {} made-up texts, the {SLOWEST} that are slowest in standard. The slowest of all runs at {lossless:.2}, {standard:.2} and \
         {aggressive:.2} of the median kind (promised: at least 0.20).",
        made_up.len(),
    );
    Ok(table)
}

fn push_speeds(table: &mut String, name: &str, [lossless, standard, aggressive]: [f64; 3]) {
    let _ = writeln!(table, "| {name} | {lossless:.1} | {standard:.1} | {aggressive:.1} |");
}

fn least(one: [f64; 3], other: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|column| one[column].min(other[column]))
}

fn speed(text: &str) -> [f64; 3] {
    [Mode::Lossless, Mode::Standard, Mode::Aggressive].map(|mode| {
        let time = (0..2).map(|_| {
            let start = Instant::now();
            black_box(compress(text, "{}", None, mode));
            start.elapsed().as_secs_f64()
        });
        text.len() as f64 / 1e6 / time.fold(f64::INFINITY, f64::min)
    })
}

fn adversaries() -> Vec<(&'static str, String)> {
    let many = |text: &str| text.repeat(MEGABYTE / text.len());
    vec![
        ("one character repeated", many("x")),
        ("blanks without a newline", many(" ")),
        ("newlines", many("\n")),
        ("nested brackets", many("[")),
        ("brackets on lines", many("[\n")),
        ("nested objects", many("{\"a\":")),
        ("escapes", many("\u{1b}[")),
        ("carriage returns", many("a\r")),
        ("one path", many("a/b/c:1:x\n")),
        ("numbered lines", (1..).map(|n| format!("{n}\tx\n")).take(120_000).collect()),
        ("words of a secret", many("password=token=secret=")),
        ("quotes and backslashes", many("\"\\")),
        ("pairs of lines", many("a\nb\na\nc\n")),
    ]
}
