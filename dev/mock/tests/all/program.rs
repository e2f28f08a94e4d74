//! The mock as a program.

use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// Ends the program with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tokenforge-mock"))
}

#[test]
fn it_says_where_it_listens_and_plays_its_script() {
    let script = std::env::temp_dir().join(format!("tokenforge-mock-{}.json", std::process::id()));
    std::fs::write(&script, r#"[{"text": "from a file"}]"#).unwrap();
    let child = program().arg("--script").arg(&script).stdout(Stdio::piped()).spawn().unwrap();
    let mut running = Running(child);
    let mut line = String::new();
    BufReader::new(running.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    std::fs::remove_file(&script).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    let address = said["url"].as_str().unwrap().strip_prefix("http://").unwrap();

    let body = r#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#;
    let mut stream = TcpStream::connect(address).unwrap();
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\n";
    write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("from a file"), "{answer}");
}

#[test]
fn it_lists_its_rules_and_explains_itself() {
    let output = |argument: &str| {
        let output = program().arg(argument).output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let (ok, rules) = output("--rules");
    assert!(ok && rules.contains("max_tokens: Field required") && rules.contains("(assumed)"));
    assert!(output("--help").1.contains("--listen"));
    assert!(!output("--nonsense").0);
}
