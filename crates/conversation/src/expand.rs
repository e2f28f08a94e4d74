//! Expansion: answers to the model when it asks for what was left out.

use crate::earlier_results::KeptConversation;
use crate::original_store::OriginalStore;
use crate::plain_output::PlainOutput;
use crate::reference_id::parse_reference;
use crate::report::FetchedBack;
use bytes::Bytes;
use serde::Deserialize;
use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;
use tokenforge_engine::expansion::{Selection, select};
use tokenforge_engine::reference::{Reference, ReferenceSecret};
use tokenforge_engine::{Engine, Settings};
use tokenforge_ledger::FetchedPart;
use tokenforge_providers::{Dialect, ExpandAnswer, InternalCall, Request};

/// What can be asked for in one request.
#[derive(Clone)]
pub struct RequestOriginals {
    /// Whose request it is.
    pub tenant: String,
    /// One person uses the gateway, on that person's machine.
    pub is_personal: bool,
    /// The dialect of the request.
    pub dialect: Dialect,
    /// The body as the client sent it: it holds the originals of everything that was replaced in it.
    pub body: Bytes,
    /// Which of its results the references stand for.
    pub results: HashMap<Reference, usize>,
    /// Under which the originals were made: without their secrets.
    pub settings: Settings,
    /// Under which the references were made.
    pub key: Option<Arc<ReferenceSecret>>,
    /// The conversation, if all of its results are kept.
    pub conversation: Option<KeptConversation>,
}

/// The arguments of a call of `expand_context`.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ExpandQuery {
    /// The reference, with its marks or without.
    #[serde(default)]
    pub id: String,
    /// Only these lines: `20-80`.
    pub lines: Option<String>,
    /// Only the lines that match this regular expression.
    pub grep: Option<String>,
    /// Only this part of JSON: `items[3].name`.
    pub path: Option<String>,
}

impl RequestOriginals {
    /// Answers a call. Blocks.
    #[must_use]
    pub fn answer(
        &self,
        store: &OriginalStore,
        call: &InternalCall,
    ) -> (ExpandAnswer, Option<FetchedBack>) {
        let wanted: Result<ExpandQuery, _> = serde_json::from_str(&call.arguments);
        let answer = match &wanted {
            Ok(wanted) => self.find(store, wanted),
            Err(_) => Err("Call again with {\"id\": \"shadow_...\"} as the arguments.".to_owned()),
        };
        let tokens = answer.as_ref().ok().map(|text| self.settings.counter.count(text));
        store.events.expansion_answered(tokens);
        let fetched = tokens.map(|tokens| {
            let wanted = wanted.unwrap_or_default();
            let (part, reference) = (wanted.part(), parse_reference(&wanted.id));
            let result = reference.and_then(|reference| self.results.get(&reference).copied());
            FetchedBack { result, part, tokens }
        });
        match answer {
            Ok(text) => (ExpandAnswer { text, is_error: false }, fetched),
            Err(text) => (ExpandAnswer { text, is_error: true }, None),
        }
    }

    fn find(&self, store: &OriginalStore, wanted: &ExpandQuery) -> Result<String, String> {
        if let Some(conversation) = &self.conversation
            && wanted.id.trim().is_empty()
        {
            return match wanted.grep.as_deref().filter(|grep| !grep.trim().is_empty()) {
                Some(grep) => store.earlier.search(conversation, grep),
                None => store.earlier.list(conversation),
            };
        }
        let text = match self.in_request(&wanted.id) {
            Some(text) => text,
            None => match store.find_own(&self.tenant, self.is_personal, &wanted.id) {
                Ok(text) => text,
                Err(unknown) => self.earlier_result(store, &wanted.id).ok_or(unknown)?,
            },
        };
        wanted.select_part(&text)
    }

    /// A result that the client may have cleared since.
    fn earlier_result(&self, store: &OriginalStore, id: &str) -> Option<String> {
        store.earlier.find(self.conversation.as_ref()?, id)
    }

    /// The original out of the request that is being answered: it needs no store, and belongs to the client that sent
    /// it. One that was left out in an earlier turn, and is not now, is found too.
    fn in_request(&self, id: &str) -> Option<String> {
        let (reference, key) = (parse_reference(id)?, self.key.as_deref()?);
        let request = Request::read(&self.body, self.dialect).ok()?;
        let known = self.results.get(&reference).and_then(|index| request.results.get(*index));
        let is_searched = known.is_none() && reference.verify(key);
        let all = request.results.iter().filter(|_| is_searched);
        known.into_iter().chain(all).find_map(|result| {
            let plain = PlainOutput::of(result, &self.body)?;
            let original = Engine::new(&self.settings).redacted_text(&plain.output()).into_owned();
            (Reference::of(key, &original) == reference).then_some(original)
        })
    }
}

impl ExpandQuery {
    /// Which part is asked for.
    fn part(&self) -> FetchedPart {
        let is_given =
            |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
        match self {
            _ if is_given(&self.grep) => FetchedPart::Search,
            _ if is_given(&self.path) => FetchedPart::Path,
            _ if is_given(&self.lines) => FetchedPart::Lines,
            _ => FetchedPart::Whole,
        }
    }

    /// The part of an original that is asked for.
    ///
    /// # Errors
    /// Why there is no such part, in words for a model.
    pub fn select_part(&self, original: &str) -> Result<String, String> {
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
