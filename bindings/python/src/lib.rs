//! The Python module: a thin layer over `tokenforge-conversation`. Its types, defaults and documentation are in
//! `python/tokenforge_engine/__init__.py`; what goes between the two is bytes, and verdicts as JSON.

mod python_store;

use pyo3::create_exception;
use pyo3::exceptions::{PyLookupError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use python_store::python_store;
use std::sync::Arc;
use tokenforge_conversation::{
    EmbedError, EmbeddedCompressor, OriginalsReader, OutputCall, count, decode, dialect,
    verdicts_json,
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
    use super::{Compressor, OriginalNotFound, TokenforgeError, count_tokens, decode_text};
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
            Ok(url) => py.detach(|| EmbeddedCompressor::open(&settings, &url)),
            Err(_) => {
                let store = Arc::new(python_store(store.unbind()));
                py.detach(|| EmbeddedCompressor::with_store(&settings, store))
            }
        };
        opened.map(Compressor).map_err(exception)
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
        let made = py.detach(compress).map_err(exception)?;
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
        let made = py.detach(|| self.0.compress_output(&text, &call)).map_err(exception)?;
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
        py.detach(expand).map_err(exception)
    }
}

/// Any notation of ours back to what it stands for.
#[pyfunction]
fn decode_text(py: Python<'_>, text: String) -> PyResult<String> {
    py.detach(|| decode(&text)).map_err(exception)
}

/// How many tokens a text has for a model.
#[pyfunction]
fn count_tokens(py: Python<'_>, text: String, model: String) -> PyResult<usize> {
    py.detach(|| count(&text, &model)).map_err(exception)
}

fn exception(error: EmbedError) -> PyErr {
    let message = error.to_string();
    match error {
        EmbedError::NotFound(_) => OriginalNotFound::new_err(message),
        _ => TokenforgeError::new_err(message),
    }
}
