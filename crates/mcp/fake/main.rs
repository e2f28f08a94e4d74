//! A tool server for the tests, over standard input and output. With `--linger` it does not end when its input does.

#[allow(dead_code, reason = "the tests use more of it")]
mod behaviour;

use behaviour::{Act, Server};
use std::io::{BufRead, Write};

fn main() {
    let mut server = Server::default();
    let mut stdout = std::io::stdout().lock();
    eprintln!("fake server: secret words on the standard error");
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Ok(message) = serde_json::from_str(&line) else { continue };
        for act in server.react(&message) {
            let written = match act {
                Act::Say(message) | Act::Announce(message) => writeln!(stdout, "{message}"),
                Act::Write(text) => write!(stdout, "{text}"),
                Act::Exit => std::process::exit(3),
            };
            if written.is_err() {
                return;
            }
        }
        let _ = stdout.flush();
    }
    if std::env::args().any(|argument| argument == "--linger") {
        loop {
            std::thread::park();
        }
    }
    std::process::exit(if std::env::args().any(|argument| argument == "--seven") { 7 } else { 0 })
}
