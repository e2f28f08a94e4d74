//! Who takes part, and how each did.

use super::conversation::{News, SyntheticConversation};
use super::load::{self, LoadRound, LoadTarget, Until};
use super::process::{self, ServerProcess};
use super::rounds::Rounds;
use super::{MeasurePlan, median};
use std::sync::Arc;
use std::time::Duration;

/// A server that answers requests: a gateway, or the upstream itself.
pub(crate) struct Contender {
    pub(crate) name: String,
    pub(crate) target: LoadTarget,
    /// The process whose time is measured.
    pub(crate) pid: Option<u32>,
    pub(crate) news: News,
}

impl Contender {
    /// A server that we started.
    pub(crate) fn new(name: &str, process: &ServerProcess, news: News) -> Self {
        let target = process.address.into();
        Self { name: name.to_owned(), target, pid: Some(process.pid()), news }
    }

    /// The upstream itself, without a gateway in between.
    pub(crate) fn direct(upstream: &ServerProcess) -> Self {
        let target = upstream.address.into();
        Self { name: "direct".to_owned(), target, pid: None, news: News::Nothing }
    }

    /// Takes requests for a while.
    pub(crate) async fn turn(
        &self,
        conversation: &Arc<SyntheticConversation>,
        connections: usize,
        until: Until,
    ) -> anyhow::Result<ContenderTurn> {
        let cpu = || self.pid.map_or(Ok(Duration::ZERO), process::cpu);
        let before = cpu()?;
        let round = load::round(&self.target, conversation, self.news, connections, until).await?;
        Ok(ContenderTurn { round, cpu: cpu()? - before })
    }
}

/// What came of one turn.
pub(crate) struct ContenderTurn {
    round: LoadRound,
    cpu: Duration,
}

/// How a contender did, over all rounds.
#[derive(Default)]
pub(crate) struct ContenderFigures {
    rounds: Vec<LoadRound>,
    cpu: Duration,
}

impl ContenderFigures {
    pub(crate) fn add(&mut self, turn: ContenderTurn) {
        self.cpu += turn.cpu;
        self.rounds.push(turn.round);
    }

    /// Requests per second.
    pub(crate) fn rate(&self) -> f64 {
        median(self.rounds.iter().map(LoadRound::rate).collect()).unwrap_or(f64::NAN)
    }

    /// The latency that this part of the requests stayed within, in ms.
    pub(crate) fn latency(&self, part: f64) -> f64 {
        let latencies = self.rounds.iter().map(|round| round.latency(part)).collect();
        median(latencies).map_or(f64::NAN, |latency| latency.as_secs_f64() * 1e3)
    }

    /// Processor time for a request, in microseconds. Of all rounds together, for the clock ticks slowly.
    pub(crate) fn cpu(&self) -> f64 {
        let requests: usize = self.rounds.iter().map(LoadRound::requests).sum();
        self.cpu.as_secs_f64() * 1e6 / requests as f64
    }

    /// How much of what was sent arrived upstream.
    pub(crate) fn share_arrived(&self) -> f64 {
        median(self.rounds.iter().map(|round| round.arrived).collect()).unwrap_or(f64::NAN)
    }

    /// Requests per second against another's in the same round.
    pub(crate) fn rate_against(&self, other: &ContenderFigures) -> f64 {
        let pairs = self.rounds.iter().zip(&other.rounds);
        median(pairs.map(|(own, other)| own.rate() / other.rate()).collect()).unwrap_or(f64::NAN)
    }
}

/// Lets all take turns. Every line-up has the same contenders, in processes of its own, and has its share of the rounds;
/// its first round warms up and is not kept. Each round begins with another contender.
///
/// Where the system puts a process, and who ran before it, is worth more than what is measured: of two processes of the
/// same passthrough, with one connection, one was a fifth faster than the other for as long as they ran.
pub(crate) async fn take_turns(
    lineups: &[Vec<Contender>],
    conversation: &Arc<SyntheticConversation>,
    connections: usize,
    plan: MeasurePlan,
) -> anyhow::Result<Vec<ContenderFigures>> {
    let round = async |contenders: &[Contender], first: usize| {
        let mut turns = Vec::new();
        for at in 0..contenders.len() {
            let contender = (first + at) % contenders.len();
            let until = Until::Elapsed(plan.turn);
            let turn = contenders[contender].turn(conversation, connections, until).await?;
            turns.push((contender, turn));
        }
        anyhow::Ok(turns)
    };
    for contenders in lineups.iter().take(plan.rounds) {
        round(contenders, 0).await?;
    }
    let mut figures = Vec::new();
    let mut rounds = Rounds::new(plan.rounds);
    for (number, contenders) in lineups.iter().cycle().enumerate() {
        if !rounds.begin()? {
            break;
        }
        let turns = round(contenders, number).await?;
        if rounds.counts()? {
            figures.resize_with(contenders.len(), ContenderFigures::default);
            turns.into_iter().for_each(|(contender, turn)| figures[contender].add(turn));
        }
    }
    Ok(figures)
}
