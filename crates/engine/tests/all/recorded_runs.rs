//! What filters leave of recorded runs and of mixes of them, such as parallel jobs print.

use proptest::prelude::*;
use proptest::sample::select;
use std::sync::LazyLock;
use tokenforge_engine::filter::{FamilyFilter, FilterSet, Invocation};
use tokenforge_laws::filter as laws;
use tokenforge_samples::{RecordedRun, recorded_runs};

static RUNS: LazyLock<Vec<RecordedRun>> = LazyLock::new(recorded_runs);

fn structure() -> &'static FamilyFilter {
    FilterSet::builtin().fallback().unwrap()
}

/// Blocks of the lines of two runs in turn, from somewhere in each.
fn mixed_runs() -> impl Strategy<Value = String> {
    let run = || (select(&RUNS[..]), 0..400_usize);
    (run(), run(), prop::collection::vec((1..9_usize, 1..9_usize), 1..40)).prop_map(
        |((one, from), (other, to), blocks)| {
            let mut one = one.text.lines().skip(from);
            let mut other = other.text.lines().skip(to);
            let mut lines: Vec<&str> = Vec::new();
            for (most, fewest) in blocks {
                lines.extend(one.by_ref().take(most));
                lines.extend(other.by_ref().take(fewest));
            }
            lines.join("\n")
        },
    )
}

/// The filter for a run; `npx` only finds the program.
fn filter_of(run: &RecordedRun) -> Option<&'static FamilyFilter> {
    let words = run.command.split_whitespace().filter(|word| *word != "npx").map(str::to_owned);
    let words: Vec<String> = words.collect();
    let (program, args) = words.split_first()?;
    let subcommand = args.iter().find(|argument| !argument.starts_with('-')).map(String::as_str);
    FilterSet::builtin().find(Some(&Invocation { program, subcommand, args }), &run.text)
}

#[test]
fn f16_failures_of_recorded_runs_stay() {
    for run in RUNS.iter() {
        for filter in filter_of(run).into_iter().chain([structure()]) {
            laws::failures_stay(filter, &run.text);
            laws::filter(filter, &run.text);
        }
    }
}

#[test]
fn g6_of_a_failed_call_only_passes_are_left_out() {
    let passes = "test money::adds ... ok\n".repeat(40);
    let frames = "  File \"/usr/lib/python3/dist-packages/a.py\", line 3, in f\n".repeat(40);
    let steps = "Copying a file\n".repeat(40);
    let end = format!("{frames}E: no\ntest result: FAILED. 40 passed; 1 failed\n");
    let filtered = structure().apply_to_failed_call(&format!("{steps}{passes}{end}")).unwrap();
    assert_eq!(filtered.text, format!("{steps}[Forge left out 40 lines of what passed]\n{end}"));
    assert_eq!(structure().apply_to_failed_call(&format!("{steps}{frames}E: no\n")), None);
}

#[test]
fn f16_a_run_is_known_by_its_structure_whatever_printed_it() {
    let names =
        ["adds", "moves", "sorts", "reads", "writes", "merges", "splits", "rounds", "ships"];
    let passes: String = names.map(|name| format!("  OKAY-ish {name} ... ok\n")).concat();
    let run = format!(
        "a runner without a filter\n{passes}  sums ... FAILED: 3 is not 4\n9 of 10 passed\n"
    );
    let filtered = structure().apply(&run).unwrap();
    assert_eq!(
        filtered.text,
        "a runner without a filter\n[Forge left out 9 lines of what passed]\n  sums ... FAILED: 3 is not 4\n9 of 10 passed\n"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn f16_failures_in_mixed_runs_stay(text in mixed_runs()) {
        laws::failures_stay(structure(), &text);
        laws::filter(structure(), &text);
    }
}
