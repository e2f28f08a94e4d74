//! For row 12: answers that are larger than anybody should hold, which pass bit by bit; and redirects.

use crate::kit::{
    GatewayProcess, ProofBench, ScriptedProvider, conversation, megabytes, messages, test_run,
};
use crate::row::Faults;
use std::io::{Read, Write};
use std::net::TcpStream;

const ANSWER: usize = 256 << 20;
const PIECE: usize = 1 << 20;
const MEMORY: f64 = 64.0;

/// Large answers, and redirects: how much memory each answer took.
pub(crate) fn check(bench: &ProofBench, faults: &mut Faults) -> anyhow::Result<String> {
    let mut figures = Vec::new();
    for (name, coding) in [("chunked", ""), ("with its length", ""), ("gzip", "gzip")] {
        let coded = if coding == "gzip" { gzip_answer()? } else { Vec::new() };
        let length = coded.len();
        let provider = ScriptedProvider::start(move |_, stream| match name {
            "gzip" => {
                let head = "content-type: application/json\r\ncontent-encoding: gzip";
                let head = format!("HTTP/1.1 200 OK\r\n{head}\r\ncontent-length: {length}\r\n\r\n");
                stream.write_all(head.as_bytes())?;
                stream.write_all(&coded)
            }
            "chunked" => large(stream, true),
            _ => large(stream, false),
        })?;
        let (gateway, _home) = GatewayProcess::start(bench, provider.address, "")?;
        let ask = messages(&conversation(&test_run(1))).header("accept-encoding", "gzip");
        let before = gateway.rss()?;
        gateway.forget_peak()?;
        let arrived = read_all(&gateway, &ask.bytes())?;
        let grown = megabytes(gateway.peak()?.saturating_sub(before));
        let expected = if name == "gzip" { length } else { ANSWER };
        faults.check(arrived >= expected, || format!("{name}: {arrived} of {expected} bytes"));
        faults.at_most(name, MEMORY, grown, "MB");
        figures.push(format!("{name} {grown:.0} MB"));
    }
    check_redirect(bench, faults)?;
    Ok(figures.join(", "))
}

/// A JSON text of many megabytes, written piece by piece.
fn large(stream: &mut TcpStream, is_chunked: bool) -> std::io::Result<()> {
    let framing = if is_chunked {
        "transfer-encoding: chunked".to_owned()
    } else {
        format!("content-length: {ANSWER}")
    };
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{framing}\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    let mut piece = vec![b'a'; PIECE];
    for number in 0..ANSWER / PIECE {
        let edge =
            |byte: &mut u8, with: u8, is_edge: bool| *byte = if is_edge { with } else { b'a' };
        edge(&mut piece[0], b'"', number == 0);
        edge(&mut piece[PIECE - 1], b'"', number + 1 == ANSWER / PIECE);
        if is_chunked {
            write!(stream, "{PIECE:x}\r\n")?;
        }
        stream.write_all(&piece)?;
        if is_chunked {
            stream.write_all(b"\r\n")?;
        }
    }
    stream.write_all(if is_chunked { b"0\r\n\r\n" } else { b"" })
}

/// The same, compressed.
fn gzip_answer() -> anyhow::Result<Vec<u8>> {
    let mut coder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let piece = vec![b'a'; PIECE];
    coder.write_all(b"\"")?;
    for _ in 0..ANSWER / PIECE {
        coder.write_all(&piece)?;
    }
    coder.write_all(b"\"")?;
    Ok(coder.finish()?)
}

/// How many bytes of an answer arrive. They are not kept.
fn read_all(gateway: &GatewayProcess, request: &[u8]) -> anyhow::Result<usize> {
    let mut stream = TcpStream::connect(gateway.address)?;
    stream.set_read_timeout(Some(std::time::Duration::from_secs(60)))?;
    stream.write_all(request)?;
    let (mut piece, mut arrived) = (vec![0; PIECE], 0);
    loop {
        match stream.read(&mut piece)? {
            0 => return Ok(arrived),
            length => arrived += length,
        }
    }
}

/// Redirects to another host go to the client, who decides.
fn check_redirect(bench: &ProofBench, faults: &mut Faults) -> anyhow::Result<()> {
    let elsewhere = std::net::TcpListener::bind("127.0.0.1:0")?;
    elsewhere.set_nonblocking(true)?;
    let address = elsewhere.local_addr()?;
    for status in [301, 302, 307, 308] {
        let answer = format!(
            "HTTP/1.1 {status} Moved\r\nlocation: http://{address}/\r\ncontent-length: 0\r\n\r\n"
        );
        let provider =
            ScriptedProvider::start(move |_, stream| stream.write_all(answer.as_bytes()))?;
        let (gateway, _home) = GatewayProcess::start(bench, provider.address, "")?;
        let told = gateway.send(&messages(&conversation("short"))).status;
        faults.check(told == status, || format!("a {status} became {told}"));
        faults.check(elsewhere.accept().is_err(), || format!("a {status} was followed"));
    }
    Ok(())
}
