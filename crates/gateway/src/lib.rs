//! The server that stands between agents and their model providers.
//!
//! A [`Gateway`] takes a request, makes the tool results in it smaller, sends it to the provider it is for, and passes
//! the answer back as it comes. Outside of what was made smaller every byte is the client's or the provider's. What was
//! left out of a result the model can ask for: such a call is answered here, and the client never sees it.

mod answer;
mod aws;
mod chains;
mod configuration;
mod contents;
mod counter;
mod credential_owner;
mod detect;
mod endpoints;
mod exchange;
mod gateway;
mod guard;
mod hex;
mod holds;
mod limits;
mod mcp;
mod options;
mod outgoing_body;
mod paths;
mod pending_account;
mod project;
mod relay;
mod rewrite_events;
mod rewriter;
mod route;
mod secrets;
mod server;
mod shadow;
mod state;
mod store_figures;
mod strategy;
mod subscription;
mod target;
mod telemetry;
mod tenant;
mod traces;
mod usage_tap;
mod user_agent;
mod wall_clock;
mod workers;

pub use crate::aws::{AwsCredentialSource, AwsFinding, AwsFindingKind};
pub use crate::gateway::Gateway;
pub use crate::guard::{Challenge, Proofs, draw_token, random_token, read_token};
pub use crate::mcp::transport;
pub use crate::server::{serve, serve_tls};
pub use tokenforge_conversation::ExpandQuery;
pub use tokenforge_proxy::server::{TlsIdentity, TlsIdentityError};
