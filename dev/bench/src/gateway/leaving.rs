//! A client that leaves: how long until the upstream sees it, in each phase of a request.

use super::process::ServerProcess;
use super::promises::Promises;
use super::{ContenderField, MeasurePlan};
use anyhow::Context;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// Longer than this nothing takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Where a part of the body was sent, and all of it.
const HALF: &str = "half of it";
const END: &str = "the end";

/// How long a body says it is that goes on before it is all here.
const LONG: usize = 1 << 20;

/// When the client leaves.
#[derive(Clone, Copy)]
enum Phase {
    /// A part of its body was sent. A gateway that reads a body whole has forwarded nothing yet.
    Sending,
    /// The answer has not begun.
    Waiting,
    /// A part of the answer is here.
    Reading,
}

/// Leaves many times through gateways of their own, whose upstream is here.
pub(crate) async fn measure(
    field: &ContenderField,
    plan: MeasurePlan,
    promises: &mut Promises,
) -> anyhow::Result<()> {
    eprintln!("clients that leave");
    let upstream = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = upstream.local_addr()?;
    let off = ServerProcess::gateway(&field.program, address, "disabled").await?;
    let standard = ServerProcess::gateway(&field.program, address, "standard").await?;
    let times = plan.rounds * 4;
    let mut longest: f64 = 0.0;
    for (what, phase, gateway) in [
        ("while it sent its body", Phase::Sending, &off),
        ("before the first byte", Phase::Waiting, &off),
        ("before the first byte", Phase::Waiting, &standard),
        ("in the middle of a stream", Phase::Reading, &off),
        ("in the middle of a stream", Phase::Reading, &standard),
    ] {
        leave(gateway.address, &upstream, phase).await.with_context(|| what.to_owned())?;
        for _ in 0..times {
            let time = leave(gateway.address, &upstream, phase).await?;
            longest = longest.max(time.as_secs_f64() * 1e3);
        }
    }
    let what = format!("upstream closed when the client left, longest of {}", 5 * times);
    promises.at_most(&what, 100.0, longest, "ms");
    Ok(())
}

/// From the client's leaving until the upstream sees it.
async fn leave(
    gateway: SocketAddr,
    upstream: &TcpListener,
    phase: Phase,
) -> anyhow::Result<Duration> {
    let mut client = TcpStream::connect(gateway).await?;
    client.set_nodelay(true)?;
    let body = body();
    // JSON is read whole, since it may name us; anything else streams by.
    let (path, kind, sent, length) = match phase {
        Phase::Sending => {
            let sent = body.find(HALF).map_or(0, |at| at + HALF.len());
            ("files", "application/octet-stream", sent, LONG)
        }
        Phase::Waiting | Phase::Reading => {
            ("chat/completions", "application/json", body.len(), body.len())
        }
    };
    let head = format!(
        "POST /v1/{path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\n\
         authorization: Bearer sk-bench\r\ncontent-length: {length}\r\n\r\n",
    );
    client.write_all(head.as_bytes()).await?;
    client.write_all(&body.as_bytes()[..sent]).await?;
    let (mut connection, _) = timeout(PATIENCE, upstream.accept()).await??;
    read_until(&mut connection, if sent < body.len() { HALF } else { END }).await?;
    if let Phase::Reading = phase {
        connection.write_all(CHUNK.as_bytes()).await?;
        read_until(&mut client, "word").await?;
    }
    let left = Instant::now();
    drop(client);
    let mut bytes = [0; 4096];
    while timeout(PATIENCE, connection.read(&mut bytes)).await?.is_ok_and(|read| read > 0) {}
    Ok(left.elapsed())
}

/// What the upstream says before it falls silent.
const CHUNK: &str = concat!(
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    "81\r\ndata: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"gpt-5\",",
    "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word\"},\"x\":\"0123\"}]}\n\n\r\n",
);

/// A request for a stream, in which nothing is made smaller.
fn body() -> String {
    let filler = "lorem ipsum ".repeat(1000);
    format!(
        r#"{{"model":"gpt-5","stream":true,"tools":[{{"type":"function","function":{{"name":"ls","parameters":{{}}}}}}],"messages":[{{"role":"user","content":"{filler}{HALF}{filler}{END}"}}]}}"#
    )
}

async fn read_until(stream: &mut TcpStream, part: &str) -> anyhow::Result<()> {
    let (mut read, mut bytes) = (Vec::new(), [0; 16 << 10]);
    while !read.windows(part.len()).any(|window| window == part.as_bytes()) {
        match timeout(PATIENCE, stream.read(&mut bytes)).await?? {
            0 => anyhow::bail!("the connection ended before {part:?}"),
            length => read.extend_from_slice(&bytes[..length]),
        }
    }
    Ok(())
}
