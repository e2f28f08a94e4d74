//! Row 12: upstreams that fail in every way: the client hears the right status, nothing is held on to, and no request is
//! sent again but one to a model, once, that met a reused connection which its upstream closed within a second.

use crate::kit::{
    Ask, GatewayHome, GatewayProcess, ProofBench, ScriptedProvider, conversation, messages,
    streaming, wait_until,
};
use crate::large_answer;
use crate::row::{Faults, ProofRow, RowResult};
use anyhow::{Context, ensure};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tokenforge_mock::client::PATIENCE;
use tokenforge_mock::{Fault, Mock};

pub(crate) const ROW: ProofRow = ProofRow {
    number: 12,
    what: "upstream faults: refuse, RST, FIN, stall before headers, truncated chunk, wrong length, invalid UTF-8, 1-byte frames, 256 MB, 429 and 529, redirects, TLS expired, idle connections closed at that moment",
    bar: "each: right status, no connection or file left open; 0 requests sent again over a new connection, and over a reused one after a byte of an answer, over 1 s or a timeout; 0 of 2,400 requests lost to reused connections closed at once, where each is sent again once",
    prove,
};

/// How often each fault is met with each kind of body.
const ROUNDS: usize = 5;

const STREAM: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":1}}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello!\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
);

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let mut cases = broken_answers(bench, &mut faults)?;
    cases += passing_answers(bench, &mut faults)?;
    cases += unreachable(bench, &mut faults)?;
    cases += reused_connections(bench, &mut faults)?;
    let (requests, again) = closing_connections(bench, &mut faults)?;
    let figures = large_answer::check(bench, &mut faults)?;
    faults.into_result(
        format!("{cases} faults, {requests} requests over closing connections, 3 large answers, 4 redirects"),
        format!("{again} requests met a closing connection; {figures}"),
    )
}

/// Bodies whose answers are looked at and such that only pass, streams and not.
fn kinds() -> [Value; 4] {
    let bare = |mut body: Value| {
        if let Some(body) = body.as_object_mut() {
            body.remove("tools");
        }
        body
    };
    let (whole, streamed) = (conversation("short"), streaming("short"));
    [whole.clone(), streamed.clone(), bare(whole), bare(streamed)]
}

/// Answers that break off: each is told, and asked for once.
fn broken_answers(bench: &ProofBench, faults: &mut Faults) -> anyhow::Result<usize> {
    let mock = Mock::start();
    let limits = r#"limits: {first_byte_timeout: "500ms"}"#;
    let (gateway, _home) = GatewayProcess::start(bench, mock.address(), limits)?;
    // No connection is kept: reused ones are another case (`reused_connections`).
    mock.fault(Fault::CloseAfter(40));
    gateway.send(&messages(&conversation("short")));
    let before = open_files(&gateway)?;
    let mut cases = 0;
    for (fault, status) in [
        (Fault::ResetBeforeHeaders, 502),
        (Fault::CloseBeforeHeaders, 502),
        (Fault::GarbageHeaders, 502),
        (Fault::StallBeforeHeaders, 504),
        // Whether it is cut before the client has a status depends on whether the answer is looked at.
        (Fault::ResetAfter(40), 0),
        (Fault::CloseAfter(40), 0),
        (Fault::TruncateChunk, 0),
        (Fault::LieAboutLength(50), 0),
    ] {
        for body in kinds() {
            for _ in 0..ROUNDS {
                cases += 1;
                mock.clear();
                mock.fault(fault.clone());
                let answer = gateway.send(&messages(&body));
                let is_told = match status {
                    0 => matches!(answer.status, 502 | 504) || !answer.is_whole,
                    status => answer.status == status,
                };
                faults.check(is_told, || format!("{fault:?} became {}", answer.status));
                let asked = mock.requests().len();
                faults.check(asked == 1, || format!("{fault:?}: sent {asked} times"));
            }
        }
    }
    let is_closed =
        wait_until(PATIENCE, || open_files(&gateway).is_ok_and(|now| now <= before + 4));
    faults.check(is_closed, || {
        format!("{before} files were open, and {} are", open_files(&gateway).unwrap_or_default())
    });
    Ok(cases)
}

/// Answers that are no fault to the client, and reach it as they are.
fn passing_answers(bench: &ProofBench, faults: &mut Faults) -> anyhow::Result<usize> {
    let mut cases = 0;
    for status in [429, 529] {
        let answer = format!(
            "HTTP/1.1 {status} Later\r\nretry-after: 7\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{{}}"
        );
        let asked = Arc::<AtomicUsize>::default();
        let count = asked.clone();
        let provider = ScriptedProvider::start(move |_, stream| {
            count.fetch_add(1, Ordering::SeqCst);
            stream.write_all(answer.as_bytes())
        })?;
        let (gateway, _home) = GatewayProcess::start(bench, provider.address, "")?;
        for body in kinds() {
            cases += 1;
            let told = gateway.send(&messages(&body));
            faults.check(told.status == status && told.header("retry-after") == "7", || {
                format!(
                    "a {status} became {} with retry-after {:?}",
                    told.status,
                    told.header("retry-after")
                )
            });
        }
        let asked = asked.load(Ordering::SeqCst);
        faults.check(asked == kinds().len(), || format!("a {status} was asked for {asked} times"));
    }
    // The same stream in pieces of one byte, and with a byte that is never in UTF-8.
    let stream = STREAM.as_bytes().to_vec();
    let damaged: Vec<u8> =
        stream.iter().map(|byte| if *byte == b'!' { 0xFF } else { *byte }).collect();
    for (what, sent, piece) in
        [("1-byte frames", stream, 1), ("invalid UTF-8", damaged, usize::MAX)]
    {
        let body = sent.clone();
        let provider = ScriptedProvider::start(move |_, stream| {
            write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
            )?;
            for piece in body.chunks(piece.min(body.len())) {
                write!(stream, "{:x}\r\n", piece.len())?;
                stream.write_all(piece)?;
                stream.write_all(b"\r\n")?;
            }
            stream.write_all(b"0\r\n\r\n")
        })?;
        let (gateway, _home) = GatewayProcess::start(bench, provider.address, "")?;
        for body in kinds().iter().filter(|body| body["stream"] == true) {
            cases += 1;
            let told = gateway.send(&messages(body));
            faults.check(told.is_whole && told.body == sent, || {
                format!("{what}: other bytes arrived")
            });
        }
    }
    Ok(cases)
}

/// Upstreams to which there is no connection: refused, a certificate that is over.
fn unreachable(bench: &ProofBench, faults: &mut Faults) -> anyhow::Result<usize> {
    let closed = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let expired = ExpiredUpstream::start()?;
    let mut cases = 0;
    for (what, backend) in [
        ("refused", format!("http://{closed}")),
        ("an expired certificate", format!("https://localhost:{}", expired.port)),
    ] {
        let home = GatewayHome::new()?;
        let roots = expired.certificate.display().to_string();
        let variables = [("SSL_CERT_FILE", roots.as_str())];
        let gateway =
            GatewayProcess::launch(bench, &home, &["--backend-url", &backend], &variables)?;
        for body in kinds() {
            cases += 1;
            let told = gateway.send(&messages(&body)).status;
            faults.check(told == 502, || format!("{what} became {told}"));
        }
    }
    Ok(cases)
}

/// What an upstream does with the second request over a connection, once it has read it.
#[derive(Clone, Copy)]
struct SecondRequest {
    what: &'static str,
    /// What it sends of an answer.
    sends: &'static str,
    /// How long after that it closes the connection.
    closes_after: Duration,
    /// The gateway's settings, and the status that a client gets.
    settings: &'static str,
    status: u16,
}

/// Faults of a reused connection after which nothing is sent again: the upstream may have begun to work on it.
const SECOND_REQUESTS: [SecondRequest; 3] = [
    SecondRequest {
        what: "closed after more than a second",
        sends: "",
        closes_after: Duration::from_millis(1_400),
        settings: "",
        status: 502,
    },
    SecondRequest {
        what: "closed after a byte of the answer",
        sends: "H",
        closes_after: Duration::ZERO,
        settings: "",
        status: 502,
    },
    SecondRequest {
        what: "silent",
        sends: "",
        closes_after: Duration::from_millis(1_400),
        settings: r#"limits: {first_byte_timeout: "500ms"}"#,
        status: 504,
    },
];

/// Reused connections that fail when the request may have been read: each is told, and nothing is sent again.
fn reused_connections(bench: &ProofBench, faults: &mut Faults) -> anyhow::Result<usize> {
    /// Each serving thread of the gateway has its own connections, so that not every request meets one that was used before.
    const TRIES: usize = 200;
    let mut cases = 0;
    for second in SECOND_REQUESTS {
        let what = second.what;
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let [received, reused] = [(); 2].map(|()| Arc::<AtomicUsize>::default());
        let counts = (received.clone(), reused.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (received, reused) = counts.clone();
                std::thread::spawn(move || answer_first(stream, second, &received, &reused));
            }
        });
        let (gateway, _home) = GatewayProcess::start(bench, address, second.settings)?;
        let mut sent = 0;
        for body in kinds() {
            cases += 1;
            let before = reused.load(Ordering::SeqCst);
            let mut is_met = false;
            for _ in 0..TRIES {
                let status = gateway.send(&messages(&body)).status;
                sent += 1;
                is_met = reused.load(Ordering::SeqCst) > before;
                let expected = if is_met { second.status } else { 200 };
                faults.check(status == expected, || format!("reused, {what}: became {status}"));
                if is_met {
                    break;
                }
            }
            faults.check(is_met, || format!("reused, {what}: no connection was used again"));
        }
        // A request that is sent again late would come when the connection is closed.
        std::thread::sleep(second.closes_after + Duration::from_millis(200));
        let received = received.load(Ordering::SeqCst);
        faults.check(received == sent, || {
            format!("reused, {what}: {sent} requests came {received} times")
        });
    }
    Ok(cases)
}

/// Answers the first request over a connection, and so deals with the second. Counts the requests, and the second ones.
fn answer_first(
    mut stream: TcpStream,
    second: SecondRequest,
    received: &AtomicUsize,
    reused: &AtomicUsize,
) -> anyhow::Result<()> {
    read_head_and_body(&mut stream)?;
    received.fetch_add(1, Ordering::SeqCst);
    stream.write_all(&ScriptedProvider::json(b"{}"))?;
    read_head_and_body(&mut stream)?;
    received.fetch_add(1, Ordering::SeqCst);
    reused.fetch_add(1, Ordering::SeqCst);
    stream.write_all(second.sends.as_bytes())?;
    std::thread::sleep(second.closes_after);
    Ok(())
}

/// An upstream that closes each connection when its second request arrives, in the very moment in which that was sent. How many
/// requests there were, and how many of them met that.
fn closing_connections(bench: &ProofBench, faults: &mut Faults) -> anyhow::Result<(usize, usize)> {
    const REQUESTS: usize = 2_400;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let closed = Arc::<AtomicUsize>::default();
    let count = closed.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let count = count.clone();
            std::thread::spawn(move || {
                if answer_once(stream).is_ok() {
                    count.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    let (gateway, _home) = GatewayProcess::start(bench, address, "")?;
    let post = |path: &str| Ask::post(path, conversation("short").to_string());
    for number in 0..REQUESTS {
        let ask = match number % 3 {
            0 => Ask::new("GET", "/v1/models"),
            1 => post("/v1/messages"),
            _ => post("/v1/embeddings"),
        };
        let status = gateway.send(&ask).status;
        faults.check(status == 200, || {
            format!("request {number} over a closing connection: {status}")
        });
    }
    let again = closed.load(Ordering::SeqCst);
    faults
        .check(again > REQUESTS / 4, || format!("only {again} requests met a closing connection"));
    Ok((REQUESTS, again))
}

/// Answers one request, reads the next one and closes the connection. Fails if there is no next one.
fn answer_once(mut stream: TcpStream) -> anyhow::Result<()> {
    read_head_and_body(&mut stream)?;
    stream.write_all(&ScriptedProvider::json(b"{}"))?;
    read_head_and_body(&mut stream)
}

/// Reads a request of which the body, if it has one, has a length.
fn read_head_and_body(stream: &mut TcpStream) -> anyhow::Result<()> {
    let mut seen = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let length = stream.read(&mut piece)?;
        ensure!(length > 0, "the client has left");
        seen.extend_from_slice(&piece[..length]);
        let text = String::from_utf8_lossy(&seen);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_ascii_lowercase();
        let announced = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
        let announced = announced.map_or(Ok(0), str::parse::<usize>).context("a length")?;
        if body.len() >= announced {
            return Ok(());
        }
    }
}

/// How many files and connections a gateway has open.
fn open_files(gateway: &GatewayProcess) -> anyhow::Result<usize> {
    Ok(std::fs::read_dir(format!("/proc/{}/fd", gateway.pid()))?.count())
}

/// An upstream whose certificate is trusted, but over: OpenSSL's, because it alone makes such a certificate.
struct ExpiredUpstream {
    server: Child,
    port: u16,
    certificate: PathBuf,
    _folder: TempDir,
}

/// What a certificate of one day in 2020 is made by.
const AUTHORITY: &str = "[ca]\ndefault_ca=d\n[d]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\n\
    policy=p\nx509_extensions=e\n[p]\ncommonName=supplied\n[e]\nsubjectAltName=DNS:localhost\n";

impl ExpiredUpstream {
    fn start() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        for (name, text) in [("authority", AUTHORITY), ("index", ""), ("serial", "01\n")] {
            std::fs::write(folder.path().join(name), text)?;
        }
        for arguments in [
            "req -new -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=localhost -keyout key -out request",
            "ca -batch -config authority -selfsign -keyfile key -in request -out shown -notext -startdate 200101000000Z \
             -enddate 200102000000Z",
        ] {
            let made = openssl(&folder, arguments).output().context("openssl")?;
            ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        }
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let server = openssl(
            &folder,
            &format!("s_server -accept 127.0.0.1:{port} -cert shown -key key -quiet -www"),
        );
        let server =
            { server }.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let certificate = folder.path().join("shown");
        let upstream = ExpiredUpstream { server, port, certificate, _folder: folder };
        let is_there = wait_until(PATIENCE, || TcpStream::connect(("127.0.0.1", port)).is_ok());
        ensure!(is_there, "openssl s_server does not listen");
        Ok(upstream)
    }
}

impl Drop for ExpiredUpstream {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn openssl(folder: &TempDir, arguments: &str) -> Command {
    let mut command = Command::new("openssl");
    command.args(arguments.split_whitespace()).current_dir(folder.path());
    command
}
