//! Does an agent start a tool server that `tokenforge mcp wrap` put behind Tokenforge?

use super::listener::ProbeScript;
use super::report::Verdict;
use super::trial::{Candidate, TrialRecord};
use anyhow::{Context, ensure};
use serde_json::json;
use std::fs;
use tokenforge_agents::Agent;

/// The part of a run for which the model thinks: time for the agent to start its servers.
const PAUSE: u32 = 6;

/// What a client asks of a server before it can call a tool.
const EXPECTED: [&str; 2] = ["initialize", "tools/list"];

/// How it went, and what was seen.
pub(super) async fn attempt(candidate: Candidate<'_>) -> anyhow::Result<(Verdict, TrialRecord)> {
    let trial = candidate.trial().await?;
    let server = candidate.probe.tool_server.as_ref();
    let server = server.context("how it is given a tool server is not known")?;
    let program = trial.home.program()?;
    let address = trial.listener.address.to_string();
    let arguments = ["probe-tools", &address];
    let text = server.text.replace("{program}", &json!(program).to_string());
    let text = text.replace("{arguments}", &json!(arguments).to_string());
    let command = json!([program, arguments[0], arguments[1]]);
    let text = text.replace("{command}", &command.to_string());
    trial.home.write(&server.file, &text)?;
    trial.home.tokenforge(&["mcp", "wrap", &candidate.agent.id, "--yes"]).await?;
    // From here on the only way to the server is through Tokenforge.
    let wrapped = fs::read_to_string(trial.home.path().join(&server.file))?;
    ensure!(wrapped != text, "`tokenforge mcp wrap` found no server in {}", server.file);
    let script = ProbeScript { pause: candidate.limit / PAUSE, ..ProbeScript::default() };
    // The model too, which is told the session.
    let is_enough = |record: &TrialRecord| {
        !record.requests.is_empty() && EXPECTED.iter().all(|method| is_asked(record, method))
    };
    let record = trial.run(script, is_enough).await?;
    Ok((verdict(candidate.agent, &record), record))
}

fn is_asked(record: &TrialRecord, method: &str) -> bool {
    record.tool_server.iter().any(|(asked, _)| asked == method)
}

fn verdict(agent: &Agent, record: &TrialRecord) -> Verdict {
    let missing: Vec<&str> =
        EXPECTED.into_iter().filter(|method| !is_asked(record, method)).collect();
    let seen = match missing.len() {
        0 => "initialize and tools/list arrived",
        2 if record.requests.is_empty() => {
            return Verdict::NotTried(format!("it asked its model nothing ({})", record.end()));
        }
        2 => return Verdict::Ignored("it did not start the tool server".to_owned()),
        _ => {
            let missing = missing.join(" and ");
            return Verdict::Ignored(format!("the tool server was not asked {missing}"));
        }
    };
    // By this name the form of results is chosen.
    let client = record.tool_server.iter().find_map(|(_, client)| client.as_deref());
    let expected = agent.mcp_client.as_ref().map(|client| client.name_prefix.as_str());
    match (client, expected) {
        (Some(client), Some(expected)) if !client.starts_with(expected) => {
            Verdict::Ignored(format!(
                "{seen}, but from `{client}`; its results get the form for `{expected}` only by that name"
            ))
        }
        (Some(client), _) => Verdict::Honoured(format!("{seen} from `{client}`")),
        (None, _) => Verdict::Honoured(seen.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::probe::listener::ModelRequest;

    fn of(asked: &[(&str, Option<&str>)], has_asked_model: bool) -> Verdict {
        let request = has_asked_model.then(ModelRequest::default);
        let asked =
            asked.iter().map(|(method, client)| ((*method).to_owned(), client.map(str::to_owned)));
        let record = TrialRecord {
            requests: request.into_iter().collect(),
            tool_server: asked.collect(),
            ..TrialRecord::default()
        };
        verdict(tokenforge_agents::find("claude").unwrap(), &record)
    }

    #[test]
    fn w4_a_server_is_used_once_it_is_asked_for_its_tools_by_whom_is_expected() {
        let [first, second] = EXPECTED;
        let both = |client| [(first, Some(client)), (second, None)];
        assert!(matches!(of(&both("claude-code"), true), Verdict::Honoured(_)));
        assert!(matches!(of(&both("claude-code"), false), Verdict::Honoured(_)));
        assert!(matches!(of(&both("other"), true), Verdict::Ignored(_)));
        assert!(matches!(of(&[(first, None)], true), Verdict::Ignored(_)));
        assert!(matches!(of(&[], true), Verdict::Ignored(_)));
        assert!(matches!(of(&[], false), Verdict::NotTried(_)));
    }
}
