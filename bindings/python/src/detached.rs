//! Work without the interpreter, so that other threads of Python can run meanwhile.

use crate::exception;
use pyo3::prelude::*;
use tokenforge_conversation::EmbedError;

/// Does work while other threads have the interpreter.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, EmbedError> + Send,
) -> PyResult<T> {
    py.detach(|| with_stack(work))?.map_err(exception)
}

#[cfg(not(target_env = "musl"))]
fn with_stack<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    Ok(work())
}

/// With musl, work has a thread of its own, because a thread of Python has 128 KiB of stack there (in Alpine's own Python 1 MiB)
/// and an overflow ends the process. Glibc gives threads 8 MiB.
#[cfg(target_env = "musl")]
fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> PyResult<T> {
    use std::{panic::resume_unwind, thread};

    const STACK: usize = 8 << 20; // addresses: memory is taken for what is used of it
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}
