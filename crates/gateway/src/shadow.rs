//! Shadow traffic: sampled requests that are asked three times more beside the client's own, to see whether compression
//! changes what the model does next. Off unless the settings say otherwise.
//!
//! ```text
//! accepted request ─sampled?─> candidate ─room?─> checks ─> A, A', B ─> what each does ─> evidence ─> hold
//! ```
//!
//! The client waits for none of it. What is sent is what came and what went on, with the client's own headers, which are
//! kept in memory until then; no tool is run for an answer. The statistics are in `tokenforge-shadow`.

mod asker;
mod asking;
mod candidate;
mod sample;
mod traffic;

pub(crate) use asker::ShadowAsker;
pub(crate) use candidate::ShadowCandidate;
pub(crate) use traffic::ShadowTraffic;
