//! A store that is a Python object: `get(name) -> bytes | None` and `put(name, data)`.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;
use tokenforge_conversation::{CallbackStore, StoreError};

pub(crate) fn python_store(object: Py<PyAny>) -> CallbackStore {
    let object = Arc::new(object);
    let other = object.clone();
    CallbackStore::new(
        move |name| {
            Python::attach(|py| {
                let found = object.bind(py).call_method1("get", (name,)).map_err(failed)?;
                if found.is_none() {
                    return Ok(None);
                }
                found.extract::<Vec<u8>>().map(Some).map_err(failed)
            })
        },
        move |name, data| {
            Python::attach(|py| {
                let data = PyBytes::new(py, data);
                other.bind(py).call_method1("put", (name, data)).map(drop).map_err(failed)
            })
        },
    )
}

fn failed(error: PyErr) -> StoreError {
    StoreError::Callback { reason: error.to_string() }
}
