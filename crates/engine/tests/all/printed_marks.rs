//! Outputs that print marks of success and are no test runs: every value behind a mark stays.
//!
//! Each case has the shape of the print statements of a public script (deploy, check, smoke, seed and migration scripts), with
//! made-up values between `⟦` and `⟧`. `first.txt` was written before the rule, `second.txt` after it and looked at once;
//! `worst.txt` holds, for every rule that leaves something out, a text that its structure might match.

use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Engine, Fidelity, History, Mode, Output, Settings, Vault};

/// An output, the command that printed it, and the values in it that have to survive.
struct PrintedCase {
    language: &'static str,
    command: String,
    text: String,
    values: Vec<String>,
}

/// Reads cases: `@@@ LANGUAGE | COMMAND` (a here-document ends with a line of its mark), then the output.
fn cases(file: &'static str) -> Vec<PrintedCase> {
    file.split("\n@@@ ").map(|case| read_case(case.trim_start_matches("@@@ "))).collect()
}

fn read_case(case: &'static str) -> PrintedCase {
    let (head, mut body) = case.split_once('\n').unwrap();
    let (language, command) = head.split_once(" | ").unwrap();
    let mut command = command.to_owned();
    if let Some((_, mark)) = head.split_once("<<") {
        let end = format!("\n{}\n", mark.trim_matches('\''));
        let (script, output) = body.split_once(end.as_str()).unwrap();
        command = format!("{command}\n{script}{end}");
        body = output;
    }
    let body = repeated(body.trim_end());
    let values = body.split('⟦').skip(1).map(|rest| rest.split_once('⟧').unwrap().0.to_owned());
    PrintedCase {
        language, command, values: values.collect(), text: body.replace(['⟦', '⟧'], "")
    }
}

/// The output of many such steps, because a reference costs more than a few lines: nothing is left out of a short output.
fn repeated(body: &str) -> String {
    (0..12).map(|step| format!("{}\n", body.replace('⟧', &format!("{}⟧", numeral(step))))).collect()
}

/// Nothing in the first step; then the values get another last character.
fn numeral(step: usize) -> String {
    if step == 0 { String::new() } else { step.to_string() }
}

/// The values that a mode leaves out. Aggressive also replaces times, ids and addresses by placeholders, and says so in its
/// first line: that is another stage, so a value has to survive every other one that leaves something out.
fn lost_values(case: &PrintedCase, mode: Mode) -> Vec<&str> {
    let key = ReferenceSecret::from_bytes([7; 32]);
    let settings = Settings { mode, ..Settings::default() };
    let engine = Engine::new(&settings).with_vault(Vault::for_reader(&key)).with_trace();
    let arguments = serde_json::json!({ "command": case.command }).to_string();
    let output = Output::new("Bash", &case.text).with_arguments(&arguments);
    let compressed = engine.compress(&output, &History::default());
    let mut lost = Vec::new();
    for step in compressed.steps.iter().filter(|step| step.is_applied()) {
        let leaves_out = matches!(step.fidelity, Fidelity::Reversible | Fidelity::Safety);
        let Some(texts) = step.texts.as_ref().filter(|_| leaves_out && step.stage != "normalize")
        else {
            continue;
        };
        let is_lost =
            |value: &&str| texts.0.matches(*value).count() > texts.1.matches(*value).count();
        lost.extend(case.values.iter().map(String::as_str).filter(is_lost));
    }
    lost
}

/// Asserts that nothing is lost, naming every case in which something is.
fn all_values_survive(file: &'static str) -> Vec<PrintedCase> {
    let cases = cases(file);
    let mut failures = Vec::new();
    for case in &cases {
        assert!(!case.values.is_empty(), "{} has no value", case.command);
        for mode in [Mode::Standard, Mode::Aggressive] {
            let lost = lost_values(case, mode);
            if !lost.is_empty() {
                failures.push(format!(
                    "{mode} {}: `{}` lost {}: {:?} ...",
                    case.language,
                    case.command,
                    lost.len(),
                    &lost[..lost.len().min(4)]
                ));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {} cases (two modes each) lost values\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
    cases
}

#[test]
fn f18_values_behind_marks_survive_in_known_scripts() {
    let cases = all_values_survive(include_str!("printed_marks/first.txt"));
    assert_eq!(cases.len(), 60);
}

#[test]
fn f18_values_survive_in_the_worst_texts() {
    all_values_survive(include_str!("printed_marks/worst.txt"));
}

#[test]
fn f18_values_behind_marks_survive_in_scripts_written_afterwards() {
    let cases = all_values_survive(include_str!("printed_marks/second.txt"));
    assert_eq!(cases.len(), 60);
}
