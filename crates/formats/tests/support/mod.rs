//! Shared by the tests of the TOON codec.

#![allow(dead_code, reason = "every test uses its own part")]

pub(crate) mod corpus;
pub(crate) mod fixtures;
