//! Replays recorded tool outputs and whole agent sessions through the engine, and measures.
//!
//! - [`corpus`] reads a folder of recordings: single outputs, sessions, and probes (what later turns of a session used).
//! - [`outputs`] measures single outputs: tokens, larger ones, round trips, speed.
//! - [`sessions`] measures sessions: every request is replayed as a gateway would have sent it, billed as a provider
//!   with a prompt cache bills, and searched for what the model needed next.
//! - [`report`] is what is found, as JSON or a table.

pub mod bill;
pub mod corpus;
pub mod outputs;
pub mod report;
pub mod session;
pub mod sessions;

pub use corpus::{Corpus, CorpusError};
pub use report::Report;
