//! Compresses the output of an agent's tools: one tool output in, a smaller one out, nothing lost.
//!
//! An [`Engine`] takes an [`Output`] (a tool's text and the call it answers) through stages and says what to forward
//! instead. Stages are pure; each has a [`Fidelity`], and one runner does for all of them what the laws ask: a stage's
//! text is taken only if it has fewer tokens by a real tokenizer and no more bytes, a lossless one only if decoding it
//! gives back the text, and a panic or a deadline leaves the text as it was. [`Engine::with_stage`] adds a [`Stage`] of
//! your own, held to the same.
//!
//! ```
//! use tokenforge_engine::{Engine, History, Output, Settings, Verdict};
//!
//! let text = r#"[{"id": 1, "state": "open", "title": "first"}, {"id": 2, "state": "open", "title": "second"},
//!     {"id": 3, "state": "closed", "title": "third"}, {"id": 4, "state": "open", "title": "fourth"}]"#;
//! let settings = Settings::default();
//! let compressed = Engine::new(&settings).compress(&Output::new("list_items", text), &History::default());
//!
//! assert_eq!(compressed.verdict, Verdict::Replaced);
//! let (before, after) = compressed.tokens(text, settings.counter);
//! assert!(after < before, "{}", compressed.text(text));
//! ```
//!
//! [`Settings`] say how much is done. A [`History`] holds the results before this one, so that what they show already
//! becomes a pointer to them; a [`Session`] remembers, between requests, what became of each result. What is left out of an
//! output is left out only where it can be fetched back: the text then begins with a [`Reference`], and
//! [`CompressedOutput::original`] is what the caller must store for it.
//!
//! It never does I/O, reads no clock and keeps no state of its own: what is forwarded depends on the output, the call,
//! the settings and the results before it. It never forwards more tokens than came, unless a secret had to be replaced by
//! a longer word or something had to be cut off; and it never leaves out anything of a failure or of the text of a file.

// Reachable from outside with `internals` alone.
#![cfg_attr(not(feature = "internals"), allow(unreachable_pub))]

pub mod command;
pub mod context;
mod density;
mod diff;
mod digit_groups;
mod engine;
pub mod expand_tool;
pub mod expansion;
mod fidelity;
pub mod filter;
mod history;
mod lexeme;
mod lines;
mod mode;
mod nature;
mod notation;
pub mod old_results;
mod output;
pub mod overrides;
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
pub mod tool;
mod vault;
mod weight;
mod whole_lines;
mod wrapper;

pub use engine::Engine;
pub use fidelity::Fidelity;
pub use history::{EarlierResult, History, ToolCall};
pub use mode::{Mode, UnknownMode};
pub use nature::Nature;
pub use output::{CompressedOutput, Original, Output};
pub use record::{KeptReason, StageOutcome, StageStep, Verdict};
pub use reference::Reference;
pub use restore::{RestoreError, is_compressed, restore};
pub use session::Session;
pub use settings::{CEILING_BYTES, DEFAULT_MAX_OUTPUT_BYTES, FLOOR_BYTES, Settings, Stc2Policy};
pub use stage::{Stage, StageContext, StageOutput, TextLayer};
pub use stages::cap::recorded_stage;
pub use stages::dictionary::{DictionaryMethod, UnknownMethod};
pub use stages::names as stage_names;
pub use stages::numbers::has_line_numbers;
pub use tokenforge_redact::terminal;
pub use tokenforge_tokens::interrupt::Deadline;
pub use tokenforge_tokens::{DocumentKind, ModelClass};
pub use vault::{Vault, VaultAccess};

/// The code of single stages, the wrappers of clients and what writes descriptions, each by itself: for tests, fuzz targets
/// and benchmarks, and no part of what this crate promises.
#[cfg(feature = "internals")]
pub mod internals {
    pub use crate::schema::describe::minify_description;
    pub use crate::stages::{
        binary, cap, columns, csv, dictionary, diff_headers, fold, html, json, normalize, numbers,
        padding, paths, progress, templates, whitespace,
    };
    /// What a client puts around a tool's output.
    pub mod wrapper {
        pub use crate::wrapper::{Codec, JsonStyle, Parts, Payload, Piece, unescaped, unwrap};
    }
}

/// What everything that a stage writes of its own begins with, at the start of a line.
pub const SIGNATURE: &str = "[Forge ";
