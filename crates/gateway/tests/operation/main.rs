//! The gateway at work: what passes through it, what may fail around it, and who may see and change it.

mod dropin;
mod faults;
mod fields;
mod hostile;
mod kit;
mod operator;
mod passing;
mod slow_client;
mod stores;
mod strategies;
mod targets;
mod telemetry;
mod tenants;
