//! The engine in your own process: conversations and tool outputs made smaller without a gateway.
//!
//! An [`EmbeddedCompressor`] takes a request as you would send it to a model provider and gives back the bytes that the
//! gateway would send instead; or it takes one tool output. What was left out can be had again with
//! [`expand`](EmbeddedCompressor::expand). It opens no port and sends nothing; the Python and Node packages are thin
//! layers over it.
//!
//! ```
//! use tokenforge_embed::{EmbeddedCompressor, OriginalsReader, OutputCall};
//!
//! let compressor = EmbeddedCompressor::open("pipes: {tool_output: {mode: standard}}", "memory:")?;
//! let text: String = (1..=60).map(|n| format!("test api::case_{n:02} ... ok\n")).collect();
//! let call = OutputCall { tool: "Bash", arguments: r#"{"command": "cargo test"}"#, ..OutputCall::default() };
//! let made = compressor.compress_output(&text, &call)?;
//! assert!(made.tokens_after < made.tokens_before);
//! assert_eq!(compressor.expand(&made.reference.unwrap(), None, None, None)?, text);
//! # Ok::<(), tokenforge_embed::EmbedError>(())
//! ```
//!
//! It never changes what it cannot read: bad input is an error that says where the fault is.
//!
//! Each vocabulary is a feature (`o200k`, `cl100k`, `llama3`, `deepseek_v3`, `qwen2`, `mistral_v3`, `glm4`, `glm5`), and the
//! default is all of them. A program that leaves some out gets an error for a model that is counted with one of those:
//! another vocabulary would give other counts, and other bytes than the gateway's.

mod callback_store;
mod decode_output;
mod embedded_compressor;
mod error;
mod output_call;
mod verdicts;

pub use callback_store::CallbackStore;
pub use decode_output::{decode_output, parse_history};
pub use embedded_compressor::{EmbeddedCompressor, count, decode, dialect};
pub use error::EmbedError;
pub use output_call::{CompressedText, OutputCall};
pub use tokenforge_engine::History; // of `decode_output`
pub use tokenforge_engine::expand_tool::DEFINITION as EXPAND_TOOL;
pub use tokenforge_gateway::{CompressedRequest, OriginalsReader, ResultVerdict};
pub use tokenforge_providers::Dialect;
pub use tokenforge_store::StoreError;
pub use verdicts::verdicts_json;
