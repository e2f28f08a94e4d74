//! `secrets-detector`: keys, tokens and passwords, replaced or refused before they go on.

use crate::builtin::redactor::{self, MAX_BYTES, RedactedPart};
use crate::{BodyNeed, BoxFuture, Context, Error, Factory, Flow, Phase, Phases, Plugin};
use bytes::Bytes;
use http::{Response, StatusCode, header::CONTENT_TYPE};
use schemars::JsonSchema;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use tokenforge_redact::{Scanner, TextFinder, marker};

/// The name in settings.
pub(crate) const NAME: &str = "secrets-detector";

/// What `secrets-detector` can be told.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct SecretsDetectorSettings {
    /// What happens to a secret.
    action: Action,
    /// Where it is looked for: in what models are asked and tools answer, unless said otherwise.
    places: Vec<RedactedPart>,
    /// The largest body that is looked at. About a larger one `on_error` decides.
    max_bytes: usize,
}

/// What happens to a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    /// A marker takes its place that says what kind it was.
    Redact,
    /// Whatever holds it does not go on.
    Refuse,
}

impl Default for SecretsDetectorSettings {
    fn default() -> Self {
        Self { action: Action::Redact, places: RedactedPart::USUAL.into(), max_bytes: MAX_BYTES }
    }
}

/// Makes the plugin from its settings.
pub(crate) fn factory() -> impl Factory {
    crate::factory(NAME, |settings: SecretsDetectorSettings| Ok(SecretsDetector(settings)))
}

struct SecretsDetector(SecretsDetectorSettings);

impl Plugin for SecretsDetector {
    fn name(&self) -> &str {
        NAME
    }

    fn phases(&self) -> Phases {
        RedactedPart::phases(&self.0.places)
    }

    fn body(&self, _: Phase) -> BodyNeed {
        BodyNeed::Buffered { up_to: self.0.max_bytes }
    }

    fn wants_body(&self, context: &Context<'_>) -> bool {
        redactor::shows_text(context, &self.0.places)
    }

    fn call<'a>(&'a self, mut context: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>> {
        Box::pin(async move {
            let Some(body) = redactor::shown(&context, &self.0.places)? else {
                return Ok(Flow::Continue);
            };
            let secrets = Arc::new(Secrets::default());
            let Some(redacted) = redactor::redacted(&secrets, body).await? else {
                return Ok(Flow::Continue);
            };
            match self.0.action {
                Action::Redact => redactor::replace(&mut context, redacted)?,
                Action::Refuse => {
                    return Ok(Flow::Terminate(refusal(context.phase(), &secrets.rules())?));
                }
            }
            Ok(Flow::Continue)
        })
    }
}

/// Finds secrets, and remembers which kinds there were.
#[derive(Default)]
struct Secrets(Mutex<BTreeSet<&'static str>>);

impl Secrets {
    fn rules(&self) -> String {
        let rules = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rules.iter().copied().collect::<Vec<_>>().join(", ")
    }
}

impl TextFinder for Secrets {
    fn find<'s>(&'s self, name: &str, text: &str) -> Vec<(Range<usize>, Cow<'s, str>)> {
        let found = Scanner::builtin().find_value(name, text);
        let mut rules = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found
            .into_iter()
            .map(|finding| {
                rules.insert(finding.rule);
                (finding.range, marker(finding.rule).into())
            })
            .collect()
    }
}

/// Says what kinds of secrets there were, and nothing about them.
fn refusal(phase: Phase, rules: &str) -> Result<Response<Bytes>, Error> {
    let (status, what) = match phase {
        Phase::PreUpstream => (StatusCode::FORBIDDEN, "the request holds"),
        Phase::ToolCall => (StatusCode::FORBIDDEN, "the arguments of the tool call hold"),
        Phase::ToolResult => (StatusCode::BAD_GATEWAY, "the result of the tool call holds"),
        _ => (StatusCode::BAD_GATEWAY, "the response holds"),
    };
    let message = format!(
        "{what} what looks like a secret ({rules}), and the plugin `{NAME}` refuses secrets"
    );
    let body = serde_json::json!({ "type": "error", "error": { "type": "secret_found", "message": message } });
    let response = Response::builder().status(status).header(CONTENT_TYPE, "application/json");
    Ok(response.body(body.to_string().into())?)
}

#[cfg(test)]
mod tests;
