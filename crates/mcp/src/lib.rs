//! Many tool servers behind one endpoint, their results in fewer tokens.
//!
//! The Model Context Protocol is JSON-RPC. Messages are read as spans of their text ([`Message`]), and what changes in
//! them is spliced: a name, an id, the text of a result. Everything else passes as the client or the server wrote it,
//! members that nobody here knows included.
//!
//! The core is pure: reading, [renaming](outgoing()), [lists of many servers as one](merged), [results](rewrite), events
//! of a [stream](sse). Around it is a thin shell: a [`Hub`] of servers that are reached over HTTP or started as
//! programs, and [`filter`](run_filter), which stands between a client and one program.

mod backend;
mod cursor;
mod era;
pub mod expand;
mod failure;
mod filter;
mod front;
mod hook;
mod hub;
mod link;
mod list;
mod message;
mod names;
mod outgoing;
mod policy;
mod redaction;
mod result;
pub mod rpc;
mod session;
pub mod sse;
mod stats;
mod tasks;
mod transport;
mod work;

pub use cursor::Cursor;
pub use era::{CAPABILITIES_KEY, CLIENT_KEY, Era, LEGACY, MODERN, VERSION_KEY};
pub use failure::Failure;
pub use filter::{Filter, Program, Step, run_filter};
pub use front::{Ask, Body, BodyError};
pub use hook::{Hook, Hooks, Looking};
pub use hub::{Hub, HubSettings, NotSaved, Originals, Registry};
pub use list::{Listed, Part, merged};
pub use message::{LONGEST_MESSAGE, Message, Sort, Unreadable};
pub use names::{fits, prefixed, split};
pub use outgoing::{Introduction, Outgoing, outgoing};
pub use policy::{Rule, rule, structured, usual_format, usual_version};
pub use result::{FORMAT_KEY, Figures, Job, RESULT_KEY, Rewritten, rewrite};
pub use stats::Stats;
pub use transport::{Received, Sending, Transport};
pub use work::{ToolCall, rewritten};
