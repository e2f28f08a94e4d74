//! The ledger of savings, an append-only log: what was saved, written down request by request, and summed up honestly.
//!
//! A [`Ledger`] is a folder of JSON lines. The gateway writes a [`LedgerEntry`] for each request, the hook and the tool
//! gateway one for each call; several processes may write at once. It is bounded: when there is too much, the oldest
//! days go. [`Ledger::read`] streams the entries back, and a [`LedgerSummary`] adds them up by tool, client, project, day,
//! stage, model or reason, against four denominators that are never mixed up. [`LedgerHistory`], [`SessionList`],
//! [`SessionTurns`] and [`FetchList`] are what pages about the past show.
//!
//! ```
//! use tokenforge_ledger::{EntrySource, GroupBy, Ledger, LedgerEntry, LedgerSummary, ModelPrices, ResultOutcome};
//!
//! let folder = tempfile::tempdir()?;
//! let mut entry = LedgerEntry::new(EntrySource::Hook, 1_763_000_000);
//! entry.client = Some("claude-code".into());
//! entry.add(ResultOutcome::fresh("Bash", ["clean", "templates"], 1200, 300));
//! Ledger::open(folder.path())?.append(&entry)?;
//!
//! let reading = Ledger::read(folder.path(), None)?;
//! let gain = LedgerSummary::of(reading, GroupBy::Tool, &ModelPrices::default());
//! assert_eq!((gain.tokens.before, gain.tokens.net), (1200, 900));
//! assert_eq!(gain.rows[0].name, "Bash");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Names and numbers only: it never writes down a text of anybody's, and names are cut to a length. The sums are a pure
//! function of the entries and the prices; what is not known is absent and says why, and is never guessed.

mod account;
mod calibration;
mod cold_cache;
mod day;
mod declarations;
mod declared;
mod entry;
mod fetches;
mod filter;
mod gain;
mod group_by;
mod history;
mod ledger;
mod measure;
mod name;
mod prices;
mod reader;
mod segment;
mod session;
mod shadow_cost;
mod share;
mod summary;
mod turns;

pub use account::EntryAccount;
pub use calibration::ModelCalibration;
pub use cold_cache::{CacheRewrite, CacheRewriteSums, ColdCacheReport, ColdCacheSession};
pub use day::{UtcDay, parse_rfc3339};
pub use declarations::{DeclarationReport, DeclaringServer, UnusedTool};
pub use declared::{DeclaredTool, DeclaredTools, WrittenLists};
pub use entry::{
    EntrySource, FetchedPart, LedgerEntry, ModelUsage, OriginalFetch, ResultOutcome, TokenUsage,
};
pub use fetches::{FetchList, SessionFetch};
pub use filter::EntryFilter;
pub use gain::{CostSaving, Currency, GainReport, GainRow, RepeatedResults, TokenSums};
pub use group_by::{GroupBy, UnknownGrouping};
pub use history::{GainTable, LedgerHistory, SavedAmount, TimeBucket};
pub use ledger::{Ledger, MAX_BYTES};
pub use name::BoundedName;
pub use prices::{ModelPrices, charge};
pub use reader::LedgerReader;
pub use session::{SessionList, SessionSummary};
pub use shadow_cost::ShadowCost;
pub use share::{SavingShare, ShareDenominator};
pub use summary::LedgerSummary;
pub use turns::{SessionTurn, SessionTurns, TurnContext, TurnCost, TurnResult};
