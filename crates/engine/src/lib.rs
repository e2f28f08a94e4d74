//! One tool output in, a smaller one out, nothing lost.
//!
//! An [`Engine`] takes an [`Output`] (a tool's text and the call it answers) through stages and says what to forward
//! instead. Stages are pure; each has a [`Fidelity`], and one runner does for all of them what the laws ask: a stage's
//! text is taken only if it has fewer tokens by a real tokenizer and no more bytes, a lossless one only if decoding it
//! gives back the text, and a panic or a deadline leaves the text as it was.
//!
//! What is left out of an output is left out only where it can be fetched back: the text then begins with a
//! [`reference`](mod@reference), and [`CompressedOutput::original`] is what the caller must store for it.
//!
//! The engine does no I/O, reads no clock and keeps no state: what is forwarded depends on the output, the call, the
//! settings and the results before it.

pub mod binary;
pub mod cap;
pub mod columns;
pub mod command;
pub mod context;
pub mod dictionary;
mod diff;
mod digit_groups;
mod engine;
pub mod expand_tool;
pub mod expansion;
mod fidelity;
pub mod filter;
pub mod fold;
pub mod history;
pub mod json;
mod lexeme;
mod lines;
mod mode;
mod nature;
pub mod normalize;
mod notation;
pub mod numbers;
pub mod overrides;
pub mod padding;
pub mod paths;
pub mod progress;
pub mod prompt;
mod record;
mod redaction;
pub mod reference;
mod restore;
mod runner;
pub mod schema;
pub mod session;
mod settings;
mod stage;
mod stages;
pub mod templates;
pub mod terminal;
pub mod tool;
mod weight;
pub mod whitespace;
mod whole_lines;
pub mod wrapper;

pub use engine::{CompressedOutput, Engine, Original, Output, Vault, VaultAccess};
pub use fidelity::Fidelity;
pub use history::{History, ToolCall};
pub use mode::{Mode, UnknownMode};
pub use nature::Nature;
pub use record::{KeptReason, StageOutcome, StageStep, Verdict};
pub use restore::{RestoreError, is_compressed, restore};
pub use session::Session;
pub use settings::{
    CEILING_BYTES, DEFAULT_MAX_OUTPUT_BYTES, FLOOR_BYTES, LARGEST_MAX_OUTPUT_BYTES, Settings,
    Stc2Policy,
};
pub use stage::{Stage, StageContext, StageOutput, TextLayer};
pub use tokenforge_tokens::ModelClass;
pub use tokenforge_tokens::interrupt::Deadline;

/// What everything that a stage writes of its own begins with, at the start of a line.
pub const SIGNATURE: &str = "[Forge ";
