//! Memory: idle, with a full store, with many open streams; and how soon a gateway is ready.

use super::conversation::{Dialect, News, SyntheticConversation};
use super::load::{self, LoadClient, LoadTarget, Until, next_number};
use super::process::{ServerProcess, peak_rss, rss};
use super::promises::Promises;
use super::results::ToolResult;
use super::upstream::{CHUNKS, HOLD};
use super::{ContenderField, MeasurePlan, median, serve};
use anyhow::{Context, ensure};
use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::Incoming;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// The promises about memory and the start.
pub(crate) async fn measure(
    field: &ContenderField,
    plan: MeasurePlan,
    promises: &mut Promises,
) -> anyhow::Result<String> {
    start(field, plan, promises).await?;
    let stored = fill_store(field, plan, promises).await?;
    let streams = plan.idle_streams.min(open_files()? / 2 - 100);
    let gateway = field.new_gateway().await?;
    let of_gateway = stream_size(&gateway, streams).await?;
    let passthrough = ServerProcess::own(serve::PASSTHROUGH, Some(field.upstream.address)).await?;
    let of_passthrough = stream_size(&passthrough, streams).await?;
    promises.at_most(&format!("each of {streams} idle streams"), 40.0, of_gateway, "KB");
    Ok(format!("{stored} An idle stream takes {of_passthrough:.1} KB in the passthrough.\n"))
}

async fn start(
    field: &ContenderField,
    plan: MeasurePlan,
    promises: &mut Promises,
) -> anyhow::Result<()> {
    eprintln!("starts");
    let mut times = Vec::new();
    for _ in 0..plan.starts {
        times.push(field.new_gateway().await?.ready_after.as_secs_f64() * 1e3);
    }
    promises.at_most("start to ready", 100.0, median(times).context("no starts")?, "ms");
    Ok(())
}

/// Idle, and after requests whose results can all be left out, each another.
async fn fill_store(
    field: &ContenderField,
    plan: MeasurePlan,
    promises: &mut Promises,
) -> anyhow::Result<String> {
    eprintln!("{} requests to fill the store", plan.filling);
    let gateway = field.new_gateway().await?;
    let target = gateway.address.into();
    let small = Arc::new(SyntheticConversation::new(Dialect::Chat, 2_000, ToolResult::test_run));
    load::round(&target, &small, News::All, 1, Until::Sent(1)).await?;
    // The tokenizer is built in the background.
    tokio::time::sleep(Duration::from_secs(1)).await;
    promises.at_most("RSS idle", 60.0, megabytes(rss(gateway.pid())?), "MB");

    let large = Arc::new(SyntheticConversation::new(Dialect::Chat, 42_000, ToolResult::test_run));
    let round = load::round(&target, &large, News::Newest, 16, Until::Sent(plan.filling)).await?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let what = format!("RSS after {} requests, store full", plan.filling);
    promises.at_most(&what, 140.0, megabytes(rss(gateway.pid())?), "MB");
    Ok(format!(
        "The store was filled by {} requests of 42 KB with a fresh test run of 20 KB in each ({:.0} % of their bytes \
         went upstream); at most {:.1} MB were in use.",
        plan.filling,
        100.0 * round.arrived,
        megabytes(peak_rss(gateway.pid())?),
    ))
}

/// KB for each of so many streams that have begun and do not go on.
async fn stream_size(process: &ServerProcess, streams: usize) -> anyhow::Result<f64> {
    eprintln!("{streams} idle streams");
    let conversation =
        SyntheticConversation::new(Dialect::Chat, 2_000, ToolResult::rows).into_streaming();
    let (conversation, target) = (Arc::new(conversation), LoadTarget::from(process.address));
    drop(open(target.clone(), conversation.clone()).await?);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = rss(process.pid())?;
    let (mut opening, mut held) = (JoinSet::new(), Vec::new());
    while held.len() < streams {
        while opening.len() < 100 && held.len() + opening.len() < streams {
            opening.spawn(open(target.clone(), conversation.clone()));
        }
        held.extend(opening.join_next().await.transpose()?.transpose()?);
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    Ok((rss(process.pid())? - before) as f64 / held.len() as f64)
}

async fn open(
    target: LoadTarget,
    conversation: Arc<SyntheticConversation>,
) -> anyhow::Result<(LoadClient, Response<Incoming>)> {
    let mut client = LoadClient::connect(&target).await?.with(CHUNKS, 1).with(HOLD, 1);
    let body = conversation.body(News::Nothing, next_number());
    let mut reply = client.post(conversation.dialect.path(), body).await?;
    ensure!(reply.body_mut().frame().await.is_some(), "a stream without a chunk");
    Ok((client, reply))
}

/// How many files and connections a process may have.
fn open_files() -> anyhow::Result<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits")?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let soft = line.and_then(|line| line.split_whitespace().next());
    Ok(soft.context("no limit of open files")?.parse()?)
}

fn megabytes(kilobytes: usize) -> f64 {
    kilobytes as f64 / 1024.0
}
