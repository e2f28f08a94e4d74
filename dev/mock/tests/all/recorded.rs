//! The bodies that real clients sent are accepted.

use crate::kit;
use serde_json::Value;
use std::path::Path;
use tokenforge_mock::Mock;

/// Frames of a WebSocket, which are no bodies of HTTP.
const NO_BODIES: &[&str] = &["codex_ws.json"];

#[test]
fn recorded_bodies_are_accepted() {
    let mock = Mock::start();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/recorded");
    let mut seen = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_none_or(|end| end != "json") {
            continue;
        }
        let recorded: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let response = kit::post(&mock, recorded["path"].as_str().unwrap(), &recorded["body"]);
        let is_body = !NO_BODIES.contains(&name.as_str());
        assert_eq!(response.status == 200, is_body, "{name}: {:?}", mock.last().refused);
        seen += 1;
    }
    assert_eq!(seen, 42);
}
