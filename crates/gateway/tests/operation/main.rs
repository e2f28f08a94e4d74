//! The gateway at work: what passes through it, what may fail around it, and who may see and change it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod dropin;
mod faults;
mod fields;
mod hostile;
mod kit;
#[cfg(unix)]
mod mcp;
mod operator;
mod passing;
mod slow_client;
mod stores;
mod strategies;
mod targets;
mod telemetry;
mod tenants;
