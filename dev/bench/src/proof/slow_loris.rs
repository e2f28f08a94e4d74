//! Row 9: slow-loris: clients that send a byte a second, while others are served.

use crate::kit::{GatewayProcess, ProofBench, conversation, messages, percentile, rows};
use crate::row::{Faults, ProofRow, RowResult};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tokenforge_mock::Mock;

pub(crate) const ROW: ProofRow = ProofRow {
    number: 9,
    what: "slow-loris: a header byte a second; a body that stops",
    bar: "headers cut after 10 s, bodies after 30 s of silence (and 2 s for the clock); all good requests served (1,000 connections; 10,000 are aimed at)",
    prove,
};

const CONNECTIONS: usize = 1_000;
const HEADERS: Duration = Duration::from_secs(10);
const BODY: Duration = Duration::from_secs(30);
const SLACK: Duration = Duration::from_secs(2);

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let mock = Mock::start();
    mock.careless();
    let (gateway, _home) = GatewayProcess::start(bench, mock.address(), "")?;
    let mut alone = good(&gateway, Duration::from_secs(3), &mut faults);
    let mut slow = Vec::new();
    for number in 0..CONNECTIONS {
        let (beginning, trickles) = match number % 2 {
            0 => ("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nx-a: ", true),
            _ => (
                "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9000\r\n\r\n{",
                false,
            ),
        };
        slow.push(Slow::start(&gateway, beginning, trickles)?);
    }
    let mut attacked = Vec::new();
    let longest = BODY + 4 * SLACK;
    let start = Instant::now();
    while start.elapsed() < longest && slow.iter().any(|slow| slow.cut_after.is_none()) {
        attacked.extend(good(&gateway, Duration::from_millis(500), &mut faults));
        slow.iter_mut().for_each(Slow::look);
    }
    let (mut headers, mut bodies) = (Duration::ZERO, Duration::ZERO);
    for slow in &slow {
        let (bar, most) = if slow.trickles { (HEADERS, &mut headers) } else { (BODY, &mut bodies) };
        let after = slow.cut_after.unwrap_or(longest);
        *most = after.max(*most);
        let what = if slow.trickles { "headers" } else { "a body" };
        faults.check(after <= bar + SLACK, || format!("{what} held {} s", after.as_secs()));
    }
    let figure = format!(
        "headers cut after {:.1} s, bodies after {:.1} s; p99 of good requests {:.1} ms, {:.1} ms without",
        headers.as_secs_f64(),
        bodies.as_secs_f64(),
        percentile(&mut attacked, 0.99),
        percentile(&mut alone, 0.99),
    );
    faults
        .into_result(format!("{CONNECTIONS} connections, {} good requests", attacked.len()), figure)
}

/// Requests as they should be, for a while. What each took, in ms.
fn good(gateway: &GatewayProcess, time: Duration, faults: &mut Faults) -> Vec<f64> {
    let (start, mut times) = (Instant::now(), Vec::new());
    let ask = messages(&conversation(&rows(1)));
    while start.elapsed() < time {
        let sent = Instant::now();
        let status = gateway.send(&ask).status;
        times.push(sent.elapsed().as_secs_f64() * 1e3);
        faults.check(status == 200, || format!("a good request was answered {status}"));
    }
    times
}

/// A client in no hurry.
struct Slow {
    stream: TcpStream,
    /// It sends a byte now and then; else it is silent.
    trickles: bool,
    start: Instant,
    last_byte: Instant,
    cut_after: Option<Duration>,
}

impl Slow {
    fn start(gateway: &GatewayProcess, beginning: &str, trickles: bool) -> anyhow::Result<Self> {
        let mut stream = TcpStream::connect(gateway.address)?;
        stream.write_all(beginning.as_bytes())?;
        stream.set_nonblocking(true)?;
        let now = Instant::now();
        Ok(Slow { stream, trickles, start: now, last_byte: now, cut_after: None })
    }

    /// Sends a byte if it is time, and sees whether it was cut off.
    fn look(&mut self) {
        if self.cut_after.is_some() {
            return;
        }
        if self.trickles && self.last_byte.elapsed() > Duration::from_secs(1) {
            self.last_byte = Instant::now();
            let _ = self.stream.write(b"a");
        }
        let is_cut = match self.stream.read(&mut [0; 512]) {
            // An answer, or the end.
            Ok(_) => true,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        };
        if is_cut {
            self.cut_after = Some(self.start.elapsed());
        }
    }
}
