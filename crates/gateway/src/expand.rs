//! Answers to the model when it asks for what was left out.

use crate::gateway::Gateway;
use crate::rewrite::output;
use bytes::Bytes;
use serde::Deserialize;
use std::collections::HashMap;
use tokenforge_compress::expansion::{Selection, select};
use tokenforge_compress::reference::{Key, Reference};
use tokenforge_compress::{Engine, Settings};
use tokenforge_dialects::{Answer, Dialect, InternalCall, Request};
use tokenforge_store::Kind;

/// What can be asked for in one request.
#[derive(Clone)]
pub(crate) struct Originals {
    pub(crate) tenant: String,
    pub(crate) dialect: Dialect,
    /// The body as the client sent it: it holds the originals of everything that was replaced in it.
    pub(crate) body: Bytes,
    /// Which of its results the references stand for.
    pub(crate) results: HashMap<Reference, usize>,
    /// Under which the originals were made: without their secrets.
    pub(crate) settings: Settings,
}

/// What the model may say.
#[derive(Debug, Default, Deserialize)]
struct Arguments {
    #[serde(default)]
    id: String,
    lines: Option<String>,
    grep: Option<String>,
}

impl Originals {
    /// Answers a call. Blocks.
    pub(crate) fn answer(&self, gateway: &Gateway, call: &InternalCall) -> Answer {
        let answer = self.selected(gateway, &call.arguments);
        gateway.telemetry.expansion(answer.as_ref().map(String::as_str));
        match answer {
            Ok(text) => Answer { text, is_error: false },
            Err(text) => Answer { text, is_error: true },
        }
    }

    fn selected(&self, gateway: &Gateway, arguments: &str) -> Result<String, String> {
        let arguments: Arguments = serde_json::from_str(arguments)
            .map_err(|_| "Call again with {\"id\": \"shadow_...\"} as the arguments.".to_owned())?;
        let original = self.find(gateway, &arguments.id)?;
        let selection = selection(&arguments)?;
        let selected = select(&original, &selection)
            .map_err(|error| format!("Call again with other arguments: {error}."))?;
        Ok(selected.into_owned())
    }

    /// The original, from the request itself where it is, else from the store.
    fn find(&self, gateway: &Gateway, id: &str) -> Result<String, String> {
        let unknown = || {
            format!(
                "No original is kept under {:?}. Run the tool again if you need its output.",
                id.chars().take(80).collect::<String>()
            )
        };
        let given = id.trim().trim_start_matches("<<<SHADOW:").trim_end_matches(">>>");
        let reference: Reference = given.parse().map_err(|_| unknown())?;
        let key = gateway.reference_key().ok_or_else(unknown)?;
        if !reference.verify(&key, &self.tenant) {
            return Err(unknown());
        }
        if let Some(text) = self.in_request(reference, &key) {
            return Ok(text);
        }
        let stored = gateway.store.get(Kind::Original, &self.tenant, &reference.to_string());
        stored.ok().flatten().and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(unknown)
    }

    fn in_request(&self, reference: Reference, key: &Key) -> Option<String> {
        let index = *self.results.get(&reference)?;
        let request = Request::read(&self.body, self.dialect).ok()?;
        let result = request.results.get(index)?;
        let text = result.text(&self.body)?;
        let arguments = result.arguments.as_ref().and_then(|found| found.text(&self.body));
        let output = output(result, &text, arguments.as_deref());
        let original = Engine::new(&self.settings).redacted(&output);
        (Reference::of(key, &self.tenant, &original) == reference).then(|| original.into_owned())
    }
}

fn selection(arguments: &Arguments) -> Result<Selection, String> {
    let lines = match &arguments.lines {
        Some(lines) if !lines.trim().is_empty() => Some(
            lines.parse().map_err(|error| format!("Call again with other arguments: {error}."))?,
        ),
        _ => None,
    };
    let grep = arguments.grep.as_deref().filter(|grep| !grep.is_empty()).map(Into::into);
    Ok(Selection { lines, grep, ..Selection::default() })
}
