//! Golden bytes: what the provider gets of every recorded request in every mode, pinned.
//!
//! Of a request its results are shown as they are forwarded, and of the whole body a digest: no byte of it changes
//! unseen. `INSTA_UPDATE=always cargo test -p tokenforge-gateway --test conversation golden` writes the new ones.

use crate::house::House;
use crate::recorded::{Recording, forwarded, recordings};
use std::fmt::Write;
use tokenforge_config::{ExpandInjection, Secret};
use tokenforge_engine::Mode;
use tokenforge_providers::{Request, expand_tool};
use xxhash_rust::xxh3::xxh3_128;

/// What is different in a request on its way to the provider.
fn changes(recording: &Recording, forwarded: &[u8]) -> String {
    let (body, dialect) = (recording.body(), recording.dialect());
    if body == forwarded {
        return "(as it came)\n".to_owned();
    }
    let read = |body| Request::read(body, dialect).unwrap();
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{} bytes -> {}, xxh3 {:032x}",
        body.len(),
        forwarded.len(),
        xxh3_128(forwarded)
    );
    let tool = expand_tool(dialect).as_bytes();
    if forwarded.windows(tool.len()).any(|part| part == tool) {
        let _ = writeln!(out, "expand_context is offered");
    }
    let (before, after) = (read(body), read(forwarded));
    assert_eq!(before.results.len(), after.results.len());
    for (number, (before, after)) in before.results.iter().zip(&after.results).enumerate() {
        let (raw, new) = (&body[before.place()], &forwarded[after.place()]);
        if raw != new {
            let text = String::from_utf8_lossy(new).replace("\\n", "\n");
            let _ =
                writeln!(out, "--- result {number}, {} bytes -> {}\n{text}", raw.len(), new.len());
        }
    }
    out
}

#[test]
fn l5_every_recorded_request_is_forwarded_as_the_pinned_bytes_in_every_mode() {
    let houses = Mode::ALL.map(|mode| {
        let house = House::with(|settings| {
            settings.tool_output.mode = mode;
            settings.tool_output.expand_injection = ExpandInjection::default();
            settings.store.key = Some(Secret::new("a key that is the same in every run"));
        });
        (mode, house)
    });
    insta::with_settings!({
        snapshot_path => "../golden",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        for recording in recordings() {
            let mut pinned: Vec<(String, String)> = Vec::new();
            for (mode, house) in &houses {
                let changes = changes(&recording, &forwarded(house, &recording));
                match pinned.iter_mut().find(|(_, other)| *other == changes) {
                    Some((modes, _)) => *modes += &format!(", {mode}"),
                    None => pinned.push((mode.to_string(), changes)),
                }
            }
            let pinned: String =
                pinned.iter().map(|(modes, changes)| format!("##### {modes}\n{changes}")).collect();
            insta::assert_snapshot!(recording.name.as_str(), pinned);
        }
    });
}
