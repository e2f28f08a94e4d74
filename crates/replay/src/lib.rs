//! Replays recorded tool outputs and whole agent sessions through the engine, and measures what it would have saved.
//!
//! The main type is [`SessionReplay`](session::SessionReplay): it takes the events that a reader finds in a log, and makes
//! a [`ReplayAccount`](account::ReplayAccount) of each session.
//!
//! ```
//! use serde_json::json;
//! use tokenforge_config::OldResults;
//! use tokenforge_engine::Settings;
//! use tokenforge_replay::{ExpansionOffer, ReplayPlan, read::transcript, session::SessionReplay};
//!
//! let rows: Vec<_> = (0..40).map(|n| json!({"id": n, "state": "open", "title": format!("item {n}")})).collect();
//! let call = json!({"id": "c1", "type": "function", "function": {"name": "list_items", "arguments": "{}"}});
//! let log = [
//!     json!({"role": "user", "content": "Which items are open?"}),
//!     json!({"role": "assistant", "content": null, "tool_calls": [call]}),
//!     json!({"role": "tool", "tool_call_id": "c1", "content": serde_json::to_string_pretty(&rows).unwrap()}),
//!     json!({"role": "assistant", "content": "All of them."}),
//! ];
//! let log: String = log.iter().map(|message| format!("{message}\n")).collect();
//!
//! let plan = ReplayPlan {
//!     settings: Settings::default(),
//!     counter: None,
//!     class: None,
//!     expansion: ExpansionOffer::Never,
//!     old_results: OldResults::WhenCold,
//!     prices: &|_model| None,
//! };
//! let mut replay = SessionReplay::new(&plan);
//! let client = transcript(&|| Ok(Box::new(std::io::Cursor::new(log.clone()))), &mut |event| replay.take(event))?;
//! let (sessions, _) = replay.finish(client, "log.jsonl");
//!
//! let account = &sessions[0].account;
//! assert_eq!((account.requests, account.results.count), (2, 1));
//! assert!(account.results.tokens_out < account.results.tokens_in);
//! # Ok::<(), tokenforge_replay::read::UnreadableLog>(())
//! ```
//!
//! - [`read`] has a reader for each program that writes sessions down; [`transcript`] is what they tell.
//! - [`session`] replays what is told: every request as a gateway would have sent it, charged as it was, or as a provider
//!   with a prompt cache charges. An [`account`] is what is found out.
//! - [`source`] finds logs, [`history`](mod@history) replays many of them at once, [`table`] and [`page`] show what was found,
//!   in [`columns`] that fit a terminal.
//! - [`decisions`] has what a model was shown each time it acted, as it was and compressed, and what it did.
//! - [`corpus`] reads a folder of recordings: single outputs, sessions, and [`probes`] (what later turns of a session used).
//!   [`measure`](mod@measure) is what every mode makes of it, in a [`report`].
//!
//! A log is read twice, an entry at a time: for what comes before its messages, and to be replayed. What is held is the
//! text of one conversation's results. It never asks a provider and never writes to a log.

pub mod account;
pub mod columns;
mod conversation;
pub mod corpus;
pub mod decisions;
pub mod declarations;
pub mod history;
pub mod measure;
pub mod outputs;
mod own_notation;
mod owners;
pub mod page;
pub mod plan;
mod preamble;
mod preamble_survey;
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
