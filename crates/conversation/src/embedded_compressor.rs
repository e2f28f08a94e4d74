//! The compressor behind all languages: requests, single outputs, and the way back.

use crate::compressor::{CompressedRequest, Compressor};
use crate::error::EmbedError;
use crate::expand::ExpandQuery;
use crate::output_call::{CompressedText, OutputCall};
use crate::rewrite::OriginalsReader;
use std::sync::Arc;
use tokenforge_config::{ConfigFile, Overrides, Settings};
use tokenforge_engine::{Output, is_compressed, restore};
use tokenforge_formats::{MAX_OUTPUT, decode_any, stc2};
use tokenforge_providers::Dialect;
use tokenforge_store::{Store, StoreLocation, StoreOptions};
use tokenforge_tokens::{Counter, embedded_model};

/// Compresses requests and outputs with the gateway's settings. Share it between threads; calls block.
pub struct EmbeddedCompressor {
    compressor: Compressor,
}

impl EmbeddedCompressor {
    /// With settings as in `tokenforge.yaml` (JSON is YAML too; empty: the defaults), and a store: `memory:`,
    /// `disk:PATH`, `redis://…`.
    ///
    /// # Errors
    /// Mistakes in the settings, each with its place, and a store that cannot be opened.
    pub fn open(settings: &str, store: &str) -> Result<Self, EmbedError> {
        let settings = load(settings)?;
        let location: StoreLocation = store.parse()?;
        let usual = location.default_settings();
        let bounds = StoreOptions {
            max_bytes: settings.store.max_bytes.map_or(usual.max_bytes, |bytes| bytes as u64),
            original_lifetime: settings.store.original_ttl,
            result_lifetime: settings.store.compressed_ttl,
            ..usual
        };
        Self::build(settings, location.open(bounds)?)
    }

    /// The same with a store of one's own.
    ///
    /// # Errors
    /// Mistakes in the settings, each with its place.
    pub fn with_store(settings: &str, store: Arc<dyn Store>) -> Result<Self, EmbedError> {
        Self::build(load(settings)?, store)
    }

    fn build(settings: Settings, store: Arc<dyn Store>) -> Result<Self, EmbedError> {
        Ok(EmbeddedCompressor { compressor: Compressor::new(settings, store)? })
    }

    /// What is to be sent instead of a request, which is whole as it would be sent to the provider. `path_model` is the
    /// model where the path names it and not the body, as for Gemini and Bedrock; empty: it is not known.
    ///
    /// # Errors
    /// A body that cannot be read, with the byte, and a model whose vocabulary this build leaves out; nothing is changed
    /// then.
    pub fn compress(
        &self,
        dialect: Dialect,
        body: Vec<u8>,
        reader: OriginalsReader,
        path_model: &str,
    ) -> Result<CompressedRequest, EmbedError> {
        Ok(self.compressor.compress(dialect, body, reader, known(path_model))?)
    }

    /// The text to show instead of one tool output. The caller can fetch what is left out.
    ///
    /// # Errors
    /// A model whose vocabulary this build leaves out.
    pub fn compress_output(
        &self,
        text: &str,
        call: &OutputCall<'_>,
    ) -> Result<CompressedText, EmbedError> {
        let OutputCall { tool, arguments, is_error, model } = *call;
        let output = Output { text, tool, arguments, call: None, is_error };
        let made = self.compressor.compress_output(&output, known(model))?;
        Ok(CompressedText {
            verdict: made.verdict,
            stages: made.stages,
            tokens_before: made.tokens_before,
            tokens_after: made.tokens_after,
            reference: made.reference.map(|reference| reference.to_string()),
            text: made.text,
        })
    }

    /// An original, or a part of it: lines such as `20-80`, those that match a regular expression, or a path into JSON.
    ///
    /// # Errors
    /// Why there is nothing, and what to do, in words for a model.
    pub fn expand(
        &self,
        reference: &str,
        lines: Option<&str>,
        grep: Option<&str>,
        path: Option<&str>,
    ) -> Result<String, EmbedError> {
        let own = |text: Option<&str>| text.map(str::to_owned);
        let id = reference.to_owned();
        let query = ExpandQuery { id, lines: own(lines), grep: own(grep), path: own(path) };
        self.compressor.expand(&query).map_err(EmbedError::NotFound)
    }
}

/// Any of our notations back to what it stands for: JSON minified, a compressed output as it was, to the byte.
///
/// # Errors
/// It is in none of them, or damaged; what was left out is had with [`EmbeddedCompressor::expand`].
pub fn decode(text: &str) -> Result<String, EmbedError> {
    let undecodable = |error: &dyn std::fmt::Display| EmbedError::Undecodable(error.to_string());
    if is_compressed(text) && !stc2::is_stc2(text) {
        return restore(text).map_err(|error| undecodable(&error));
    }
    decode_any(text, MAX_OUTPUT).map_err(|error| undecodable(&error))
}

/// How many tokens a text has for a model; by o200k where the model's own vocabulary is not public.
///
/// # Errors
/// That vocabulary is left out of this build. Another would give another count.
pub fn count(text: &str, model: &str) -> Result<usize, EmbedError> {
    let counter = match known(model) {
        Some(model) => embedded_model(model)?.vocabulary.into(),
        None => Counter::default(),
    };
    Ok(counter.count(text))
}

/// The dialect of a provider's API, by its name.
///
/// # Errors
/// There is none of this name.
pub fn dialect(name: &str) -> Result<Dialect, EmbedError> {
    Dialect::ALL.iter().copied().find(|dialect| dialect.name() == name).ok_or_else(|| {
        let expected: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        EmbedError::UnknownProvider { found: name.to_owned(), expected: expected.join(", ") }
    })
}

/// A name that is given.
fn known(name: &str) -> Option<&str> {
    Some(name).filter(|name| !name.is_empty())
}

fn load(text: &str) -> Result<Settings, EmbedError> {
    let file = ConfigFile { name: "settings", text };
    let file = (!file.is_blank()).then_some(file);
    Ok(Settings::load(file, &|_| None, &Overrides::default())?)
}
