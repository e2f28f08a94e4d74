//! The server that stands between agents and their model providers.
//!
//! A [`Gateway`] takes a request, makes the tool results in it smaller, sends it to the provider it is for, and passes
//! the answer back as it comes. Outside of what was made smaller every byte is the client's or the provider's. What was
//! left out of a result the model can ask for: such a call is answered here, and the client never sees it.

mod answer;
mod aws;
mod chains;
mod cold_cache;
mod compressor;
mod contents;
mod counter;
mod credential_owner;
mod deferral;
mod detect;
mod earlier_results;
mod endpoints;
mod exchange;
mod expand;
mod gateway;
mod guard;
mod hex;
mod limits;
mod mcp;
mod memo;
mod options;
mod original_store;
mod panic_safe_store;
mod paths;
mod pending_account;
mod plain_output;
mod project;
mod reference_key;
mod relay;
mod remembered_decision;
mod report;
mod rewrite;
mod rewriter;
mod route;
mod server;
mod sessions;
mod shadow;
mod spliced_body;
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
mod workers;

pub use crate::aws::{AwsCredentialSource, AwsFinding, AwsFindingKind};
pub use crate::compressor::{
    CompressError, CompressedRequest, Compressor, CompressorError, ResultVerdict, TextVerdict,
};
pub use crate::expand::ExpandQuery;
pub use crate::gateway::Gateway;
pub use crate::guard::{Challenge, Proofs, draw_token, random_token, read_token};
pub use crate::mcp::transport;
pub use crate::rewrite::OriginalsReader;
pub use crate::server::{serve, serve_tls};
pub use tokenforge_proxy::server::{TlsIdentity, TlsIdentityError};
