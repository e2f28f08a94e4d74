//! Documents made up from a seed, for tests, fuzzing and benchmarks.
//!
//! [`nasty`] writes JSON texts that break careless codecs: strings that look like syntax, odd numbers,
//! duplicate keys, lone surrogates, every white space. [`typical`] writes what tools really return, in the
//! shapes that decide how well a format does. [`repetitive()`] writes what an encoder can factor out, and the exceptions to it. [`tools`] writes lists of tools with descriptions to minify,
//! [`delimited()`] rows of cells, [`page()`] web pages. [`recorded()`]
//! are outputs of real tools, and [`mutated`] what may become of them; [`recorded_runs`] are more of them, half held out, and [`json_outputs`] those that lie beside the project. [`HOSTILE_KINDS`] are
//! texts made to be slow. The same seed gives the same text on every
//! machine.
//!
//! ```
//! use tokenforge_samples::{Nasty, nasty};
//!
//! assert_eq!(nasty(7, Nasty::default()), nasty(7, Nasty::default()));
//! ```

mod corpus;
mod delimited;
mod hostile;
mod nasty;
mod page;
mod recorded;
mod repetitive;
mod runs;
mod tools;
pub mod typical;

pub use corpus::json_outputs;
pub use delimited::delimited;
pub use hostile::{HOSTILE_KINDS, HostileKind};
pub use nasty::{Nasty, nasty};
pub use page::page;
pub use recorded::{Recorded, mutated, recorded};
pub use repetitive::repetitive;
pub use runs::{Half, RecordedRun, RunKind, SEED, held_out, recorded_runs};
pub use tools::tools;
