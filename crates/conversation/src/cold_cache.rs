//! Cold prompt caches: when old results are left out of a conversation, and that it stays so.
//!
//! To leave out what a provider has in its cache costs more than it saves. Where the cache must be gone, because the last
//! request of the conversation is longer ago than the cache lives, everything is written anew, and then old results are
//! left out. That depends on the clock, so it is decided once and kept in the store: a process that sees the
//! conversation again, be it this one, the next one or another replica, forwards the same bytes. Where the store has
//! lost it, the results go on as if nothing had been decided.
//!
//! A conversation is known by its first results, and a decision by all results up to the last one that it leaves out. Both
//! are hashes of content that the client must send itself, so neither depends on whose request it is: a credential that
//! is renewed in mid-conversation changes no byte.
//!
//! | in the store | what | written |
//! |---|---|---|
//! | `cold-ID-seen` | when the last request came | once in a fifth of the cache's lifetime |
//! | `cold-ID-N` | the Nth decision | once, by the first process that decides |

mod conversation_log;
mod decision;
mod left_out;
mod lifetime;
mod result_chain;

pub(crate) use conversation_log::{ConversationLog, ConversationTurn};
pub use left_out::LeftOutResults;
pub use lifetime::is_cold;
