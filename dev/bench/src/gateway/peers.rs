//! The same load against other gateways, which `dev/bench/peers.sh` installs and starts.

use super::contender::{Contender, take_turns};
use super::conversation::{Dialect, News, SyntheticConversation};
use super::load::{LoadTarget, Until};
use super::process::{self, ServerProcess};
use super::results::ToolResult;
use super::throughput::{head, push_row};
use super::{MeasurePlan, program, run_on_one_thread, serve};
use crate::report;
use anyhow::Context;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use std::fmt::Write;
use std::sync::Arc;

/// A table of this gateway and the others. The arguments: the address that the others send to, and for each of
/// them `NAME,PID,ADDRESS` and any number of `,HEADER=VALUE`.
pub(crate) fn measure(arguments: &[String], plan: MeasurePlan) -> anyhow::Result<String> {
    let (upstream, peers) = arguments.split_first().context("see dev/bench/peers.sh")?;
    let peers = peers.iter().map(|peer| parse(peer)).collect::<anyhow::Result<Vec<_>>>()?;
    run_on_one_thread(async {
        let upstream = ServerProcess::own_at(upstream.parse()?, serve::UPSTREAM, None).await?;
        let passthrough = ServerProcess::own(serve::PASSTHROUGH, Some(upstream.address)).await?;
        let standard = ServerProcess::gateway(&program()?, upstream.address, "standard").await?;
        let mut contenders = vec![
            Contender::new("passthrough", &passthrough, News::Newest),
            Contender::new("**Tokenforge, standard**", &standard, News::Newest),
        ];
        for peer in peers {
            match answers(&peer).await {
                Ok(()) => contenders.push(peer),
                Err(error) => eprintln!("skipped: {}: {error:#}", peer.name),
            }
        }
        let lineups = [contenders];
        let contenders = &lineups[0];
        let mut out = format!(
            "Processor: {}. OpenAI chat, the newest result fresh in every request. {}",
            report::processor(),
            head(contenders),
        );
        for (bytes, size) in [(2_000, "2 KB"), (100_000, "100 KB")] {
            let conversation = SyntheticConversation::new(Dialect::Chat, bytes, ToolResult::rows);
            let conversation = Arc::new(conversation);
            for connections in [1, 16] {
                eprintln!("{size}, {connections} connections");
                let figures = take_turns(&lineups, &conversation, connections, plan).await?;
                let place = format!("{size}, {connections}");
                push_row(&mut out, &place, contenders, &figures);
            }
        }
        let memory = contenders.iter().map(|contender| {
            let held = process::rss(contender.pid.context("a peer without a process")?)?;
            Ok(format!("{} {} MB", contender.name, held / 1024))
        });
        let memory = memory.collect::<anyhow::Result<Vec<_>>>()?;
        let _ = writeln!(out, "\nRSS afterwards: {}.", memory.join(", "));
        Ok(out)
    })
}

/// Does a peer forward a request at all? What it loads for its first one is not measured.
async fn answers(peer: &Contender) -> anyhow::Result<()> {
    let conversation = Arc::new(SyntheticConversation::new(Dialect::Chat, 2_000, ToolResult::rows));
    let until = Until::Sent(1);
    peer.turn(&conversation, 1, until).await.map(drop)
}

fn parse(peer: &str) -> anyhow::Result<Contender> {
    let mut parts = peer.split(',');
    let mut next = || parts.next().with_context(|| format!("{peer}: not NAME,PID,ADDRESS"));
    let (name, pid, address) = (next()?.to_owned(), next()?.parse()?, next()?.parse()?);
    let mut headers = HeaderMap::new();
    for header in parts {
        let (name, value) = header.split_once('=').with_context(|| format!("{header}: no ="))?;
        headers.insert(HeaderName::try_from(name)?, HeaderValue::try_from(value)?);
    }
    Ok(Contender {
        name,
        target: LoadTarget { address, headers },
        pid: Some(pid),
        news: News::Newest,
    })
}
