//! Probe: does an agent that is installed honour what Tokenforge relies on, as its data file says?
//!
//! For each of these it is started once, in an empty home folder and with a made-up key, and told the address of a
//! listener of ours. That listener is its proxy, too: what it would ask elsewhere comes here instead, and goes no further.
//! No file, login or session of the user is seen by it.

mod address;
mod home;
mod hook;
mod listener;
mod mcp_wrap;
mod process;
mod report;
mod session;
mod tool_server;
mod trial;

pub(super) use report::ProbeReport;
pub(crate) use tool_server::{ProbeToolsArgs, serve_tools};

use super::clients;
use super::finding::Finding;
use crate::wrap::wrappable_names;
use report::{Reliance, Verdict};
use std::path::Path;
use std::time::Duration;
use tokenforge_agents::{Agent, find};
use trial::{Candidate, TrialRecord};

const CHECK: &str = "probe";

/// Tries every agent that is installed; a run of one may take so long.
pub(super) async fn check(limit: Duration) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut missing = Vec::new();
    for name in wrappable_names() {
        let Some(agent) = find(name) else { continue };
        let Some(program) = clients::on_path(name) else {
            missing.push(name);
            continue;
        };
        let version = clients::version(&program);
        let verdicts = verdicts(agent, &program, limit).await.into_iter();
        let finding = |(relied_on, verdict): (_, Verdict)| {
            verdict.finding(agent, version.as_deref(), relied_on)
        };
        findings.extend(verdicts.map(finding));
    }
    if !missing.is_empty() {
        findings.push(Finding::ok(CHECK, format!("not installed: {}", missing.join(", "))));
    }
    findings
}

/// What is relied on of an agent, and how it went.
async fn verdicts(
    agent: &'static Agent,
    program: &Path,
    limit: Duration,
) -> Vec<(Reliance, Verdict)> {
    let Some(probe) = &agent.probe else {
        let why = "it cannot be tried without its user's settings";
        return vec![(Reliance::Address, Verdict::NotTried(why.to_owned()))];
    };
    let candidate = Candidate { agent, probe, program, arguments: &probe.arguments, limit };
    let mut runs = Vec::new();
    let mut note = |attempt: anyhow::Result<(Verdict, TrialRecord)>| match attempt {
        Ok((verdict, run)) => {
            runs.push(run);
            verdict
        }
        Err(error) => Verdict::of_error(&error),
    };
    let address = note(address::attempt(candidate).await);
    let is_asked = matches!(address, Verdict::Honoured(_));
    let without = || Verdict::NotTried("it does not ask the address that it is given".to_owned());
    let hook = match &agent.hook {
        Some(_) if is_asked => Some(note(hook::attempt(candidate).await)),
        Some(_) => Some(without()),
        None => None,
    };
    let mcp_wrap = match &agent.mcp_servers {
        Some(_) if is_asked => Some(note(mcp_wrap::attempt(candidate).await)),
        Some(_) => Some(without()),
        None => None,
    };
    let session = match (&agent.session_headers[..], &probe.session_arguments[..]) {
        ([], _) => None,
        _ if !is_asked => Some(without()),
        (headers, []) => Some(session::verdict(headers, &runs)),
        (_, arguments) => {
            let attempt = session::attempt(Candidate { arguments, ..candidate }).await;
            Some(attempt.unwrap_or_else(|error| Verdict::of_error(&error)))
        }
    };
    let all = [
        (Reliance::Address, Some(address)),
        (Reliance::Session, session),
        (Reliance::Hook, hook),
        (Reliance::McpWrap, mcp_wrap),
    ];
    all.into_iter().filter_map(|(relied_on, verdict)| Some((relied_on, verdict?))).collect()
}
