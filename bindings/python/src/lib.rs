//! The Python module: a thin layer over `tokenforge-conversation`. Its types, defaults and documentation are in
//! `python/tokenforge_engine/__init__.py`; what goes between the two is bytes, and verdicts as JSON.

mod detached;
mod python_store;

use detached::detached;
use pyo3::create_exception;
use pyo3::exceptions::{PyLookupError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use python_store::python_store;
use std::sync::Arc;
use tokenforge_conversation::{
    EmbedError, EmbeddedCompressor, OriginalsReader, OutputCall, count, decode, dialect,
    parse_history, verdicts_json,
};

create_exception!(
    tokenforge_engine,
    TokenforgeError,
    PyValueError,
    "What was wrong, where, and what would be right."
);
create_exception!(
    tokenforge_engine,
    OriginalNotFound,
    PyLookupError,
    "There is no such original, or no such part of it."
);

#[pymodule]
mod _native {
    #[pymodule_export]
    const EXPAND_TOOL: &str = tokenforge_conversation::EXPAND_TOOL;
    #[pymodule_export]
    use super::{Compressor, OriginalNotFound, TokenforgeError};
    #[pymodule_export]
    use super::{count_tokens, decode_output, decode_text};
}

/// Compresses requests and outputs. The interpreter is free meanwhile.
#[pyclass(frozen, module = "tokenforge_engine._native")]
struct Compressor(EmbeddedCompressor);

#[pymethods]
impl Compressor {
    /// `store`: the address of one, or an object with `get` and `put`.
    #[new]
    fn new(py: Python<'_>, settings: String, store: Bound<'_, PyAny>) -> PyResult<Self> {
        let opened = match store.extract::<String>() {
            Ok(url) => detached(py, || EmbeddedCompressor::open(&settings, &url)),
            Err(_) => {
                let store = Arc::new(python_store(store.unbind()));
                detached(py, || EmbeddedCompressor::with_store(&settings, store))
            }
        };
        opened.map(Compressor)
    }

    /// The body to send, and a verdict on each result as JSON.
    fn compress<'py>(
        &self,
        py: Python<'py>,
        provider: String,
        body: Vec<u8>,
        caller_fetches: bool,
        path_model: String,
    ) -> PyResult<(Bound<'py, PyBytes>, String)> {
        let reader = match caller_fetches {
            true => OriginalsReader::Caller,
            false => OriginalsReader::Model,
        };
        let compress = || self.0.compress(dialect(&provider)?, body, reader, &path_model);
        let made = detached(py, compress)?;
        Ok((PyBytes::new(py, &made.body), verdicts_json(&made)))
    }

    /// What to show instead of one output, and the verdict, as JSON.
    fn compress_output(
        &self,
        py: Python<'_>,
        text: String,
        tool: String,
        arguments: String,
        is_error: bool,
        model: String,
    ) -> PyResult<String> {
        let call = OutputCall { tool: &tool, arguments: &arguments, is_error, model: &model };
        let made = detached(py, || self.0.compress_output(&text, &call))?;
        Ok(serde_json::to_string(&made).unwrap_or_default())
    }

    /// An original, or a part of it.
    fn expand(
        &self,
        py: Python<'_>,
        reference: String,
        lines: Option<String>,
        grep: Option<String>,
        path: Option<String>,
    ) -> PyResult<String> {
        let expand =
            || self.0.expand(&reference, lines.as_deref(), grep.as_deref(), path.as_deref());
        detached(py, expand)
    }
}

/// Any notation of ours back to what it stands for.
#[pyfunction]
fn decode_text(py: Python<'_>, text: String) -> PyResult<String> {
    detached(py, || decode(&text))
}

/// The output that became this text. The results before it are JSON.
#[pyfunction]
fn decode_output(
    py: Python<'_>,
    text: String,
    history: Option<String>,
    arguments: String,
) -> PyResult<String> {
    let decode = || {
        let history = history.as_deref().map(parse_history).transpose()?;
        tokenforge_conversation::decode_output(&text, history.as_ref(), &arguments)
    };
    detached(py, decode)
}

/// How many tokens a text has for a model.
#[pyfunction]
fn count_tokens(py: Python<'_>, text: String, model: String) -> PyResult<usize> {
    detached(py, || count(&text, &model))
}

fn exception(error: EmbedError) -> PyErr {
    let message = error.to_string();
    match error {
        EmbedError::NotFound(_) => OriginalNotFound::new_err(message),
        _ => TokenforgeError::new_err(message),
    }
}
