//! `tokenforge-lab eval --next-action`: at each decision of recorded sessions, how likely a model finds the action that was really
//! taken, and whether it would choose it, with the original and with the compressed context.
//!
//! The likelihood comes from the log-probabilities of the prompt, which OpenAI's completions give with `echo` (vLLM, SGLang);
//! chat completions have none of them. So the conversation is written out as a prompt here, in ChatML.

mod endpoint;
mod prompt;
mod statistics;

use super::Eval;
use super::api::Api;
use super::gateway::EvalGateway;
use crate::screen;
use crate::usage_error;
use anyhow::{Context, bail};
use endpoint::CompletionsEndpoint;
use prompt::{ContextView, PromptTexts};
use serde::Serialize;
use statistics::{Interval, PairedChoice};
use std::fmt;
use std::path::Path;
use tokenforge_config::OldResults;
use tokenforge_engine::{Mode, Settings};
use tokenforge_replay::decisions::{Decision, tell_decisions};
use tokenforge_replay::source::{self, LogSource};
use tokenforge_replay::{ExpansionOffer, ReplayPlan};
use tokenforge_tokens::{Counter, ModelClass};

/// What was found at the decisions of a folder of logs.
#[derive(Debug, Serialize)]
pub(super) struct NextActionReport {
    endpoint: String,
    model: String,
    mode: &'static str,
    sessions: usize,
    /// All decisions in the logs, and why some were not asked about.
    decisions: usize,
    unchanged: usize,
    too_long: usize,
    unwritable: usize,
    asked: usize,
    /// Of the action that was taken, per token, against the original context: in nats.
    likelihood: Interval,
    /// The same with all tool results cleared: what there is to lose.
    cleared: Interval,
    /// The share of what the results add to the likelihood that the compressed ones keep.
    value_kept: Option<f64>,
    same_tool: PairedChoice,
    same_call: PairedChoice,
}

/// What the model made of one decision.
struct AnsweredDecision {
    session: usize,
    original: f64,
    compressed: f64,
    cleared: f64,
    /// The same tool, and the same call, from the original and the compressed context.
    tool: (bool, bool),
    call: (bool, bool),
}

/// What became of the decisions that were not asked about.
#[derive(Default)]
struct DecisionCounts {
    all: usize,
    unchanged: usize,
    too_long: usize,
    unwritable: usize,
}

pub(super) fn check(arguments: &Eval) {
    if arguments.base_url.is_none() || arguments.model.is_none() {
        usage_error(
            "--next-action needs --base-url and --model: an endpoint that gives the log-probabilities of a prompt",
        );
    }
    if arguments.api == Some(Api::Anthropic) {
        usage_error(
            "--next-action needs OpenAI's completions: Anthropic's API gives no log-probabilities",
        );
    }
}

/// Asks about the decisions in a folder of logs.
pub(super) async fn evaluate(arguments: &Eval, folder: &Path) -> anyhow::Result<NextActionReport> {
    let (Some(base_url), Some(model)) = (&arguments.base_url, &arguments.model) else {
        bail!("--next-action needs --base-url and --model");
    };
    let sources = source::at(folder);
    if sources.is_empty() {
        bail!("{}: no session logs there", folder.display());
    }
    let settings =
        Settings { mode: arguments.mode, method: arguments.method, ..Settings::default() };
    let plan = ReplayPlan {
        settings,
        counter: None,
        // What is forwarded depends on who reads it: the model that is asked, not the one that was recorded.
        class: Some(ModelClass::of(model)),
        expansion: ExpansionOffer::FromStart,
        old_results: OldResults::Never,
        prices: &|_| None,
    };
    let (chosen, counts) = choose(&sources, &plan, arguments)?;
    let endpoint = base_url.trim_end_matches('/');
    let gateway = EvalGateway::start(endpoint, Mode::Disabled, arguments.method, None).await?;
    let asked = CompletionsEndpoint::new(&gateway, model)?;
    let mut answered = Vec::with_capacity(chosen.len());
    for (at, (session, texts)) in chosen.iter().enumerate() {
        let about = || format!("decision {} of {}", at + 1, chosen.len());
        answered.push(ask(&asked, *session, texts).await.with_context(about)?);
    }
    Ok(NextActionReport::new(endpoint, model, arguments.mode, &counts, &answered))
}

/// The decisions that are asked about: those whose context is compressed, in equal distances over all logs. They are counted
/// first and written out in a second pass, since each holds all that was said before it.
fn choose(
    sources: &[LogSource],
    plan: &ReplayPlan<'_>,
    arguments: &Eval,
) -> anyhow::Result<(Vec<(usize, PromptTexts)>, DecisionCounts)> {
    let counter = Counter::default();
    let usable = |decision: &Decision, counts: &mut DecisionCounts| -> Option<PromptTexts> {
        counts.all += 1;
        if !decision.is_compressed() {
            counts.unchanged += 1;
            return None;
        }
        let Some(texts) = PromptTexts::of(decision) else {
            counts.unwritable += 1;
            return None;
        };
        let most = arguments.context_tokens as usize;
        if counter.count_within(texts.prompt(ContextView::Original), most).is_none() {
            counts.too_long += 1;
            return None;
        }
        Some(texts)
    };
    let mut counts = DecisionCounts::default();
    let mut found = 0_usize;
    each(sources, plan, &mut |_, decision| {
        found += usize::from(usable(&decision, &mut counts).is_some())
    })?;
    if found == 0 {
        bail!(
            "no decision to ask about: of {} in {}, {} have no compressed result before them and {} are longer than --context-tokens",
            counts.all,
            counted(sources.len(), "log"),
            counts.unchanged,
            counts.too_long
        );
    }
    let wanted = found.min(arguments.decisions as usize);
    let (mut at, mut chosen) = (0, Vec::with_capacity(wanted));
    each(sources, plan, &mut |session, decision| {
        if let Some(texts) = usable(&decision, &mut DecisionCounts::default()) {
            // The next of `wanted` places that are spread evenly over all.
            if at * wanted / found == chosen.len() && chosen.len() < wanted {
                chosen.push((session, texts));
            }
            at += 1;
        }
    })?;
    Ok((chosen, counts))
}

/// Tells all decisions with the number of their session among all logs.
fn each(
    sources: &[LogSource],
    plan: &ReplayPlan<'_>,
    tell: &mut dyn FnMut(usize, Decision),
) -> anyhow::Result<()> {
    let (mut sessions, mut last) = (0, None);
    for (log, source) in sources.iter().enumerate() {
        let told = tell_decisions(source, plan, &mut |decision| {
            let session = (log, decision.session.0);
            if last.replace(session) != Some(session) {
                sessions += 1;
            }
            tell(sessions, decision);
        });
        told.with_context(|| source.path().display().to_string())?;
    }
    Ok(())
}

async fn ask(
    endpoint: &CompletionsEndpoint<'_>,
    session: usize,
    texts: &PromptTexts,
) -> anyhow::Result<AnsweredDecision> {
    let likelihood = async |view| endpoint.likelihood(texts.prompt(view), &texts.action).await;
    let original = likelihood(ContextView::Original).await?;
    let compressed = likelihood(ContextView::Compressed).await?;
    let cleared = likelihood(ContextView::Cleared).await?;
    let before = endpoint.next(texts.prompt(ContextView::Original)).await?;
    let after = endpoint.next(texts.prompt(ContextView::Compressed)).await?;
    Ok(AnsweredDecision {
        session,
        original,
        compressed,
        cleared,
        tool: (texts.has_tool(&before), texts.has_tool(&after)),
        call: (texts.has_call(&before), texts.has_call(&after)),
    })
}

impl NextActionReport {
    fn new(
        endpoint: &str,
        model: &str,
        mode: Mode,
        counts: &DecisionCounts,
        answered: &[AnsweredDecision],
    ) -> Self {
        let by_session = |figure: &dyn Fn(&AnsweredDecision) -> f64| {
            statistics::difference(answered.iter().map(|one| (one.session, figure(one))))
        };
        let likelihood = by_session(&|one| one.compressed - one.original);
        let cleared = by_session(&|one| one.cleared - one.original);
        let mut sessions: Vec<usize> = answered.iter().map(|one| one.session).collect();
        sessions.dedup();
        NextActionReport {
            endpoint: endpoint.to_owned(),
            model: model.to_owned(),
            mode: mode.name(),
            sessions: sessions.len(),
            decisions: counts.all,
            unchanged: counts.unchanged,
            too_long: counts.too_long,
            unwritable: counts.unwritable,
            asked: answered.len(),
            value_kept: (cleared.value < 0.0).then(|| 1.0 - likelihood.value / cleared.value),
            likelihood,
            cleared,
            same_tool: PairedChoice::of(answered.iter().map(|one| (one.session, one.tool))),
            same_call: PairedChoice::of(answered.iter().map(|one| (one.session, one.call))),
        }
    }

    /// Is the recorded action less likely, or chosen less often, with the compressed context? The intervals say it.
    pub(super) fn failures(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.likelihood.high < 0.0 {
            found.push(
                "the actions that were taken are less likely with the compressed context"
                    .to_owned(),
            );
        }
        for (what, choice) in [("tool", &self.same_tool), ("call", &self.same_call)] {
            if choice.difference.high < 0.0 {
                found.push(format!(
                    "the same {what} is chosen less often with the compressed context"
                ));
            }
        }
        found
    }
}

impl fmt::Display for NextActionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mode, model, asked, decisions, sessions, .. } = self;
        let all = format!(
            "Mode {mode}, {model}: {asked} of {decisions} decisions in {}. Not asked about: {} with nothing compressed before them, {} too long, {} with control words of the prompt in them; the rest were not drawn.",
            counted(*sessions, "session"),
            self.unchanged,
            self.too_long,
            self.unwritable
        );
        writeln!(f, "{}", screen::paragraph(&all))?;
        writeln!(f)?;
        writeln!(
            f,
            "Log-likelihood per token of the action that was taken, against the original context (95 %):"
        )?;
        writeln!(f, "  compressed       {}", self.likelihood)?;
        writeln!(f, "  results cleared  {}", self.cleared)?;
        if let Some(kept) = self.value_kept {
            writeln!(f, "  of what the results add, {:.1} % is kept", 100.0 * kept)?;
        }
        writeln!(f)?;
        writeln!(f, "What the model would do next, as it was recorded:")?;
        writeln!(f, "  the same tool    {}", self.same_tool)?;
        write!(f, "  the same call    {}", self.same_call)
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
