//! The tools of a request, counted: which there are, with their tokens, and which were called.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use tokenforge_ledger::DeclaredTools;
use tokenforge_providers::Request;

/// The tools of a request.
#[derive(Debug, Clone)]
pub struct RequestTools {
    pub(crate) list: Arc<CountedTools>,
    /// Which of them were called, by their places.
    pub(crate) called: Vec<u16>,
}

/// A list of tools that was counted.
#[derive(Debug)]
pub(crate) struct CountedTools {
    pub(crate) tools: DeclaredTools,
    /// What calls name, tool by tool: a namespace is no part of it.
    pub(crate) call_names: Vec<Box<str>>,
}

impl RequestTools {
    /// As they are written down.
    #[must_use]
    pub fn entry(&self) -> DeclaredTools {
        DeclaredTools { called: self.called.clone(), ..self.list.tools.clone() }
    }
}

impl CountedTools {
    /// Which of them the conversation has called so far.
    pub(crate) fn called(&self, request: &Request<'_>, body: &[u8]) -> Vec<u16> {
        let names = request.calls.iter().filter_map(|call| call.name.as_ref());
        let names: HashSet<Cow<'_, str>> = names.map(|name| name.text(body)).collect();
        let is_called =
            |at: usize| self.call_names.get(at).is_some_and(|name| names.contains(name.as_ref()));
        let places = 0..self.tools.declared.len();
        places.filter(|at| is_called(*at)).filter_map(|at| u16::try_from(at).ok()).collect()
    }
}
