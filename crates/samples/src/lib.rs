//! Documents made up from a seed, for tests, fuzzing and benchmarks.
//!
//! [`nasty`] writes JSON texts that break careless codecs: strings that look like syntax, odd numbers,
//! duplicate keys, lone surrogates, every white space. [`typical`] writes what tools really return, in the
//! shapes that decide how well a format does. The same seed gives the same text on every machine.
//!
//! Beside them lie recordings, for tests to read: `outputs` (what real tools printed; `index.toml` names the call) and
//! `recorded` (request bodies of real clients; `INDEX.txt` names the client).
//!
//! ```
//! use tokenforge_samples::{Nasty, nasty};
//!
//! assert_eq!(nasty(7, Nasty::default()), nasty(7, Nasty::default()));
//! ```

mod nasty;
pub mod typical;

pub use nasty::{Nasty, nasty};
