//! Strategies: what may shorten results that are still large after the stages, with a rate limit and a circuit breaker.
//!
//! The words of a service or a model are no function of the result, so they are remembered in the store, and so is a
//! failure: what was forwarded once is forwarded for ever. Nothing here decides about results that must stay exact.

mod ask;
mod circuit_breaker;
mod credentials;
mod external;
mod rate_limit;
mod service;

use rate_limit::StrategyLimits;

use crate::answer::Problem;
use crate::telemetry::Telemetry;
use crate::workers::{QUEUE_PATIENCE, WorkPatience, WorkerPool};
use ask::StrategyClient;
pub(crate) use credentials::ClientCredentials;
use http::StatusCode;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::{Choice, Fallback, Strategy, ToolOutput};
use tokenforge_conversation::rewrite::RewriteInput;
use tokenforge_conversation::strategy::{
    StrategyAnswers, StrategyCandidate, StrategyDecision, StrategyRefusal, find_candidates,
};
use tokenforge_engine::CompressedOutput;
use tokenforge_proxy::blocking::run_blocking;
use tokenforge_proxy::upstream::UpstreamClient;

/// How many words the strategy `simple` keeps.
const WORDS: usize = 200;

/// How long looking for results to shorten may take: a store may never answer.
const WORK_PATIENCE: Duration = Duration::from_secs(10);

/// What strategies share across requests.
pub(crate) struct StrategyShared {
    limits: StrategyLimits,
    client: Arc<UpstreamClient>,
    workers: WorkerPool,
    telemetry: Arc<Telemetry>,
}

impl StrategyShared {
    pub(crate) fn new(
        settings: &ToolOutput,
        client: &Arc<UpstreamClient>,
        workers: &WorkerPool,
        telemetry: &Arc<Telemetry>,
    ) -> Self {
        let limits = StrategyLimits::new(settings);
        StrategyShared {
            limits,
            client: client.clone(),
            workers: workers.clone(),
            telemetry: telemetry.clone(),
        }
    }
}

/// Lets the strategy shorten what is still large in a request.
///
/// # Errors
/// The strategy failed, and the settings say that the request then fails too.
pub(crate) async fn shorten(
    shared: &Arc<StrategyShared>,
    input: &RewriteInput,
    credentials: &Arc<ClientCredentials>,
) -> Result<StrategyAnswers, Problem> {
    let strategy = input.rules.settings.tool_output.strategy;
    if strategy == Strategy::Passthrough || input.holds.has_stage(strategy.name()) {
        return Ok(StrategyAnswers::default());
    }
    let reading = input.clone();
    // They are taken through the stages: that is work like any other.
    let patience = WorkPatience { queue: QUEUE_PATIENCE, work: WORK_PATIENCE };
    let finding =
        shared.workers.run(&input.sender.tenant, patience, move || find_candidates(&reading));
    let found = match finding.await {
        Ok(found) => found,
        // That the strategy was never asked is a failure of it like any other.
        Err(_) if input.rules.settings.tool_output.fallback_strategy == Fallback::Error => {
            return Err(Problem::busy());
        }
        Err(_) => {
            shared.telemetry.gave_up();
            Vec::new()
        }
    };
    let mut tasks = tokio::task::JoinSet::new();
    for candidate in found {
        tasks.spawn(shorten_one(shared.clone(), input.clone(), credentials.clone(), candidate));
    }
    let mut answers =
        StrategyAnswers { strategy: Some(strategy.name()), ..StrategyAnswers::default() };
    while let Some(done) = tasks.join_next().await {
        let Ok(done) = done else { continue };
        let CandidateOutcome { text, compressed, error } = done?;
        match compressed {
            Ok(compressed) => drop(answers.by_text.insert(text, compressed)),
            Err(refusal) => drop(answers.refusals.insert(text, refusal)),
        }
        if let Some(error) = error {
            answers.errors.insert(text, error);
        }
    }
    Ok(answers)
}

/// What the strategy had to do with one result.
struct CandidateOutcome {
    /// The result.
    text: blake3::Hash,
    /// What is forwarded for it with the strategy's text, or why that is not taken.
    compressed: Result<CompressedOutput, StrategyRefusal>,
    /// Why the strategy had no answer.
    error: Option<Box<str>>,
}

/// Asks the strategy about one result.
async fn shorten_one(
    shared: Arc<StrategyShared>,
    input: RewriteInput,
    credentials: Arc<ClientCredentials>,
    candidate: StrategyCandidate,
) -> Result<CandidateOutcome, Problem> {
    let telemetry = &shared.telemetry;
    let original = candidate.original;
    let done = |compressed, error| CandidateOutcome { text: original, compressed, error };
    if let Some(remembered) = &candidate.remembered {
        telemetry.count_strategy_reuse();
        return Ok(done(candidate.apply(&input, remembered), None));
    }
    let settings = &input.rules.settings.tool_output;
    let answer = match settings.strategy {
        // `shorten` has returned before for `passthrough`.
        Strategy::Passthrough | Strategy::Simple => Ok(first_words(&candidate.text)),
        Strategy::Api | Strategy::ExternalProvider => {
            StrategyClient { shared: &shared, input: &input, credentials: &credentials }
                .ask(&candidate)
                .await
        }
    };
    telemetry.count_strategy_call(answer.is_ok());
    let error = answer.as_ref().err().map(|error| error.to_string().into_boxed_str());
    if let Some(error) = &error {
        let (strategy, fallback) = (settings.strategy.name(), settings.fallback_strategy.name());
        tracing::warn!(strategy, fallback, %error, "a strategy failed");
    }
    let judge = |text| candidate.judge(text, settings.target_ratio);
    let decision = match (answer, settings.fallback_strategy) {
        (Ok(text), _) => judge(text),
        (Err(_), Fallback::Passthrough) => StrategyDecision::Refuse(StrategyRefusal::Failed),
        (Err(_), Fallback::Simple) => match judge(first_words(&candidate.text)) {
            StrategyDecision::Refuse(_) => StrategyDecision::Refuse(StrategyRefusal::Failed),
            taken @ StrategyDecision::Take(_) => taken,
        },
        (Err(error), Fallback::Error) => {
            let message = format!("the strategy {} failed: {error}", settings.strategy.name());
            return Err(Problem::new(StatusCode::BAD_GATEWAY, message));
        }
    };
    let taken = candidate.apply(&input, &decision);
    let remembering = input.clone();
    let is_stored = run_blocking(move || candidate.remember(&remembering, &decision)).await;
    let compressed = match is_stored {
        Some(true) => taken,
        _ => taken.and(Err(StrategyRefusal::NotStored)),
    };
    Ok(done(compressed, error))
}

/// The first words of a text, and a word about the rest.
fn first_words(text: &str) -> String {
    let mut words = text.split_whitespace();
    let Some(last) = words.by_ref().take(WORDS).last() else { return text.to_owned() };
    let rest = words.count();
    if rest == 0 {
        return text.to_owned();
    }
    let end = last.as_ptr() as usize + last.len() - text.as_ptr() as usize;
    format!("{}\n[Forge left out {rest} more words]", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c8_simple_keeps_the_first_200_words_as_they_stand() {
        let text: String = (0..300).map(|n| format!("w{n}  \n")).collect();
        let short = first_words(&text);
        assert!(short.starts_with("w0  \nw1  \n"));
        assert!(short.ends_with("w199\n[Forge left out 100 more words]"), "{short}");
        assert_eq!(first_words(" few words "), " few words ");
        assert_eq!(first_words(""), "");
    }
}
