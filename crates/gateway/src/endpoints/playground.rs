//! Any output tried out: in every form, in every mode, stage by stage, with its tokens. Nothing of it is kept.

mod pretty;

use super::steps;
use crate::answer::{self, Problem};
use crate::gateway::Gateway;
use crate::state::GatewayState;
use crate::workers;
use http::{Response, StatusCode};
use hyper::body::Incoming;
use pretty::pretty;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Deadline, Engine, History, Mode, Output, Settings, Vault, VaultAccess};
use tokenforge_formats::stc2::Level;
use tokenforge_formats::{Form, Json};
use tokenforge_proxy::body::Body;
use tokenforge_tokens::{Counter, for_model};

/// The longest output that is tried out, and the longest message with one: its escapes may take six bytes for one.
const LONGEST: usize = 256 << 10;
const LONGEST_MESSAGE: usize = 6 * LONGEST + (64 << 10);

/// No stage begins after this.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whose work it is: the operator has a share of the workers like any tenant, whose names have no blank.
const OPERATOR: &str = "the operator";

/// The modes that do something, from the least to the most.
const MODES: [Mode; 4] = [Mode::Safe, Mode::Lossless, Mode::Standard, Mode::Aggressive];

const FORMS: [Form; 5] =
    [Form::Json, Form::Toon, Form::Stc, Form::Stc2(Level::Nested), Form::Table];

/// An output to try out.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TrialOutput {
    text: String,
    /// The form that the text is in, if it is JSON in other words.
    form: Option<String>,
    #[serde(default)]
    tool: String,
    /// What the tool was called with.
    arguments: Option<Box<RawValue>>,
    #[serde(default)]
    is_error: bool,
    /// For whom tokens are counted.
    model: Option<String>,
}

pub(super) async fn answer(gateway: &Arc<Gateway>, body: Incoming) -> Response<Body> {
    let tried = async {
        let body = super::read_body(gateway, body, LONGEST_MESSAGE).await?;
        let tried = read_trial(&body)?;
        let _turn = gateway.operator.playground.acquire().await.map_err(|_| trial_failed())?;
        let state = gateway.state();
        let operator = Arc::from(OPERATOR);
        let patience = workers::WorkPatience { queue: PATIENCE, work: 2 * PATIENCE };
        let work =
            gateway.rewriter.workers.run(&operator, patience, move || document(&tried, &state));
        work.await.map_err(|_| trial_failed())
    };
    match tried.await {
        Ok(document) => answer::json(StatusCode::OK, &document),
        Err(problem) => problem.answer(None),
    }
}

fn read_trial(body: &[u8]) -> Result<TrialOutput, Problem> {
    let unreadable =
        |error| Problem::bad_request(format!("expected {{\"text\": …, \"tool\": …, …}}: {error}"));
    let mut tried: TrialOutput = serde_json::from_slice(body).map_err(unreadable)?;
    if tried.text.len() > LONGEST {
        let message =
            format!("the text has {} bytes; up to {LONGEST} are tried out", tried.text.len());
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message));
    }
    if let Some(form) = &tried.form {
        let form: Form = form.parse().map_err(|error: tokenforge_formats::UnknownForm| {
            Problem::bad_request(error.to_string())
        })?;
        let decoded = form.decode(&tried.text, LONGEST);
        tried.text =
            decoded.map_err(|error| Problem::bad_request(format!("this is no {form}: {error}")))?;
    }
    Ok(tried)
}

fn trial_failed() -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the output could not be tried out")
}

fn document(tried: &TrialOutput, state: &GatewayState) -> Value {
    let counter = match &tried.model {
        Some(model) => for_model(model).vocabulary.into(),
        None => state.rules.engine.counter,
    };
    let deadline = Instant::now() + PATIENCE;
    let modes = MODES.map(|mode| {
        let settings = Settings { mode, counter, ..state.rules.engine.clone() };
        self::mode(tried, &settings, deadline)
    });
    json!({
        "tokens": counter.count(&tried.text),
        "bytes": tried.text.len(),
        "mode": state.settings.tool_output.mode.name(),
        "forms": forms(&tried.text, counter),
        "modes": modes,
    })
}

/// What a mode makes of an output.
fn mode(tried: &TrialOutput, settings: &Settings, deadline: Instant) -> Value {
    let output = Output {
        text: &tried.text,
        tool: &tried.tool,
        arguments: tried.arguments.as_deref().map_or("", RawValue::get),
        call: None,
        is_error: tried.is_error,
    };
    // Nothing is stored, so that any key will do for the references.
    let key = ReferenceSecret::from_bytes([0; 32]);
    let deadline = Deadline::new(move || Instant::now() >= deadline);
    let engine = Engine::new(settings).with_deadline(&deadline).with_trace();
    // The mode `safe` offers no tool, so the model could fetch nothing back.
    let access = if settings.mode.leaves_out() { VaultAccess::Reader } else { VaultAccess::Others };
    let engine = engine.with_vault(Vault { key: &key, access });
    let compressed = engine.compress(&output, &History::default());
    let (_, tokens) = compressed.tokens(&tried.text, settings.counter);
    let text = compressed.text(&tried.text);
    json!({
        "mode": settings.mode.name(),
        "verdict": compressed.verdict.name(),
        "text": text,
        "tokens": tokens,
        "bytes": text.len(),
        "leaves_out": compressed.original.is_some(),
        "redacted": compressed.redacted,
        "steps": compressed.steps.iter().map(steps::step_document).collect::<Vec<_>>(),
    })
}

/// A text that is JSON in every form; none if it is not.
fn forms(text: &str, counter: Counter) -> Vec<Value> {
    let Ok(json) = Json::parse(text) else { return Vec::new() };
    let minified = json.minify();
    let shown = |name: &str, text: Result<&str, String>| match text {
        Ok(text) => json!({
            "form": name, "text": text, "tokens": counter.count(text), "bytes": text.len(),
        }),
        Err(reason) => json!({"form": name, "refused": reason}),
    };
    let pretty = pretty(&minified).ok_or_else(|| "it would be too long".to_owned());
    let mut forms = vec![shown("pretty", pretty.as_deref().map_err(Clone::clone))];
    for form in FORMS {
        let encoded = form.encode(&json).map_err(|refusal| refusal.to_string());
        forms.push(shown(form.name(), encoded.as_deref().map_err(Clone::clone)));
    }
    forms
}
