//! A client with no opinions: what it sends and receives are bytes.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use tokenforge_mock::Mock;

/// A response as it came.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// The sizes of its chunks, if it was chunked.
    pub(crate) chunks: Vec<usize>,
}

impl Response {
    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Opens a connection and sends a request.
pub(crate) fn send(mock: &Mock, method: &str, path: &str, headers: &str, body: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(mock.address()).unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: mock\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    stream
}

/// Sends a request and reads all of the response.
pub(crate) fn ask(mock: &Mock, method: &str, path: &str, headers: &str, body: &[u8]) -> Response {
    read(send(mock, method, path, headers, body)).unwrap()
}

/// Posts JSON.
pub(crate) fn post(mock: &Mock, path: &str, body: &serde_json::Value) -> Response {
    ask(mock, "POST", path, "content-type: application/json\r\n", body.to_string().as_bytes())
}

/// Everything until the end of the connection.
pub(crate) fn bytes(mut stream: TcpStream) -> std::io::Result<Vec<u8>> {
    let mut all = Vec::new();
    stream.read_to_end(&mut all)?;
    Ok(all)
}

/// Reads a response until the end of the connection.
pub(crate) fn read(stream: TcpStream) -> std::io::Result<Response> {
    let all = bytes(stream)?;
    let end = all.windows(4).position(|window| window == b"\r\n\r\n").expect("a header section");
    let head = String::from_utf8(all[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let rest = &all[end + 4..];
    let (body, chunks) = if head.contains("transfer-encoding: chunked") {
        dechunked(rest)
    } else {
        (rest.to_vec(), Vec::new())
    };
    Ok(Response { status, head, body, chunks })
}

fn dechunked(mut rest: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let (mut body, mut chunks) = (Vec::new(), Vec::new());
    while let Some(end) = rest.windows(2).position(|window| window == b"\r\n") {
        let size = usize::from_str_radix(str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            break;
        }
        let data = &rest[end + 2..];
        body.extend_from_slice(&data[..size.min(data.len())]);
        chunks.push(size);
        rest = data.get(size + 2..).unwrap_or_default();
    }
    (body, chunks)
}
