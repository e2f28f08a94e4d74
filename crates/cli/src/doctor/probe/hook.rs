//! Does an agent run the hook of `tokenforge init`, and show its model what that prints?

use super::listener::{ProbeScript, short};
use super::report::Verdict;
use super::trial::{Candidate, TrialRecord};
use anyhow::Context;
use serde_json::{Map, Value};
use tokenforge_engine::reference::{Reference, ReferenceSecret};

/// What the model has the agent's shell run: a program of the home folder, which prints a test run.
const COMMAND: &str = "./cargo test";
const PROGRAM: &str = "cargo";
const TESTS: usize = 60;

/// How it went, and what was seen.
pub(super) async fn attempt(candidate: Candidate<'_>) -> anyhow::Result<(Verdict, TrialRecord)> {
    let trial = candidate.trial().await?;
    let shell = candidate.agent.shell.as_deref().context("its shell is not known")?;
    let arguments = &candidate.probe.shell_arguments;
    let arguments: Map<String, Value> = arguments
        .iter()
        .map(|(name, value)| (name.clone(), value.replace("{command}", COMMAND).into()))
        .collect();
    let output = test_run();
    let program = format!("#!/bin/sh\nprintf '%s\\n' '{output}'\n");
    trial.home.write_program(PROGRAM, &program)?;
    let key = trial.home.reference_key()?;
    trial.home.tokenforge(&["init", &candidate.agent.id, "--yes"]).await?;
    let call = Some((shell.to_owned(), arguments.into()));
    let script = ProbeScript { call, ..ProbeScript::default() };
    let is_answered = |record: &TrialRecord| result(record).is_some();
    let record = trial.run(script, is_answered).await?;
    Ok((verdict(&record, shell, &output, &key), record))
}

/// What most test runs look like, of which the hook leaves most out.
fn test_run() -> String {
    let passed: Vec<String> = (0..TESTS).map(passed).collect();
    format!(
        "running {TESTS} tests\n{}\n\ntest result: ok. {TESTS} passed; 0 failed",
        passed.join("\n")
    )
}

fn passed(number: usize) -> String {
    format!("test a_long_name_of_a_test::case_{number:02} ... ok")
}

/// What the model was shown of the output.
fn result(record: &TrialRecord) -> Option<&str> {
    record.requests.iter().find_map(|request| request.result.as_deref())
}

fn verdict(record: &TrialRecord, shell: &str, output: &str, key: &ReferenceSecret) -> Verdict {
    let Some(shown) = result(record) else {
        let why = match &record.requests[..] {
            [] => "it asked its model nothing".to_owned(),
            requests if requests.iter().any(|request| request.is_called) => {
                format!("it sent no result of {shell}, which its model called")
            }
            [request, ..] => format!("POST {}: {shell} was not offered there", request.path),
        };
        return Verdict::NotTried(format!("{why} ({})", record.end()));
    };
    // Made under a key that only the hook in this home folder has.
    if Reference::find_all(shown).any(|reference| reference.verify(key)) {
        let (before, after) = (output.len(), shown.len());
        return Verdict::Honoured(format!("{before} characters of output became {after}"));
    }
    let is_whole = (0..TESTS).all(|number| shown.contains(&passed(number)));
    if is_whole {
        Verdict::Ignored("its model was sent the output as it was".to_owned())
    } else {
        Verdict::NotTried(format!("{shell} did not run: {}", short(shown.trim())))
    }
}

#[cfg(test)]
mod tests {
    use super::super::listener::ModelRequest;
    use super::*;

    fn of(shown: Option<&str>, is_called: bool) -> Verdict {
        let request = ModelRequest {
            path: "/v1/messages".to_owned(),
            result: shown.map(str::to_owned),
            is_called,
            ..ModelRequest::default()
        };
        let record = TrialRecord { requests: vec![request], ..TrialRecord::default() };
        verdict(&record, "Bash", &test_run(), &ReferenceSecret::from_secret("of this home"))
    }

    #[test]
    fn w3_only_a_reference_of_this_home_says_that_the_hook_ran() {
        let marked = |secret: &str| {
            let reference = Reference::of(&ReferenceSecret::from_secret(secret), &test_run());
            reference.before("60 passed", None)
        };
        assert!(matches!(of(Some(&marked("of this home")), true), Verdict::Honoured(_)));
        assert!(matches!(of(Some(&marked("of another")), true), Verdict::NotTried(_)));
        assert!(matches!(of(Some(&test_run()), true), Verdict::Ignored(_)));
        for (shown, is_called, says) in [
            (Some("cargo: not found"), true, "Bash did not run: cargo: not found"),
            (None, true, "it sent no result of Bash"),
            (None, false, "POST /v1/messages: Bash was not offered there"),
        ] {
            let Verdict::NotTried(why) = of(shown, is_called) else { panic!("{says}") };
            assert!(why.starts_with(says), "{why}");
        }
    }
}
