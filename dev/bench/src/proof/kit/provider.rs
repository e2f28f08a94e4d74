//! An upstream that writes whatever a row tells it to, byte by byte: HTTP/1.1 by hand, a thread for each connection.

use anyhow::Context;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

/// Thousands of streams are held at once.
const STACK: usize = 128 << 10;

/// A request as it arrived.
pub(crate) struct ReceivedRequest {
    /// Headers, names in small letters.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl ReceivedRequest {
    /// A header; empty if it is missing.
    pub(crate) fn header(&self, wanted: &str) -> &str {
        let found = self.headers.iter().find(|(name, _)| name == wanted);
        found.map_or("", |(_, value)| value.as_str())
    }
}

/// An upstream. It answers until this program ends.
pub(crate) struct ScriptedProvider {
    pub(crate) address: SocketAddr,
}

impl ScriptedProvider {
    /// Answers every request by `answer`, which writes to the connection; an error closes it.
    pub(crate) fn start(
        answer: impl Fn(&ReceivedRequest, &mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let answer = Arc::new(answer);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let answer = answer.clone();
                let serve = move || drop(serve(stream, &*answer));
                let _ = std::thread::Builder::new().stack_size(STACK).spawn(serve);
            }
        });
        Ok(ScriptedProvider { address })
    }

    /// A whole answer with a body.
    pub(crate) fn json(body: &[u8]) -> Vec<u8> {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
        let head = format!("{head}content-length: {}\r\n\r\n", body.len());
        [head.as_bytes(), body].concat()
    }
}

fn serve(
    stream: TcpStream,
    answer: &dyn Fn(&ReceivedRequest, &mut TcpStream) -> std::io::Result<()>,
) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader)? {
        answer(&request, &mut writer)?;
    }
    Ok(())
}

/// The next request; none when the client has left.
fn read_request(reader: &mut impl BufRead) -> anyhow::Result<Option<ReceivedRequest>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut request = ReceivedRequest { headers, body: Vec::new() };
    if request.header("transfer-encoding").contains("chunked") {
        while let Some(chunk) = chunk(reader)? {
            request.body.extend_from_slice(&chunk);
        }
    } else if let Ok(length) = request.header("content-length").parse() {
        reader.by_ref().take(length).read_to_end(&mut request.body)?;
    }
    Ok(Some(request))
}

/// The next chunk of a body; none after the last.
fn chunk(reader: &mut impl BufRead) -> anyhow::Result<Option<Vec<u8>>> {
    let mut size = String::new();
    reader.read_line(&mut size)?;
    let size = u64::from_str_radix(size.trim(), 16).context("the size of a chunk")?;
    let mut bytes = Vec::new();
    reader.by_ref().take(size + 2).read_to_end(&mut bytes)?;
    bytes.truncate(size as usize);
    Ok((size > 0).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_read_by_length_and_by_chunks() {
        let text = "POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc\
                    POST /b HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n";
        let mut reader = BufReader::new(text.as_bytes());
        let first = read_request(&mut reader).unwrap().unwrap();
        assert_eq!(first.body, b"abc");
        assert_eq!(read_request(&mut reader).unwrap().unwrap().body, b"ab");
        assert!(read_request(&mut reader).unwrap().is_none());
    }
}
