//! The requests that real clients sent.

use crate::house::House;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::ops::Range;
use std::path::Path;
use tokenforge_engine::Mode;
use tokenforge_providers::{Dialect, Request, expand_tool};

/// A request of a real client.
#[derive(Deserialize)]
pub(crate) struct Recording {
    #[serde(skip)]
    pub(crate) name: String,
    path: String,
    body: Box<RawValue>,
}

impl Recording {
    pub(crate) fn body(&self) -> &[u8] {
        self.body.get().as_bytes()
    }

    pub(crate) fn dialect(&self) -> Dialect {
        Dialect::detect("POST", &self.path, |_| None).unwrap().dialect
    }

    /// The model that the path names.
    pub(crate) fn path_model(&self) -> Option<&str> {
        Dialect::detect("POST", &self.path, |_| None).unwrap().model
    }
}

/// Every recording but the frame of a WebSocket, which is no body.
pub(crate) fn recordings() -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dev/samples/recorded");
    let mut recordings = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_some_and(|end| end == "json") && name != "codex_ws" {
            let text = std::fs::read_to_string(&path).unwrap();
            recordings.push(Recording { name, ..serde_json::from_str(&text).unwrap() });
        }
    }
    assert_eq!(recordings.len(), 41);
    recordings
}

/// What the provider gets of a recording.
pub(crate) fn forwarded(house: &House, recording: &Recording) -> Vec<u8> {
    let response = house.post(&recording.path, recording.body());
    assert_eq!(response.status, 200, "{}: {:?}", recording.name, house.mock.refusals());
    house.mock.last().body.to_vec()
}

#[test]
fn g15_l1_with_mode_disabled_or_observe_the_provider_gets_the_clients_bytes() {
    for mode in [Mode::Disabled, Mode::Observe] {
        let house = House::with(|settings| settings.tool_output.mode = mode);
        for recording in recordings() {
            let is_same = forwarded(&house, &recording) == recording.body();
            assert!(is_same, "{} in {mode:?}", recording.name);
        }
    }
}

#[test]
fn g2_g3_l1_l5_only_results_change_and_always_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on_disk(folder.path(), |_| {});
    let recordings = recordings();
    let first: Vec<_> = recordings.iter().map(|recording| forwarded(&house, recording)).collect();
    let mut smaller = 0;
    for (recording, first) in recordings.iter().zip(&first) {
        let dialect = recording.dialect();
        let tool = format!(",{}", expand_tool(dialect));
        let (client, provider) = (frame(recording.body(), dialect), frame(first, dialect));
        assert_eq!(client, provider.replacen(&tool, "", 1), "{}", recording.name);
        smaller += usize::from(results(first, dialect) < results(recording.body(), dialect));
    }
    assert!(smaller >= 15, "only {smaller} are smaller");
    let again = |house: &House, when: &str| {
        for (recording, first) in recordings.iter().zip(&first) {
            assert!(forwarded(house, recording) == *first, "{} {when}", recording.name);
        }
    };
    again(&house, "at the second time");
    house.restart();
    again(&house, "after a restart");
}

#[test]
fn g20_a_zstd_body_as_codex_sends_it_is_read_and_goes_on_plain() {
    let house = House::new();
    for recording in recordings().iter().filter(|recording| recording.name == "codex_chatgpt") {
        let plain = forwarded(&house, recording);
        let coded = zstd::encode_all(recording.body(), 3).unwrap();
        let headers = [("content-type", "application/json"), ("content-encoding", "zstd")];
        assert_eq!(house.ask("POST", &recording.path, &headers, coded).status, 200);
        assert_eq!(house.mock.last().header("content-encoding"), "");
        assert!(house.mock.last().body == plain);
        assert!(plain.len() < recording.body().len());
    }
}

/// The body with nothing where its results are.
fn frame(body: &[u8], dialect: Dialect) -> String {
    let mut frame = Vec::new();
    let mut from = 0;
    for place in places(body, dialect) {
        frame.extend_from_slice(&body[from..place.start]);
        frame.extend_from_slice(b"[RESULT]");
        from = place.end;
    }
    frame.extend_from_slice(&body[from..]);
    String::from_utf8(frame).unwrap()
}

/// How many bytes its results have.
fn results(body: &[u8], dialect: Dialect) -> usize {
    places(body, dialect).into_iter().map(|place| place.len()).sum()
}

/// Where its results are, with the quotes of those that are strings.
fn places(body: &[u8], dialect: Dialect) -> Vec<Range<usize>> {
    let request = Request::read(body, dialect).unwrap();
    let mut places: Vec<_> = request.results.iter().map(|result| result.place()).collect();
    for place in &mut places {
        if body[place.start - 1] == b'"' && body[place.end] == b'"' {
            *place = place.start - 1..place.end + 1;
        }
    }
    places.sort_by_key(|place| place.start);
    places
}
