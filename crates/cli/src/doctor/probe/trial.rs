//! One run of an agent: it is asked one question, and what it does is noted.

use super::home::ProbeHome;
use super::listener::{ModelRequest, ProbeEvent, ProbeListener, ProbeScript};
use super::process::ProbedProcess;
use crate::wrap;
use anyhow::Context;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use tokenforge_agents::{Agent, AgentProbe};
use tokio::time::{Instant, sleep_until};

/// So many events are kept of an agent that asks and asks.
const KEPT: usize = 256;

/// An agent that is installed, and how it is tried.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'c> {
    pub(super) agent: &'static Agent,
    pub(super) probe: &'static AgentProbe,
    pub(super) program: &'c Path,
    pub(super) arguments: &'static [String],
    /// How long a run of it may take.
    pub(super) limit: Duration,
}

/// A run that is being prepared.
pub(super) struct Trial<'c> {
    pub(super) candidate: Candidate<'c>,
    pub(super) home: ProbeHome,
    pub(super) listener: ProbeListener,
}

/// What an agent did in a run.
#[derive(Default)]
pub(super) struct TrialRecord {
    pub(super) requests: Vec<ModelRequest>,
    pub(super) hosts: BTreeSet<String>,
    pub(super) tool_server: Vec<(String, Option<String>)>,
    pub(super) end: TrialEnd,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum TrialEnd {
    /// What was to be seen was seen.
    #[default]
    Seen,
    /// The agent ended.
    Ended,
    /// It took too long.
    Late(Duration),
}

impl<'c> Candidate<'c> {
    pub(super) async fn trial(self) -> anyhow::Result<Trial<'c>> {
        let listener = ProbeListener::bind().await.context("cannot listen")?;
        let home = ProbeHome::new(self.probe, &listener.url())?;
        Ok(Trial { candidate: self, home, listener })
    }
}

impl Trial<'_> {
    /// Runs the agent until enough was seen of it, and ends it.
    pub(super) async fn run(
        self,
        script: ProbeScript,
        is_enough: impl Fn(&TrialRecord) -> bool,
    ) -> anyhow::Result<TrialRecord> {
        let Trial { candidate, home, listener } = self;
        let Candidate { agent, program, limit, .. } = candidate;
        let url = listener.url();
        let path = program.to_str().context("the path of its program is not UTF-8")?;
        let launch = wrap::probe_launch(agent, path, home.variables(), &url)?;
        let mut answering = listener.answer(script, &agent.session_headers);
        let mut process = ProbedProcess::start(candidate, &launch, &home)?;
        let until = Instant::now() + limit;
        let mut record = TrialRecord::default();
        record.end = loop {
            tokio::select! {
                biased;
                event = answering.events.recv() => match event {
                    Some(event) => record.add(event),
                    None => break TrialEnd::Ended,
                },
                () = process.ended() => break TrialEnd::Ended,
                () = sleep_until(until) => break TrialEnd::Late(limit),
            }
            if is_enough(&record) {
                break TrialEnd::Seen;
            }
        };
        // Before its home folder goes, and what it was told by a file.
        drop(process);
        Ok(record)
    }
}

impl TrialRecord {
    fn add(&mut self, event: ProbeEvent) {
        match event {
            ProbeEvent::Model(request) if self.requests.len() < KEPT => self.requests.push(request),
            ProbeEvent::Elsewhere(host) if self.hosts.len() < KEPT => drop(self.hosts.insert(host)),
            ProbeEvent::ToolServer { method, client } if self.tool_server.len() < KEPT => {
                self.tool_server.push((method, client));
            }
            _ => {}
        }
    }

    /// Why nothing more was seen.
    pub(super) fn end(&self) -> String {
        match self.end {
            TrialEnd::Seen | TrialEnd::Ended => "it ended".to_owned(),
            TrialEnd::Late(limit) => format!("it took longer than {} seconds", limit.as_secs()),
        }
    }
}
