//! Single requests, of the sizes that were promised to be quick.

use super::contender::{Contender, ContenderFigures, take_turns};
use super::conversation::{Dialect, News, SyntheticConversation};
use super::load::Until;
use super::promises::Promises;
use super::results::ToolResult;
use super::{ContenderField, MeasurePlan};
use fastrand::Rng;
use std::sync::Arc;

/// Cases G46 and G47.
pub(crate) async fn measure(
    field: &ContenderField,
    plan: MeasurePlan,
    promises: &mut Promises,
) -> anyhow::Result<()> {
    large_body(field, plan, promises).await?;
    many_results(field, plan, promises).await
}

/// G46: what an 800 KB body takes longer than without a gateway.
async fn large_body(
    field: &ContenderField,
    plan: MeasurePlan,
    promises: &mut Promises,
) -> anyhow::Result<()> {
    eprintln!("800 KB");
    let conversation =
        SyntheticConversation::new(Dialect::Anthropic, 800_000, ToolResult::service_log);
    let lineups = [vec![
        Contender::direct(&field.upstream),
        Contender::new("off", &field.off, News::Nothing),
        Contender::new("standard, repeated history", &field.standard, News::Nothing),
        Contender::new("standard, newest result fresh", &field.standard, News::Newest),
    ]];
    let figures = take_turns(&lineups, &Arc::new(conversation), 1, plan).await?;
    for (contender, own) in lineups[0].iter().zip(&figures).skip(1) {
        let what = format!("800 KB, {}, added", contender.name);
        promises.at_most(&what, 20.0, own.latency(0.5) - figures[0].latency(0.5), "ms");
    }
    Ok(())
}

/// G47: a request with 400 results that no request had before.
async fn many_results(
    field: &ContenderField,
    plan: MeasurePlan,
    promises: &mut Promises,
) -> anyhow::Result<()> {
    eprintln!("400 fresh results");
    let mut rng = Rng::with_seed(47);
    let kinds = ToolResult::KINDS.into_iter().cycle().take(400);
    let results: Vec<ToolResult> = kinds.map(|kind| kind(&mut rng, 2_500)).collect();
    let conversation = Arc::new(SyntheticConversation::of(Dialect::Anthropic, &results));
    let contender = Contender::new("standard", &field.standard, News::All);
    let mut figures = ContenderFigures::default();
    for _ in 0..plan.rounds {
        figures.add(contender.turn(&conversation, 1, Until::Sent(1)).await?);
    }
    let what = "400 fresh results of 2.5 KB in one request";
    promises.at_most(what, 1000.0, figures.latency(0.5), "ms");
    Ok(())
}
