//! Errors: what was wrong, where, and what would be right.

use crate::compressor::{CompressError, CompressorError};
use tokenforge_config::ConfigErrors;
use tokenforge_store::StoreError;
use tokenforge_tokens::VocabularyLeftOut;

/// Why something was not done. Nothing is changed then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The settings have mistakes: where each is, and what is allowed.
    #[error("{0}")]
    Settings(#[from] ConfigErrors),
    /// The settings need a gateway.
    #[error("{0}")]
    NeedsGateway(#[from] CompressorError),
    /// The store cannot be opened.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The request is none, or may not be sent as it is.
    #[error("{0}")]
    Request(#[from] CompressError),
    /// The provider is unknown.
    #[error("unknown provider {found:?}; expected one of {expected}")]
    UnknownProvider {
        /// What was given.
        found: String,
        /// What there is.
        expected: String,
    },
    /// A model's tokens cannot be counted.
    #[error("{0}")]
    Uncounted(#[from] VocabularyLeftOut),
    /// There is no such original, or no such part of it: what to do, in words for a model.
    #[error("{0}")]
    NotFound(String),
    /// A list of earlier results is none.
    #[error("history: {expected}: {0}", expected = tokenforge_engine::EarlierResult::EXPECTED)]
    History(serde_json::Error),
    /// The text is in none of our notations, or damaged.
    #[error("{0}")]
    Undecodable(String),
}
