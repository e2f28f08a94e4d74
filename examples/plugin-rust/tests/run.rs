//! The example, started as its reader would start it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use tokenforge_mock::Mock;
use tokenforge_mock::client::{Ask, Open};

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn s8_a_plugin_of_ones_own_guards_which_models_are_asked() {
    let mock = Mock::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokenforge.yaml");
    let settings = format!(
        "listen: 127.0.0.1:0\nupstreams:\n  backend: {}\nplugins:\n  - name: model-guard\n    on_error: closed\n    config: {{ allow: [claude-] }}\n",
        mock.url(),
    );
    std::fs::write(&file, settings).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_my-gateway"));
    let mut gateway = Running(command.arg(&file).stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(gateway.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://").unwrap().parse().unwrap();

    let ask = |model: &str| {
        let body = format!(
            r#"{{"model":"{model}","max_tokens":9,"messages":[{{"role":"user","content":"Hi"}}]}}"#
        );
        let ask = Ask::post("/v1/messages", body).header("anthropic-version", "2023-06-01");
        Open::asking(address, &ask.header("x-api-key", "sk-client")).answer()
    };
    let refused = ask("gpt-9");
    assert_eq!(refused.status, 403);
    assert!(refused.text().contains("gpt-9 is not a model for this gateway"));
    assert!(mock.requests().is_empty());
    assert_eq!(ask("claude-sonnet-4-5").status, 200);
}
