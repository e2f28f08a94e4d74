//! The gateway at work: what passes through it, what may fail around it, and who may see and change it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod admin_guard;
mod aws;
mod credentials;
mod dashboard;
mod dropin;
mod fair;
mod faults;
mod fields;
mod filters;
mod hostile;
mod keep_alive;
mod kit;
mod ledger;
#[cfg(unix)]
mod mcp;
mod negotiation;
mod operator;
mod origin_guard;
mod passing;
mod past;
mod plugin_calls;
mod plugins;
mod readiness;
mod redaction;
mod representation;
mod routes;
#[cfg(unix)]
mod same_user;
mod shadow;
mod slow_client;
mod speaker;
mod stores;
mod strategies;
mod targets;
mod telemetry;
mod tenants;
mod traces;
