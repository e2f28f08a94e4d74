//! Replays recorded tool outputs and whole agent sessions through the engine, and measures.
//!
//! - [`read`] has a reader for each program that writes sessions down; [`transcript`] is what they tell.
//! - [`session`] replays what is told: every request as a gateway would have sent it, charged as it was, or as a provider
//!   with a prompt cache charges. An [`account`] is what is found out.
//! - [`source`] finds logs, [`history`](mod@history) replays many of them at once, [`table`] and [`page`] show what was found,
//!   in [`columns`] that fit a terminal.
//! - [`corpus`] reads a folder of recordings: single outputs, sessions, and [`probes`] (what later turns of a session used).
//!   [`measure`](mod@measure) is what every mode makes of it, in a [`report`].
//!
//! A log is read twice, an entry at a time: for what comes before its messages, and to be replayed. What is held is the text of one conversation's results.

pub mod account;
pub mod columns;
mod conversation;
pub mod corpus;
pub mod history;
pub mod measure;
pub mod outputs;
mod own_notation;
mod owners;
pub mod page;
pub mod plan;
mod preamble;
pub mod probes;
pub mod read;
pub mod report;
pub mod session;
mod sessions;
pub mod source;
pub mod table;
pub mod transcript;
pub mod usage;
mod words;

pub use corpus::{Corpus, CorpusError};
pub use history::ReplayHistory;
pub use plan::{ExpansionOffer, ReplayPlan};
pub use report::ReplayReport;
