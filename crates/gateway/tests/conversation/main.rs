//! Conversations through the gateway, as clients and providers see them: over sockets, against a provider that refuses
//! what the real ones refuse.

#![allow(clippy::unwrap_used, reason = "a test that cannot ask has failed")]

mod batches;
mod client;
mod cold_cache;
mod compressor;
mod earlier;
mod expansion;
mod fixtures;
mod forge;
mod golden;
mod house;
mod kept;
mod kept_originals;
mod mixed;
mod pass;
mod pays;
mod prompt;
mod recorded;
mod results;
mod reversible;
mod shell;
mod stable;
mod state;
mod usage;
mod voices;
