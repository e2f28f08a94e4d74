//! Who takes part, and how each did.

use super::conversation::{Conversation, News};
use super::load::{self, Round, Target, Until};
use super::process::{self, Process};
use super::rounds::Rounds;
use super::{Plan, median};
use std::sync::Arc;
use std::time::Duration;

/// Somebody who answers requests.
pub(crate) struct Contender {
    pub(crate) name: String,
    pub(crate) target: Target,
    /// The process whose time is measured.
    pub(crate) pid: Option<u32>,
    pub(crate) news: News,
}

impl Contender {
    /// A server that we started.
    pub(crate) fn new(name: &str, process: &Process, news: News) -> Self {
        let target = process.address.into();
        Self { name: name.to_owned(), target, pid: Some(process.pid()), news }
    }

    /// Nobody in between.
    pub(crate) fn direct(upstream: &Process) -> Self {
        let target = upstream.address.into();
        Self { name: "direct".to_owned(), target, pid: None, news: News::Nothing }
    }

    /// Takes requests for a while.
    pub(crate) async fn turn(
        &self,
        conversation: &Arc<Conversation>,
        connections: usize,
        until: Until,
    ) -> anyhow::Result<Turn> {
        let cpu = || self.pid.map_or(Ok(Duration::ZERO), process::cpu);
        let before = cpu()?;
        let round = load::round(&self.target, conversation, self.news, connections, until).await?;
        Ok(Turn { round, cpu: cpu()? - before })
    }
}

/// What came of one turn.
pub(crate) struct Turn {
    round: Round,
    cpu: Duration,
}

/// How a contender did, over all rounds.
#[derive(Default)]
pub(crate) struct Figures {
    rounds: Vec<Round>,
    cpu: Duration,
}

impl Figures {
    pub(crate) fn add(&mut self, turn: Turn) {
        self.cpu += turn.cpu;
        self.rounds.push(turn.round);
    }

    /// Requests per second.
    pub(crate) fn rate(&self) -> f64 {
        median(self.rounds.iter().map(Round::rate).collect()).unwrap_or(f64::NAN)
    }

    /// The latency that this part of the requests stayed within, in ms.
    pub(crate) fn latency(&self, part: f64) -> f64 {
        let latencies = self.rounds.iter().map(|round| round.latency(part)).collect();
        median(latencies).map_or(f64::NAN, |latency| latency.as_secs_f64() * 1e3)
    }

    /// Processor time for a request, in microseconds. Of all rounds together, for the clock ticks slowly.
    pub(crate) fn cpu(&self) -> f64 {
        let requests: usize = self.rounds.iter().map(Round::requests).sum();
        self.cpu.as_secs_f64() * 1e6 / requests as f64
    }

    /// How much of what was sent arrived upstream.
    pub(crate) fn arrived(&self) -> f64 {
        median(self.rounds.iter().map(|round| round.arrived).collect()).unwrap_or(f64::NAN)
    }

    /// Requests per second against another's in the same round.
    pub(crate) fn rate_against(&self, other: &Figures) -> f64 {
        let pairs = self.rounds.iter().zip(&other.rounds);
        median(pairs.map(|(own, other)| own.rate() / other.rate()).collect()).unwrap_or(f64::NAN)
    }
}

/// Lets all take turns; the first round warms up and is not kept.
pub(crate) async fn take_turns(
    contenders: &[Contender],
    conversation: &Arc<Conversation>,
    connections: usize,
    plan: Plan,
) -> anyhow::Result<Vec<Figures>> {
    let round = async || {
        let mut turns = Vec::new();
        for contender in contenders {
            let until = Until::Elapsed(plan.turn);
            turns.push(contender.turn(conversation, connections, until).await?);
        }
        anyhow::Ok(turns)
    };
    round().await?;
    let mut figures: Vec<Figures> = contenders.iter().map(|_| Figures::default()).collect();
    let mut rounds = Rounds::new(plan.rounds);
    while rounds.begin()? {
        let turns = round().await?;
        if rounds.counts()? {
            figures.iter_mut().zip(turns).for_each(|(figures, turn)| figures.add(turn));
        }
    }
    Ok(figures)
}
