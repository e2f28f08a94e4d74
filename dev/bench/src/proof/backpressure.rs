//! Row 14: backpressure: clients that hardly read make the upstream wait, and nothing piles up in between.

use crate::kit::{
    Ask, GatewayProcess, OFFERED, ProofBench, ScriptedProvider, messages, small_stream, streaming,
    test_run,
};
use crate::row::{Faults, ProofRow, RowResult};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

pub(crate) const ROW: ProofRow = ProofRow {
    number: 14,
    what: "backpressure: clients that read 1 KB a second of an endless answer",
    bar: "at most 256 KB for a stream beyond the sockets and its request, relayed and passing (32 streams each, 10 s)",
    prove,
};

const STREAMS: usize = 32;
const TIME: Duration = Duration::from_secs(10);
const BAR: f64 = 256.0;
/// Long events: what is held back is counted in pieces by careless relays.
const EVENT: usize = 60_000;

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let provider = ScriptedProvider::start(|_, stream| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes())?;
        let event =
            format!("event: ping\ndata: {{\"type\": \"ping\"}}\n: {}\n\n", "x".repeat(EVENT));
        loop {
            write!(stream, "{:x}\r\n{event}\r\n", event.len())?;
        }
    })?;
    let mut figures = Vec::new();
    for (name, bar, ask) in [
        ("relayed", BAR, messages(&small_stream())),
        ("passing", BAR, Ask::new("GET", "/v1/files/f/content")),
        // A request is kept while its answer may ask for an original, in the buffer that it was read into.
        ("relayed with a request of 45 KB", f64::MAX, messages(&streaming(&test_run(1)))),
    ] {
        let (gateway, _home) = GatewayProcess::start(bench, provider.address, OFFERED)?;
        // One that leaves again, so that what is made once is there.
        drop(Slow::start(&gateway, &ask)?);
        std::thread::sleep(Duration::from_millis(500));
        let before = gateway.rss()?;
        let mut slow = Vec::new();
        for _ in 0..STREAMS {
            slow.push(Slow::start(&gateway, &ask)?);
        }
        let start = Instant::now();
        let mut most = before;
        while start.elapsed() < TIME {
            std::thread::sleep(Duration::from_secs(1));
            for slow in &mut slow {
                slow.read_some()?;
            }
            most = most.max(gateway.rss()?);
        }
        let each = most.saturating_sub(before) as f64 / 1024.0 / STREAMS as f64;
        faults.at_most(name, bar, each, "KB a stream");
        figures.push(format!("{name} {each:.0} KB"));
    }
    faults.into_result(format!("{} streams", 3 * STREAMS), figures.join(", "))
}

/// A client that reads a kilobyte when it is told to.
struct Slow {
    stream: TcpStream,
}

impl Slow {
    fn start(gateway: &GatewayProcess, ask: &Ask) -> anyhow::Result<Self> {
        let mut stream = TcpStream::connect(gateway.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        stream.write_all(&ask.bytes())?;
        let mut slow = Slow { stream };
        slow.read_some()?;
        Ok(slow)
    }

    fn read_some(&mut self) -> anyhow::Result<()> {
        anyhow::ensure!(self.stream.read(&mut [0; 1024])? > 0, "a stream ended early");
        Ok(())
    }
}
