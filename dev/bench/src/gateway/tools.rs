//! What a call of a tool takes through the gateway.

use super::load::{LoadClient, LoadTarget, next_number};
use super::process::ServerProcess;
use super::serve;
use super::tool_server::{ANSWER, SESSION, VERSION};
use super::{ContenderField, MeasurePlan, median};
use anyhow::{Context, ensure};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::HeaderMap;
use hyper::header::HeaderValue;
use std::fmt::Write;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// So many clients at once, and calls of each.
const SESSIONS: usize = 200;
const CALLS: usize = 10;

/// Calls, direct and through a gateway, and many sessions at once.
pub(crate) async fn measure(field: &ContenderField, plan: MeasurePlan) -> anyhow::Result<String> {
    let server = ServerProcess::own(serve::TOOLS, None).await?;
    let settings =
        format!("mcp: {{backends: {{bench: {{url: \"http://{}/mcp\"}}}}}}\n", server.address);
    let gateway =
        ServerProcess::gateway_with(&field.program, field.upstream.address, &settings).await?;
    let calls = calls(server.address, gateway.address, plan).await?;
    Ok(calls + &sessions(server.address, gateway.address).await?)
}

/// One call after another, of one session.
async fn calls(
    server: SocketAddr,
    gateway: SocketAddr,
    plan: MeasurePlan,
) -> anyhow::Result<String> {
    let contenders = [
        ("direct", server, "/mcp", "query", None),
        ("gateway, as it came", gateway, "/mcp/bench", "query", Some("json")),
        ("gateway, in the cheapest form", gateway, "/mcp/bench", "query", Some("auto")),
        ("gateway, all servers", gateway, "/mcp", "bench__query", Some("auto")),
    ];
    let mut out = format!(
        "A tool of a server over HTTP answers with {} KB of JSON, one call after another:\n\n\
         | | median, ms | added, ms |\n|---|---|---|\n",
        ANSWER / 1000,
    );
    let mut clients = Vec::new();
    for (_, address, path, tool, format) in contenders {
        clients.push((ToolClient::start(address, path, tool, format).await?, Vec::new()));
    }
    for round in 0..=plan.rounds {
        for (client, times) in &mut clients {
            let start = Instant::now();
            while start.elapsed() < plan.turn {
                let time = client.call().await?;
                if round > 0 {
                    times.push(time.as_secs_f64() * 1e3);
                }
            }
        }
    }
    let medians = clients.into_iter().map(|(_, times)| median(times).unwrap_or(f64::NAN));
    let medians: Vec<f64> = medians.collect();
    for ((name, ..), time) in contenders.iter().zip(&medians) {
        let _ = writeln!(out, "| {name} | {time:.3} | {:.3} |", time - medians[0]);
    }
    Ok(out + "\n")
}

/// Many sessions at once, each from its first message to its last.
async fn sessions(server: SocketAddr, gateway: SocketAddr) -> anyhow::Result<String> {
    let mut figures = Vec::new();
    for (name, address, path) in [("direct", server, "/mcp"), ("gateway", gateway, "/mcp/bench")] {
        eprintln!("{SESSIONS} sessions, {name}");
        let start = Instant::now();
        let mut all = JoinSet::new();
        for _ in 0..SESSIONS {
            all.spawn(async move {
                let mut client = ToolClient::start(address, path, "query", None).await?;
                let mut times = Vec::new();
                for _ in 0..CALLS {
                    times.push(client.call().await?.as_secs_f64() * 1e3);
                }
                anyhow::Ok(times)
            });
        }
        let mut times = Vec::new();
        while let Some(done) = all.join_next().await {
            times.extend(done??);
        }
        ensure!(times.len() == SESSIONS * CALLS, "some calls were not answered");
        let (all, call) = (start.elapsed().as_millis(), median(times).unwrap_or(f64::NAN));
        figures.push(format!("{name} {all} ms in all and {call:.1} ms a call (median)"));
    }
    Ok(format!("{SESSIONS} sessions at once, {CALLS} calls each: {}.\n", figures.join(", ")))
}

/// A client of a tool server, in a session.
struct ToolClient {
    client: LoadClient,
    path: &'static str,
    tool: &'static str,
}

impl ToolClient {
    async fn start(
        address: SocketAddr,
        path: &'static str,
        tool: &'static str,
        format: Option<&'static str>,
    ) -> anyhow::Result<Self> {
        let mut headers = HeaderMap::new();
        let both = "application/json, text/event-stream";
        headers.insert("accept", HeaderValue::from_static(both));
        headers.insert("mcp-protocol-version", HeaderValue::from_static(VERSION));
        if let Some(format) = format {
            headers.insert("x-prefer-format", HeaderValue::from_static(format));
        }
        let hello = format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{VERSION}","capabilities":{{}},"clientInfo":{{"name":"bench","version":"1"}}}}}}"#
        );
        let mut client =
            LoadClient::connect(&LoadTarget { address, headers: headers.clone() }).await?;
        let reply = client.post(path, hello.into()).await?;
        let session = reply.headers().get(SESSION).cloned().context("no session")?;
        reply.into_body().collect().await?;
        headers.insert(SESSION, session);
        let client = LoadClient::connect(&LoadTarget { address, headers }).await?;
        Ok(ToolClient { client, path, tool })
    }

    /// Calls the tool, and reads its answer.
    async fn call(&mut self) -> anyhow::Result<Duration> {
        let (id, tool) = (next_number(), self.tool);
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"n":{id}}}}}}}"#
        );
        let start = Instant::now();
        let reply = self.client.post(self.path, Bytes::from(call)).await?;
        let answer = reply.into_body().collect().await?.to_bytes();
        let time = start.elapsed();
        ensure!(answer.len() > ANSWER / 4, "an answer of {} bytes", answer.len());
        Ok(time)
    }
}
