//! `tokenforge probe-tools`: the tool server that a probed agent is given. It tells the probe what it is asked.

use super::listener::TOLD_PATH;
use crate::demo;
use clap::Args;
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long the probe may take to hear.
const PATIENCE: Duration = Duration::from_secs(5);

/// Longer answers are not the probe's.
const LONGEST: u64 = 4 << 10;

#[derive(Args)]
pub(crate) struct ProbeToolsArgs {
    /// Where the probe listens
    probe: SocketAddr,
}

/// Answers until its input ends.
pub(crate) fn serve_tools(arguments: &ProbeToolsArgs) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        if message["id"].is_null() {
            continue;
        }
        // Whether or not the probe is still there, the agent gets its answer.
        let _ = tell(arguments.probe, &message);
        writeln!(out, "{}", demo::answer_tool_request(&message))?;
        out.flush()?;
    }
    Ok(())
}

/// Says what was asked, and waits until that was heard.
fn tell(probe: SocketAddr, message: &Value) -> io::Result<()> {
    let client = &message["params"]["clientInfo"]["name"];
    let told = json!({"method": message["method"], "client": client}).to_string();
    let mut stream = TcpStream::connect_timeout(&probe, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(
        stream,
        "POST {TOLD_PATH} HTTP/1.1\r\nhost: {probe}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{told}",
        told.len()
    )?;
    stream.take(LONGEST).read_to_end(&mut Vec::new()).map(drop)
}
