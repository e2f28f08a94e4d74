//! Settings, seen from outside.

mod documented;
mod errors;
mod kit;
mod laws;
mod layers;
mod ledger;
mod patch;
mod reference;
mod structured;
