//! Row 1: the JSON scanners against serde_json, another parser: what is JSON, and where each value stands.

use crate::kit::ProofBench;
use crate::row::{Faults, ProofRow, RowResult};
use fastrand::Rng;
use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use tokenforge_formats::Json;
use tokenforge_json::{Node, ValueKind};
use tokenforge_samples::{Nasty, nasty};

pub(crate) const ROW: ProofRow = ProofRow {
    number: 1,
    what: "scanners against serde_json's RawValue: random documents, whole and damaged",
    bar: "no span differs, no panic (40 s; 1e9 executions are aimed at)",
    prove,
};

const TIME: Duration = Duration::from_secs(40);

fn prove(_: &ProofBench) -> anyhow::Result<RowResult> {
    let (mut faults, start) = (Faults::default(), Instant::now());
    let (mut whole, mut damaged, mut spans) = (0_usize, 0_usize, 0_usize);
    let mut rng = Rng::with_seed(1);
    while start.elapsed() < TIME {
        let seed = rng.u64(..);
        // The other parser's keys cannot hold half of a surrogate pair.
        let text = nasty(seed, Nasty { lone_surrogates: false, ..Nasty::default() });
        match compare_values(&text) {
            Ok(count) => spans += count,
            Err(what) => faults.add(format!("seed {seed}: {what}")),
        }
        whole += 1;
        for _ in 0..4 {
            let bytes = broken_document(&nasty(seed, Nasty::default()), &mut rng);
            let agrees = catch_unwind(AssertUnwindSafe(|| agree(&bytes)));
            faults.law(agrees, || format!("{:?}", String::from_utf8_lossy(&bytes)));
            damaged += 1;
        }
    }
    let executions = format!("{} executions", whole + damaged);
    faults.into_result(executions, format!("{whole} documents, {spans} spans, {damaged} damaged"))
}

/// Both scanners take what the other parser takes, and nothing else.
fn agree(bytes: &[u8]) {
    tokenforge_laws::text::json(bytes);
    let Ok(text) = str::from_utf8(bytes) else { return };
    let (ours, theirs) = (Node::read(text).is_ok(), Json::parse(text).is_ok());
    assert_eq!(ours, theirs, "the scanners differ: {text}");
}

/// A document with some bytes changed, cut out or put in.
fn broken_document(text: &str, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(..=bytes.len());
        match rng.u8(..3) {
            0 => bytes.insert(at, *rng.choice(b"{}[],:\"\\0eE-+. \n\x00\xff").unwrap_or(&0)),
            1 => bytes.truncate(at.max(1)),
            _ if at < bytes.len() => drop(bytes.remove(at)),
            _ => {}
        }
    }
    bytes
}

/// Compares where every value of a document stands. How many there are.
fn compare_values(text: &str) -> Result<usize, String> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let node = Node::read(text).map_err(|refusal| format!("{refusal:?}"))?;
    let json = Json::parse(text).map_err(|error| error.to_string())?;
    let mut count = 0;
    walk(text, raw, &node, json.root(), &mut count)?;
    Ok(count)
}

fn walk(
    text: &str,
    raw: &RawValue,
    node: &Node<'_>,
    value: tokenforge_json::TapeValue<'_, '_>,
    count: &mut usize,
) -> Result<(), String> {
    *count += 1;
    let start = raw.get().as_ptr() as usize - text.as_ptr() as usize;
    let span = start..start + raw.get().len();
    let tape = value.offset()..value.offset() + value.text().len();
    if node.span() != span || tape != span {
        return Err(format!("{span:?}, {:?} and {tape:?} in {text}", node.span()));
    }
    let (theirs, ours, tape): (Vec<&RawValue>, Vec<Node<'_>>, Vec<_>) = match node.kind() {
        ValueKind::Array => {
            let theirs = serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
            (theirs, node.elements(), value.elements().collect())
        }
        ValueKind::Object => {
            let mut reader = serde_json::Deserializer::from_str(raw.get());
            let theirs = reader.deserialize_map(Members).map_err(|error| error.to_string())?;
            let ours = node.members().into_iter().map(|(_, value)| value).collect();
            (theirs, ours, value.members().map(|(_, value)| value).collect())
        }
        _ => return Ok(()),
    };
    if (ours.len(), tape.len()) != (theirs.len(), theirs.len()) {
        return Err(format!("{} values in {}", theirs.len(), raw.get()));
    }
    for ((raw, node), value) in theirs.iter().zip(&ours).zip(tape) {
        walk(text, raw, node, value, count)?;
    }
    Ok(())
}

/// The values of an object, also of keys that occur twice.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some((_, value)) = map.next_entry::<String, &RawValue>()? {
            values.push(value);
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_compared() {
        assert_eq!(compare_values(r#" {"a": [1, "x"], "a": null} "#), Ok(5));
    }
}
