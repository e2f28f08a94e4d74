//! A whole conversation in, a smaller one out, and back.
//!
//! | | for |
//! |---|---|
//! | [`EmbeddedCompressor`] | a program that compresses its own requests: settings as text, a store by its URL |
//! | [`Compressor`] | the same with [`Settings`](tokenforge_config::Settings) and a [`Store`](tokenforge_store::Store) |
//! | [`rewrite`](mod@rewrite) | a gateway: a request with all that is known of its sender |
//!
//! An [`EmbeddedCompressor`] takes a request as you would send it to a model provider and gives back the bytes that the
//! gateway would send instead; or it takes one tool output. What was left out can be had again with
//! [`expand`](EmbeddedCompressor::expand). It opens no port and sends nothing; the Python and Node packages are thin
//! layers over it.
//!
//! ```
//! use tokenforge_conversation::{EmbeddedCompressor, OriginalsReader, OutputCall};
//!
//! let compressor = EmbeddedCompressor::open("pipes: {tool_output: {mode: standard}}", "memory:")?;
//! let text: String = (1..=60).map(|n| format!("test api::case_{n:02} ... ok\n")).collect();
//! let call = OutputCall { tool: "Bash", arguments: r#"{"command": "cargo test"}"#, ..OutputCall::default() };
//! let made = compressor.compress_output(&text, &call)?;
//! assert!(made.tokens_after < made.tokens_before);
//! assert_eq!(compressor.expand(&made.reference.unwrap(), None, None, None)?, text);
//! # Ok::<(), tokenforge_conversation::EmbedError>(())
//! ```
//!
//! It never changes what it cannot read: bad input is an error that says where the fault is.
//!
//! The crate has no server, socket or thread of its own: it is given settings, a blocking store, a [`Clock`] and
//! [`Events`].
//!
//! Each vocabulary is a feature (`o200k`, `cl100k`, `llama3`, `deepseek_v3`, `qwen2`, `mistral_v3`, `glm4`, `glm5`), and the
//! default is all of them. A program that leaves some out gets an error for a model that is counted with one of those:
//! another vocabulary would give other counts, and other bytes than the gateway's. Stores on Redis are the feature `redis`.

mod cache_hasher;
mod callback_store;
mod clock;
pub mod cold_cache;
mod compressor;
mod declared_tools;
mod decode_output;
mod deferral;
mod earlier_results;
mod embedded_compressor;
mod error;
mod events;
mod expand;
pub mod expand_payoff;
pub mod expand_route;
mod forge_member;
mod holds;
mod memo;
mod options;
mod original_store;
mod output_call;
mod owner;
mod panic_safe_store;
mod plain_output;
mod problem;
mod redaction;
mod reference_id;
mod reference_key;
mod remembered_decision;
pub mod report;
mod request_tools;
mod result_figures;
pub mod rewrite;
mod rules;
mod schemas;
mod sessions;
mod shared;
mod spliced_body;
pub mod strategy;
mod strategy_answers;
mod strategy_decision;
mod verdicts;

pub use callback_store::CallbackStore;
pub use clock::{Clock, SystemClock};
pub use compressor::{
    CompressError, CompressedRequest, Compressor, CompressorError, ResultVerdict, TextVerdict,
};
pub use decode_output::{decode_output, parse_history};
pub use deferral::{DeferredCallStore, KnownContinuation};
pub use earlier_results::KeptConversation;
pub use embedded_compressor::{EmbeddedCompressor, count, decode, dialect};
pub use error::EmbedError;
pub use events::{Events, NoEvents};
pub use expand::{ExpandQuery, RequestOriginals};
pub use forge_member::forge_removal;
pub use holds::{EARLIER_RESULTS, TenantHolds};
pub use memo::{FRESH, Memo};
pub use options::RequestOptions;
pub use original_store::OriginalStore;
pub use output_call::{CompressedText, OutputCall};
pub use owner::THIS_MACHINE;
pub use problem::RewriteProblem;
pub use redaction::{BodyKind, redact};
pub use request_tools::RequestTools;
pub use rewrite::OriginalsReader;
pub use rules::RewriteRules;
pub use shared::RewriteShared;
pub use spliced_body::{Replacement, SplicePieces, SplicedBody, with_replaced};
pub use tokenforge_engine::History; // of `decode_output`
pub use tokenforge_engine::expand_tool::DEFINITION as EXPAND_TOOL;
pub use tokenforge_providers::Dialect;
pub use tokenforge_store::StoreError;
pub use verdicts::verdicts_json;
