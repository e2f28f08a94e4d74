//! Shadow comparison: whether compression changes what a model does next, measured on live traffic.
//!
//! A sampled request is asked three times beside the client's own: as it was (A), as it was once more (A'), and compressed
//! (B). What a model does next differs from one answer to the next even for the same request, so B is not compared with A
//! alone: [`Difference`] says whether B does something else than A, and whether A' does, and only what B does more often is
//! harm. [`PairedCounts`] is the evidence, good at every moment at which one looks; [`ShadowState`] keeps it by mode,
//! client, tool, stage and tenant, decides what is held for whom, and counts what was spent; [`ShadowFile`] keeps that on a disk.
//!
//! ```
//! use tokenforge_shadow::{Difference, NextAction, PairedCounts, ToolCall};
//!
//! let calling = |arguments: &str| NextAction {
//!     calls: vec![ToolCall { tool: "Read".to_owned(), arguments: arguments.to_owned() }],
//!     ..NextAction::default()
//! };
//! let a = calling(r#"{"path": "a.rs", "limit": 10}"#);
//! let again = calling(r#"{"limit":10.0,"path":"a.rs"}"#);
//! let compressed = calling(r#"{"path": "b.rs"}"#);
//! let mut counts = PairedCounts::default();
//! counts.add(
//!     Difference::of(&a, &again).is_another_action(),
//!     Difference::of(&a, &compressed).is_another_action(),
//! );
//! assert_eq!((counts.noise, counts.changed), (0, 1));
//! // One sample shows nothing.
//! assert!(counts.interval().contains(0.0));
//! ```
//!
//! Everything but [`ShadowFile`] is pure: the time and the random choice are arguments.

mod alarm;
mod budget;
mod difference;
mod epoch;
mod evidence;
mod file;
mod hold;
mod report;
mod sampling;
mod similarity;
mod state;
mod tenants;

pub use budget::DayBudget;
pub use difference::Difference;
pub use epoch::{Epoch, ShadowGroup};
pub use evidence::{HarmInterval, PairedCounts};
pub use file::{FileStamp, ShadowFile};
pub use hold::{HoldKind, ShadowHold};
pub use report::{GroupRow, ShadowReport};
pub use sampling::is_sampled;
pub use similarity::similarity;
pub use state::{PairedOutcome, SampleLabels, ShadowState, Undecided};
pub use tokenforge_providers::{NextAction, ToolCall};
