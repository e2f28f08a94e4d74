//! `tokenforge-lab eval`: does an agent do the same with compressed tool results, and for how many tokens fewer?

mod agent;
mod api;
mod compare;
mod gateway;
mod model;
mod next_action;
mod report;
mod scenario;

use crate::usage_error;
use agent::Agent;
use anyhow::{Context, bail};
use api::Api;
use clap::{Args, ValueHint};
use compare::Compared;
use gateway::EvalGateway;
use report::Report;
use scenario::Scenario;
use serde::Serialize;
use std::env;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use tokenforge_engine::DictionaryMethod;
use tokenforge_engine::Mode;
use tokenforge_mock::Mock;

const EXAMPLES: &str = "\
Examples:
  tokenforge-lab eval                       built-in scenarios and a mock model
  tokenforge-lab eval --base-url https://api.openai.com/v1 --model gpt-5-mini
  tokenforge-lab eval scenarios/ --min-input-token-savings 5%
  tokenforge-lab eval --next-action logs/ --base-url http://localhost:8000 --model x";

/// Compare an agent's behaviour with and without compression
///
/// Runs each scenario twice. Fails if a fact or a tool call is lost, or if less is saved than demanded.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Eval {
    /// A scenario, or a folder of them: TOML or YAML [default: the built-in ones]
    #[arg(value_hint = ValueHint::AnyPath)]
    suite: Option<PathBuf>,

    /// Ask about the recorded sessions in this folder instead: how likely is what the agent did next, and would the model do
    /// it, with the original and with the compressed context? The endpoint must give the log-probabilities of a prompt
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::AnyPath, conflicts_with_all = ["suite", "events", "min_input_token_savings", "allow_other_calls"])]
    next_action: Option<PathBuf>,

    /// With --next-action: ask about so many decisions, spread over all sessions
    #[arg(long, value_name = "N", default_value_t = 100, requires = "next_action", value_parser = clap::value_parser!(u32).range(1..))]
    decisions: u32,

    /// With --next-action: leave out decisions whose original context has more tokens
    #[arg(long, value_name = "N", default_value_t = 24_000, requires = "next_action", value_parser = clap::value_parser!(u32).range(1..))]
    context_tokens: u32,

    /// An OpenAI- or Anthropic-compatible endpoint [default: a mock, which only shows that everything is connected]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    base_url: Option<String>,

    /// The model to ask there
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// The endpoint's API; the key is OPENAI_API_KEY or ANTHROPIC_API_KEY [default: by the address]
    #[arg(long, value_enum)]
    api: Option<Api>,

    /// The mode to compare with doing nothing
    #[arg(long, value_name = "MODE", default_value_t = Mode::Standard, value_parser = clap::value_parser!(Mode))]
    mode: Mode,

    /// The dictionary for mode aggressive
    #[arg(long, value_name = "METHOD", default_value_t = DictionaryMethod::Lzw, value_parser = clap::value_parser!(DictionaryMethod))]
    method: DictionaryMethod,

    /// Append what became of every tool result to this file, as JSON lines
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    events: Option<PathBuf>,

    /// Fail if fewer input tokens are saved: a number, or a part of all such as 5%
    #[arg(long, value_name = "N", value_parser = report::Demand::parse)]
    min_input_token_savings: Option<report::Demand>,

    /// Calls that no scenario expects may differ: they are shown, and do not fail it
    #[arg(long)]
    allow_other_calls: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Eval) -> anyhow::Result<()> {
    if let Some(folder) = &arguments.next_action {
        next_action::check(arguments);
        let report = runtime()?.block_on(next_action::evaluate(arguments, folder))?;
        return finish(arguments, &report, &report.failures());
    }
    if arguments.base_url.is_some() && arguments.model.is_none() {
        usage_error("--base-url needs --model: the model to ask there");
    }
    let scenarios = match &arguments.suite {
        Some(path) => scenario::read(path)?,
        None => scenario::built_in()?,
    };
    let report = runtime()?.block_on(evaluate(arguments, scenarios))?;
    finish(arguments, &report, &report.failures(arguments.min_input_token_savings.as_ref()))
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.context("cannot start threads")
}

/// Prints a report, and fails with what it found wrong.
fn finish<R: Serialize + Display>(
    arguments: &Eval,
    report: &R,
    failures: &[String],
) -> anyhow::Result<()> {
    let text = if arguments.json { serde_json::to_string(report)? } else { report.to_string() };
    println!("{}", text.trim_end());
    if failures.is_empty() {
        return Ok(());
    }
    bail!("{}", failures.join("; "))
}

async fn evaluate(arguments: &Eval, scenarios: Vec<Scenario>) -> anyhow::Result<Report> {
    let (endpoint, mock) = match &arguments.base_url {
        Some(url) => (url.trim_end_matches('/').to_owned(), None),
        None => {
            let mock = Mock::start();
            (mock.url(), Some(mock))
        }
    };
    let api = arguments.api.unwrap_or_else(|| Api::of(&endpoint));
    let key = env::var(api.key_variable()).ok().filter(|key| !key.is_empty());
    let Eval { mode, method, events, .. } = arguments;
    let gateway = EvalGateway::start(&endpoint, *mode, *method, events.as_deref()).await?;
    let model = arguments.model.as_deref().unwrap_or("mock-model");
    let agent = Agent::new(&gateway, api, model, key.as_deref())?;
    let mut compared = Vec::new();
    for scenario in scenarios {
        let scenario = Arc::new(scenario);
        if let Some(mock) = &mock {
            let played = scenario.clone();
            mock.always(move |request| model::reply(&played, &request.json()));
        }
        let off = agent.play(&scenario, None).await;
        let before = gateway.figures().await?;
        let on = agent.play(&scenario, Some(arguments.mode)).await;
        let told = on.as_ref().ok().and_then(|played| played.input).unwrap_or_default();
        let figures = gateway.counted_since(&before, api, told).await?;
        compared.push(Compared::new(&scenario, off, on, figures, api, arguments.allow_other_calls));
    }
    Ok(Report::new(arguments.base_url.as_deref(), model, arguments.mode, compared))
}
