//! How a stream arrives: the time to its first byte and the gaps between its chunks.

use super::contender::Contender;
use super::conversation::{Dialect, News, SyntheticConversation};
use super::load::{LoadClient, LoadTarget, next_number};
use super::promises::Promises;
use super::results::ToolResult;
use super::upstream::{CHUNKS, OFFERED, PACE};
use super::{ContenderField, MeasurePlan, median};
use http_body_util::BodyExt;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;
use tokio::task::JoinSet;

/// What arrived, in ms.
#[derive(Default)]
struct Arrivals {
    first: Vec<f64>,
    gaps: Vec<f64>,
    /// Does the gateway read the stream? It does when it has offered a tool of its own.
    is_read: bool,
}

/// Direct, through the passthrough and through the gateway, off and reading the stream.
pub(crate) async fn measure(
    field: &ContenderField,
    plan: MeasurePlan,
    promises: &mut Promises,
) -> anyhow::Result<String> {
    let conversation = SyntheticConversation::new(Dialect::Chat, 100_000, ToolResult::test_run);
    let conversation = Arc::new(conversation.into_streaming());
    let contenders = [
        Contender::direct(&field.upstream),
        Contender::new("passthrough", &field.passthrough, News::Nothing),
        Contender::new("gateway, off", &field.off, News::Nothing),
        Contender::new("gateway, standard", &field.standard, News::Nothing),
    ];
    let mut arrivals: Vec<Arrivals> = contenders.iter().map(|_| Arrivals::default()).collect();
    for round in 0..=plan.rounds.min(3) {
        for (contender, arrivals) in contenders.iter().zip(&mut arrivals) {
            eprintln!("streams, {}", contender.name);
            take(contender, &conversation, plan, arrivals).await?;
            if round == 0 {
                *arrivals = Arrivals::default();
            }
        }
    }

    let (streams, chunks) = plan.streams;
    let mut out = format!(
        "{streams} streams at once of {chunks} chunks, one each {} ms, to a request of 100 KB that was seen before:\n\n\
         | | read for calls | first byte, ms | gap, ms | gap, p99 |\n|---|---|---|---|---|\n",
        PACE.as_millis()
    );
    let mut figures = Vec::new();
    for (contender, mut arrivals) in contenders.iter().zip(arrivals) {
        arrivals.gaps.sort_by(f64::total_cmp);
        let p99 = arrivals.gaps.get(arrivals.gaps.len() * 99 / 100).copied().unwrap_or(f64::NAN);
        let read = if arrivals.is_read { "yes" } else { "no" };
        let first = median(arrivals.first).unwrap_or(f64::NAN);
        let gap = median(arrivals.gaps).unwrap_or(f64::NAN);
        let _ = writeln!(out, "| {} | {read} | {first:.2} | {gap:.2} | {p99:.2} |", contender.name);
        figures.push((first, gap));
    }
    let (direct, standard) = (figures[0], figures[3]);
    promises.at_most("first byte of a stream, added", 2.0, standard.0 - direct.0, "ms");
    promises.at_most("gap between chunks, changed", 2.0, (standard.1 - direct.1).abs(), "ms");
    Ok(out)
}

/// All streams at once.
async fn take(
    contender: &Contender,
    conversation: &Arc<SyntheticConversation>,
    plan: MeasurePlan,
    arrivals: &mut Arrivals,
) -> anyhow::Result<()> {
    let (streams, chunks) = plan.streams;
    let mut tasks = JoinSet::new();
    for _ in 0..streams {
        tasks.spawn(stream(contender.target.clone(), conversation.clone(), chunks));
        // Streams that begin together would wait for each other.
        tokio::time::sleep(PACE / streams as u32).await;
    }
    while let Some(done) = tasks.join_next().await {
        let of_stream = done??;
        arrivals.first.extend(of_stream.first);
        arrivals.gaps.extend(of_stream.gaps);
        arrivals.is_read = of_stream.is_read;
    }
    Ok(())
}

async fn stream(
    target: LoadTarget,
    conversation: Arc<SyntheticConversation>,
    chunks: usize,
) -> anyhow::Result<Arrivals> {
    let mut client = LoadClient::connect(&target).await?.with(CHUNKS, chunks);
    let body = conversation.body(News::Nothing, next_number());
    let mut last = Instant::now();
    let mut reply = client.post(conversation.dialect.path(), body).await?;
    let is_read = reply.headers().get(OFFERED).is_some_and(|offered| offered == "true");
    let mut arrivals = Arrivals { is_read, ..Arrivals::default() };
    while let Some(frame) = reply.body_mut().frame().await {
        frame?;
        let gap = last.elapsed().as_secs_f64() * 1e3;
        last = Instant::now();
        let kind = if arrivals.first.is_empty() { &mut arrivals.first } else { &mut arrivals.gaps };
        kind.push(gap);
    }
    // The end comes at once after the last chunk.
    arrivals.gaps.truncate(chunks - 1);
    Ok(arrivals)
}
