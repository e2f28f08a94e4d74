//! Expansion: answers to the model when it asks for what was left out.

use crate::original_store::{OriginalStore, parse_reference};
use crate::plain_output::PlainOutput;
use crate::report::FetchedBack;
use bytes::Bytes;
use serde::Deserialize;
use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;
use tokenforge_engine::expansion::{Selection, select};
use tokenforge_engine::reference::{Key, Reference};
use tokenforge_engine::{Engine, Settings};
use tokenforge_ledger::Part;
use tokenforge_providers::{Answer, Dialect, InternalCall, Request};

/// What can be asked for in one request.
#[derive(Clone)]
pub(crate) struct RequestOriginals {
    pub(crate) tenant: String,
    pub(crate) dialect: Dialect,
    /// The body as the client sent it: it holds the originals of everything that was replaced in it.
    pub(crate) body: Bytes,
    /// Which of its results the references stand for.
    pub(crate) results: HashMap<Reference, usize>,
    /// Under which the originals were made: without their secrets.
    pub(crate) settings: Settings,
    /// Under which the references were made.
    pub(crate) key: Option<Arc<Key>>,
}

/// What is asked for.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ExpandQuery {
    #[serde(default)]
    pub(crate) id: String,
    pub(crate) lines: Option<String>,
    pub(crate) grep: Option<String>,
    pub(crate) path: Option<String>,
}

impl RequestOriginals {
    /// Answers a call. Blocks.
    pub(crate) fn answer(
        &self,
        store: &OriginalStore,
        call: &InternalCall,
    ) -> (Answer, Option<FetchedBack>) {
        let wanted: Result<ExpandQuery, _> = serde_json::from_str(&call.arguments);
        let answer = match &wanted {
            Ok(wanted) => self.find(store, wanted),
            Err(_) => Err("Call again with {\"id\": \"shadow_...\"} as the arguments.".to_owned()),
        };
        let tokens = answer.as_ref().ok().map(|text| self.settings.counter.count(text));
        store.telemetry.count_expansion(tokens);
        let fetched = tokens.map(|tokens| {
            let wanted = wanted.unwrap_or_default();
            let (part, reference) = (wanted.part(), parse_reference(&wanted.id));
            let result = reference.and_then(|reference| self.results.get(&reference).copied());
            FetchedBack { result, part, tokens }
        });
        match answer {
            Ok(text) => (Answer { text, is_error: false }, fetched),
            Err(text) => (Answer { text, is_error: true }, None),
        }
    }

    fn find(&self, store: &OriginalStore, wanted: &ExpandQuery) -> Result<String, String> {
        let text = match self.in_request(&wanted.id) {
            Some(text) => text,
            None => store.find(&self.tenant, &wanted.id)?,
        };
        wanted.select_part(&text)
    }

    /// The original out of the request that is being answered: it needs no store, and is whoever's who sent it. One that
    /// was left out in an earlier turn, and is not now, is found too.
    fn in_request(&self, id: &str) -> Option<String> {
        let (reference, key) = (parse_reference(id)?, self.key.as_deref()?);
        let request = Request::read(&self.body, self.dialect).ok()?;
        let known = self.results.get(&reference).and_then(|index| request.results.get(*index));
        let is_searched = known.is_none() && reference.verify(key);
        let all = request.results.iter().filter(|_| is_searched);
        known.into_iter().chain(all).find_map(|result| {
            let plain = PlainOutput::of(result, &self.body)?;
            let original = Engine::new(&self.settings).redacted(&plain.output()).into_owned();
            (Reference::of(key, &original) == reference).then_some(original)
        })
    }
}

impl ExpandQuery {
    /// Which part is asked for.
    fn part(&self) -> Part {
        let is_given =
            |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
        match self {
            _ if is_given(&self.grep) => Part::Search,
            _ if is_given(&self.path) => Part::Path,
            _ if is_given(&self.lines) => Part::Lines,
            _ => Part::Whole,
        }
    }

    /// The part of an original that is asked for.
    pub(crate) fn select_part(&self, original: &str) -> Result<String, String> {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let wrong = |error: &dyn Display| format!("Call again with other arguments: {error}.");
        let lines = given(&self.lines).map(|lines| lines.parse()).transpose();
        let path = given(&self.path).map(|path| path.parse()).transpose();
        let selection = Selection {
            lines: lines.map_err(|error| wrong(&error))?,
            grep: given(&self.grep).map(|grep| grep.as_str().into()),
            path: path.map_err(|error| wrong(&error))?,
            ..Selection::default()
        };
        let selected = select(original, &selection).map_err(|error| wrong(&error))?;
        Ok(selected.into_owned())
    }
}
