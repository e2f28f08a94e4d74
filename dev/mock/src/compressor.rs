//! A stub of the service that the strategy `api` calls.

use crate::answer::Answer;
use crate::mock::Mock;
use crate::record::Recorded;
use crate::script::Reply;
use serde_json::{Value, json};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// A compression service on a port of its own. It checks what it is sent, and answers
/// `{"success": true, "data": {"compressed_output": "..."}}` with the first fifth of the words, or as a test says.
///
/// It is a [`Mock`] too: its requests can be looked at, counted, waited for and held back.
///
/// ```
/// use tokenforge_mock::{MockCompressor, Reply};
///
/// let compressor = MockCompressor::start();
/// compressor.accept_key("secret");
/// compressor.answer_with(|asked| asked["tool_name"].as_str().unwrap_or_default().to_owned());
/// compressor.fail_once(Reply::status(503, &[], "busy"));
/// assert_eq!(compressor.most_at_once(), 0);
/// ```
#[derive(Debug)]
pub struct MockCompressor {
    mock: Mock,
    service: Arc<Service>,
}

/// How it answers.
#[derive(Default)]
struct Service {
    key: Mutex<Option<String>>,
    answer: Mutex<Option<Arc<Answering>>>,
}

type Answering = dyn Fn(&Value) -> String + Send + Sync;

impl MockCompressor {
    /// Starts a service on a free port of this machine; it accepts any key.
    ///
    /// # Panics
    /// When there is no port or no thread for it.
    #[must_use]
    pub fn start() -> Self {
        let mock = Mock::start();
        let service = Arc::new(Service::default());
        let answering = Arc::clone(&service);
        mock.serve_with(move |request| answering.to(request));
        Self { mock, service }
    }

    /// Accepts this key only.
    pub fn accept_key(&self, key: &str) {
        *self.service.key.lock().unwrap_or_else(PoisonError::into_inner) = Some(key.to_owned());
    }

    /// Makes the compressed output from the payload of a request.
    pub fn answer_with(&self, answer: impl Fn(&Value) -> String + Send + Sync + 'static) {
        *self.service.answer.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Arc::new(answer));
    }

    /// Answers the next request with something else: an error, no JSON, a fault.
    pub fn fail_once(&self, reply: impl Into<Reply>) {
        self.mock.reply_on("", reply);
    }
}

impl Deref for MockCompressor {
    type Target = Mock;

    fn deref(&self) -> &Mock {
        &self.mock
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Service")
    }
}

impl Service {
    fn to(&self, request: &mut Recorded) -> Answer {
        let key = self.key.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let asked = request.json();
        let refused = authorized(request, key.as_deref())
            .map_err(|error| (401, error))
            .and_then(|()| well_formed(&asked).map_err(|error| (422, error)));
        if let Err((status, error)) = refused {
            request.refused = Some(error.clone());
            return Answer::json(status, &json!({ "success": false, "error": error }));
        }
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let compressed = answer.map_or_else(|| shortened(&asked), |answer| answer(&asked));
        Answer::json(200, &json!({ "success": true, "data": { "compressed_output": compressed } }))
    }
}

/// The key must be in both headers.
fn authorized(request: &Recorded, key: Option<&str>) -> Result<(), String> {
    let given = request.header("x-api-key");
    let bearer = request.header("authorization").strip_prefix("Bearer ").unwrap_or_default();
    if given.is_empty() || given != bearer {
        return Err("the key must be in X-API-Key and, as Bearer, in Authorization".to_owned());
    }
    match key {
        Some(key) if key != given => Err("the key is not accepted".to_owned()),
        _ => Ok(()),
    }
}

/// The payload has these members and no others.
fn well_formed(asked: &Value) -> Result<(), String> {
    let texts = ["tool_output", "query", "tool_name", "compression_model_name", "source"];
    if let Some(name) = texts.iter().find(|name| !asked[**name].is_string()) {
        return Err(format!("{name} must be a string"));
    }
    let ratio = &asked["target_compression_ratio"];
    if !ratio.is_null() && !ratio.as_f64().is_some_and(|ratio| (0.0..=1.0).contains(&ratio)) {
        return Err("target_compression_ratio must be a number from 0 to 1".to_owned());
    }
    let known = [&texts[..], &["target_compression_ratio"]].concat();
    match crate::refusal::unknown_member(asked, &known) {
        Some(name) => Err(format!("{name} is not known")),
        None => Ok(()),
    }
}

fn shortened(asked: &Value) -> String {
    let words: Vec<_> =
        asked["tool_output"].as_str().unwrap_or_default().split_whitespace().collect();
    words[..words.len().div_ceil(5)].join(" ")
}
