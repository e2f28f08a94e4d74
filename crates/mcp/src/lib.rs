//! Many tool servers behind one endpoint, their results in fewer tokens.
//!
//! The Model Context Protocol is JSON-RPC. Messages are read as spans of their text ([`Message`]), and what changes in
//! them is spliced: a name, an id, the text of a result. Everything else passes as the client or the server wrote it,
//! unknown members included.
//!
//! The core is pure: reading, [renaming](outgoing()), [lists of many servers as one](merge_lists), [results](rewrite), events
//! of a [stream](sse). Around it is a thin shell: a [`Hub`] of servers that are reached over HTTP or started as
//! programs, and [`run_stdio_proxy`], which stands between a client and one program.

mod backend;
mod bounded_map;
mod cursor;
mod endpoint;
mod era;
pub mod expand;
mod failure;
mod hook;
mod hub;
mod list;
mod message;
mod names;
mod outgoing;
mod policy;
mod redaction;
mod result;
pub mod rpc;
mod server_link;
mod session;
pub mod sse;
mod stats;
mod stdio_proxy;
mod tasks;
mod tool_search;
mod transport;
mod work;

pub use cursor::ListCursor;
pub use endpoint::{Body, BodyError, EndpointRequest};
pub use era::{CAPABILITIES_KEY, CLIENT_KEY, Era, LEGACY, MODERN, VERSION_KEY};
pub use failure::Failure;
pub use hook::{Hook, HookFuture, Hooks};
pub use hub::{BackendRegistry, Hub, HubSettings, NotSaved, Originals};
pub use list::{ListKind, ListPart, merge_lists};
#[cfg(feature = "internals")]
pub use message::reads;
pub use message::{LONGEST_MESSAGE, Message, Sort, Unreadable};
pub use names::{fits, prefixed, split};
pub use outgoing::{Introduction, Outgoing, outgoing};
pub use policy::{
    ResultRule, ToolAccess, rule, structured, tool_access, usual_format, usual_version,
};
pub use result::{
    FORMAT_KEY, Original, RESULT_KEY, ResultFigures, RewriteJob, RewrittenResult, rewrite,
};
pub use stats::CallStats;
pub use stdio_proxy::{ProxiedProgram, ProxyMessages, ProxyStep, StdioProxy, run_stdio_proxy};
pub use tool_search::{CALL_TOOL, FIND_TOOLS, LIST_KEY, ToolIndex, definitions};
pub use transport::{Received, Sending, Transport};
pub use work::{ToolCall, rewrite_and_store};
