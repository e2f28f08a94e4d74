//! The test kit: what the tests of two or more crates need. What one crate alone needs stays beside its tests.
//!
//! | module | what it has |
//! |---|---|
//! | [`program`] | a program run with arguments and standard input, a gateway that it serves, and a folder for its files |
//! | [`store`] | a store in memory around which a test does something of its own |

pub mod program;
pub mod store;
